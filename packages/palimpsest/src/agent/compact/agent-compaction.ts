/**
 * The compaction of a session with a model: who is asked for a summary and when, and what becomes of it.
 *
 * A summary that is due because the window is full is waited for. One that would only pay is written ahead
 * while the turn goes on, where a tail may be kept behind it; elsewhere it is made at once without a model.
 * Hooks are asked before any of them, except for the one without a model.
 */
import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/compaction/full-compact.ts";
import { stopIfAborted } from "../../base/stop-if-aborted.ts";
import type { WrittenSummary } from "../../compaction/summary/written-summary.ts";
import type { PreCompactAnswer } from "../../ports/session-hooks.ts";
import { saveBreakers } from "../../session/append/breakers.ts";
import { BackgroundSummary } from "../../session/compact/background-summary.ts";
import type { SummaryAsk } from "../../session/compact/summary-request.ts";
import { SummaryWriter } from "../../session/compact/summary-writer.ts";
import { notify, type SessionEvent } from "../../session/events/events.ts";
import { type AskLimits, askWithin } from "../../session/model/ask-within.ts";
import type { CallRequest, PreparedCall } from "../../session/options/prepared-call.ts";
import type { DueSummary, PrepareHelp } from "../../session/request-builder.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { AgentMemory } from "../memory/in-session/agent-memory.ts";
import type { AgentNotes } from "../notes/agent-notes.ts";
import type { AgentOptions, AgentWorld } from "../options/agent-options.ts";
import { AgentRestoration } from "./agent-restoration.ts";

export class AgentCompaction {
  readonly #session: Session;
  readonly #hooks: HookRunner;
  readonly #writer: SummaryWriter;
  readonly #ahead: BackgroundSummary;
  readonly #limits: Pick<AskLimits, "deadline" | "timeoutMs">;
  /** Whether a model was asked for a summary in this iteration. */
  #hasAsked = false;
  /** Whether the last call was answered: what was begun then belongs to the iteration that comes. */
  #isAnswered = false;
  readonly #restoration: AgentRestoration;
  readonly #notes: AgentNotes | undefined;

  constructor(
    session: Session,
    options: AgentOptions,
    world: AgentWorld & {
      readonly hooks: HookRunner;
      readonly notes: AgentNotes | undefined;
      readonly memory: AgentMemory | undefined;
    },
  ) {
    this.#session = session;
    this.#hooks = world.hooks;
    this.#notes = world.notes;
    const timeoutMs = options.summaryTimeoutMs ?? FULL_COMPACT_DEFAULTS.summaryTimeoutMs;
    this.#limits = { deadline: world.deadline, timeoutMs };
    this.#writer = new SummaryWriter({
      main: options.model,
      summary: options.summaryModel,
      ...this.#limits,
      now: world.now,
      onCall: (call) => {
        this.#notes?.summaryCalled(call.usage, call.model);
        this.#emit({ type: "summary-call", ...call });
      },
    });
    this.#restoration = new AgentRestoration(session, options, world);
    this.#ahead = new BackgroundSummary((ask, signal) => this.#writtenAhead(ask, signal));
  }

  /** What was written ahead for the window as it is. */
  writtenAhead(): WrittenSummary | undefined {
    return this.#ahead.ready(this.#revision());
  }

  /** A call is prepared that does not stand in for one that was refused. */
  iterationBegan(): void {
    if (!this.#isAnswered) this.#hasAsked = this.#ahead.isRunning;
    this.#isAnswered = false;
  }

  /** A call was answered: the provider's cache holds what a summary would begin with. */
  answered(): void {
    this.#hasAsked = false;
    this.#isAnswered = true;
    this.#ahead.begin();
  }

  /** Gives up what is being written. */
  async stop(): Promise<void> {
    await this.#ahead.stop();
  }

  /** Whether hooks are asked before anything is compacted: then the notes wait for their answer, too. */
  get asksHooks(): boolean {
    return this.#hooks.has("preCompact");
  }

  /** The model, as the hooks would have it; a summary that is being written already is waited for. */
  async write(
    ask: SummaryAsk,
    asked: PreCompactAnswer,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly written?: WrittenSummary | undefined; readonly veto?: string }> {
    const { trigger } = ask;
    if (asked !== undefined && "veto" in asked) return { veto: asked.veto };
    if (!this.#isOpen()) return {};
    if (this.#ahead.isRunning && trigger !== "manual") {
      // One that takes too long is not waited for: what is ready is looked at then.
      await askWithin(() => this.#ahead.settled(), { ...this.#limits, signal }).catch(() => undefined);
      stopIfAborted(signal, "The compaction");
      const written = this.#ahead.ready(this.#revision());
      if (written !== undefined) return { written };
      if (this.#ahead.takeFailure()) return {};
    }
    if (trigger !== "manual" && !this.#mayAsk()) return {};
    return { written: await this.#written({ ...ask, ...asked }, signal) };
  }

  /** What the hooks say of a compaction. */
  askHook({ usedTokens, budget, trigger, reason, instructions }: SummaryAsk): Promise<PreCompactAnswer> {
    const { windowTokens } = budget;
    const sessionId = this.#session.id;
    return this.#hooks.preCompact({ sessionId, trigger, reason, usedTokens, windowTokens, instructions });
  }

  /** One that may wait is not asked for where a hook vetoes it: it is wished for again with the next call. */
  async #writtenAhead(ask: SummaryAsk, signal: AbortSignal): Promise<WrittenSummary | "later" | undefined> {
    const asked = await this.askHook(ask);
    if (asked === undefined || !("veto" in asked)) return this.#written({ ...ask, ...asked }, signal);
    this.#emit({ type: "compaction-vetoed", reason: ask.reason, veto: asked.veto });
    return "later";
  }

  async #written(ask: SummaryAsk, signal: AbortSignal | undefined): Promise<WrittenSummary | undefined> {
    const { watch } = internalsOf(this.#session).builder;
    if (ask.trigger !== "manual") this.#hasAsked = true;
    const written = await this.#writer.write(ask, signal);
    if (written === undefined) {
      watch.failed();
      saveBreakers(internalsOf(this.#session));
    }
    return written;
  }

  /** Whether what was written was used: one that was refused counts as a failure. */
  judge(edits: PreparedCall["edits"], written: WrittenSummary | undefined): void {
    if (written === undefined || edits.some(({ edit }) => edit.writtenBy !== undefined)) return;
    if (!edits.some(({ edit }) => edit.isBoundary === true)) return;
    internalsOf(this.#session).builder.watch.failed();
    saveBreakers(internalsOf(this.#session));
    const reason = "It was not smaller than what it would stand for, or did not fit the target size.";
    this.#emit({ type: "summary-refused", model: written.model, reason });
  }

  help(state: {
    readonly written?: WrittenSummary | undefined;
    /** What the session asks for: what its system prompt says is not shown again. */
    readonly request?: CallRequest | undefined;
    /** There will be no other summary. */
    readonly isSettled?: boolean;
    readonly isVetoed?: boolean;
    /** An update of the notes was waited for. */
    readonly hasWaited?: boolean;
    /** Hooks were asked, and have no wishes that notes could not know of. */
    readonly mayUseNotes?: boolean;
  }): PrepareHelp {
    const notes = (state.mayUseNotes ?? !this.asksHooks) ? this.#notes : undefined;
    return {
      ...(notes === undefined ? {} : { notes: () => notes.forCompaction() }),
      writesSummaries: this.#mayHaveOne() || state.written !== undefined,
      written: state.written,
      restore: (edit, planned) => this.#restoration.restore(edit, planned, state.request?.system),
      decide: (due) => {
        if (state.isVetoed === true) return "later";
        if (state.isSettled === true || state.written !== undefined) return "now";
        // What is being noted now may make a summary needless.
        if (notes?.isUpdating === true && state.hasWaited !== true) return due.isUrgent ? "wait" : "later";
        return this.#decide(due);
      },
    };
  }

  /** The help, without what was written where the window was edited since: it tells of another conversation. */
  ifStill({ revision }: SummaryAsk, help: PrepareHelp): PrepareHelp {
    return revision === this.#revision() ? help : { ...help, written: undefined };
  }

  #decide({ isUrgent, editSafety }: DueSummary): "wait" | "later" | "now" {
    if (isUrgent) return this.#mayHaveOne() || this.#hooks.has("preCompact") ? "wait" : "now";
    if (!this.#mayHaveOne() || editSafety === "strict" || this.#ahead.takeFailure()) return "now";
    this.#ahead.wish();
    return "later";
  }

  /** Whether there may be a summary by a model: one that is asked for, or one that is being written already. */
  #mayHaveOne(): boolean {
    return this.#mayAsk() || (this.#isOpen() && this.#ahead.isRunning);
  }

  /** Once an iteration: a model whose summary was not enough, or none, is not asked for another at once. */
  #mayAsk(): boolean {
    return this.#isOpen() && !this.#hasAsked;
  }

  #isOpen(): boolean {
    const isOff = internalsOf(this.#session).builder.budgets.planner.disabledLayers.has("full");
    return !isOff && internalsOf(this.#session).builder.watch.mayAsk;
  }

  /** What is known now of a request that is about to leave. */
  left(request: CallRequest, prepared: PreparedCall): void {
    if (prepared.edits.some(({ edit }) => edit.isBoundary === true)) this.#ahead.used();
    if (!this.#ahead.isWished) return;
    this.#ahead.known(internalsOf(this.#session).builder.ask(request, { reason: "rent", trigger: "auto" }));
  }

  #revision(): number {
    return internalsOf(this.#session).parts.writer.projection.revision;
  }

  #emit(event: SessionEvent): void {
    notify(internalsOf(this.#session).parts.observer, event);
  }
}
