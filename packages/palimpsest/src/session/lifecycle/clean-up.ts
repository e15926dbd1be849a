/**
 * The clean-up: moves sessions without recent activity to the trash, and purges those that were there for long enough.
 *
 * A run carries out a plan (`plan-clean-up.ts`) and checks each session again just before it moves it. A session that
 * cannot be moved is reported and does not stop the run. Only the store's sessions are ever touched.
 */
import { DAY_MS } from "../../base/durations.ts";
import { isObject } from "../../base/json/json.ts";
import type { CleanUpLedger, SessionStore } from "../../ports/session-store.ts";
import { type CleanUpOptions, type CleanUpReport, CleanUpRun, checkCleanUp } from "./clean-up-run.ts";
import { type ClockNote, parseClockNotes } from "./observed-clock.ts";
import { checkRetention } from "./plan-clean-up.ts";

/**
 * Cleans up the sessions of a store. Never touches an open session, nothing younger than the period, nothing whose
 * date is damaged or in the future, and nothing at all while the clock is in doubt.
 *
 * @throws `OptionError` for settings that are not a number of days; `StoreError` if the store cannot list its sessions.
 *
 * @example
 * ```ts
 * const report = await cleanUp(store, { clock: systemClock, ledger, dryRun: true });
 * for (const { kind, sessionId, reason } of report.actions) console.log(kind, sessionId, reason);
 * ```
 */
export async function cleanUp(store: SessionStore, options: CleanUpOptions): Promise<CleanUpReport> {
  checkCleanUp(options);
  const settings = checkRetention(options.settings);
  const run = new CleanUpRun(store, options);
  if (settings.cleanupPeriodDays === 0) return run.report("off");
  const memory = await readMemory(options.ledger);
  if (options.onlyIfDue && !isDue(memory.lastRunMs, run.startedAt)) return run.report("not-due");
  await run.plan(settings, memory.notes);
  if (options.dryRun || run.isNothingThere) return run.report();

  const end = options.ledger === undefined ? async () => undefined : await options.ledger.begin();
  if (end === undefined) return run.report("busy");
  try {
    // Another run came in between: what it left is for the next.
    if ((await readMemory(options.ledger)).lastRunMs !== memory.lastRunMs) return run.report("busy");
    await run.carryOut();
    await run.remember();
    return run.report();
  } finally {
    await end();
  }
}

interface Memory {
  readonly notes: readonly ClockNote[];
  readonly lastRunMs: number | undefined;
}

/** Reads the record. Unreadable parts count as missing: then fewer sessions are deleted. */
async function readMemory(ledger: CleanUpLedger | undefined): Promise<Memory> {
  const value = await ledger?.read();
  const { notes, lastRun } = isObject(value) ? value : { notes: undefined, lastRun: undefined };
  const startedAt = isObject(lastRun) ? lastRun["startedAt"] : undefined;
  return { notes: parseClockNotes(notes), lastRunMs: typeof startedAt === "number" ? startedAt : undefined };
}

/** Once each day of the calendar, UTC: a program that is started every morning, some minutes earlier or later, runs it each time. */
function isDue(lastRunMs: number | undefined, nowMs: number): boolean {
  return lastRunMs === undefined || Math.floor(lastRunMs / DAY_MS) !== Math.floor(nowMs / DAY_MS);
}
