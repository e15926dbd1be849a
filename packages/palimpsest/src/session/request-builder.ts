/**
 * Preparing a call: repairs, counting, the layers, and the entry that says what left.
 *
 * Everything is decided before anything is appended, and the layers' edits are appended together:
 * the model sees one rewrite at the most. A call that brings only new messages costs only those. Where a
 * summary is due that a model is to write, preparing stops before anything was decided, and begins again
 * with what was written.
 */
import { SessionError } from "../base/errors.ts";
import type { ArrivalPolicy } from "../compaction/layers/offload/offload-at-arrival.ts";
import { arrivalPolicy, NO_ARRIVAL_LIMITS } from "../compaction/planner/policies.ts";
import {
  type CompactReason,
  isSummaryDue,
  type SummaryDue,
  type SummaryReason,
} from "../compaction/planner/window-plan.ts";
import type { CountableRequest } from "../ports/model-client.ts";
import type { CompactionTrigger } from "../ports/session-hooks.ts";
import type { ContextBudget } from "../tokens/budget/budget.ts";
import { WarningMonitor } from "../tokens/budget/warning-state.ts";
import type { TokenFigure } from "../tokens/count/counting-chain.ts";
import { estimateBlock } from "../tokens/estimate/estimate-block.ts";
import type { ResolvedTariff } from "../tokens/price/resolve-tariff.ts";
import type { Usage } from "../transcript/blocks.ts";
import type { LayerEdit } from "../transcript/edits.ts";
import { writeBreakers } from "./append/breakers.ts";
import { BudgetTracker, type PlannedCompaction } from "./compact/budget-tracker.ts";
import type { CompactionInputs } from "./compact/compaction-planner.ts";
import { CompactionWatch } from "./compact/compaction-watch.ts";
import type { SummaryAsk } from "./compact/summary-request.ts";
import { notify, type SessionEvent } from "./events/events.ts";
import type { CallRequest, CallTokens, PreparedCall } from "./options/prepared-call.ts";
import type { WindowOptions } from "./options/session-options.ts";
import { checkCallRequest, type FixedPart, FixedPartReader } from "./window/fixed-part.ts";
import { CacheWatch, markedMessages } from "./window/prompt-cache-watch.ts";
import type { SessionParts } from "./window/session-parts.ts";
import { checkUndoBinds, checkUndoIsUnanswered } from "./window/undo-safety.ts";
import { sizeOf } from "./window/window-tracker.ts";

/** Passes of repair until a window needs none: a repair can uncover another, never more than a few deep. */
const REPAIR_PASSES = 5;

/** What is at hand beside the session itself. */
export interface PrepareHelp extends Omit<CompactionInputs, "decide"> {
  /** Whether a model writes summaries. */
  readonly writesSummaries?: boolean;
  /** Whether a summary that is due is waited for, left for later, or made at once without a model. */
  readonly decide?: (due: DueSummary) => "wait" | "later" | "now";
  /** Adds to a compaction what it is to show again. */
  readonly restore?: (edit: LayerEdit, planned: PlannedCompaction) => Promise<LayerEdit>;
}

/** A summary that is due, and how urgent it is. */
export interface DueSummary {
  readonly reason: SummaryReason;
  readonly isUrgent: boolean;
  readonly editSafety: "strict" | "permissive";
}

/** A request before it is prepared. */
interface RequestSize {
  readonly figure: TokenFigure;
  /** Sizes near which a guess is not good enough. */
  readonly thresholds: readonly number[];
  readonly throughSeq: number;
  readonly countable: () => CountableRequest;
}

/** A model has to write a summary first. */
export interface SummaryWanted {
  readonly ask: SummaryAsk;
}

const TRIGGERS: Readonly<Record<SummaryReason, CompactionTrigger>> = {
  threshold: "auto",
  payback: "auto",
  rent: "auto",
  manual: "manual",
  reactive: "reactive",
  "silent-overflow": "reactive",
  media: "reactive",
  thinking: "reactive",
};

export class RequestBuilder {
  readonly watch: CompactionWatch;
  readonly budgets: BudgetTracker;
  readonly #parts: SessionParts;
  readonly #options: WindowOptions;
  readonly #now: () => number;
  readonly #fixed: FixedPartReader;
  readonly #cache: CacheWatch;
  readonly #warnings = new WarningMonitor();

  constructor(parts: SessionParts, options: WindowOptions, { now }: { readonly now: () => number }) {
    this.#parts = parts;
    this.#fixed = new FixedPartReader(parts);
    this.#options = options;
    this.#now = now;
    this.#cache = new CacheWatch(parts, options);
    this.watch = new CompactionWatch(parts.breakers, callsSinceCompaction(parts));
    this.budgets = new BudgetTracker(parts, options, { cache: this.#cache, now });
  }

  /** The limits of new messages; before the first call those of the window the options name. */
  arrivalPolicy(): ArrivalPolicy {
    return this.budgets.planner.isOff || this.#options.disabledLayers?.includes("arrival") === true
      ? NO_ARRIVAL_LIMITS
      : arrivalPolicy(this.budget().windowTokens, { hasHistoryTools: this.budgets.hasHistoryTools });
  }

  /** How long cache marks ask the provider to keep what they write. */
  get cacheTtl(): WindowOptions["cacheTtl"] {
    return this.#options.cacheTtl;
  }

  /** What tokens cost at the provider of a model. */
  tariffOf(model: string): ResolvedTariff {
    return this.#cache.tariffOf(model);
  }

  /** The limits of the window that the last call was prepared for. */
  budget(): ContextBudget {
    return this.budgets.budget;
  }

  async prepare(request: CallRequest, help: PrepareHelp = {}): Promise<PreparedCall | SummaryWanted> {
    checkCallRequest(request);
    const { tracker, writer, log, isDurable } = this.#parts;
    const fixed = await this.#begin(request);
    this.budgets.hasHistoryTools = request.historyTools ?? fixed.hasHistoryTools;
    const edits = await this.#planCompaction(request, fixed, help);
    if ("ask" in edits) return edits;
    await this.#repair({ isLeaving: true });
    const messages = tracker.request(writer.projection);
    for (const { rule, message } of tracker.findBroken(messages))
      this.#emit({ type: "invariant-broken", rule, message });
    const tokens = this.figures();
    const cached = this.#cache.watch({
      request,
      fixed,
      messages,
      promptTokens: tokens.total,
      atMs: this.#now(),
    });
    const call = await writer.appendOne({
      type: "call",
      model: request.model,
      throughSeq: writer.nextSeq - 1,
      ...(request.parameters === undefined ? {} : { parameters: request.parameters }),
      ...(request.betas === undefined ? {} : { betas: request.betas }),
      ...(fixed.systemRef === undefined ? {} : { system: fixed.systemRef }),
      ...(fixed.toolsRef === undefined ? {} : { tools: fixed.toolsRef }),
      ...(cached.marks.length === 0 ? {} : { breakpoints: markedMessages(cached.marks) }),
      estimatedTokens: tokens.total,
      ...(fixed.system === undefined && fixed.toolsText === undefined ? {} : { fixedTokens: fixed.tokens }),
    });
    this.#parts.calls.left(call.seq, tracker.sent());
    this.#cache.left(call.seq, cached);
    this.watch.called();
    const warning = this.#warnings.state(tokens.total, this.budget());
    this.budgets.left();
    if (edits.some(({ edit }) => edit.isBoundary === true)) {
      await writer.checkpoint();
      writer.forgetHidden();
    }
    if (isDurable) await log.sync();
    const { model, system, tools } = request;
    this.#emit({ type: "call", seq: call.seq, model, tokens: tokens.total, source: tokens.source });
    return {
      callSeq: call.seq,
      model,
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
      messages,
      cacheMarks: cached.marks,
      tokens,
      warning,
      edits,
    };
  }

  /** Compacts now, and prepares no call. Resolves with the edits, none where nothing is gained. */
  async compact(
    request: CallRequest,
    help: PrepareHelp & { readonly compactFor: CompactReason },
  ): Promise<PreparedCall["edits"] | SummaryWanted> {
    checkCallRequest(request);
    const fixed = await this.#begin(request);
    const edits = await this.#planCompaction(request, fixed, help);
    if ("ask" in edits || edits.length === 0) return edits;
    await this.#parts.writer.checkpoint();
    this.#parts.writer.forgetHidden();
    if (this.#parts.isDurable) await this.#parts.log.sync();
    return edits;
  }

  /** Looks at the request as it would be now: its size, and what a counter would count. */
  async look(request: CallRequest): Promise<RequestSize> {
    checkCallRequest(request);
    const { toolsText } = await this.#begin(request);
    const { tracker, writer } = this.#parts;
    const { autoCompactGateTokens, blockingTokens } = this.budget();
    const messages = tracker.request(writer.projection);
    const { model, system } = request;
    return {
      figure: tracker.ledger.figure(),
      thresholds: [autoCompactGateTokens, blockingTokens],
      throughSeq: writer.nextSeq - 1,
      countable: () => ({
        model,
        system,
        tools: toolsText,
        messages,
      }),
    };
  }

  /** A counter counted the request as it was looked at; believed as long as nothing was appended since. */
  counted({ throughSeq }: RequestSize, figure: TokenFigure): void {
    const { tracker, writer } = this.#parts;
    if (writer.nextSeq - 1 === throughSeq) tracker.ledger.counted(figure);
  }

  /** What a summary of the window as it is would be written from. */
  ask(
    request: CallRequest,
    due: { readonly reason: SummaryReason; readonly trigger: CompactionTrigger },
  ): SummaryAsk {
    const { tracker, writer } = this.#parts;
    const { ledger } = tracker;
    const { ratio, padding } = ledger;
    return {
      ...due,
      request,
      messages: tracker.request(writer.projection),
      cacheMarks: this.#cache.lastMarks,
      cacheTtl: this.cacheTtl,
      visible: writer.projection.visible.slice(),
      throughSeq: writer.nextSeq - 1,
      revision: writer.projection.revision,
      isWarm: this.#cache.isWarm(this.#now(), request.model),
      usedTokens: ledger.figure().fitTokens,
      budget: this.budget(),
      maxOutputTokens: this.budgets.maxOutputTokens,
      measure: (block) => estimateBlock(block, request.model) * ratio,
      padding,
    };
  }

  /** The provider reported the window as it is: what is said of it is true again. */
  usageReported(callSeq: number, usage: Usage): void {
    this.#warnings.reported();
    this.#cache.reported(callSeq, usage);
  }

  /** The window was changed on purpose, other than by new messages. */
  rewritten(): void {
    this.#cache.rewritten();
  }

  /** @throws `UNDO_REFUSED` where the edit is not in force, or the window would not fit without it. */
  async checkUndo(editSeq: number): Promise<void> {
    const { writer, tracker } = this.#parts;
    const hint = "`visible` tells what is shown now; the edits of a call are in what `prepare` returned.";
    if (!writer.projection.activeEdits.some((active) => active.seq === editSeq))
      throw new SessionError("UNDO_REFUSED", { message: `Entry ${editSeq} is not an edit in force.`, hint });
    const isStrict = this.budgets.editSafety === "strict";
    const undo = { type: "edit", edit: { kind: "undo", editSeq } } as const;
    const isKnown = isStrict
      ? writer.projection.isComplete
      : writer.projection.canApply({ ...undo, seq: writer.nextSeq, id: "", v: 1, at: 0 });
    const known = isKnown ? writer.projection : await writer.readProjection(writer.nextSeq - 1);
    const after = known.visibleWithout(editSeq);
    if (isStrict) checkUndoIsUnanswered(editSeq, known);
    if (isStrict) checkUndoBinds(editSeq, { projection: writer.projection, after });
    const { ratio, padding } = tracker.ledger;
    const neededTokens = Math.ceil(
      sizeOf(after, tracker.ledger.model) * ratio * padding + tracker.ledger.fixedFigure().fitTokens,
    );
    const { blockingTokens } = this.budget();
    if (neededTokens < blockingTokens) return;
    throw new SessionError("UNDO_REFUSED", {
      message: `Without edit ${editSeq} the request would have ${neededTokens} tokens; ${blockingTokens} is the most that is sent.`,
      hint: "Use a model with a larger window, read what you need with the history tools, or `rewind` to an earlier entry.",
    });
  }

  async #begin(request: CallRequest): Promise<FixedPart> {
    this.budgets.switchTo(request.model);
    const fixed = await this.#fixed.read(request);
    await this.#repair({ isLeaving: false });
    this.#checkNotEmpty();
    return fixed;
  }

  async #repair({ isLeaving }: { readonly isLeaving: boolean }): Promise<void> {
    const { tracker, writer } = this.#parts;
    for (let pass = 0; pass < REPAIR_PASSES; pass++) {
      const edit = tracker.findRepairs(writer.projection, { isLeaving });
      if (edit === undefined) return;
      const { seq } = await writer.appendOne({ type: "edit", edit });
      this.#cache.rewritten();
      for (const { reason, subject } of edit.repairs) this.#emit({ type: "repair", seq, reason, subject });
    }
  }

  #checkNotEmpty(): void {
    if (this.#parts.writer.projection.visible.some((message) => message.blocks.length > 0)) return;
    throw new SessionError("NO_MESSAGES", {
      message: "There is nothing to send: no message of the session says anything.",
      hint: "Append the user's message before preparing a call.",
    });
  }

  async #planCompaction(
    request: CallRequest,
    fixed: FixedPart,
    help: PrepareHelp,
  ): Promise<PreparedCall["edits"] | SummaryWanted> {
    const planned = await this.budgets.plan(fixed, {
      ...help,
      decide: (due) => help.decide?.(this.#urgency(due)) ?? "now",
    });
    if (!isSummaryDue(planned)) return this.#carryOut(planned, help);
    const { reason } = planned;
    return { ask: this.ask(request, { reason, trigger: TRIGGERS[reason] }) };
  }

  async #carryOut(planned: PlannedCompaction, help: PrepareHelp): Promise<PreparedCall["edits"]> {
    const { tracker, writer } = this.#parts;
    const { state, made } = planned;
    const edits = await Promise.all(
      made.edits.map((edit) => (edit.isBoundary === true ? (help.restore?.(edit, planned) ?? edit) : edit)),
    );
    const entries = await writer.append(edits.map((edit) => ({ type: "edit", edit })));
    tracker.follow(writer.projection);
    const leftTokens = this.budgets.messagesTokens();
    this.budgets.planner.called(state, made, leftTokens);
    this.#watchUseful(edits, state.messagesTokens, leftTokens);
    const done = edits.map((edit, index) => {
      const { seq } = entries[index]!;
      this.#emit({ type: "layer", seq, layer: edit.kind, edit });
      return { seq, edit };
    });
    if (done.length === 0) return done;
    await writeBreakers(this.#parts);
    this.#cache.rewritten();
    await this.#repair({ isLeaving: false });
    this.#warnings.compacted();
    return done;
  }

  /** A summary for the price's sake may wait, as long as the window is not full. */
  #urgency({ reason }: SummaryDue): DueSummary {
    const { fitTokens } = this.#parts.tracker.ledger.figure();
    const isUrgent = reason !== "rent" || fitTokens >= this.budget().autoCompactGateTokens;
    return { reason, isUrgent, editSafety: this.budgets.editSafety };
  }

  /** A compaction that is of little use, again and again, is said: it ends in a message, not in a bill. */
  #watchUseful(edits: readonly LayerEdit[], beforeTokens: number, afterTokens: number): void {
    const boundary = edits.find((edit) => edit.isBoundary === true);
    if (boundary === undefined) return;
    const { fullTargetTokens, sessionMemoryTargetTokens } = this.budget();
    const targetTokens = boundary.kind === "session-memory" ? sessionMemoryTargetTokens : fullTargetTokens;
    const useless = this.watch.compacted({ beforeTokens, afterTokens, targetTokens });
    if (useless !== undefined) this.#emit({ type: "useless-compaction", ...useless });
  }

  /** The size of the next request as it is now. */
  figures(): CallTokens {
    const { tracker, writer } = this.#parts;
    tracker.follow(writer.projection);
    const { ledger } = tracker;
    const { tokens, fitTokens, source } = ledger.figure();
    return { total: tokens, padded: fitTokens, fixed: ledger.fixedFigure().tokens, source };
  }

  #emit(event: SessionEvent): void {
    notify(this.#parts.observer, event);
  }
}

/** Calls since the last compaction, by the log; one by hand is not held against the next. */
function callsSinceCompaction({ writer }: SessionParts): number {
  const { callSeqs, activeEdits } = writer.projection;
  const last = activeEdits.findLast(({ edit }) => "isBoundary" in edit && edit.isBoundary === true);
  if (last === undefined || ("reason" in last.edit && last.edit.reason === "manual"))
    return Number.POSITIVE_INFINITY;
  return callSeqs.filter((seq) => seq > last.seq).length;
}
