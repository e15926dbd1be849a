/**
 * The compaction driver: measure → plan → obtain a summary → restore → append → verify.
 *
 * DESIGN. Every request passes through {@link WindowCompactor.fit} before it leaves. One pass runs in the session's
 * queue: it measures the window, plans, restores, appends all edits as one rewrite and verifies them, and the request
 * leaves in the same pass. Where the plan needs a summary first, nothing was changed yet: the pass ends, the summary
 * is obtained outside the queue so that messages may come in, and the next pass begins with measuring. The log always
 * can make a summary, so there are few passes. A pass plans in steps, between which other sessions have turns; what comes
 * in for this one meanwhile follows the rewrite. Until the edits are acknowledged the old window is in force.
 */
import { assert } from "../../base/assert.ts";
import { POLICY_DEFAULTS } from "../../base/defaults/compaction/economics.ts";
import { WindowTooSmallError } from "../../base/errors.ts";
import { chooseSource, type SummarySource } from "../../compaction/planner/choose-source.ts";
import { type CostPolicy, isSummaryFromLog } from "../../compaction/planner/cost-policy.ts";
import { stripMedia, stripThinking } from "../../compaction/planner/fallback-edits.ts";
import {
  type CompactReason,
  isSummaryDue,
  type SummaryDue,
  type SummarySources,
  type WindowPlan,
} from "../../compaction/planner/window-plan.ts";
import { WindowPlanner } from "../../compaction/planner/window-planner.ts";
import { isFullByReportsAlone, withSummaries } from "../../compaction/planner/window-sizes.ts";
import { explainCompaction, explainEdit } from "../../compaction/shared/edit-reason.ts";
import type { PlannedEdits, WindowState } from "../../compaction/shared/window-state.ts";
import { shortestSummary, type WrittenSummary } from "../../compaction/summary/summary-prompt.ts";
import { isBoundary, type LayerEdit } from "../../transcript/edits.ts";
import { type CountedParts, guardLayers, saveBreakers, writeBreakers } from "../append/breakers.ts";
import type { CallRequest } from "../options/prepared-call.ts";
import { nothingGained, vetoed } from "../options/refusals.ts";
import type { FixedPart } from "../window/fixed-part.ts";
import type { ProviderEditing } from "../window/provider-edits.ts";
import type { HistoryParts, MeasuredParts, WindowParts } from "../window/session-parts.ts";
import type { BudgetTracker } from "./budget-tracker.ts";
import type { CompactionCollaborators } from "./collaborators.ts";
import { CompactionWatch, callsSinceBoundary, callsSinceCompaction } from "./compaction-watch.ts";
import type { CompactionHelp, FitOptions, FittedWindow } from "./fit-options.ts";
import { SummarySourcing } from "./obtain-summary.ts";
import { restoreFromLog, WindowRestorer } from "./restore-window.ts";
import type { ByHand, SummaryAsk, SummaryProgress } from "./summary-request.ts";

type Edits = FittedWindow["edits"];

interface PassOptions extends FitOptions {
  readonly progress: SummaryProgress;
}

/** A request, and the part of it that every call repeats. */
interface LeavingRequest {
  readonly request: CallRequest;
  readonly fixed: FixedPart;
}

interface PassWithSummary extends PassOptions {
  /** A model's summary of the current window. */
  readonly written: WrittenSummary | undefined;
}

interface Reported extends Pick<PassOptions, "byHand" | "progress"> {
  readonly help: CompactionHelp;
  readonly ask: SummaryAsk | undefined;
}

/** One pass: the request was sent on, or a summary has to be obtained first. */
type Pass<Sent> = { readonly edits: Edits; readonly sent: Sent } | { readonly ask: SummaryAsk };

/** The edits that were planned, and the window they were planned for. */
interface PlannedCompaction {
  readonly state: WindowState;
  readonly made: PlannedEdits;
}

type CompactorParts = WindowParts &
  CountedParts &
  Pick<MeasuredParts, "plain"> &
  Pick<HistoryParts, "log" | "reader" | "digest" | "pins" | "turns" | "isHostVisible">;

export class WindowCompactor {
  readonly #parts: CompactorParts;
  readonly #budgets: BudgetTracker;
  /** Asks for the provider's own edits. */
  readonly #provider: ProviderEditing;
  /** Judges the compactions. */
  readonly watch: CompactionWatch;
  /** Plans before each call; `undefined` under the policy `off`. */
  readonly #planner: WindowPlanner | undefined;
  readonly #plannerByHand: WindowPlanner;
  readonly #policy: CostPolicy;
  #isResumed = false;

  /** @param policy - `undefined`: the window is left alone unless a person asks */
  constructor(
    parts: CompactorParts,
    tools: { readonly budgets: BudgetTracker; readonly provider: ProviderEditing },
    policy: CostPolicy | undefined,
  ) {
    this.#parts = parts;
    this.#budgets = tools.budgets;
    this.#provider = tools.provider;
    this.watch = new CompactionWatch(parts.breakers, callsSinceCompaction(parts.writer.projection));
    this.watch.limitFailures(tools.budgets.limits.breakerFailuresCount);
    this.#planner = policy === undefined ? undefined : new WindowPlanner(policy);
    this.#policy = policy ?? POLICY_DEFAULTS.faithful;
    this.#plannerByHand = this.#planner ?? new WindowPlanner(this.#policy);
  }

  /** Connects what a session with a model has: models, notes, memory, hooks. */
  helpOf(collaborators: CompactionCollaborators): CompactionHelp {
    const { summaryFailuresCount } = collaborators;
    if (summaryFailuresCount !== undefined) this.watch.limitFailures(summaryFailuresCount);
    const tools = { budgets: this.#budgets, watch: this.watch };
    return {
      ...{ hooks: collaborators.hooks, notes: collaborators.notes },
      summaries: new SummarySourcing(this.#parts, collaborators, tools),
      restorer: new WindowRestorer(this.#parts, collaborators, this.#policy),
    };
  }

  /**
   * Makes the request fit and passes it on to `send`, before anything else can be appended.
   * @throws `WindowTooSmallError`; `COMPACTION_VETOED`; `ABORTED`; `COMPACTION_REFUSED` if asked for by hand in vain.
   */
  async fit<Sent>(
    request: CallRequest,
    options: FitOptions,
    send: (window: FittedWindow) => Promise<Sent>,
  ): Promise<Sent> {
    const { help, byHand } = options;
    let progress: SummaryProgress = help?.summaries.begin(byHand) ?? { mayUseNotes: false };
    let ask: SummaryAsk | undefined;
    for (;;) {
      const pass = await this.#parts.queue.runOpen(() => this.#pass(request, { ...options, progress }, send));
      if (!("ask" in pass)) {
        if (help !== undefined) await this.#report(pass.edits, { help, byHand, progress, ask });
        return pass.sent;
      }
      assert(help !== undefined, "a session without a model waits for no summary");
      ask = pass.ask;
      progress = await help.summaries.next(ask, progress, options);
    }
  }

  async #pass<Sent>(
    request: CallRequest,
    options: PassOptions,
    send: (window: FittedWindow) => Promise<Sent>,
  ): Promise<Pass<Sent>> {
    const { help, byHand, progress } = options;
    const written = help?.summaries.writtenFor(progress);
    await this.#provider.showAgain(request);
    const fixed = await this.#budgets.receive(request, { isLeaving: byHand === undefined });
    const planned = await this.#measureAndPlan({ request, fixed }, { ...options, written });
    if (isSummaryDue(planned)) {
      const ask = this.#budgets.summaryRequest(request, planned.reason, byHand);
      return { ask: { ...ask, isFromLog: ask.isFromLog || planned.isInVain === true } };
    }
    const restored = await this.#restore(planned, options, request.system);
    const { state } = planned;
    const edits = await Promise.all(restored.map((edit) => this.#parts.plain.keepAll(edit, state.visible)));
    const appended = await this.#append(edits);
    // A rewrite is appended, verified, hashed and written down: together longer than others should wait.
    if (appended.length > 0) await this.#parts.turns.take();
    await this.#verify(planned, appended);
    if (appended.length > 0) await this.#parts.turns.take();
    const freedTokens = state.messagesTokens - this.#budgets.messagesTokens();
    const sent = await send({ fixed, edits: appended, freedTokens });
    if (byHand === undefined) help?.summaries.left(request, appended);
    return { edits: appended, sent };
  }

  /** A limit that was guessed must not stop what the provider may well accept: without the guess it is tried again. */
  async #measureAndPlan(
    leaving: LeavingRequest,
    options: PassWithSummary,
  ): Promise<PlannedCompaction | SummaryDue> {
    const once = async (): Promise<PlannedCompaction | SummaryDue> => {
      const state = this.#measure(leaving, options);
      const plan = await this.#plan(state, options);
      // A compaction by hand sends nothing: what it frees is of use even if it is not enough.
      if (!isSummaryDue(plan) && options.byHand === undefined) this.#budgets.checkFits(plan, state);
      return isSummaryDue(plan) ? plan : { state, made: plan };
    };
    try {
      return await once().catch((error: unknown) => {
        if (!(error instanceof WindowTooSmallError) || !this.#budgets.forgetGuess()) throw error;
        return once();
      });
    } catch (error) {
      const { help, progress } = options;
      if (progress.isSettled === true) help?.summaries.judge([], progress);
      const { veto } = progress;
      throw veto !== undefined && error instanceof WindowTooSmallError ? vetoed(veto, error) : error;
    }
  }

  /** Measures the window; if the provider is asked to clear more of it, as it will be. */
  #measure({ request, fixed }: LeavingRequest, { help, byHand, progress }: PassOptions): WindowState {
    const isFirstByHand = byHand !== undefined && progress.isSettled !== true;
    const writesSummaries = isFirstByHand || help?.summaries.hasModel(progress) === true;
    const how = { writesSummaries, isByHand: byHand !== undefined };
    this.#provider.begin({ request, safety: this.#budgets });
    const guard = guardLayers(this.#parts, this.#budgets.limits.breakerFailuresCount);
    const state = { ...this.#budgets.measure(fixed, how), guard };
    if (byHand !== undefined || this.#planner === undefined) return state;
    const isSmaller = this.#provider.ask(request, state);
    const now = isSmaller ? { ...this.#budgets.measure(fixed, how), guard } : state;
    return this.#provider.stateFor(request, now);
  }

  /** The edits of one rewrite, or that a summary is due and worth waiting for. */
  async #plan(state: WindowState, options: PassWithSummary): Promise<WindowPlan> {
    const isByHand = options.byHand !== undefined;
    // By hand goes before what the next request has to be made smaller for.
    const reason = isByHand ? "manual" : this.#budgets.compactFor;
    const stripped = reason === "media" ? stripMedia(state) : undefined;
    if (stripped !== undefined) return stripped;
    const planner = isByHand ? this.#plannerByHand : this.#planner;
    const plan =
      planner === undefined
        ? { edits: [], usedTokens: state.usedTokens }
        : await this.#planBy(planner, state, { ...options, reason });
    return reason === "thinking" && !isSummaryDue(plan) ? stripThinking(state, plan) : plan;
  }

  /** Asks the planner; where a summary is due, again with what it is made from. */
  async #planBy(
    planner: WindowPlanner,
    measured: WindowState,
    { reason, ...options }: PassWithSummary & { readonly reason: CompactReason | undefined },
  ): Promise<WindowPlan> {
    const { help, byHand, written } = options;
    const state = byHand === undefined ? measured : withSummaries(measured);
    this.#resume(planner, state);
    const { turns } = this.#parts;
    const ask = (sources?: SummarySources): WindowPlan | Promise<WindowPlan> =>
      reason === undefined
        ? turns.run(planner.planInSteps(state, sources))
        : turns.run(planner.compactInSteps(state, reason, sources));
    const due = await ask();
    if (!isSummaryDue(due)) return due;
    const byNotes = await this.#planByNotes(planner, state, due, options);
    if (byNotes !== undefined) return byNotes;
    const source = this.#chooseSource(due, state, options);
    if (source === "wait") return byHand === undefined ? due : this.#orInVain(due, state, byHand, ask);
    if (source === "background") help?.summaries.wish();
    if (source === "now-instead") help?.summaries.forgetFailure();
    const isLater = source === "later" || source === "background";
    const plan = isLater
      ? await turns.run(planner.planInSteps(state, undefined, true))
      : await ask({ ...(await this.#sources()), written, span: byHand?.span });
    return isSummaryDue(plan) ? { edits: [], usedTokens: state.usedTokens } : plan;
  }

  /** Says where the shortest summary that a model could write would be refused, and so would the log's. Hooks are asked all the same. */
  async #orInVain(
    due: SummaryDue,
    { seq }: WindowState,
    { span }: ByHand,
    ask: (sources: SummarySources) => WindowPlan | Promise<WindowPlan>,
  ): Promise<SummaryDue> {
    const plan = await ask({ ...(await this.#sources()), written: shortestSummary(seq), span });
    return { ...due, isInVain: !isSummaryDue(plan) && plan.edits.length === 0 };
  }

  #chooseSource(due: SummaryDue, state: WindowState, options: PassWithSummary): SummarySource {
    const { help, byHand, progress, written } = options;
    if (help === undefined) return "now";
    const isWithoutModel = this.#budgets.compactFor === undefined && isFullByReportsAlone(state);
    return chooseSource(due, {
      ...help.summaries.means(progress),
      hasWritten: written !== undefined,
      isByHand: byHand !== undefined,
      isFull: state.usedTokens >= state.budget.autoCompactGateTokens,
      editSafety: state.editSafety,
      isFromLog: isSummaryFromLog(due.reason, this.#policy, state) || isWithoutModel,
    });
  }

  /** The session's notes in the place of the messages: then no summary is needed. */
  async #planByNotes(
    planner: WindowPlanner,
    state: WindowState,
    { reason }: SummaryDue,
    { help, byHand, progress, written }: PassWithSummary,
  ): Promise<PlannedEdits | undefined> {
    if (help === undefined || written !== undefined || byHand?.span !== undefined) return undefined;
    // What was refused in the messages has to go, and the notes keep some of them.
    const isRefused = reason === "media" || reason === "thinking";
    if (isRefused || state.disabledLayers.has("session-memory")) return undefined;
    const notes = await help.summaries.notes(progress);
    if (notes === undefined) return undefined;
    const sources = { ...(await this.#sources()), notes };
    return this.#parts.turns.run(planner.fromNotesInSteps(state, reason, sources));
  }

  async #sources(): Promise<SummarySources> {
    return { digest: await this.#parts.digest.get(), pinned: await this.#parts.pins.texts() };
  }

  /** For a session that was opened, the log says how many calls have carried what is in the window. */
  #resume(planner: WindowPlanner, state: WindowState): void {
    if (this.#isResumed) return;
    this.#isResumed = true;
    const calls = callsSinceBoundary(this.#parts.writer.projection);
    if (calls > 0) planner.resumed(state, calls);
  }

  /** Adds to a summary what the model is to see again. With a pivot, the other side is in view anyway. */
  async #restore(
    { state, made }: PlannedCompaction,
    { help, byHand }: PassOptions,
    systemPrompt: string | undefined,
  ): Promise<readonly LayerEdit[]> {
    const isOff = !this.#policy.restoresFromLog || state.disabledLayers.has("restoration");
    if (byHand?.span !== undefined || (help === undefined && isOff)) return made.edits;
    const restore = async (edit: LayerEdit): Promise<LayerEdit> => {
      if (edit.isBoundary !== true) return edit;
      return help === undefined
        ? restoreFromLog(edit, state, this.#parts, this.#policy)
        : help.restorer.restore(edit, state, systemPrompt);
    };
    return Promise.all(made.edits.map(restore));
  }

  async #append(edits: readonly LayerEdit[]): Promise<Edits> {
    const { tracker, writer } = this.#parts;
    const entries = await writer.append(edits.map((edit) => ({ type: "edit", edit })));
    tracker.follow(writer.projection);
    return edits.map((edit, index) => ({ seq: entries[index]!.seq, edit }));
  }

  /** Looks at what the edits have done: if they were of use, and if what they left can be sent. */
  async #verify({ state, made }: PlannedCompaction, appended: Edits): Promise<void> {
    const afterTokens = this.#budgets.messagesTokens();
    this.#planner?.called(state, made, afterTokens);
    const boundary = appended.find(({ edit }) => edit.isBoundary === true)?.edit;
    if (boundary !== undefined) {
      const { fullTargetTokens, sessionMemoryTargetTokens } = state.budget;
      const targetTokens = boundary.kind === "session-memory" ? sessionMemoryTargetTokens : fullTargetTokens;
      const beforeTokens = state.messagesTokens;
      const useless = this.watch.compacted({ beforeTokens, afterTokens, targetTokens });
      if (useless !== undefined) this.#parts.emit({ type: "useless-compaction", ...useless });
    }
    for (const { seq, edit } of appended)
      this.#parts.emit({ type: "layer", seq, layer: edit.kind, edit, why: this.#why(seq, edit, state) });
    if (appended.length === 0) return;
    await writeBreakers(this.#parts);
    await this.#budgets.rewritten();
  }

  #why(seq: number, edit: LayerEdit, state: WindowState): string {
    if (edit.isBoundary !== true) return explainEdit(edit, state);
    return explainCompaction(edit, {
      usedTokens: Math.round(state.messagesTokens + this.#parts.tracker.ledger.fixedFigure().tokens),
      windowTokens: state.budget.windowTokens,
      compactAtTokens: state.budget.autoCompactGateTokens,
      callsCount: callsSinceBoundary(this.#parts.writer.projection, seq),
    });
  }

  /** Reports a compaction by hand that the provider made. */
  async compactedByProvider(edits: Edits, help: CompactionHelp): Promise<void> {
    const progress = { mayUseNotes: false };
    await this.#report(edits, { help, byHand: { hasPrefix: true }, progress, ask: undefined });
  }

  /** Tells hooks and notes of a summary that the provider made while it answered. */
  async summarizedInAnswer(edits: Edits, { hooks, notes }: CompactionHelp): Promise<void> {
    notes?.compacted();
    await hooks.postCompact({ sessionId: this.#parts.log.sessionId, trigger: "auto", edits });
  }

  /** Tells hooks, notes and the observer of a compaction once the request has left. */
  async #report(edits: Edits, { help, byHand, progress, ask }: Reported): Promise<void> {
    if (progress.veto !== undefined && ask !== undefined)
      this.#parts.emit({ type: "compaction-vetoed", reason: ask.reason, veto: progress.veto });
    if (progress.isSettled === true) help.summaries.judge(edits, progress);
    if (byHand !== undefined) {
      if (edits.length === 0) throw nothingGained(byHand.span !== undefined);
      // A person asked for it: it does not count against what the session does by itself.
      this.watch.compactedByHand();
      saveBreakers(this.#parts);
    }
    if (!edits.some(({ edit }) => isBoundary(edit))) return;
    if (edits.some(({ edit }) => edit.writtenBy !== undefined)) this.watch.wrote();
    saveBreakers(this.#parts);
    if (!edits.some(({ edit }) => edit.kind === "session-memory")) help.notes?.compacted();
    const trigger = byHand === undefined ? (ask?.trigger ?? "auto") : "manual";
    await help.hooks.postCompact({ sessionId: this.#parts.log.sessionId, trigger, edits });
  }
}
