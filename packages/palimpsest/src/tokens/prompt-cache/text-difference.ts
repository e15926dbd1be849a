/**
 * Where two versions of a text part, and what kind of thing stands there. The thing itself is not
 * told: system prompts hold what must not end up in a log of events.
 */

/** What the first difference looks like. */
export type DifferenceKind = "time or date" | "number" | "id" | "path" | "text";

/** The first difference of two texts. */
interface TextDifference {
  /** Index of the first character that differs, in UTF-16 units. */
  readonly at: number;
  readonly kind: DifferenceKind;
}

/** Characters on each side of the difference that are looked at. */
const REACH = 48;

const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}";
/** Tried in order. Every repetition is bounded, because the text may be anything. */
const KINDS: readonly (readonly [DifferenceKind, readonly RegExp[]])[] = [
  [
    "time or date",
    [
      /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?(?:Z| ?[+-]\d{2}:?\d{2})?/g,
      /\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\b)?/gi,
      /\b(?:\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}[./]\d{1,2}[./]\d{1,2}|\d{1,2}\/\d{1,2}\/\d{2})\b/g,
      new RegExp(`\\b${MONTH}\\.? {1,2}\\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?`, "gi"),
      new RegExp(`\\b\\d{1,2}(?:st|nd|rd|th|\\.)? ${MONTH}(?:,? \\d{4})?`, "gi"),
      /\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b/gi,
      /\d{1,4} ?[年月日時时分秒]/g,
      /\b1[6-9]\d{8}(?:\d{3})?\b/g,
    ],
  ],
  [
    "id",
    [
      /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
      /\b(?=[a-z]{0,40}\d)[0-9a-f]{7,64}\b/gi,
    ],
  ],
  ["number", [/\d{1,30}(?:[.,]\d{1,30})?/g]],
  ["path", [/(?:~|\.{1,2}|[a-z]:|\b[\w.-]{1,60})?[/\\][\w.@/\\-]{1,96}/gi]],
];

/** The first difference; `undefined` where the texts are the same. */
export function findDifference(before: string, after: string): TextDifference | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && before.charCodeAt(at) === after.charCodeAt(at)) at++;
  return { at, kind: kindAt(after, at) ?? kindAt(before, at) ?? "text" };
}

function kindAt(text: string, at: number): DifferenceKind | undefined {
  const start = Math.max(0, at - REACH);
  const around = text.slice(start, at + REACH);
  const place = at - start;
  return KINDS.find(([, patterns]) => patterns.some((pattern) => standsAt(around, place, pattern)))?.[0];
}

/** Whether something that matches covers the place, or ends right before it: a number may have grown. */
function standsAt(text: string, place: number, pattern: RegExp): boolean {
  for (const { index, 0: found } of text.matchAll(pattern))
    if (index <= place && place <= index + found.length) return true;
  return false;
}
