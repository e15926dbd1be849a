/**
 * Numbers of the clean-up: which dates and clocks are believed, and how much one run does. How long
 * sessions are kept is in `home.ts`.
 */
import { assert } from "../assert.ts";
import { HOME_DEFAULTS } from "./home.ts";

export const RETENTION_DEFAULTS = {
  /** Dates before this are damaged: there was no such session then. Milliseconds since the epoch, 2020-01-01. Source: our choice: an unset clock says 1970, a disk without times 1980. */
  oldestDateMs: 1_577_836_800_000,
  /** Time by which dates may be ahead of the clock, in milliseconds: a day, for time zones mistaken for each other. Source: our choice. */
  clockSlackMs: 86_400_000,
  /** Days that the clock may be ahead of everything that was ever seen before it is doubted: a year without any use. Source: our choice; a flat clock battery or a mistyped year is off by more. */
  clockLeapDays: 366,
  /** Days over which a doubted clock has to go on evenly before it is believed. Source: our choice: long enough to notice and set it. */
  steadyDays: 7,
  /** Most days that count as observed between two runs, so that no jump of the clock uses up a period of grace. Source: our choice: a weekly run counts in full, and a month of grace takes five runs. */
  observedGapDays: 7,
  /** Least time between two runs at start-up, in milliseconds: 20 hours. Source: our choice: once a day for who begins a little earlier than the day before. */
  runIntervalMs: 72_000_000,
  /** Observations of the clock that are remembered; beyond it the older half is thinned. Source: our choice: four months of daily runs, 5 KB. */
  observationsCount: 128,
  /** Sessions that a run at start-up moves at most, the oldest first, so that a start is not held up, and a mistaken setting shows before it has reached everything. Source: our choice: half a second of work. */
  startUpSessionsCount: 1_000,
  /** Sessions that are moved or deleted at a time, so that syncing them and their audit is shared. Source: `packages/evaluation/bench/sessions/clean-up.mjs`, 10,000 moves on one disk: 15 s with 16, 5 s with 128, 9 s with 512. */
  concurrentSessionsCount: 128,
  /** Those of them whose files are synced together; the others are moved meanwhile. Source: `packages/evaluation/bench/sessions/clean-up.mjs`, 15,000 moves on one disk, two runs each: 12 and 14 s with all, 8 and 11 s with half of them. */
  syncedSessionsCount: 64,
  /** Sessions asked for at a time, where the store has no list of all. Source: our choice: about 10 MB. */
  describedAtOnceCount: 5_000,
} as const;

assert(
  RETENTION_DEFAULTS.observedGapDays * 2 <= HOME_DEFAULTS.trashGraceDays,
  "no two runs alone use up the period of grace",
);
assert(
  RETENTION_DEFAULTS.syncedSessionsCount * 2 <= RETENTION_DEFAULTS.concurrentSessionsCount,
  "some are moved while others are synced",
);
assert(
  RETENTION_DEFAULTS.runIntervalMs <= 86_400_000,
  "who starts daily at about the same time has a run every day",
);
