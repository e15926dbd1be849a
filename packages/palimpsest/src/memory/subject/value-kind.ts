/**
 * What kind of value some words are: two weekdays, or two numbers, can stand for each other where nothing else
 * of a sentence differs.
 */
import type { SubjectWord } from "./subject-words.ts";

type ValueKind = "number" | "weekday" | "month" | "season";

const WEEKDAYS = new Set("monday tuesday wednesday thursday friday saturday sunday".split(" "));
const MONTHS = new Set(
  "january february march april june july august september october november december".split(" "),
);
const SEASONS = new Set("spring summer autumn fall winter".split(" "));

/** The kind of all of the words; `undefined` where they are of several, or of none that is known. */
export function valueKind(words: readonly SubjectWord[]): ValueKind | undefined {
  const kinds = new Set(words.map(({ word, term }) => kindOf(word, term)));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

function kindOf(word: string, term: string): ValueKind | undefined {
  const singular = word.endsWith("s") ? word.slice(0, -1) : word;
  if (/^\d/.test(term)) return "number";
  if (WEEKDAYS.has(singular)) return "weekday";
  if (MONTHS.has(word)) return "month";
  return SEASONS.has(word) ? "season" : undefined;
}
