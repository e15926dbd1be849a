/**
 * The writer of one session.
 *
 * DESIGN. One append is one statement. Its condition is the last number of the log, and the token of the lease if there
 * is one. So one of two writers continues, whatever their clocks say. An append whose answer was lost can be repeated: if
 * the condition fails, the writer checks that the log has exactly these entries.
 *
 *   created ──first append──▶ reserved (a row without entries) ──▶ stored ──▶ stored …
 *                                  │ append failed, outcome unknown
 *                                  ▼
 *                              unsettled: the next append finds it done (acknowledged if it is the same
 *                              one, else undone: it was never acknowledged) or not done
 *
 * After a crash the log has everything acknowledged; at most one append that was not; perhaps a row without
 * entries, which no list shows and `migrate` removes after a day.
 */
import { StoreError } from "../../../base/errors.ts";
import { assertGoesOn, sessionTaken } from "../../shared/append-rules.ts";
import { sessionExists, sessionNotFound } from "../../shared/store-failure.ts";
import { SQLSTATE, sqlState } from "../database/database-failure.ts";
import { type Batch, stateAfter } from "./entry-rows.ts";
import type { LeaseRenewal } from "./lease-renewal.ts";
import type { LogRows } from "./log-rows.ts";
import { isEmpty, parseText, type SessionName, type SessionState } from "./session-row.ts";
import type { LeaseTerms, WriterRows } from "./writer-rows.ts";

/** An append that lost, or whose answer was lost, is decided on what the log holds then; so often at the most. */
const ATTEMPTS = 4;
/** Failed appends that are remembered; those before them are long out of any connection. */
const UNSETTLED = 8;

interface SessionWriterOptions {
  readonly name: SessionName;
  readonly rows: WriterRows;
  /** As it was found; `undefined` for a session that is begun. */
  readonly state: SessionState | undefined;
  /** Reads the rows where they may be damaged. */
  readonly log: Pick<LogRows, "order" | "tailEnd">;
  readonly lease: { readonly terms: LeaseTerms; readonly renewal: LeaseRenewal } | undefined;
}

export class SessionWriter {
  readonly #name: SessionName;
  readonly #rows: WriterRows;
  readonly #lease: SessionWriterOptions["lease"];
  readonly #log: SessionWriterOptions["log"];
  #state: SessionState | undefined;
  #isNew: boolean;
  /** The token of the lease, once taken. */
  #token: number | undefined;
  /** Appends since the last success, whose results are unknown. */
  #unsettled: { readonly before: SessionState; readonly batch: Batch }[] = [];

  constructor({ name, rows, state, lease, log }: SessionWriterOptions) {
    this.#name = name;
    this.#rows = rows;
    this.#lease = lease;
    this.#log = log;
    this.#state = state;
    this.#isNew = state === undefined;
  }

  /** The key of the session's row, once there is one. */
  get key(): number | undefined {
    return this.#state?.key;
  }

  /** Takes the lease of a session that is there; one that is begun takes it with its first append. */
  async acquire(): Promise<void> {
    if (this.#state !== undefined) await this.#takeLease(this.#state);
  }

  /** Makes sure that there is a row to hang a blob on. */
  async reserve(): Promise<number> {
    this.#state ??= await this.#rows.reserve();
    return this.#state.key;
  }

  async append(batch: Batch): Promise<void> {
    assertGoesOn(batch.entries, batch.firstSeq - 1, this.#name.sessionId);
    if (this.#state === undefined) assertGoesOn(batch.entries, 0, this.#name.sessionId);
    this.#state ??= await this.#rows.reserve();
    let state = await this.#takeLease(this.#state);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const isNext = state.lastSeq === batch.firstSeq - 1 && state.lastPlace === state.lastSeq;
      if (isNext && (await this.#tryAppend(state, batch))) return this.#settle(stateAfter(state, batch));

      state = await this.#reload(state);
      if (state.lastSeq >= batch.lastSeq && (await this.#rows.holds(state.key, batch)))
        return this.#settle(state);
      state = await this.#putInOrder(await this.#takeBack(state), batch);
      this.#assertMayGoOn(state, batch);
    }
    throw sessionTaken(
      `Session ${this.#name.sessionId} went on elsewhere while ${ATTEMPTS} appends were tried.`,
    );
  }

  /** Lets go of the lease; if that fails it runs out. */
  async close(): Promise<void> {
    const state = this.#state;
    const token = this.#token;
    if (state === undefined || token === undefined) return;
    this.#token = undefined;
    this.#lease?.renewal.drop(state.key, token);
    try {
      await this.#rows.release(state.key, token);
    } catch {
      // Nothing can be done here, and the lease expires.
    }
  }

  async #tryAppend(state: SessionState, batch: Batch): Promise<boolean> {
    this.#unsettled = [...this.#unsettled, { before: state, batch }].slice(-UNSETTLED);
    const held =
      this.#lease === undefined ? undefined : { token: this.#token, ttlMs: this.#lease.terms.ttlMs };
    try {
      return await this.#rows.append(state, stateAfter(state, batch), batch, held);
    } catch (error) {
      // Its number is taken by a row that the session's row knows nothing of.
      if (error instanceof StoreError && sqlState(error.cause) === SQLSTATE.uniqueViolation) return false;
      throw error;
    }
  }

  /** Puts the rows of a log in order whose end is damaged, if the batch goes on from its last entry that counts. */
  async #putInOrder(state: SessionState, { firstSeq, entries }: Batch): Promise<SessionState> {
    const { key, lastSeq, lastPlace } = state;
    const isGap = lastPlace === lastSeq && lastSeq < firstSeq;
    if (isGap || this.#isFenced(state) || this.#isNew) return state;
    if (lastPlace === lastSeq && (await this.#log.tailEnd(key)) === lastSeq) return state;
    const order = await this.#log.order(key);
    if (order.endSeq === lastSeq && order.endSeq === lastPlace) return state;
    assertGoesOn(entries, order.endSeq, this.#name.sessionId);
    await this.#rows.putInOrder(state, order, this.#lease === undefined ? undefined : this.#token);
    return this.#reload(state);
  }

  #settle(state: SessionState): void {
    this.#state = state;
    this.#unsettled = [];
    this.#isNew = false;
  }

  async #takeLease(state: SessionState): Promise<SessionState> {
    if (this.#lease === undefined || this.#token !== undefined) return state;
    const { terms, renewal } = this.#lease;
    const taken = await this.#rows.lease(state.key, terms);
    if (taken === undefined) {
      const current = await this.#reload(state);
      throw this.#isNew && !isEmpty(current)
        ? sessionExists(this.#name.sessionId)
        : inUse(this.#name, current);
    }
    this.#token = taken.leaseToken;
    this.#state = taken;
    renewal.hold(taken.key, taken.leaseToken);
    return taken;
  }

  async #reload({ key }: SessionState): Promise<SessionState> {
    const current = await this.#rows.load(key);
    if (current !== undefined && !current.isTrashed) return current;
    throw sessionNotFound(this.#name.sessionId, "the database");
  }

  /** True if another writer has taken the lease: then this one can only confirm earlier appends. */
  #isFenced(state: SessionState): boolean {
    return this.#token !== undefined && state.leaseToken !== this.#token;
  }

  /** Removes the entries of a failed append that arrived and were never acknowledged. */
  async #takeBack(state: SessionState): Promise<SessionState> {
    if (this.#isFenced(state)) return state;
    for (const { before, batch } of this.#unsettled) {
      if (state.lastSeq !== batch.lastSeq || !(await this.#rows.holds(state.key, batch))) continue;
      await this.#rows.takeBack({ ...before, leaseToken: state.leaseToken }, batch);
      return this.#reload(state);
    }
    return state;
  }

  #assertMayGoOn(state: SessionState, batch: Batch): void {
    const { sessionId } = this.#name;
    if (this.#isNew && !isEmpty(state)) throw sessionExists(sessionId);
    if (this.#isFenced(state))
      throw sessionTaken(`The lease of session ${sessionId} ran out, and ${holderOf(state)} took it over.`);
    assertGoesOn(batch.entries, state.lastSeq, sessionId);
    if (this.#lease === undefined && state.isLeased) throw inUse(this.#name, state);
    this.#state = state;
  }
}

function inUse({ sessionId }: SessionName, state: SessionState): StoreError {
  return new StoreError("SESSION_IN_USE", {
    message: `Session ${sessionId} is being written by ${holderOf(state)}, whose lease runs for another ${Math.max(0, Math.ceil(state.leaseLeftMs / 1_000))} s.`,
    hint: "Close it there, fork it here, or open it for reading; the lease of a writer that was killed runs out.",
  });
}

function holderOf({ leaseHolder }: SessionState): string {
  return parseText(leaseHolder) ?? "another writer";
}
