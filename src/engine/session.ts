/**
 * A session: an endless conversation seen through a finite window.
 *
 * DESIGN. The session owns its log. Whatever happens is appended first and seen afterwards; the
 * window, its size and its request are derived. Operations run one after another in the order they
 * were called, whoever calls them, so two of them never interleave in the log.
 *
 * A turn: `append` (or `reconcile`) what is new, `prepare` a request, send it, `record` what came
 * back. After a crash the log holds everything up to the last acknowledged append; a call that was
 * prepared and never recorded stands in it without an answer, and the next `prepare` mends what
 * it left open.
 */
import { SessionError } from "../base/errors.ts";
import type { JsonValue } from "../base/json.ts";
import type { CalibrationSample } from "../tokens/calibration.ts";
import { estimateMessage } from "../tokens/estimate-message.ts";
import type { SentRequest } from "../tokens/usage-ledger.ts";
import type { Entry } from "../transcript/entries.ts";
import type { Message } from "../transcript/messages.ts";
import { assembleRequest } from "../transcript/request.ts";
import type { RequestMessage, VisibleMessage } from "../transcript/window.ts";
import type { CallPreparer } from "./call-preparer.ts";
import type { SessionEvent } from "./events.ts";
import type { HostList } from "./host-list.ts";
import type { EntryDraft } from "./log-writer.ts";
import type { CallAnswer, CallRequest, PreparedCall } from "./prepared-call.ts";
import { Queue } from "./queue.ts";
import type { SessionHistory } from "./session-history.ts";
import type { SessionParts } from "./session-parts.ts";

/**
 * An endless conversation seen through a finite window. A turn is `append` (or `reconcile`), `prepare`,
 * sending what it returned, and `record`. Get one from `nodeSessions`, `createSession` or `openSession`;
 * `close` it when you are done. Methods may be called without waiting for one another: they run in order.
 *
 * @throws `SessionError` `SESSION_CLOSED` from every asynchronous method, after `close`.
 */
export class Session {
  /** The session's id in its store. */
  readonly id: string;
  /** Everything ever said here: search it, read it back. */
  readonly history: SessionHistory;
  readonly #parts: SessionParts;
  readonly #preparer: CallPreparer;
  readonly #hostList: HostList;
  readonly #queue = new Queue();
  #lastCall: { readonly seq: number; readonly sent: SentRequest } | undefined;
  #isClosed = false;

  /** @internal Sessions are made by `createSession` and `openSession`. */
  constructor(parts: SessionParts, preparer: CallPreparer, hostList: HostList, history: SessionHistory) {
    this.id = parts.log.sessionId;
    this.history = history;
    this.#parts = parts;
    this.#preparer = preparer;
    this.#hostList = hostList;
  }

  /** What the model would see now, message by message, with where each comes from. */
  get visible(): readonly VisibleMessage[] {
    return this.#parts.writer.projection.visible;
  }

  /** Bytes written to the store since the session was opened. */
  bytesWritten(): number {
    return this.#parts.log.bytesWritten();
  }

  /**
   * Appends messages as they came. A block over its limit is stored beside the log and shown as a
   * preview from the start. Resolves with the messages' numbers once the store has acknowledged them.
   * @throws `StoreError` if the store could not keep them; nothing is lost that was acknowledged.
   */
  append(messages: Message | readonly Message[]): Promise<readonly number[]> {
    return this.#run(() => this.#append(Array.isArray(messages) ? messages : [messages as Message]));
  }

  /**
   * Takes the host's full list of messages and appends what is new in it. What the list has not any
   * more is hidden, as the host's own edit. Resolves with the numbers of the appended messages.
   */
  reconcile(list: readonly Message[]): Promise<readonly number[]> {
    return this.#run(async () => {
      const plan = await this.#hostList.plan(list);
      if (plan.hide.length > 0) {
        const reason = "not in the host's list any more";
        const entry = await this.#parts.writer.appendOne({
          type: "edit",
          edit: { kind: "host", reason, effect: { hide: plan.hide } },
        });
        this.#hostList.forget(plan.hide);
        this.#parts.digest.invalidate();
        this.#emit({ type: "host-edit", seq: entry.seq, hiddenMessages: plan.hiddenMessages, reason });
      }
      return this.#append(plan.append);
    });
  }

  /**
   * Makes the next request: counts it, lets the layers make room, mends what would be refused, and
   * writes down what leaves. Everything it rests on is in the store before it resolves.
   * @throws `WindowTooSmallError` where system prompt, tools and the newest round do not fit.
   */
  prepare(request: CallRequest): Promise<PreparedCall> {
    return this.#run(async () => {
      const prepared = await this.#preparer.prepare(request);
      this.#lastCall = { seq: prepared.callSeq, sent: this.#parts.keeper.ledger.requestSent() };
      return prepared;
    });
  }

  /** Appends the answer to the last prepared call, and hangs its usage on it. */
  record(answer: CallAnswer): Promise<readonly number[]> {
    return this.#run(async () => {
      const call = this.#lastCall;
      this.#lastCall = undefined;
      const { usage, stopReason } = answer;
      const tail: readonly EntryDraft[] =
        call === undefined
          ? []
          : [
              {
                type: "answer",
                callSeq: call.seq,
                ...(usage === undefined ? {} : { usage }),
                ...(stopReason === undefined ? {} : { stopReason }),
              },
            ];
      const seqs = await this.#append(answer.messages, tail);
      if (call !== undefined && usage !== undefined) {
        const replyTokens = answer.messages.reduce((sum, message) => sum + estimateMessage(message), 0);
        this.#parts.keeper.ledger.usageReported({ sent: call.sent, usage, replyTokens });
        this.#preparer.usageReported();
      }
      return seqs;
    });
  }

  /** Teaches the estimator what a provider reported elsewhere for text of this session. */
  calibrate(sample: CalibrationSample): void {
    this.#parts.keeper.ledger.learnFrom(sample);
  }

  /**
   * Takes an edit back: what it hid is shown again.
   * @throws `SessionError` `UNDO_REFUSED` with the figures where the window would not fit any more.
   */
  undo(editSeq: number): Promise<void> {
    return this.#run(async () => {
      await this.#preparer.checkUndo(editSeq);
      const entry = await this.#parts.writer.appendOne({ type: "edit", edit: { kind: "undo", editSeq } });
      this.#emit({ type: "undone", seq: entry.seq, editSeq });
    });
  }

  /**
   * Goes back to an entry: the conversation goes on from there. What came after stays in the log.
   * @throws `SessionError` `REWIND_REFUSED` where there is no such entry.
   */
  rewind(toSeq: number): Promise<void> {
    return this.#run(async () => {
      const { writer, digest } = this.#parts;
      if (!Number.isInteger(toSeq) || toSeq < 1 || toSeq >= writer.nextSeq) {
        throw new SessionError("REWIND_REFUSED", {
          message: `There is no entry ${toSeq}: the log has entries 1 to ${writer.nextSeq - 1}.`,
          hint: "Pass the number of an entry of this session, as `append` and `prepare` return them.",
        });
      }
      const entry = await writer.appendOne({ type: "edit", edit: { kind: "rewind", toSeq } });
      this.#lastCall = undefined;
      digest.invalidate();
      this.#hostList.invalidate();
      this.#emit({ type: "rewound", seq: entry.seq, toSeq });
    });
  }

  /** The messages of an earlier call, built again from the stored log. @throws `ENTRY_NOT_FOUND`. */
  windowAt(callSeq: number): Promise<readonly RequestMessage[]> {
    return this.#run(async () => {
      const call = await this.#findEntry(callSeq);
      if (call?.type !== "call") {
        throw new SessionError("ENTRY_NOT_FOUND", {
          message: `Entry ${callSeq} is not a call of this session.`,
          hint: "Pass the `callSeq` of a prepared call.",
        });
      }
      const projection = await this.#parts.writer.readProjection(call.throughSeq);
      return assembleRequest(projection.visible, projection.callSeqs);
    });
  }

  /** Writes a title, a tag or anything else about the session; the last value of a key counts. */
  setMetadata(key: string, value: JsonValue): Promise<void> {
    return this.#run(async () => {
      await this.#parts.writer.appendOne({ type: "metadata", key, value });
    });
  }

  /** Ends the session: a last checkpoint, everything synced, the log closed. Closing twice is fine. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#run(async () => {
      this.#isClosed = true;
      if (!this.#parts.writer.isEmpty) await this.#parts.writer.checkpoint();
      await this.#parts.log.sync();
      await this.#parts.log.close();
    });
  }

  async #append(messages: readonly Message[], tail: readonly EntryDraft[] = []): Promise<readonly number[]> {
    const { writer, messages: keeper } = this.#parts;
    const kept = await keeper.keep(messages, writer.nextSeq, this.#preparer.arrivalPolicy());
    const entries = await writer.append([...kept.drafts, ...tail], kept.shown);
    const seqs = entries.slice(0, messages.length).map((entry) => entry.seq);
    messages.forEach((message, index) => {
      this.#parts.digest.push(seqs[index]!, message);
      this.#parts.index.push(seqs[index]!, message);
      this.#hostList.push(seqs[index]!, message);
    });
    for (const event of kept.events) this.#emit(event);
    return seqs;
  }

  async #findEntry(seq: number): Promise<Entry | undefined> {
    return this.#parts.reader.findEntry(seq);
  }

  #emit(event: SessionEvent): void {
    this.#parts.observer?.onEvent(event);
  }

  #run<Result>(operation: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(async () => {
      if (!this.#isClosed) return operation();
      throw new SessionError("SESSION_CLOSED", {
        message: `Session ${this.id} is closed.`,
        hint: "Open it again with `openSession`.",
      });
    });
  }
}
