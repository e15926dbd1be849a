/**
 * How far the clock is believed: nothing is deleted because a clock jumped.
 *
 * DESIGN. Every run notes when it was, at most once a day. Two figures follow. *Observed time* adds up the
 * steps between the notes, none of them for more than `observedGapDays`, none backward, none of a leap: a
 * period of grace has to pass by the clock and in observed time, so that a clock which is 75 years ahead
 * uses up nothing. And a clock that is behind or far ahead of everything seen so far is *in doubt* until
 * the notes have gone on evenly for `steadyDays`: a machine that really was switched off for two years
 * waits for a week, and then goes on.
 */
import { RETENTION_DEFAULTS } from "../base/defaults/retention.ts";
import { asNumber, isObject } from "../base/json.ts";

const DAY_MS = 86_400_000;
const GAP_LIMIT_MS = RETENTION_DEFAULTS.observedGapDays * DAY_MS;
/** Of the newest notes, as many as were certainly not thinned yet. */
const UNTHINNED_COUNT = RETENTION_DEFAULTS.observationsCount / 4;
const LEAP_MS = RETENTION_DEFAULTS.clockLeapDays * DAY_MS;

/** When a run was, by the clock, and how much time had been observed by then. Milliseconds. */
export interface ClockNote {
  readonly atMs: number;
  readonly observedMs: number;
}

/** Whether the clock can be relied on, and if not, why. */
export type ClockVerdict =
  | { readonly isTrusted: true }
  | {
      readonly isTrusted: false;
      /** `not-a-date`: no year in which this program existed. `behind`, `ahead`: of everything that was seen. */
      readonly doubt: "not-a-date" | "behind" | "ahead";
      /** The newest date that was seen anywhere. */
      readonly newestMs: number | undefined;
    };

/** Notes from the ledger. Where they contradict each other there are none: then nothing counts as observed. */
export function parseNotes(value: unknown): readonly ClockNote[] {
  if (!Array.isArray(value)) return [];
  const notes: ClockNote[] = [];
  for (const item of value as readonly unknown[]) {
    const [atMs, observedMs] = isObject(item) ? [asNumber(item["atMs"]), asNumber(item["observedMs"])] : [];
    if (!isDate(atMs) || observedMs === undefined) return [];
    notes.push({ atMs, observedMs });
  }
  return notes.every((note, index) => canFollow(note, notes[index - 1], notes.length - index))
    ? notes.slice(-RETENTION_DEFAULTS.observationsCount)
    : [];
}

/** Observed time only grows, and between notes that were not thinned never by more than one step. */
function canFollow({ observedMs }: ClockNote, before: ClockNote | undefined, fromEnd: number): boolean {
  const grownMs = observedMs - (before?.observedMs ?? 0);
  return grownMs >= 0 && (fromEnd > UNTHINNED_COUNT || before === undefined || grownMs <= GAP_LIMIT_MS);
}

/** The notes with one of now, unless the last is of the same day or now is no date. */
export function withNow(notes: readonly ClockNote[], nowMs: number): readonly ClockNote[] {
  if (!isDate(nowMs)) return notes;
  const last = notes.at(-1);
  if (last === undefined) return [{ atMs: nowMs, observedMs: 0 }];
  const stepMs = nowMs - last.atMs;
  if (stepMs >= 0 && stepMs < RETENTION_DEFAULTS.runIntervalMs) return notes;
  const isCounted = stepMs > 0 && stepMs <= LEAP_MS;
  const observedMs = last.observedMs + (isCounted ? Math.min(stepMs, GAP_LIMIT_MS) : 0);
  return thinned([...notes, { atMs: nowMs, observedMs }]);
}

/** Every other note of the older half is left out: what they sum up to stays. */
function thinned(notes: readonly ClockNote[]): readonly ClockNote[] {
  if (notes.length <= RETENTION_DEFAULTS.observationsCount) return notes;
  const half = Math.floor(notes.length / 2);
  return notes.filter((_, index) => index >= half || index % 2 === 0);
}

/** How much time was observed since a date: from the first of the latest notes that are all after it. */
export function observedSince(notes: readonly ClockNote[], sinceMs: number): number {
  let first = notes.length;
  while (first > 0 && notes[first - 1]!.atMs >= sinceMs) first--;
  const [from, to] = [notes[first], notes.at(-1)];
  return from === undefined || to === undefined ? 0 : to.observedMs - from.observedMs;
}

/** Judges the clock by the notes of earlier runs and by the newest date that was seen anywhere else. */
export function judgeClock(
  notes: readonly ClockNote[],
  { nowMs, newestMs }: { readonly nowMs: number; readonly newestMs: number | undefined },
): ClockVerdict {
  if (!isDate(nowMs)) return { isTrusted: false, doubt: "not-a-date", newestMs };
  const seenMs = Math.max(newestMs ?? 0, notes.at(-1)?.atMs ?? 0);
  const aheadMs = nowMs - seenMs;
  const isEven = seenMs === 0 || isStep(aheadMs);
  if (isEven || steadyMs(withNow(notes, nowMs)) >= RETENTION_DEFAULTS.steadyDays * DAY_MS)
    return { isTrusted: true };
  return { isTrusted: false, doubt: aheadMs < 0 ? "behind" : "ahead", newestMs: seenMs };
}

/** For how long the clock has gone on without a jump, in observed time. */
function steadyMs(notes: readonly ClockNote[]): number {
  let first = notes.length - 1;
  while (first > 0 && isStep(notes[first]!.atMs - notes[first - 1]!.atMs)) first--;
  const [from, to] = [notes[first], notes.at(-1)];
  return from === undefined || to === undefined ? 0 : to.observedMs - from.observedMs;
}

function isStep(ms: number): boolean {
  return ms >= -RETENTION_DEFAULTS.clockSlackMs && ms <= LEAP_MS;
}

/** Whether a program of ours can have been running then. */
export function isDate(ms: number | undefined): ms is number {
  return ms !== undefined && Number.isFinite(ms) && ms >= RETENTION_DEFAULTS.oldestDateMs;
}
