/**
 * Decides how far to trust the clock, so that clean-up deletes nothing because a clock jumped.
 *
 * DESIGN. Every run notes its time, at most once a day. *Observed time* is the sum of the steps between notes. A step
 * counts at most `OBSERVED_GAP_DAYS`, never backward, and not at all if it is longer than `CLOCK_LEAP_DAYS`, which is a
 * *leap*. Deleting depends on observed time. A session last used before a leap is as old as the time observed since the
 * leap. The grace period in the trash has to pass both by the clock and in observed time. So a clock that is 75 years
 * ahead makes nothing old, and a machine that was off for two years continues as if it had been off for a day.
 *
 * A run that sees the clock leap or go back only notes it. If sessions have dates in the future, either the clock or the
 * dates are wrong: the clock is trusted once the notes have advanced evenly for `STEADY_DAYS`.
 */
import { assert } from "../../base/assert.ts";
import { HOME_DEFAULTS } from "../../base/defaults/home.ts";
import { DAY_MS } from "../../base/durations.ts";
import { asNumber, isObject } from "../../base/json/json.ts";

/** Least time between two notes, in milliseconds: 20 hours. Our choice: once a day, even if a run begins a little earlier than the day before. */
const NOTE_INTERVAL_MS = 72_000_000;

/** Dates before this are damaged: there was no such session then. Milliseconds since the epoch, 2020-01-01. Our choice: an unset clock says 1970, a disk without times 1980. */
const OLDEST_DATE_MS = 1_577_836_800_000;
/** Time by which dates may be ahead of the clock, in milliseconds: a day, for time zones mistaken for each other. Our choice. */
export const CLOCK_SLACK_MS = 86_400_000;
/** Days by which the clock may be ahead of every known date before it is doubted: a year without any use. Our choice; a flat clock battery or a mistyped year is off by more. */
const CLOCK_LEAP_DAYS = 366;
/** Days over which a doubted clock has to go on evenly before it is believed. Our choice: long enough to notice and set it. */
const STEADY_DAYS = 7;
/** Most days that count as observed between two runs, so that no jump of the clock uses up a period of grace. Our choice: a weekly run counts in full, and a month of grace takes five runs. */
const OBSERVED_GAP_DAYS = 7;
/** Observations of the clock that are remembered; beyond it the older half is thinned. Our choice: four months of daily runs, 5 KB. */
const OBSERVATIONS_COUNT = 128;

assert(OBSERVED_GAP_DAYS * 2 <= HOME_DEFAULTS.trashGraceDays, "no two runs alone use up the period of grace");

const GAP_LIMIT_MS = OBSERVED_GAP_DAYS * DAY_MS;
const LEAP_MS = CLOCK_LEAP_DAYS * DAY_MS;
/** Number of newest notes that were certainly not thinned. */
const UNTHINNED_COUNT = OBSERVATIONS_COUNT / 4;

/** A run's time by the clock, and the time observed until then; in milliseconds. */
export interface ClockNote {
  readonly atMs: number;
  readonly observedMs: number;
  /** Set if the clock leapt to this time. */
  readonly isLeap?: true;
}

/** Trust in the clock, and the reason for a doubt. */
export type ClockVerdict =
  | { readonly isTrusted: true }
  | {
      readonly isTrusted: false;
      /** `not-a-date`: before this program existed. `behind`, `ahead`: far from every date that was seen. */
      readonly doubt: "not-a-date" | "behind" | "ahead";
      /** The newest date that was seen anywhere; milliseconds since the epoch. */
      readonly newestMs: number | undefined;
    };

/** Reads the notes of the ledger. Returns none if they contradict each other, so that no time counts as observed. */
export function parseClockNotes(value: unknown): readonly ClockNote[] {
  if (!Array.isArray(value)) return [];
  const notes: ClockNote[] = [];
  for (const item of value as readonly unknown[]) {
    if (!isObject(item)) return [];
    const [atMs, observedMs] = [asNumber(item["atMs"]), asNumber(item["observedMs"])];
    if (!isDate(atMs) || observedMs === undefined) return [];
    notes.push({ atMs, observedMs, ...(item["isLeap"] === true && { isLeap: true }) });
  }
  return notes.every((note, index) => canFollow(note, notes[index - 1], notes.length - index)) ? notes : [];
}

/**
 * True if a note is possible after another: observed time never shrinks, and between notes that were not thinned it
 * grows by one step at most.
 */
function canFollow({ observedMs }: ClockNote, before: ClockNote | undefined, fromEnd: number): boolean {
  const grownMs = observedMs - (before?.observedMs ?? 0);
  return grownMs >= 0 && (fromEnd > UNTHINNED_COUNT || before === undefined || grownMs <= GAP_LIMIT_MS);
}

/** The clock now, and the dates to compare it with. */
interface ClockSight {
  readonly nowMs: number;
  /** The newest date of anything that is stored. */
  readonly newestMs: number | undefined;
  /** {@link lastBeforeGap} of all dates. */
  readonly beforeGapMs: number | undefined;
}

/** Adds a note of now, unless the last one has the same day or now is not a valid date. */
export function withNow(notes: readonly ClockNote[], sight: ClockSight): readonly ClockNote[] {
  const { nowMs } = sight;
  if (!isDate(nowMs)) return notes;
  const last = notes.at(-1);
  const stepMs = last === undefined ? undefined : nowMs - last.atMs;
  if (stepMs !== undefined && stepMs >= 0 && stepMs < NOTE_INTERVAL_MS) return notes;
  const isLeap = aheadMs(notes, sight) > LEAP_MS;
  const countedMs = isLeap || stepMs === undefined ? 0 : Math.min(Math.max(0, stepMs), GAP_LIMIT_MS);
  const note = { atMs: nowMs, observedMs: (last?.observedMs ?? 0) + countedMs };
  return thinned([...notes, { ...note, ...(isLeap && { isLeap }) }]);
}

/**
 * Returns the last date before a gap as long as a leap, in which nothing was stored; without such a gap, the newest
 * date. Dates in the future are left out. Before there are notes, the clock may have leapt in such a gap, even if
 * something was stored after it. So the gap counts as a leap.
 */
export function lastBeforeGap(dates: readonly number[], nowMs: number): number | undefined {
  const past = dates.filter((ms) => ms <= nowMs + CLOCK_SLACK_MS).sort((a, b) => a - b);
  const beforeGap = past.findLastIndex((ms, index) => (past[index + 1] ?? nowMs) - ms > LEAP_MS);
  return past[beforeGap === -1 ? past.length - 1 : beforeGap];
}

/** Time by which the clock is ahead of the last note; without notes, of the stored sessions. */
function aheadMs(notes: readonly ClockNote[], { nowMs, beforeGapMs }: ClockSight): number {
  return nowMs - (notes.at(-1)?.atMs ?? beforeGapMs ?? nowMs);
}

/** Drops every other note of the older half except around leaps, so that the observed time stays the same. */
function thinned(notes: readonly ClockNote[]): readonly ClockNote[] {
  if (notes.length <= OBSERVATIONS_COUNT) return notes;
  const half = Math.floor(notes.length / 2);
  return notes.filter(({ isLeap }, index) => index >= half || index % 2 === 0 || isLeap);
}

/** Judges the clock by the notes of earlier runs and by what is stored. */
export function judgeClock(notes: readonly ClockNote[], sight: ClockSight): ClockVerdict {
  const { nowMs, newestMs } = sight;
  if (!isDate(nowMs)) return { isTrusted: false, doubt: "not-a-date", newestMs };
  const seenMs = Math.max(newestMs ?? 0, notes.at(-1)?.atMs ?? 0);
  if (aheadMs(notes, sight) > LEAP_MS) return { isTrusted: false, doubt: "ahead", newestMs: seenMs };
  const isBehind = nowMs < seenMs - CLOCK_SLACK_MS;
  const isSteady = steadyMs(withNow(notes, sight)) >= STEADY_DAYS * DAY_MS;
  return isBehind && !isSteady
    ? { isTrusted: false, doubt: "behind", newestMs: seenMs }
    : { isTrusted: true };
}

/** Observed time since the clock last jumped. */
function steadyMs(notes: readonly ClockNote[]): number {
  let first = notes.length - 1;
  while (first > 0 && !isJump(notes[first]!, notes[first - 1]!)) first--;
  return observedFrom(notes, first);
}

function isJump(note: ClockNote, before: ClockNote): boolean {
  return note.isLeap === true || note.atMs < before.atMs - CLOCK_SLACK_MS;
}

/** Time observed since a date, counted from the first note after which all notes are later than the date. */
export function observedSince(notes: readonly ClockNote[], sinceMs: number): number {
  let first = notes.length;
  while (first > 0 && notes[first - 1]!.atMs >= sinceMs) first--;
  return observedFrom(notes, first);
}

/** Age of a date. If the clock leapt later, only the time observed since the leap counts. */
export function ageWithoutLeaps(notes: readonly ClockNote[], atMs: number, nowMs: number): number {
  const leap = notes.findLastIndex(({ isLeap, atMs: leaptTo }) => isLeap === true && leaptTo > atMs);
  return leap === -1 ? nowMs - atMs : Math.min(nowMs - atMs, observedFrom(notes, leap));
}

function observedFrom(notes: readonly ClockNote[], first: number): number {
  const [from, to] = [notes[first], notes.at(-1)];
  return from === undefined || to === undefined ? 0 : to.observedMs - from.observedMs;
}

/** True if this library existed at that time. */
export function isDate(ms: number | undefined): ms is number {
  return ms !== undefined && Number.isFinite(ms) && ms >= OLDEST_DATE_MS;
}
