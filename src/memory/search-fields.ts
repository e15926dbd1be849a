/**
 * What of a memory is searched, and what it has to do with others.
 *
 * Memories that were taken from one session are a group: a fact is found a little more often where others of its
 * session fit, too. They are no neighbours: a fact stands for itself, and what was noted just before it is about
 * something else (measured in bench/memory). The day is what people ask with who remember when they said it; the
 * day of the week is left out, because much of what is remembered is about days of the week.
 */
import type { Memory } from "./memory.ts";
import type { MemoryFields } from "./search/memory-search.ts";

export function searchFields(memory: Memory): MemoryFields {
  const { name, description, body, sessionId, createdAtMs } = memory;
  if (sessionId === undefined) return { name, description, body };
  const time = createdAtMs === undefined ? {} : { time: dayInWords(createdAtMs) };
  return { name, description, body, group: sessionId, ...time };
}

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** `7 May 2024`, in universal time; empty where no calendar has it. */
function dayInWords(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return "";
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
