/**
 * Obtains the summary that a full window waits for: from the notes, from a model, or not at all.
 *
 * DESIGN. The session stays open to input meanwhile. One step is taken at a time, and the driver plans again after
 * each: wait for an update of the notes; ask the hook; wait for the summary in the background, or ask a model. After
 * the last step the state is settled: what there is by then, or the log, makes the summary. A model is asked at most
 * once an iteration, which is one recorded answer. What a model wrote counts only for the window that it was written
 * for; an edit in between makes it void.
 */
import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/compaction/full-compact.ts";
import { stopIfAborted } from "../../base/stop-if-aborted.ts";
import type { SessionNotes } from "../../compaction/layers/session-memory/session-memory-compact.ts";
import type { SummaryMeans } from "../../compaction/planner/choose-source.ts";
import type { WrittenSummary } from "../../compaction/summary/summary-prompt.ts";
import type { PreCompactAnswer } from "../../ports/session-hooks.ts";
import { type CountedParts, saveBreakers } from "../append/breakers.ts";
import { askWithin } from "../model/ask-within.ts";
import type { CallRequest, PreparedCall } from "../options/prepared-call.ts";
import { vetoed } from "../options/refusals.ts";
import type { SessionParts } from "../window/session-parts.ts";
import { BackgroundSummary } from "./background-summary.ts";
import type { BudgetTracker } from "./budget-tracker.ts";
import type { CompactionCollaborators } from "./collaborators.ts";
import type { CompactionWatch } from "./compaction-watch.ts";
import type { ByHand, SummaryAsk, SummaryProgress } from "./summary-request.ts";
import { SummaryWriter } from "./summary-writer.ts";

type SourcingParts = CountedParts & Pick<SessionParts, "log" | "writer" | "emit">;

export class SummarySourcing {
  readonly #parts: SourcingParts;
  readonly #budgets: BudgetTracker;
  readonly #watch: CompactionWatch;
  readonly #with: CompactionCollaborators;
  readonly #writer: SummaryWriter;
  readonly #background: BackgroundSummary;
  readonly #timeoutMs: number;
  /** True if a model was asked for a summary in this iteration. */
  #hasAsked = false;
  /** True if the last call was answered: a summary that began then belongs to the next iteration. */
  #isAnswered = false;

  constructor(
    parts: SourcingParts,
    collaborators: CompactionCollaborators,
    { budgets, watch }: { readonly budgets: BudgetTracker; readonly watch: CompactionWatch },
  ) {
    this.#parts = parts;
    this.#budgets = budgets;
    this.#watch = watch;
    this.#with = collaborators;
    const { model, summaryModel, summaryTimeoutMs, deadline, now, notes } = collaborators;
    this.#timeoutMs = summaryTimeoutMs ?? FULL_COMPACT_DEFAULTS.summaryTimeoutMs;
    this.#writer = new SummaryWriter({
      main: model,
      summary: summaryModel,
      ...{ deadline, now, timeoutMs: this.#timeoutMs },
      onStart: (asked, tokens) => {
        const isBackground = asked.trigger !== "manual" && this.#background.isRunning;
        this.#parts.emit({ type: "summary-started", ...asked, tokens, isBackground });
      },
      onCall: (call) => {
        notes?.summaryCalled(call.usage, call.model);
        this.#parts.emit({ type: "summary-call", ...call });
      },
    });
    this.#background = new BackgroundSummary((ask, signal) => this.#writeInBackground(ask, signal));
  }

  /** A call is prepared that does not replace one that was refused. */
  iterationBegan(): void {
    if (!this.#isAnswered) this.#hasAsked = this.#background.isRunning;
    this.#isAnswered = false;
  }

  /** A call was answered: the provider's cache holds the prefix that a summary shares. */
  answered(): void {
    this.#hasAsked = false;
    this.#isAnswered = true;
    this.#background.begin();
  }

  /** A request has left: it is the prefix of a summary that is wished for. */
  left(request: CallRequest, edits: PreparedCall["edits"]): void {
    if (edits.some(({ edit }) => edit.isBoundary === true)) this.#background.used();
    if (!this.#background.isWished) return;
    this.#background.known(this.#budgets.summaryRequest(request, "rent"));
  }

  /** Gives up the summary in the background. */
  stop(): Promise<void> {
    return this.#background.stop();
  }

  /** The state before the window is planned for the first time. */
  begin(byHand: ByHand | undefined): SummaryProgress {
    if (byHand !== undefined) return { mayUseNotes: byHand.instructions === undefined && !this.#asksHook };
    return {
      written: this.#background.ready(this.#revision),
      mayUseNotes: !this.#asksHook,
      wasUpdating: this.#with.notes?.isUpdating === true,
    };
  }

  /** Takes the next step towards a summary. @throws `ABORTED`; `COMPACTION_VETOED` for one by hand. */
  async next(
    ask: SummaryAsk,
    known: SummaryProgress,
    { byHand, signal }: { readonly byHand?: ByHand | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<SummaryProgress> {
    const { notes } = this.#with;
    const isUpdating = known.wasUpdating === true || notes?.isUpdating === true;
    if (byHand === undefined && known.hasWaitedForNotes !== true && isUpdating) {
      await notes?.settled(signal);
      if (!this.#asksHook) return { ...known, hasWaitedForNotes: true };
    }
    const answer = known.isHookAsked === true ? undefined : await this.#askHook(ask);
    const hasNoWishes = this.#asksHook && answer === undefined;
    if (byHand === undefined && known.isHookAsked !== true && hasNoWishes)
      return { mayUseNotes: true, hasWaitedForNotes: true, isHookAsked: true };
    const veto = answer !== undefined && "veto" in answer ? answer.veto : undefined;
    if (veto !== undefined && byHand !== undefined) throw vetoed(veto);
    const asksModel = veto === undefined && !ask.isFromLog;
    const written = asksModel ? await this.#byModel({ ...ask, ...answer }, signal) : undefined;
    const mayUseNotes = byHand === undefined && !this.#asksHook;
    return { written, veto, revision: ask.revision, mayUseNotes, isSettled: true };
  }

  /** The summary of the window as it is; `undefined` if there is none, or an edit has made it void. */
  writtenFor({ written, revision }: SummaryProgress): WrittenSummary | undefined {
    return revision === undefined || revision === this.#revision ? written : undefined;
  }

  /** True if a model may write the summary, or has. */
  hasModel({ written }: SummaryProgress): boolean {
    return written !== undefined || this.#mayHaveOne;
  }

  /** The notes, if they may be used; hooks may forbid it. */
  async notes(known: SummaryProgress): Promise<SessionNotes | undefined> {
    return known.mayUseNotes ? this.#with.notes?.forCompaction() : undefined;
  }

  /** The ways to a summary, as they are now. */
  means(
    known: SummaryProgress,
  ): Omit<SummaryMeans, "isByHand" | "isFull" | "hasWritten" | "editSafety" | "isFromLog"> {
    const isUpdating = known.mayUseNotes && this.#with.notes?.isUpdating === true;
    return {
      isSettled: known.isSettled === true,
      isVetoed: known.veto !== undefined,
      areNotesUpdating: isUpdating && known.hasWaitedForNotes !== true,
      hasModel: this.#mayHaveOne,
      hasHook: this.#asksHook,
      hasBackgroundFailed: this.#background.hasFailed,
    };
  }

  /** A summary would pay: have it written once the next call was answered. */
  wish(): void {
    this.#background.wish();
  }

  forgetFailure(): void {
    this.#background.forgetFailure();
  }

  /** Counts a summary as a failure if it was written and then not used, whether another edit was made or none. */
  judge(edits: PreparedCall["edits"], { written }: SummaryProgress): void {
    if (written === undefined || edits.some(({ edit }) => edit.writtenBy !== undefined)) return;
    this.#failed();
    const reason = "It was not smaller than the messages it would replace, or did not fit the target size.";
    this.#parts.emit({ type: "summary-refused", model: written.model, reason });
  }

  /** A model's summary; one that is being written in the background already is waited for. */
  async #byModel(ask: SummaryAsk, signal: AbortSignal | undefined): Promise<WrittenSummary | undefined> {
    if (!this.#isOpen) return undefined;
    if (ask.trigger === "manual") return this.#write(ask, signal);
    if (this.#background.isRunning) {
      const limits = { deadline: this.#with.deadline, timeoutMs: this.#timeoutMs, signal };
      // If it takes too long, whatever is ready by then counts.
      await askWithin(() => this.#background.settled(), limits).catch(() => undefined);
      stopIfAborted(signal, "The compaction");
      const written = this.#background.ready(this.#revision);
      if (written !== undefined) return written;
      if (this.#background.hasFailed) {
        this.#background.forgetFailure();
        return undefined;
      }
    }
    return this.#mayAsk ? this.#write(ask, signal) : undefined;
  }

  /** A summary in the background that a hook vetoes is wished for again with the next call. */
  async #writeInBackground(
    ask: SummaryAsk,
    signal: AbortSignal,
  ): Promise<WrittenSummary | "later" | undefined> {
    const answer = await this.#askHook(ask);
    if (answer === undefined || !("veto" in answer)) return this.#write({ ...ask, ...answer }, signal);
    this.#parts.emit({ type: "compaction-vetoed", reason: ask.reason, veto: answer.veto });
    return "later";
  }

  async #write(ask: SummaryAsk, signal: AbortSignal | undefined): Promise<WrittenSummary | undefined> {
    if (ask.trigger !== "manual") this.#hasAsked = true;
    const written = await this.#writer.write(ask, signal);
    if (written === undefined) this.#failed();
    return written;
  }

  #askHook({ usedTokens, budget, trigger, reason, instructions }: SummaryAsk): Promise<PreCompactAnswer> {
    const { sessionId } = this.#parts.log;
    const { windowTokens } = budget;
    const context = { sessionId, trigger, reason, usedTokens, windowTokens, instructions };
    return this.#with.hooks.preCompact(context);
  }

  #failed(): void {
    this.#watch.failed();
    saveBreakers(this.#parts);
  }

  get #asksHook(): boolean {
    return this.#with.hooks.has("preCompact");
  }

  /** True if there may be a summary by a model: one to ask for, or one that is being written. */
  get #mayHaveOne(): boolean {
    return this.#mayAsk || (this.#isOpen && this.#background.isRunning);
  }

  get #mayAsk(): boolean {
    return this.#isOpen && !this.#hasAsked;
  }

  get #isOpen(): boolean {
    return !this.#budgets.disabledLayers.has("full") && this.#watch.mayAsk;
  }

  get #revision(): number {
    return this.#parts.writer.projection.revision;
  }
}
