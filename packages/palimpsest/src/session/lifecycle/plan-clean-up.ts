/**
 * Plans a clean-up: sessions without activity go to the trash, those that were there long enough are purged, and every
 * kept session has a reason. Changes nothing.
 */
import { HOME_DEFAULTS } from "../../base/defaults/home.ts";
import { DAY_MS } from "../../base/durations.ts";
import { OptionError } from "../../base/errors.ts";
import { shorten } from "../../base/text/text.ts";
import type { SessionInfo, TrashedSession } from "../../ports/session-store.ts";
import {
  ageWithoutLeaps,
  CLOCK_SLACK_MS,
  type ClockNote,
  type ClockVerdict,
  isDate,
  judgeClock,
  lastBeforeGap,
  observedSince,
  withNow,
} from "./observed-clock.ts";

/** Retention periods. */
export interface RetentionSettings {
  /** Days without activity after which a session goes to the trash; 0: nothing is ever moved or deleted. @defaultValue 30 */
  readonly cleanupPeriodDays: number;
  /** Days that a session stays in the trash before it is deleted. @defaultValue 30 */
  readonly trashGraceDays: number;
}

/** Something that a clean-up does. */
export type CleanUpAction =
  | {
      readonly kind: "trash";
      readonly sessionId: string;
      /** In words: `no activity for 45 days`. */
      readonly reason: string;
      readonly bytes: number;
      /** Milliseconds since the epoch. */
      readonly lastActivityAt: number;
    }
  | {
      readonly kind: "purge";
      readonly sessionId: string;
      readonly reason: string;
      /** Milliseconds since the epoch. */
      readonly trashedAt: number;
    };

/**
 * The reason why a session is kept.
 *
 * - `recent`: its last activity is too recent. `in-use`: it has a writer.
 * - `date-damaged`, `date-ahead`: its date is missing or older than this library, or in the future.
 * - `clock-in-doubt`: it is due by a clock that is not trusted.
 * - `over-limit`: this run has reached its limit; the next continues.
 * - `already-in-trash`: the trash holds another session with its id.
 * - `in-grace`: it has not been in the trash for long enough. `not-observed`: long enough by the clock, but not in
 *   observed time.
 * - `changed`: it had activity, or disappeared, before it could be moved.
 */
export type KeptReason =
  | "recent"
  | "in-use"
  | "date-damaged"
  | "date-ahead"
  | "clock-in-doubt"
  | "over-limit"
  | "already-in-trash"
  | "in-grace"
  | "not-observed"
  | "changed";

/** A session that is left where it is. */
interface KeptSession {
  readonly sessionId: string;
  readonly where: "store" | "trash";
  readonly reason: KeptReason;
}

export interface CleanUpPlan {
  /** Those that are to go first, the oldest first. */
  readonly actions: readonly CleanUpAction[];
  readonly kept: readonly KeptSession[];
  readonly clock: ClockVerdict;
  /** Notes of earlier runs and of this one. */
  readonly notes: readonly ClockNote[];
}

interface CleanUpFacts {
  readonly sessions: readonly Pick<SessionInfo, "sessionId" | "lastActivityAt" | "bytes" | "isInUse">[];
  readonly trashed: readonly TrashedSession[];
  readonly settings: RetentionSettings;
  readonly nowMs: number;
  /** Notes of earlier runs. */
  readonly notes: readonly ClockNote[];
  /** Most actions. */
  readonly limit: number;
}

type Decision = CleanUpAction | KeptSession;

/** Completes the settings with defaults. @throws `OptionError` for a value that is not a number of days. */
export function checkRetention(settings: Partial<RetentionSettings> = {}): RetentionSettings {
  return {
    cleanupPeriodDays: days("cleanupPeriodDays", settings.cleanupPeriodDays),
    trashGraceDays: days("trashGraceDays", settings.trashGraceDays),
  };
}

function days(name: keyof RetentionSettings, value: unknown = HOME_DEFAULTS[name]): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= HOME_DEFAULTS.maxDays)
    return value;
  throw new OptionError({
    message: `${name} is ${shorten(typeof value === "string" ? JSON.stringify(value) : String(value), 60)}, and not a number of days.`,
    hint: `Give a whole number from 0 to ${HOME_DEFAULTS.maxDays}, without a unit. 0 keeps everything.`,
  });
}

/** Decides about every session. Sessions whose date is as old go in the order of their ids. */
export function planCleanUp(facts: CleanUpFacts): CleanUpPlan {
  const { nowMs } = facts;
  const dates = soundDates(facts);
  const newestMs = dates.reduce<number | undefined>((newest, ms) => Math.max(newest ?? ms, ms), undefined);
  const sight = { nowMs, newestMs, beforeGapMs: lastBeforeGap(dates, nowMs) };
  const clock = judgeClock(facts.notes, sight);
  const notes = withNow(facts.notes, sight);
  const kept: KeptSession[] = [];
  const actions: CleanUpAction[] = [];
  if (facts.settings.cleanupPeriodDays > 0)
    for (const decision of [...decideStored(facts, notes), ...decideTrashed(facts, notes)])
      if ("kind" in decision) actions.push(decision);
      else kept.push(decision);
  const allowed = clock.isTrusted ? actions.sort(compareActions).slice(0, facts.limit) : [];
  const reason = clock.isTrusted ? "over-limit" : "clock-in-doubt";
  for (const { kind, sessionId } of actions.slice(allowed.length))
    kept.push({ sessionId, where: kind === "trash" ? "store" : "trash", reason });
  return { actions: allowed, kept, clock, notes };
}

/** Damaged dates say nothing; one far in the future does, and the clock is doubted for a while. */
function soundDates({ sessions, trashed }: CleanUpFacts): readonly number[] {
  const dates = [
    ...sessions.map(({ lastActivityAt }) => lastActivityAt),
    ...trashed.map(({ trashedAt }) => trashedAt),
  ];
  return dates.filter(isDate);
}

function* decideStored(
  { sessions, trashed, settings, nowMs }: CleanUpFacts,
  notes: readonly ClockNote[],
): Generator<Decision> {
  const inTrash = new Set(trashed.map(({ sessionId }) => sessionId));
  for (const { sessionId, lastActivityAt, bytes, isInUse } of sessions) {
    const idleMs = ageWithoutLeaps(notes, lastActivityAt, nowMs);
    const reason =
      judgeDate(lastActivityAt, nowMs) ??
      (idleMs <= settings.cleanupPeriodDays * DAY_MS ? "recent" : undefined) ??
      (isInUse ? "in-use" : undefined) ??
      (inTrash.has(sessionId) ? "already-in-trash" : undefined);
    yield reason === undefined
      ? {
          kind: "trash",
          sessionId,
          reason: `no activity for ${Math.floor(idleMs / DAY_MS)} days`,
          bytes,
          lastActivityAt,
        }
      : { sessionId, where: "store", reason };
  }
}

function* decideTrashed(
  { trashed, settings, nowMs }: CleanUpFacts,
  observed: readonly ClockNote[],
): Generator<Decision> {
  const graceMs = settings.trashGraceDays * DAY_MS;
  for (const { sessionId, trashedAt } of trashed) {
    const reason = judgeDate(trashedAt, nowMs) ?? judgeGrace(trashedAt!, { nowMs, graceMs, observed });
    yield reason === undefined
      ? {
          kind: "purge",
          sessionId,
          reason: `in the trash for ${Math.floor((nowMs - trashedAt!) / DAY_MS)} days`,
          trashedAt: trashedAt!,
        }
      : { sessionId, where: "trash", reason };
  }
}

function judgeDate(atMs: number | undefined, nowMs: number): KeptReason | undefined {
  if (!isDate(atMs)) return "date-damaged";
  return atMs > nowMs + CLOCK_SLACK_MS ? "date-ahead" : undefined;
}

function judgeGrace(
  trashedAt: number,
  time: { readonly nowMs: number; readonly graceMs: number; readonly observed: readonly ClockNote[] },
): KeptReason | undefined {
  if (time.nowMs - trashedAt < time.graceMs || time.nowMs < trashedAt) return "in-grace";
  return observedSince(time.observed, trashedAt) < time.graceMs ? "not-observed" : undefined;
}

function compareActions(one: CleanUpAction, other: CleanUpAction): number {
  return dateOf(one) - dateOf(other) || (one.sessionId < other.sessionId ? -1 : 1);
}

function dateOf(action: CleanUpAction): number {
  return action.kind === "trash" ? action.lastActivityAt : action.trashedAt;
}
