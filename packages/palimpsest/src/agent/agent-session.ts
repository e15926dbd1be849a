/**
 * A session with a model: turns, notes, memory, and recovery from what providers refuse.
 *
 * DESIGN. It wraps a `Session`, which owns log and window, and hands to its compaction what needs a model: see
 * `session/compact/fit-options.ts`. One iteration is one recorded answer: at most one summary by a model, and one
 * recovery from a refusal.
 */
import { AGENT_DEFAULTS } from "../base/defaults/agent.ts";
import type { ModelAnswer, ModelClient } from "../ports/model-client.ts";
import type { Deadline } from "../ports/runtime.ts";
import { saveBreakers } from "../session/append/breakers.ts";
import { MAIL_MARK } from "../session/append/carried-marks.ts";
import { OWN_MESSAGE_ID } from "../session/append/host-list.ts";
import type { CompactionHelp } from "../session/compact/fit-options.ts";
import type { SessionEvent } from "../session/events/events.ts";
import { writeOutStrings } from "../session/input/validate-messages.ts";
import { askWithin } from "../session/model/ask-within.ts";
import { failureOf } from "../session/model/model-call.ts";
import type { CallAnswer, CallRequest, PreparedCall } from "../session/options/prepared-call.ts";
import { compactionOff } from "../session/options/refusals.ts";
import { internalsOf, type Session } from "../session/session.ts";
import { blockText, isCompaction, type MessageInput } from "../transcript/blocks.ts";
import { HookRunner } from "./hooks/hook-runner.ts";
import { type AgentMemory, agentMemory } from "./memory/in-session/agent-memory.ts";
import { AgentNotes, type ReadNotes } from "./notes/agent-notes.ts";
import { checkCompact, checkPrepare, checkRecover, checkTurn } from "./options/agent-option-rules.ts";
import type { AgentOptions, AgentWorld } from "./options/agent-options.ts";
import { noModelId, refusedTail, spanOf, turnRunning } from "./options/agent-refusals.ts";
import type {
  AgentRequest,
  CompactOptions,
  CompactResult,
  PrepareOptions,
  Spending,
  TurnOptions,
  TurnResult,
  TurnStreamEvent,
} from "./options/turn/turn-options.ts";
import { SessionMembers } from "./session-members.ts";
import { SpendingCounter } from "./spending.ts";
import { type AgentTasks, tasksOf } from "./tasks/in-session/agent-tasks.ts";
import type { Tasks } from "./tasks/task-options.ts";
import { logFailedCall, RecoveryLimit, recoveryOf, refusalError, SilentWatch } from "./turn/call-recovery.ts";
import { CallSizer } from "./turn/call-sizer.ts";
import { compactByProvider, recordWithSummaries } from "./turn/compact-by-provider.ts";
import { runTurn } from "./turn/run-turn.ts";
import { streamTurn } from "./turn/stream-turn.ts";

/**
 * A session with a model. `turn` does everything; a host that calls its model itself uses `prepare`,
 * `record` and, where its provider refuses, `recover`. Get one from `createPalimpsest`.
 */
export class AgentSession extends SessionMembers {
  readonly #options: AgentOptions;
  readonly #world: AgentWorld;
  readonly #help: CompactionHelp;
  readonly #hooks: HookRunner;
  readonly #sizer: CallSizer;
  readonly #notes: AgentNotes | undefined;
  readonly #memory: AgentMemory | undefined;
  readonly #tasks: AgentTasks;
  readonly #spending: SpendingCounter;
  #lastRequest: CallRequest | undefined;
  #lastPrepared: PreparedCall | undefined;
  readonly #silent: SilentWatch;
  #hasStarted = false;
  readonly #recoveries = new RecoveryLimit();
  #isInTurn = false;
  readonly #isNew: boolean;

  /** @internal Made by `createPalimpsest`. */
  constructor(session: Session, options: AgentOptions, world: AgentWorld) {
    super(session);
    this.#silent = new SilentWatch(session);
    this.#options = options;
    this.#world = world;
    this.#isNew = internalsOf(session).writer.isEmpty;
    internalsOf(session).builder.expects(options.model.model);
    this.#hooks = new HookRunner({
      hooks: options.hooks ?? {},
      deadline: world.deadline,
      onFailure: (failure) => this.#emit({ type: "hook-failed", ...failure }),
    });
    this.#sizer = new CallSizer(session, options, world);
    const { notes = {} } = options;
    this.#notes = notes === "off" ? undefined : new AgentNotes(session, { ...options, notes }, world);
    this.#memory = agentMemory(session, options, world);
    this.#tasks = tasksOf(session, options, world, (...agent) => new AgentSession(...agent));
    this.#spending = new SpendingCounter(session, options, { tasksSpent: () => this.#tasks.spent, ...world });
    this.#help = internalsOf(session).compaction.helpOf({
      ...options,
      restorers: [
        ...(options.restorers ?? []),
        ...(world.startContext === undefined ? [] : [world.startContext.restorer]),
        this.#tasks.restorer,
      ],
      ...world,
      hooks: this.#hooks,
      notes: this.#notes,
      memory: this.#memory,
    });
  }

  /** The model that answers. */
  get model(): ModelClient {
    return this.#options.model;
  }

  /**
   * Everything that the session has cost so far: answers, summaries, notes, memories, tasks; in tokens, and in $ at list
   * prices. A lower bound where calls have no reported usage (`unmeteredCalls`). Reads the log.
   */
  spending(): Promise<Spending> {
    return this.#spending.total();
  }

  /** Background tasks: work that goes on while the agent does something else. */
  get tasks(): Tasks {
    return this.#tasks.tasks;
  }

  /** Limits waits. @internal */
  get deadline(): Deadline {
    return this.#world.deadline;
  }

  /** The request that was prepared last, without its conversation. @internal */
  get lastRequest(): CallRequest | undefined {
    return this.#lastRequest;
  }

  /** Appends messages as they came; a string is a message of the user; see {@link Session.append}. */
  async append(messages: MessageInput | readonly MessageInput[]): Promise<readonly number[]> {
    const seqs = await this.session.append(messages);
    this.#memory?.observe(writeOutStrings(messages));
    return seqs;
  }

  /** Takes the host's full list of messages; see {@link Session.reconcile}. */
  async reconcile(list: readonly MessageInput[]): Promise<readonly number[]> {
    const seqs = await this.session.reconcile(list);
    // New messages are at the end of the list.
    if (seqs.length > 0) this.#memory?.observe(writeOutStrings(list.slice(-seqs.length)));
    return seqs;
  }

  /** Appends a text of its mailbox, and its number, before a turn without input. @internal */
  async receive({ no, text }: { readonly no: number; readonly text: string }): Promise<void> {
    await this.begin();
    const message = { role: "user", origin: "user", content: [{ type: "text", text }] } as const;
    const after = [{ type: "metadata", key: MAIL_MARK, value: { session: this.id, readNo: no } }] as const;
    await internalsOf(this.session).appendWith([message], { after });
    this.#memory?.observe(message);
  }

  /**
   * One turn: the user's message, and all calls until the model hands back. Resolves with what it said.
   * @throws `ModelError` `MODEL_FAILED` where the model cannot be asked; `PROMPT_TOO_LONG` and
   * `WINDOW_TOO_SMALL` where nothing makes the request fit; `COMPACTION_THRASHING` where compaction no longer
   * helps; `ABORTED`; `TURN_RUNNING`. The messages so far are in the log.
   */
  async turn(input: MessageInput | readonly MessageInput[], options: TurnOptions = {}): Promise<TurnResult> {
    checkTurn(options);
    if (this.#isInTurn) throw turnRunning(this.id);
    this.#isInTurn = true;
    try {
      const spent = this.#spending.begin();
      const result = await runTurn(this, input, options);
      return { ...result, spent: spent() };
    } catch (error) {
      await this.#hooks.failed({ sessionId: this.id, error });
      throw error;
    } finally {
      this.#isInTurn = false;
      this.#memory?.turnEnded();
    }
  }

  /**
   * Takes a turn like {@link turn}, as a stream of its events, those of compactions among them; the last one is `done`,
   * with the result. It begins with the first event that is read. Leaving the loop stops the turn.
   * @throws as `turn`, after the last event
   */
  stream(
    input: MessageInput | readonly MessageInput[],
    options: TurnOptions = {},
  ): AsyncGenerator<TurnStreamEvent, void, undefined> {
    checkTurn(options, "stream");
    return streamTurn(this.session, options, (taken) => this.turn(input, taken));
  }

  /**
   * Makes the next request; like {@link Session.prepare}, with a model to write the summaries.
   * @throws as there; `COMPACTION_VETOED`, `ABORTED`.
   */
  async prepare(asked: AgentRequest = {}, options: PrepareOptions = {}): Promise<PreparedCall> {
    checkPrepare(asked, options);
    this.#recoveries.clear();
    this.#help.summaries.iterationBegan();
    return this.#prepare(asked, options);
  }

  async #prepare(asked: AgentRequest, { signal }: PrepareOptions): Promise<PreparedCall> {
    const request = this.#complete(asked);
    await this.begin();
    const remembered = (await this.#memory?.beforeCall(signal)) ?? [];
    if (remembered.length > 0) await this.session.append(remembered);
    await this.#tasks.deliver();
    this.#notes?.preparing();
    await this.#sizer.size(request);
    const { prepared, estimated } = await internalsOf(this.session).builder.prepare(request, {
      help: this.#help,
      signal,
    });
    this.#lastRequest = request;
    this.#lastPrepared = prepared;
    this.#silent.left(prepared, estimated);
    return prepared;
  }

  /** Appends the answer to a prepared call; see {@link Session.record}. */
  async record(answer: CallAnswer, from?: ModelAnswer): Promise<readonly number[]> {
    // An answer that is not an object is refused below, by the session's `record`.
    const callSeq = answer?.callSeq ?? internalsOf(this.session).calls.newest;
    const prepared = this.#lastPrepared;
    const request = this.#lastRequest;
    const seqs = await recordWithSummaries(this.session, answer, this.#help);
    const messages = writeOutStrings(answer.messages, "assistant");
    this.#recoveries.clear();
    this.#help.summaries.answered();
    if (prepared !== undefined && request !== undefined && prepared.callSeq === callSeq)
      this.#notes?.answered({ request, prepared, messages, seqs, usage: answer.usage });
    const recorded = from ?? { messages, stopReason: "other" as const };
    if (callSeq !== undefined && answer.usage !== undefined) {
      // The figures of an answer that brought a summary are not those of the request.
      const isCompacted = messages.some(({ content }) => content.some(isCompaction));
      const overflow = isCompacted
        ? undefined
        : this.#silent.answered(callSeq, {
            usage: answer.usage,
            stopReason: recorded.stopReason,
          });
      if (overflow !== undefined) this.#emit(overflow);
    }
    if (this.#hooks.has("postSampling"))
      await this.#hooks.postSampling({ sessionId: this.id, callSeq, answer: recorded });
    return seqs;
  }

  /**
   * The provider refused the request, or cut it: resolves with the request to send instead, once for each
   * answer, and once more where old rounds gave way first and that was not enough. The failure is logged.
   * @throws `PROMPT_TOO_LONG` where it was refused again, `ModelError` where sending it in another form does not help
   */
  async recover(error: unknown, options: PrepareOptions = {}): Promise<PreparedCall> {
    checkRecover(options);
    const failure = failureOf(this.#options.model, error);
    const request = this.#lastRequest;
    const recovery = this.#recoveries.isSpent || request === undefined ? undefined : recoveryOf(failure);
    const callSeq = this.#lastCallSeq();
    const refusal = recovery?.refusal(callSeq);
    if (recovery?.endsProviderEdits === true) internalsOf(this.session).provider.refused(failure.message);
    if (refusal !== undefined)
      await internalsOf(this.session).inTurn(async () => internalsOf(this.session).budgets.refused(refusal));
    this.#emit({ type: "model-failed", seq: callSeq, failure, isRecovered: recovery !== undefined });
    await logFailedCall(this.session, callSeq, failure);
    if (recovery === undefined || request === undefined)
      throw refusalError(failure, { error, promptTokens: this.session.tokens.total });
    this.#recoveries.began();
    const prepared = await this.#prepare({ ...request, ...recovery.adapt(request) }, options);
    this.#recoveries.prepared(prepared.edits);
    return prepared;
  }

  /**
   * Compacts now, whatever the size of the window, and forgets earlier failures.
   * @throws `COMPACTION_REFUSED` where nothing is gained or a pivot cannot be used; `COMPACTION_VETOED`; `ABORTED`.
   */
  async compact(options: CompactOptions = {}): Promise<CompactResult> {
    checkCompact(options);
    const span = spanOf(options);
    const { watch, budgets, builder } = internalsOf(this.session);
    if (!budgets.mayCompact) throw compactionOff();
    watch.reset();
    if (span?.side === "up-to" && budgets.editSafety === "strict") throw refusedTail();
    await this.begin();
    this.#notes?.reset();
    saveBreakers(internalsOf(this.session));
    this.#notes?.preparing();
    const { instructions, signal } = options;
    const mayUseNotes = span === undefined && instructions === undefined;
    if (mayUseNotes && this.#notes?.isUpdating === true) await this.#notes.settled(signal);
    const request = this.#complete(this.#lastRequest ?? {});
    // The provider asks no hook, which may have wishes or a veto.
    const mayBeProviders = mayUseNotes && this.#options.hooks?.preCompact === undefined;
    const byProvider = mayBeProviders ? await compactByProvider(this, request, signal) : undefined;
    if (byProvider !== undefined)
      await internalsOf(this.session).compaction.compactedByProvider(byProvider, this.#help);
    const { edits, freedTokens } =
      byProvider === undefined
        ? await builder.compact(request, {
            help: this.#help,
            byHand: { span, instructions, hasPrefix: this.#lastRequest !== undefined },
            signal,
          })
        : { edits: byProvider, freedTokens: byProvider.reduce((sum, { edit }) => sum + edit.freedTokens, 0) };
    const writtenBy = edits.find(({ edit }) => edit.writtenBy !== undefined)?.edit.writtenBy?.model;
    return { edits, freedTokens: Math.max(0, Math.round(freedTokens)), writtenBy };
  }

  /**
   * The session's notes as they are now, and where they lie; a person may edit them at any time. `undefined` where
   * none are kept, or nothing was noted yet.
   * @throws `StoreError` `NOTES_UNREADABLE`
   */
  async readNotes(): Promise<ReadNotes | undefined> {
    return this.#notes?.read();
  }

  /** Waits for an update of the notes that is being written, at most `compactionWaitMs`. */
  async notesSettled(): Promise<void> {
    await this.#notes?.settled(undefined);
  }

  /** Waits until what the user asked to be remembered is kept. */
  async memorySettled(): Promise<void> {
    await this.#memory?.settled();
  }

  /** Goes on with an extraction of memories that a crash cut short. Resolves with the number of messages. @internal */
  async resumeExtraction(): Promise<number> {
    return (await this.#memory?.resume()) ?? 0;
  }

  /** Ends the session: gives up a summary in the background, and syncs the rest. */
  async close(): Promise<void> {
    await Promise.all([
      this.#help.summaries.stop(),
      this.#notes?.stop(),
      this.#memory?.stop(this.#world.deadline),
      this.#tasks.close(),
    ]);
    await this.session.close();
    this.#world.onClosed?.();
  }

  /** Asks the model once; resolves with its answer. For turns. @internal */
  ask<Answer>(
    work: (signal: AbortSignal) => Promise<Answer>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const timeoutMs = this.#options.callTimeoutMs ?? AGENT_DEFAULTS.callTimeoutMs;
    return askWithin(work, { deadline: this.#world.deadline, timeoutMs, signal });
  }

  /** Asks the hook of the start, once. @internal */
  async begin(): Promise<void> {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    await this.#tasks.recover();
    const source = this.#isNew ? "new" : "resumed";
    const project = await this.#startContext();
    const text = await this.#hooks.sessionStart({ sessionId: this.id, source });
    const notes = this.#isNew ? undefined : await this.#notes?.textOnResume();
    for (const context of [project, text, notes])
      if (context !== undefined && context !== "")
        await this.append({ role: "user", origin: "host", hostId: OWN_MESSAGE_ID, content: context });
  }

  /** What the session begins with. One that a crash cut short before its first answer may have it already, or not. */
  async #startContext(): Promise<string | undefined> {
    const { visible } = this.session;
    const { projection } = internalsOf(this.session).writer;
    if (projection.activeEdits.length > 0 || visible.some(({ role }) => role === "assistant"))
      return undefined;
    const text = await this.#world.startContext?.text();
    const [title = ""] = text?.split("\n", 1) ?? [];
    const isShown = visible.some(
      ({ origin, blocks }) =>
        origin === "host" && blocks.some(({ block }) => blockText(block).startsWith(title)),
    );
    return isShown ? undefined : text;
  }

  #lastCallSeq(): number {
    return internalsOf(this.session).calls.newest ?? 0;
  }

  #complete(asked: AgentRequest): CallRequest {
    const model = asked.model ?? this.#options.model.model;
    if (model !== undefined)
      return { endpointEdits: this.#options.model.endpointEdits?.(model), ...asked, model };
    throw noModelId();
  }

  #emit(event: SessionEvent): void {
    internalsOf(this.session).emit(event);
  }
}
