/**
 * The searched fields of a memory, and its links to others.
 *
 * A fact is complete by itself: its predecessor is about something else, and its session speaks for an old fact as
 * much as for its correction (measured in packages/evaluation/bench/memory). Only a memory with `follows` is a piece
 * of a conversation, and may lack the words around it. The date is searched because people ask by date; the weekday
 * is not, because many memories are about weekdays. A chosen name weighs more than the text. A name that is only the
 * text's beginning is left out: it would raise whatever begins a sentence.
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

/**
 * The text of a memory for an embedding model. What the text begins with is not said twice: a vector of it is less like
 * a question (packages/evaluation/bench/memory: 5 points fewer preferences are found among five).
 */
export function meaningText({
  name,
  description,
  body,
}: Pick<Memory, "name" | "description" | "body">): string {
  return [...[name, description].filter((part) => !isBeginning(part, body)), body].join("\n");
}

/** Enough of a text to tell whether a name is its beginning. */
const BEGINNING_CHARACTERS = 400;

/** A heading is a chosen name. */
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
