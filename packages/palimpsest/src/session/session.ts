/**
 * A session: an endless conversation seen through a finite window.
 *
 * The session owns its log: everything is appended first, and the window is derived from it. Operations run one after
 * another in the order of their calls, so two never interleave in the log. After a crash the log holds everything up
 * to the last acknowledged append; the next `prepare` repairs what an unanswered call left open.
 */
import type { JsonObject, JsonValue } from "../base/json/json.ts";
import { checkOptions } from "../base/options/check-options.ts";
import type { CalibrationSample } from "../tokens/count/calibration.ts";
import type { Message, MessageInput } from "../transcript/blocks.ts";
import type { SeqPin } from "../transcript/projection.ts";
import { assembleRequest } from "../transcript/request.ts";
import type { RequestMessage, VisibleMessage } from "../transcript/window.ts";
import type { NewEntry } from "./append/entry-writer.ts";
import type { HostList } from "./append/host-list.ts";
import { receiveValue } from "./append/session-metadata.ts";
import type { BudgetTracker } from "./compact/budget-tracker.ts";
import type { WindowCompactor } from "./compact/compact-window.ts";
import type { CompactionWatch } from "./compact/compaction-watch.ts";
import { PIN_TOOL } from "./history/pin-tool.ts";
import { windowAfter } from "./history/restore-window.ts";
import type { SessionHistory } from "./history/session-history.ts";
import { type PinPlan, runPinTool } from "./history/session-pins.ts";
import { validateMessages } from "./input/validate-messages.ts";
import { validateAnswer } from "./model/validate-answer.ts";
import type { CallAnswer, CallRequest, CallTokens, PreparedCall } from "./options/prepared-call.ts";
import { checkRewind, noSuchCall } from "./options/refusals.ts";
import { REQUEST_RULES } from "./options/session-option-rules.ts";
import type { RequestBuilder } from "./request-builder.ts";
import { withAuthors } from "./window/bound-thinking.ts";
import type { ContextUse } from "./window/context-use.ts";
import type { CacheWatch } from "./window/prompt-cache-watch.ts";
import type { ProviderEditing } from "./window/provider-edits.ts";
import { recordAnswer } from "./window/recorded-answer.ts";
import type { SessionParts } from "./window/session-parts.ts";

/** Entries that are appended in one go with messages, all or none. */
interface AppendedAround {
  readonly before?: readonly NewEntry[];
  readonly after?: readonly NewEntry[];
  /** The call that the messages answer. */
  readonly answerTo?: number;
  /** The model that answers, where a message names none. @defaultValue the one that was called last */
  readonly author?: string | undefined;
}

/** A session from inside: what the agent, forks and `MemoryManager` need and its users do not. @internal */
interface SessionInternals extends SessionParts {
  /** The limits of its window, and how full it is. */
  readonly budgets: BudgetTracker;
  /** Judges its compactions. */
  readonly watch: CompactionWatch;
  readonly cache: CacheWatch;
  /** Asks for the provider's own edits, and records them. */
  readonly provider: ProviderEditing;
  /** Keeps its window within the limits. */
  readonly compaction: WindowCompactor;
  /** Prepares its calls. */
  readonly builder: RequestBuilder;
  /** Runs an operation in the order of all others. */
  inTurn<Result>(operation: () => Promise<Result>): Promise<Result>;
  /** Appends messages with entries around them, all or none; resolves with the number of the first of these entries. */
  appendWith(
    messages: readonly Message[],
    around: Pick<AppendedAround, "before" | "after">,
  ): Promise<{ readonly firstSeq: number; readonly seqs: readonly number[] }>;
  /** Writes a checkpoint, so that opening reads little, and makes everything durable. */
  settle(): Promise<void>;
}

/** The parts and helpers that `assembleSession` connects. */
interface AssembledSession extends Omit<SessionInternals, "inTurn" | "appendWith" | "settle"> {
  readonly hostList: HostList;
  readonly history: SessionHistory;
}

/** Returns the internals of a session, which are not members of it. @internal */
export let internalsOf: (session: Session) => SessionInternals;

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
  readonly #parts: AssembledSession;
  readonly #internals: SessionInternals;
  #closing: Promise<void> | undefined;

  static {
    internalsOf = (session) => session.#internals;
  }

  /** @internal Sessions are made by `createSession` and `openSession`. */
  constructor(parts: AssembledSession) {
    this.id = parts.log.sessionId;
    this.history = parts.history;
    this.#parts = parts;
    this.#internals = {
      ...parts,
      inTurn: (operation) => this.#run(operation),
      appendWith: (messages, around) => this.#appendWith(messages, around),
      settle: () => this.#settle(),
    };
  }

  /** The messages that the model would see now, each with its origin. */
  get visible(): readonly VisibleMessage[] {
    return this.#parts.writer.projection.visible;
  }

  /** Bytes written to the store since the session was opened. */
  bytesWritten(): number {
    return this.#parts.log.bytesWritten();
  }

  /**
   * Appends messages as they came; a string is a message of the user. A block over its limit is stored beside the log and shown as a
   * preview from the start. Resolves with the messages' numbers once the store has acknowledged them.
   * @throws `StoreError` if the store could not keep them; nothing is lost that was acknowledged.
   */
  async append(messages: MessageInput | readonly MessageInput[]): Promise<readonly number[]> {
    // Taken in before anything is waited for: what the host does with its objects afterwards is its own.
    const received = validateMessages(messages);
    return this.#run(() => this.#append(received));
  }

  #appendWith(
    messages: readonly Message[],
    around: Pick<AppendedAround, "before" | "after">,
  ): Promise<{ readonly firstSeq: number; readonly seqs: readonly number[] }> {
    return this.#run(async () => {
      const firstSeq = this.#parts.writer.nextSeq;
      const seqs = await this.#append(messages, around);
      const edits = [...(around.before ?? []), ...(around.after ?? [])].filter(({ type }) => type === "edit");
      if (edits.length === 0) return { firstSeq, seqs };
      // Any of them may be a rewind.
      this.#parts.calls.clear();
      this.#lineChanged();
      return { firstSeq, seqs };
    });
  }

  /**
   * Takes the host's full list of messages, appends what is new and hides what the list no longer has. Resolves with the
   * numbers of the appended messages. The next list hides messages that were appended otherwise, except those that the
   * library appended itself, such as recalled memories.
   */
  async reconcile(list: readonly MessageInput[]): Promise<readonly number[]> {
    const received = this.#parts.hostList.receive(list);
    return this.#run(async () => {
      const { hide, hiddenMessages, append } = await this.#parts.hostList.plan(received);
      if (hiddenMessages === 0) return this.#append(append);
      const reason = "not in the host's list any more";
      const edit = { kind: "host", reason, effect: { hide } } as const;
      const seq = this.#parts.writer.nextSeq;
      const seqs = await this.#append(append, { before: [{ type: "edit", edit }] });
      this.#parts.digest.invalidate();
      this.#parts.hostList.forget(hide);
      this.#parts.emit({ type: "host-edit", seq, hiddenMessages, reason });
      return seqs;
    });
  }

  /**
   * Makes the next request: counts it, lets the layers make room, repairs what would be refused, and
   * writes down what leaves. Everything it rests on is in the store before it resolves.
   * @throws `WindowTooSmallError` where system prompt, tools and the newest round do not fit; `StoreError`
   * `STORE_FAILED` where the store could not keep what leaves.
   */
  async prepare(request: CallRequest): Promise<PreparedCall> {
    checkOptions("prepare", request ?? {}, REQUEST_RULES);
    return (await this.#parts.builder.prepare(request)).prepared;
  }

  /**
   * Appends the answer to a prepared call, the newest one unless `callSeq` names another, with its usage: the next size
   * is counted from there. Resolves with the messages' numbers. If no call waits for an answer, usage and stop reason
   * are left out. If the store fails, record the same answer again.
   */
  async record(answer: CallAnswer): Promise<readonly number[]> {
    const received = { ...validateAnswer(answer), callSeq: answer.callSeq };
    return this.#run(() =>
      recordAnswer(received, this.#parts, (messages, around) => this.#append(messages, around)),
    );
  }

  /** Teaches the estimator usage reported outside this session, such as that of a recording. `record` does so by itself. */
  calibrate(sample: CalibrationSample): void {
    this.#parts.tracker.ledger.learnFrom(sample);
  }

  /**
   * Takes an edit back: what it hid is shown again. @throws `SessionError` `UNDO_REFUSED` if the window would not
   * fit, with the figures, or if a model that binds its thinking has answered since: then `rewind` goes back.
   */
  undo(editSeq: number): Promise<void> {
    return this.#run(async () => {
      await this.#parts.builder.checkUndo(editSeq);
      const entry = await this.#parts.writer.appendOne({ type: "edit", edit: { kind: "undo", editSeq } });
      // It may have been the host's edit: then the digest covers its messages again.
      this.#lineChanged();
      this.#parts.emit({ type: "undone", seq: entry.seq, editSeq });
    });
  }

  /**
   * Goes back to an entry: the conversation goes on from there. What came after stays in the log.
   * @throws `SessionError` `REWIND_REFUSED` where there is no such entry.
   */
  rewind(toSeq: number): Promise<void> {
    return this.#run(async () => {
      const { writer, calls } = this.#parts;
      checkRewind(toSeq, writer.nextSeq);
      const entry = await writer.appendOne({ type: "edit", edit: { kind: "rewind", toSeq } });
      calls.clear();
      this.#lineChanged();
      this.#parts.emit({ type: "rewound", seq: entry.seq, toSeq });
    });
  }

  /** The pins: messages, or single blocks of them, in the order of the log. */
  get pins(): readonly SeqPin[] {
    return this.#parts.pins.all;
  }

  /**
   * Keeps a message, or one block of it, in the model's view for good: no layer touches it, and a
   * compaction that hides it says it again to the letter. What the window does not show as it was
   * said is said again in a separate message; resolves with the pin.
   * @throws `SessionError` `PIN_REFUSED` with the figures where pins take too much room,
   * `ENTRY_NOT_FOUND` where there is no such place.
   */
  pin(place: SeqPin): Promise<SeqPin> {
    return this.#run(async () => this.#pin(await this.#parts.pins.planPin(place)));
  }

  /**
   * Appends a fact as a separate message and pins it; resolves with its pin.
   * @throws `SessionError` `PIN_REFUSED` with the figures where pins take too much room.
   */
  pinFact(text: string): Promise<SeqPin> {
    return this.#run(async () => this.#pin(await this.#parts.pins.planFact(text)));
  }

  /** Lets go of a pin, given as {@link pins} has it; resolves with whether it was one. */
  unpin(place: SeqPin): Promise<boolean> {
    return this.#run(async () => {
      const pin = this.#parts.pins.findPin(place);
      if (pin === undefined) return false;
      const { seq } = await this.#parts.writer.appendOne({ type: "edit", edit: { kind: "unpin", ...pin } });
      this.#parts.emit({ type: "unpinned", seq, pin });
      return true;
    });
  }

  /**
   * Answers a call of one of the history tools or of `history_pin` for a model; `undefined` where the name
   * is none of these. Bad input, and pins that are refused, are answered in words.
   */
  async runTool(name: string, input: unknown): Promise<string | undefined> {
    if (name !== PIN_TOOL.name) return this.history.runTool(name, input);
    return runPinTool(input, this, () => this.#parts.pins.size());
  }

  /** The messages of an earlier call, built again from the stored log. @throws `ENTRY_NOT_FOUND`. */
  windowAt(callSeq: number): Promise<readonly RequestMessage[]> {
    return this.#run(async () => {
      const call = await this.#parts.reader.findEntry(callSeq);
      if (call?.type !== "call") throw noSuchCall(callSeq);
      const { log, writer } = this.#parts;
      const near = await windowAfter(log, call.throughSeq);
      const projection = near ?? (await writer.readProjection(call.throughSeq));
      return assembleRequest(projection.visible, projection.callSeqs);
    });
  }

  /** Title, tags and whatever else was set: the last value of each key. */
  get metadata(): JsonObject {
    return structuredClone(this.#parts.writer.metadata.values);
  }

  /**
   * Writes a title, a tag or another short fact about the session; the last value of a key counts.
   * @throws `OptionError` where the key is reserved, or all metadata together would be more than lists read.
   */
  async setMetadata(key: string, value: JsonValue): Promise<void> {
    const kept = receiveValue(key, value);
    return this.#run(async () => {
      this.#parts.writer.metadata.check(key, kept);
      await this.#parts.writer.appendOne({ type: "metadata", key, value: kept });
    });
  }

  /** The size of the next request as it is now, without preparing it. */
  get tokens(): CallTokens {
    return this.#parts.builder.figures();
  }

  /** The use of the window by category (prompt, tools, memory, summary, results by tool …), and the free space. */
  context(): ContextUse {
    return this.#parts.builder.contextUse();
  }

  #settle(): Promise<void> {
    return this.#run(async () => {
      await this.#parts.writer.settle();
      await this.#parts.log.sync();
    });
  }

  /** Ends the session: a last checkpoint, everything synced, the log closed. Closing twice is fine. */
  close(): Promise<void> {
    this.#closing ??= this.#parts.queue
      .run(() => this.#close())
      .catch((error: unknown) => {
        // What could not be synced may be on the next try.
        this.#closing = undefined;
        throw error;
      });
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { writer, log, queue, saveDerived } = this.#parts;
    if (!queue.isClosed) {
      await writer.settle();
      await log.sync();
      await saveDerived();
    }
    queue.isClosed = true;
    this.history.close();
    await log.close();
    this.#parts.emit({ type: "closed" });
  }

  async #append(given: readonly Message[], around: AppendedAround = {}): Promise<readonly number[]> {
    const { writer, offloader, tracker } = this.#parts;
    const { before = [], after = [], answerTo, author = tracker.ledger.model } = around;
    const messages = withAuthors(given, author);
    const firstSeq = writer.nextSeq + before.length;
    const kept = await offloader.keep(messages, firstSeq, this.#parts.budgets.arrivalPolicy);
    // Messages that were appended while the model was answering come after the answer.
    const isLate = answerTo !== undefined && (this.visible.at(-1)?.seq ?? 0) > answerTo;
    const entries = isLate ? kept.entries.map((one) => ({ ...one, answerTo }) as NewEntry) : kept.entries;
    await writer.append([...before, ...entries, ...after], kept.shown);
    const seqs = messages.map((_, index) => firstSeq + index);
    messages.forEach((message, index) => {
      this.#parts.digest.push(seqs[index]!, message);
      this.#parts.index.push(seqs[index]!, message);
      this.#parts.hostList.push(seqs[index]!, message);
    });
    for (const event of kept.events) this.#parts.emit(event);
    return seqs;
  }

  /** Other messages are in the conversation now than were derived from the log. */
  #lineChanged(): void {
    this.#parts.digest.invalidate();
    this.#parts.hostList.invalidate();
    this.#parts.cache.rewritten();
  }

  /** Message and mark are appended in one go, so that none is there without the other. */
  async #pin(plan: PinPlan): Promise<SeqPin> {
    if (plan.type === "known") return plan.pin;
    const { writer } = this.#parts;
    const pin = plan.type === "mark" ? plan.pin : { seq: writer.nextSeq, block: 0 };
    const mark: NewEntry = { type: "edit", edit: { kind: "pin", ...pin } };
    const isNewMessage = plan.type === "say";
    if (isNewMessage) await this.#append([plan.message], { after: [mark] });
    const seq = isNewMessage ? pin.seq + 1 : (await writer.appendOne(mark)).seq;
    const { pinnedTokens, limitTokens } = plan;
    this.#parts.emit({ type: "pinned", seq, pin, pinnedTokens, limitTokens });
    return pin;
  }

  #run<Result>(operation: () => Promise<Result>): Promise<Result> {
    return this.#parts.queue.runOpen(operation);
  }
}
