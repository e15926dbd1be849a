/**
 * Measures the window of a session. The result is one value, {@link WindowState}, that the planner decides from. Repairs are appended here.
 */
import { SessionError, WindowTooSmallError } from "../../base/errors.ts";
import type { ArrivalPolicy } from "../../compaction/layers/offload/offload-at-arrival.ts";
import { type CostPolicy, isSummaryFromLog } from "../../compaction/planner/cost-policy.ts";
import { firstSummaryTokens } from "../../compaction/planner/early-summary.ts";
import { arrivalPolicy, NO_ARRIVAL_LIMITS } from "../../compaction/planner/policies.ts";
import type { CompactReason, SummaryReason } from "../../compaction/planner/window-plan.ts";
import type { LayerLimits } from "../../compaction/shared/layer-limits.ts";
import type { PlannedEdits, WindowState } from "../../compaction/shared/window-state.ts";
import type { ReportedLimits } from "../../ports/model-client.ts";
import type { ContextBudget } from "../../tokens/budget/budget.ts";
import { estimateBlock } from "../../tokens/estimate/estimate-block.ts";
import type { EditSafety } from "../../tokens/models/edit-safety.ts";
import type { CallRequest } from "../options/prepared-call.ts";
import type { WindowOptions } from "../options/session-options.ts";
import type { ResolvedLimits } from "../options/window-limits.ts";
import { planHideAdopted, SessionSafety } from "../window/bound-thinking.ts";
import type { ContextUseInput } from "../window/context-use.ts";
import { type FixedPart, FixedPartReader } from "../window/fixed-part.ts";
import { ModelMeans } from "../window/model-means.ts";
import { ModelWindows } from "../window/model-windows.ts";
import type { CacheWatch } from "../window/prompt-cache-watch.ts";
import type { ProviderEditing } from "../window/provider-edits.ts";
import type { MeasuredParts } from "../window/session-parts.ts";
import { type ByHand, type SummaryAsk, TRIGGERS } from "./summary-request.ts";

/** Share of the window that system prompt and tools may take: beyond it there is no room to work and to summarise. Our choice. */
const MAX_FIXED_SHARE = 0.8;
/** Passes of repair until a window needs none: a repair can uncover another, never more than a few deep. */
const REPAIR_PASSES = 5;

/** A refusal for size, in tokens. */
interface RefusedSize {
  readonly what: "size";
  readonly reason: "reactive" | "silent-overflow";
  /** The call that was refused, or cut without an error. */
  readonly callSeq: number;
  readonly promptTokens?: number | undefined;
  readonly limitTokens?: number | undefined;
  /** True if `limitTokens` is the window, and not what may be sent in a minute. */
  readonly isWindow: boolean;
}

/** A refusal by the provider: for the size of a request, its media, or thinking whose history was edited. */
export type Refusal = RefusedSize | { readonly what: "media" | "thinking" };

interface BudgetTools {
  readonly cache: CacheWatch;
  readonly provider: ProviderEditing;
  readonly now: () => number;
  /** `undefined` if the window is left alone. */
  readonly policy: CostPolicy | undefined;
  readonly limits: ResolvedLimits;
}

/** Layers that replace messages by themselves. */
const AUTO_COMPACT_LAYERS = ["collapse", "session-memory", "full", "extractive", "truncate"];

export class BudgetTracker {
  /** Layers that are switched off, by name. */
  readonly disabledLayers: ReadonlySet<string>;
  /** True if the policy leaves the window alone. */
  readonly isUnmanaged: boolean;
  readonly policy: CostPolicy | undefined;
  /** Numbers of the layers of this session. */
  readonly limits: LayerLimits;
  /** False: a full window is refused, and a person may compact it. */
  readonly isAutoCompacted: boolean;
  /** False: nor may a person. */
  readonly mayCompact: boolean;
  readonly #parts: MeasuredParts;
  readonly #options: WindowOptions;
  readonly #cache: CacheWatch;
  readonly #provider: ProviderEditing;
  readonly #safety: SessionSafety;
  readonly #fixed: FixedPartReader;
  /** The means of the model to open originals. */
  readonly means: ModelMeans;
  readonly #now: () => number;
  #budget: ContextBudget | undefined;
  readonly #windows: ModelWindows;
  /** Why the next request is compacted whatever its size, if it is. */
  #compactFor: CompactReason | undefined;
  /** The provider has said that it binds thinking to what stands before it. */
  #isBound = false;

  constructor(parts: MeasuredParts, options: WindowOptions, tools: BudgetTools) {
    this.#parts = parts;
    this.#options = options;
    this.#cache = tools.cache;
    this.#provider = tools.provider;
    this.#now = tools.now;
    this.#safety = new SessionSafety(options.editSafety);
    this.#fixed = new FixedPartReader(parts);
    this.means = new ModelMeans(parts);
    this.disabledLayers = new Set(options.disabledLayers ?? []);
    this.isUnmanaged = tools.policy === undefined;
    this.policy = tools.policy;
    this.limits = tools.limits.layers;
    this.mayCompact = options.compact !== false;
    this.isAutoCompacted = this.mayCompact && options.autoCompact !== false;
    this.#windows = new ModelWindows(options, { carried: parts.carried, limits: tools.limits });
  }

  /** The limits of the window that the last call was prepared for. */
  get budget(): ContextBudget {
    this.#budget ??= this.#windows.budgetFor(this.#parts.tracker.ledger.model);
    return this.#budget;
  }

  /** The least size of a request from which on it is compacted without being asked for; 0 if it never is. */
  get firstSummaryTokens(): number {
    if (this.policy === undefined || !this.isAutoCompacted) return 0;
    return firstSummaryTokens(this.policy, this.budget);
  }

  /** The limits of new messages; before the first call those of the window that the options name. */
  get arrivalPolicy(): ArrivalPolicy {
    if (this.isUnmanaged || this.disabledLayers.has("arrival")) return NO_ARRIVAL_LIMITS;
    return arrivalPolicy(this.budget.windowTokens, this.means.access, this.policy?.arrivalBlock, this.limits);
  }

  /** Estimates of the last system prompt and of the last tools; 0 before the first request. */
  get fixedSizes(): FixedPartReader["sizes"] {
    return this.#fixed.sizes;
  }

  /** Why the next request is compacted whatever its size; `undefined` if it is not. */
  get compactFor(): CompactReason | undefined {
    return this.#compactFor;
  }

  get editSafety(): EditSafety {
    if (this.#isBound) return "strict";
    const { tracker, writer } = this.#parts;
    return this.#safety.of(writer.projection, tracker.ledger.model);
  }

  #switchTo(model: string): void {
    const { ledger } = this.#parts.tracker;
    if (ledger.model !== model || this.#budget === undefined) this.#budget = this.#windows.budgetFor(model);
    ledger.modelSwitched(model);
  }

  /** The vendor's models endpoint said what a model takes. */
  vendorReported(model: string, limits: ReportedLimits): void {
    this.#windows.reported(model, limits);
    this.#budget = undefined;
  }

  /** The provider refused the last request: the next one is without what was refused, or smaller. */
  refused(refusal: Refusal): void {
    if (refusal.what === "thinking") this.#isBound = true;
    if (refusal.what === "size") this.#refusedAsTooLong(refusal);
    this.#compactFor = refusal.what === "size" ? refusal.reason : refusal.what;
  }

  #refusedAsTooLong({ callSeq, promptTokens, limitTokens, isWindow }: RefusedSize): void {
    const { tracker, calls } = this.#parts;
    const { ledger } = tracker;
    const sentTokens = ledger.figure().tokens;
    this.#windows.refused({ model: ledger.model, sentTokens, limitTokens, isWindow });
    if (promptTokens !== undefined && promptTokens > 0) {
      const sent = calls.find(callSeq);
      if (sent !== undefined)
        ledger.learnFrom({ estimatedTokens: sent.coveredTokens, reportedTokens: promptTokens });
      if (promptTokens > sentTokens) ledger.counted({ tokens: promptTokens, source: "counter:refusal" });
    }
    this.#budget = undefined;
  }

  /** The request left: limits for this one request end. */
  left(): void {
    if (this.#windows.left()) this.#budget = undefined;
    this.#compactFor = undefined;
  }

  /** Forgets limits that were only guessed. Returns false if there were none. */
  forgetGuess(): boolean {
    if (!this.#windows.forgetGuess(this.#parts.tracker.ledger.model)) return false;
    this.#budget = undefined;
    return true;
  }

  /** Takes over model and fixed part of a request, and repairs the window. `isLeaving`: the request will be sent. */
  async receive(request: CallRequest, { isLeaving }: { readonly isLeaving: boolean }): Promise<FixedPart> {
    this.#switchTo(request.model);
    const fixed = await this.#fixed.read(request);
    await this.repair();
    this.#checkNotEmpty();
    if (isLeaving) this.means.receive(request.historyTools ?? fixed.hasHistoryTools, fixed.toolsText);
    return fixed;
  }

  /** Measures the window: the value that the planner decides from. @throws `WindowTooSmallError` for the fixed part alone */
  measure(
    fixed: FixedPart,
    { writesSummaries, isByHand }: { readonly writesSummaries: boolean; readonly isByHand: boolean },
  ): WindowState {
    const { tracker, writer } = this.#parts;
    tracker.follow(writer.projection);
    const { model, ratio, padding } = tracker.ledger;
    const fixedTokens = tracker.ledger.fixedFigure().fitTokens;
    const knownTokens = tracker.ledger.estimateKnown().fitTokens;
    const knownFixedTokens = fixed.tokens * ratio * padding + tracker.ledger.reservedFixedTokens;
    this.#checkFixed(fixed, fixedTokens);
    return {
      visible: tracker.shown(writer.projection),
      usedTokens: tracker.ledger.figure().fitTokens,
      fixedTokens,
      messagesTokens: this.messagesTokens(),
      estimated: { requestTokens: knownTokens, messagesTokens: (knownTokens - knownFixedTokens) / padding },
      budget: this.budget,
      tariff: this.#cache.tariffOf(model),
      editSafety: this.editSafety,
      isWarm: this.#cache.isWarm(this.#now(), model),
      measure: (block) => estimateBlock(block, model) * ratio,
      padding,
      disabledLayers:
        isByHand || this.isAutoCompacted
          ? this.disabledLayers
          : new Set([...this.disabledLayers, ...AUTO_COMPACT_LAYERS]),
      limits: this.limits,
      writesSummaries,
      keptTools: this.#options.keptTools ?? [],
      clearableTools: this.#options.clearableTools,
      lastCallSeq: writer.projection.callSeqs.at(-1) ?? 0,
      pins: writer.projection.pins,
      ...this.means.access,
      seq: writer.nextSeq,
      at: this.#now(),
    };
  }

  /** @throws `WindowTooSmallError` if the request is still too large with these edits */
  checkFits({ edits, usedTokens }: PlannedEdits, { fixedTokens }: WindowState): void {
    if (usedTokens < this.budget.blockingTokens) return;
    if (edits.length > 0 || !this.#distrustsReport()) throw this.#tooSmall(usedTokens, fixedTokens);
  }

  /** Repairs what a provider would refuse. `isLeaving`: right before the request is sent. */
  async repair({ isLeaving = false }: { readonly isLeaving?: boolean } = {}): Promise<void> {
    const { tracker, writer, emit } = this.#parts;
    const adopted =
      isLeaving && this.editSafety === "strict"
        ? planHideAdopted(writer.projection, tracker.ledger.model)
        : undefined;
    for (let pass = 0; pass < REPAIR_PASSES; pass++) {
      const edit =
        pass === 0 && adopted !== undefined ? adopted : tracker.findRepairs(writer.projection, { isLeaving });
      if (edit === undefined) return;
      const { seq } = await writer.appendOne({ type: "edit", edit });
      this.#cache.rewritten();
      for (const { reason, subject } of edit.repairs) emit({ type: "repair", seq, reason, subject });
    }
  }

  /** The window was rewritten: the cache does not hold it, and an edit may have left something to repair. */
  async rewritten(): Promise<void> {
    this.#cache.rewritten();
    await this.repair();
  }

  #checkNotEmpty(): void {
    if (this.#parts.writer.projection.visible.some((message) => message.blocks.length > 0)) return;
    throw new SessionError("NO_MESSAGES", {
      message: "There is nothing to send: no message of the session says anything.",
      hint: "Pass `turn` a text, or append the user's message before `prepare`.",
    });
  }

  /** The window as a model that summarises it, or takes notes of it, is shown it. */
  summaryRequest(request: CallRequest, reason: SummaryReason = "rent", byHand?: ByHand): SummaryAsk {
    const { tracker, writer } = this.#parts;
    const { ledger } = tracker;
    const { ratio, padding } = ledger;
    const usedTokens = ledger.figure().fitTokens;
    return {
      reason,
      trigger: TRIGGERS[reason],
      request,
      messages: tracker.request(writer.projection),
      providerEdits: this.#provider.plan(request, this, { mayCompact: false }),
      cacheMarks: this.#cache.lastMarks,
      cacheLifetimes: this.#cache.lifetimes,
      visible: tracker.shown(writer.projection).slice(),
      throughSeq: writer.nextSeq - 1,
      revision: writer.projection.revision,
      isWarm: byHand?.hasPrefix !== false && this.#cache.isWarm(this.#now(), request.model),
      isFromLog: isSummaryFromLog(reason, this.policy, { usedTokens, budget: this.budget }),
      usedTokens,
      budget: this.budget,
      limits: this.limits,
      maxOutputTokens: this.#windows.limitsOf(ledger.model).maxOutputTokens,
      measure: (block) => estimateBlock(block, request.model) * ratio,
      padding,
      instructions: byHand?.instructions,
      span: byHand?.span,
    };
  }

  /** The messages of the window alone, not padded. */
  messagesTokens(): number {
    const { ledger } = this.#parts.tracker;
    return Math.max(0, ledger.figure().tokens - ledger.fixedFigure().tokens);
  }

  /** The limits of a window of this model, and their source. */
  windowOf(model: string): Pick<ContextUseInput, "budget" | "windowSource"> {
    return { budget: this.#windows.budgetFor(model), windowSource: this.#windows.sourceOf(model) };
  }

  /**
   * A report that says too much although nothing can be taken out: a host may have passed something
   * else than the usage of one call. Believing it would end the session, because no request would
   * leave that could correct it.
   */
  #distrustsReport(): boolean {
    const { ledger } = this.#parts.tracker;
    const { tokens } = ledger.figure();
    const estimated = ledger.estimateKnown();
    if (estimated.fitTokens >= this.budget.blockingTokens) return false;
    ledger.distrustReport();
    const estimatedTokens = estimated.tokens;
    this.#parts.emit({ type: "usage-distrusted", reportedTokens: tokens, estimatedTokens });
    return true;
  }

  #checkFixed(fixed: FixedPart, fixedTokens: number): void {
    const mostFixedTokens = Math.floor(this.budget.windowTokens * MAX_FIXED_SHARE);
    const { reservedFixedTokens } = this.#parts.tracker.ledger;
    if (fixed.tokens + reservedFixedTokens === 0 || fixedTokens < mostFixedTokens) return;
    throw this.#tooSmall(fixedTokens, fixedTokens, { mostFixedTokens });
  }

  #tooSmall(
    neededTokens: number,
    fixedTokens: number,
    more: { readonly mostFixedTokens?: number } = {},
  ): WindowTooSmallError {
    return new WindowTooSmallError({
      ...more,
      neededTokens,
      fixedTokens,
      availableTokens: this.budget.blockingTokens,
      windowTokens: this.budget.windowTokens,
      isUnmanaged: this.isUnmanaged,
      isAutoCompacted: this.isAutoCompacted,
      mayCompact: this.mayCompact,
    });
  }
}
