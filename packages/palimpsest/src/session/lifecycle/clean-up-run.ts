/**
 * One run of the clean-up: gathers what the plan needs, carries it out, and counts.
 */
import { AssertionError } from "../../base/assert.ts";
import { DAY_MS } from "../../base/durations.ts";
import { errorMessage, PalimpsestError } from "../../base/errors.ts";
import type { JsonValue } from "../../base/json/json.ts";
import {
  checkOptions,
  flag,
  func,
  having,
  number,
  type OptionRules,
  object,
  signal,
} from "../../base/options/check-options.ts";
import type { Clock } from "../../ports/runtime.ts";
import type { CleanUpLedger, SessionInfo, SessionStore } from "../../ports/session-store.ts";
import type { Scope } from "../../transcript/entries.ts";
import { SCOPE_RULE } from "../options/session-option-rules.ts";
import type { ClockNote, ClockVerdict } from "./observed-clock.ts";
import {
  type CleanUpAction,
  type CleanUpPlan,
  type KeptReason,
  planCleanUp,
  type RetentionSettings,
} from "./plan-clean-up.ts";

/** Sessions that a run at start-up moves at most, the oldest first, so that a start is not held up, and a mistaken setting shows before it has reached everything. Our choice: half a second of work. */
const START_UP_SESSIONS_COUNT = 1_000;

/** Sessions that are moved or deleted at a time, so that syncing them and their audit is shared. Source: `packages/evaluation/bench/sessions/clean-up.mjs`, 10,000 moves on one disk: 15 s with 16, 5 s with 128, 9 s with 512. */
const CONCURRENT_SESSIONS_COUNT = 128;
/** Sessions asked for at a time, where the store has no list of all. Our choice: about 10 MB. */
const DESCRIBED_AT_ONCE_COUNT = 5_000;

const LEDGER_VERSION = 1;

/** Ports and settings of a clean-up. */
export interface CleanUpOptions {
  readonly clock: Clock;
  /** @defaultValue 30 days without activity, 30 days in the trash */
  readonly settings?: Partial<RetentionSettings>;
  /** The record of earlier runs. Without it nothing in the trash is ever deleted, because no time was observed. */
  readonly ledger?: CleanUpLedger;
  readonly scope?: Scope;
  /** Only tells what would be done; nothing is written. @defaultValue false */
  readonly dryRun?: boolean;
  /** At start-up: does nothing if there was a run on the same day, UTC. @defaultValue false */
  readonly onlyIfDue?: boolean;
  /** Most sessions that are moved or deleted, the oldest first. @defaultValue 1,000; pass `Infinity` for a run that was asked for */
  readonly limit?: number;
  /** Stops between two sessions; the report tells what was done until then. */
  readonly signal?: AbortSignal;
  /** Called after each session that was moved, deleted or could not be. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

const RULES: OptionRules<CleanUpOptions> = {
  clock: having(["nowMs"], "a clock", "an object with `nowMs()`, such as `systemClock`"),
  // The settings of a home have more.
  settings: object,
  ledger: having(["read", "begin"], "a record of clean-ups", "`store.cleanUpLedger()`"),
  scope: SCOPE_RULE,
  dryRun: flag,
  onlyIfDue: flag,
  limit: number,
  signal,
  onProgress: func,
};

/** @throws `OptionError` */
export function checkCleanUp(options: CleanUpOptions): void {
  checkOptions("cleanUp", options, RULES);
}

/** A session that could not be moved or deleted, or the ledger that could not be written. */
interface CleanUpFailure {
  readonly kind: CleanUpAction["kind"] | "look" | "ledger";
  readonly sessionId?: string;
  /** The code of a `PalimpsestError`. */
  readonly code?: string;
  readonly message: string;
}

/** The result of a run. */
export interface CleanUpReport {
  /**
   * `off`: the period is 0. `not-due`: there was a recent run. `busy`: another process is cleaning up. `clock-in-doubt`:
   * nothing was done because of the clock; `clock` has the reason. `stopped`: by the signal.
   */
  readonly outcome: "done" | "off" | "not-due" | "busy" | "clock-in-doubt" | "stopped";
  readonly isDryRun: boolean;
  /** Sessions that were looked at, outside the trash and in it. */
  readonly seen: number;
  readonly seenInTrash: number;
  /** The actions taken; in a dry run, the planned ones. */
  readonly actions: readonly CleanUpAction[];
  readonly trashed: number;
  readonly purged: number;
  /** Logs that were moved to the trash, without their blobs. */
  readonly trashedBytes: number;
  /** Numbers of kept sessions by reason. */
  readonly kept: Readonly<Partial<Record<KeptReason, number>>>;
  readonly failures: readonly CleanUpFailure[];
  readonly clock: ClockVerdict;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Duration by the clock. */
  readonly ms: number;
}

type SessionFacts = Pick<SessionInfo, "sessionId" | "lastActivityAt" | "bytes" | "isInUse">;

/** One run, and what it has done so far. */
export class CleanUpRun {
  readonly startedAt: number;
  readonly #store: SessionStore;
  readonly #options: CleanUpOptions;
  readonly #failures: CleanUpFailure[] = [];
  readonly #kept = new Map<KeptReason, number>();
  #done: CleanUpAction[] = [];
  #plan: CleanUpPlan = { actions: [], kept: [], clock: { isTrusted: true }, notes: [] };
  #seen = 0;
  #seenInTrash = 0;
  #tried = 0;

  constructor(store: SessionStore, options: CleanUpOptions) {
    this.#store = store;
    this.#options = options;
    this.startedAt = options.clock.nowMs();
  }

  get isNothingThere(): boolean {
    return this.#seen === 0 && this.#seenInTrash === 0;
  }

  async plan(settings: RetentionSettings, notes: readonly ClockNote[]): Promise<void> {
    const { scope, limit = START_UP_SESSIONS_COUNT } = this.#options;
    const nowMs = this.startedAt;
    const oldMs = nowMs - settings.cleanupPeriodDays * DAY_MS;
    const sessions =
      this.#store.overview === undefined ? await this.#describeAll() : await this.#lookAtOld(oldMs);
    const trashed = await this.#store.listTrash(scope);
    this.#seen = sessions.length;
    this.#seenInTrash = trashed.length;
    this.#plan = planCleanUp({ sessions, trashed, settings, nowMs, notes, limit });
    for (const { reason } of this.#plan.kept) this.#keep(reason);
  }

  async #describeAll(): Promise<readonly SessionFacts[]> {
    const { scope } = this.#options;
    const all: SessionFacts[] = [];
    const query = { ...(scope && { scope }), limit: DESCRIBED_AT_ONCE_COUNT };
    for (let after: string | undefined; ; ) {
      const page = await this.#store.describe({ ...query, ...(after !== undefined && { after }) });
      for (const { sessionId, lastActivityAt, bytes, isInUse } of page.sessions)
        all.push({ sessionId, lastActivityAt, bytes, isInUse });
      after = page.next;
      if (after === undefined) return all;
    }
  }

  /** The list of all sessions may be behind, so each that seems old is read. */
  async #lookAtOld(oldMs: number): Promise<readonly SessionFacts[]> {
    const all: SessionFacts[] = [];
    const overview = await this.#store.overview?.(this.#options.scope, { idleSince: oldMs });
    for (const { sessionId, lastActivityAt, bytes, isInUse } of overview ?? [])
      if (isInUse !== undefined || lastActivityAt > oldMs)
        all.push({ sessionId, lastActivityAt, bytes, isInUse: isInUse === true });
      else {
        const found = await this.#find(sessionId);
        if (found !== undefined) all.push(found);
      }
    return all;
  }

  async #find(sessionId: string): Promise<SessionFacts | undefined> {
    try {
      const { lastActivityAt, bytes, isInUse } = await this.#store.find(sessionId, this.#options.scope);
      return { sessionId, lastActivityAt, bytes, isInUse };
    } catch (error) {
      if (codeOf(error) !== "SESSION_NOT_FOUND") this.#fail("look", error, sessionId);
      return undefined;
    }
  }

  /** Does what was planned, some sessions at a time. */
  async carryOut(): Promise<void> {
    const { actions } = this.#plan;
    const purges = actions.filter(({ kind }) => kind === "purge");
    const moves = actions.filter(({ kind }) => kind !== "purge");
    await this.#do(moves, CONCURRENT_SESSIONS_COUNT);
    await this.#do(purges, this.#store.purgesAtOnce ?? CONCURRENT_SESSIONS_COUNT);
    // In the order of the plan, whichever was done first.
    const done = new Set(this.#done);
    this.#done = actions.filter((action) => done.has(action));
  }

  async #do(actions: readonly CleanUpAction[], atOnceCount: number): Promise<void> {
    let next = 0;
    const work = async () => {
      while (next < actions.length && this.#options.signal?.aborted !== true) {
        const action = actions[next++]!;
        await this.#try(action);
        this.#reportProgress();
      }
    };
    await Promise.all(Array.from({ length: atOnceCount }, work));
  }

  #reportProgress(): void {
    const total = this.#plan.actions.length;
    this.#tried++;
    try {
      this.#options.onProgress?.({ done: this.#tried, total });
    } catch {
      // A progress bar that breaks must not stop what it shows.
    }
  }

  async #try(action: CleanUpAction): Promise<void> {
    const { scope } = this.#options;
    try {
      if (action.kind === "purge") await this.#store.purge(action.sessionId, scope);
      else if (!(await this.#trash(action))) return this.#keep("changed");
      this.#done.push(action);
    } catch (error) {
      const code = codeOf(error);
      if (code === "SESSION_IN_USE") this.#keep("in-use");
      else if (code === "SESSION_NOT_FOUND") this.#keep("changed");
      else this.#fail(action.kind, error, action.sessionId);
    }
  }

  /** Moves a session to the trash; returns false if it had activity since it was planned. */
  async #trash(action: Extract<CleanUpAction, { kind: "trash" }>): Promise<boolean> {
    const { scope } = this.#options;
    // The time of the note, so that observed time counts from this run on.
    const trashing = { at: this.startedAt, reason: action.reason };
    const unchanged = this.#store.trashUnchanged?.(action, trashing, scope);
    if (unchanged !== undefined) return unchanged;
    const now = await this.#store.find(action.sessionId, scope);
    if (now.lastActivityAt !== action.lastActivityAt) return false;
    await this.#store.trash(action.sessionId, trashing, scope);
    return true;
  }

  /** Writes down that there was a run, when, and what it did. */
  async remember(): Promise<void> {
    const { actions, ...lastRun } = this.report();
    const failures = lastRun.failures.length;
    const value = {
      v: LEDGER_VERSION,
      notes: this.#plan.notes,
      lastRun: { ...lastRun, failures },
    };
    try {
      await this.#options.ledger?.write(JSON.parse(JSON.stringify(value)) as JsonValue);
    } catch (error) {
      this.#fail("ledger", error);
    }
  }

  report(outcome?: CleanUpReport["outcome"]): CleanUpReport {
    const { clock } = this.#plan;
    const isDryRun = this.#options.dryRun === true;
    const actions = isDryRun ? this.#plan.actions : this.#done;
    const isStopped = this.#options.signal?.aborted === true;
    return {
      outcome: outcome ?? (clock.isTrusted ? (isStopped ? "stopped" : "done") : "clock-in-doubt"),
      isDryRun,
      seen: this.#seen,
      seenInTrash: this.#seenInTrash,
      actions,
      trashed: actions.filter(({ kind }) => kind === "trash").length,
      purged: actions.filter(({ kind }) => kind === "purge").length,
      trashedBytes: actions.reduce((sum, each) => sum + (each.kind === "trash" ? each.bytes : 0), 0),
      kept: Object.fromEntries(this.#kept),
      failures: this.#failures,
      clock,
      startedAt: this.startedAt,
      ms: Math.max(0, this.#options.clock.nowMs() - this.startedAt),
    };
  }

  #keep(reason: KeptReason): void {
    this.#kept.set(reason, (this.#kept.get(reason) ?? 0) + 1);
  }

  #fail(kind: CleanUpFailure["kind"], error: unknown, sessionId?: string): void {
    if (error instanceof AssertionError) throw error;
    const code = codeOf(error);
    const message = errorMessage(error);
    this.#failures.push({
      kind,
      sessionId,
      code,
      message,
    });
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof PalimpsestError ? error.code : undefined;
}
