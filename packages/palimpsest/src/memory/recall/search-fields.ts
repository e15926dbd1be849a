/**
 * What of a memory is searched, and what it has to do with others.
 *
 * A fact stands for itself: what was noted before it is about something else, and what else its session left speaks
 * for an old fact as much as for the one that corrects it (measured in packages/evaluation/bench/memory). Only what says of itself that
 * it follows another one is a piece of a conversation, which may lack the words that stand around it. The day is what
 * people ask with who remember when they said it; the day of the week is left out, because much of what is
 * remembered is about days of the week. A name weighs more than a text because somebody chose it; one that is only
 * the text's beginning nobody chose, and it would put whatever a sentence begins with above what it says.
 */

import type { MemoryFields } from "../../base/search/memory-search.ts";
import { cutHead } from "../../base/text/text.ts";
import type { Memory } from "../files/memory.ts";

/** @param isFollowed - another memory says that it follows this one: a conversation begins with it */
export function searchFields(memory: Memory, isFollowed = false): MemoryFields {
  const { name, description, body, sessionId, follows, createdAtMs } = memory;
  const time = sessionId === undefined || createdAtMs === undefined ? "" : dayInWords(createdAtMs);
  return {
    ...(isBeginning(name, body) ? {} : { name }),
    ...{ description, body },
    ...(time === "" ? {} : { time }),
    before: follows,
    ...(sessionId === undefined || (follows === undefined && !isFollowed) ? {} : { group: sessionId }),
  };
}

/** Enough of a text to tell whether a name is its beginning. */
const BEGINNING_CHARACTERS = 400;

/** A heading is a name that somebody wrote. */
function isBeginning(name: string, body: string): boolean {
  const start = cutHead(body.trimStart(), BEGINNING_CHARACTERS);
  return !start.startsWith("#") && onlyWords(start).startsWith(onlyWords(name));
}

const onlyWords = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** `7 May 2024`, in universal time; empty where no calendar has it. */
function dayInWords(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return "";
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
