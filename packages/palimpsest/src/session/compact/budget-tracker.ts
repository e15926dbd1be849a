/**
 * The room of a session: what its window may hold, how full it is, and the edits that keep it so.
 *
 * It knows the limits of each model as far as anybody has told them (the host, the vendor, a refusal), makes
 * the picture that the planner decides from, and judges what came of it. It appends nothing by itself.
 */

import { ENGINE_DEFAULTS } from "../../base/defaults/engine.ts";
import { CATALOGUE_DEFAULTS } from "../../base/defaults/tokens/tokens.ts";
import { WindowTooSmallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import { planStripMedia, planStripThinking } from "../../compaction/layers/strip/strip-refused.ts";
import { type CompactReason, isSummaryDue, type SummaryDue } from "../../compaction/planner/window-plan.ts";
import {
  type PlannedEdits,
  tokensAfter,
  visibleAfter,
  type WindowState,
} from "../../compaction/shared/window-state.ts";
import type { ReportedLimits } from "../../ports/model-client.ts";
import { type ContextBudget, planBudget } from "../../tokens/budget/budget.ts";
import { estimateBlock } from "../../tokens/estimate/estimate-block.ts";
import type { EditSafety } from "../../tokens/models/edit-safety.ts";
import { type ModelLimits, resolveModelLimits } from "../../tokens/models/model-catalogue.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { notify } from "../events/events.ts";
import type { WindowOptions } from "../options/session-options.ts";
import type { FixedPart } from "../window/fixed-part.ts";
import type { CacheWatch } from "../window/prompt-cache-watch.ts";
import type { SessionParts } from "../window/session-parts.ts";
import { SessionSafety } from "../window/session-safety.ts";
import { type CompactionInputs, CompactionPlanner } from "./compaction-planner.ts";

/** What a refusal said of sizes, in tokens. */
interface RefusedSize {
  readonly promptTokens?: number | undefined;
  readonly limitTokens?: number | undefined;
  /** Whether `limitTokens` is the window, and not what may be sent in a minute. */
  readonly isWindow: boolean;
}

/** The edits that were planned, and the room they were planned in. */
export interface PlannedCompaction {
  readonly state: WindowState;
  readonly made: PlannedEdits;
}

export class BudgetTracker {
  readonly planner: CompactionPlanner;
  readonly #parts: SessionParts;
  readonly #options: WindowOptions;
  readonly #cache: CacheWatch;
  readonly #safety: SessionSafety;
  readonly #now: () => number;
  #budget: ContextBudget | undefined;
  readonly #vendor = new Map<string, ReportedLimits>();
  readonly #learned = new Map<string, number>();
  /** Models whose learned limit is a guess. */
  readonly #guessed = new Set<string>();
  /** The next request is held below this, because the last one was refused and nobody said where the limit is. */
  #ceilingTokens: number | undefined;
  /** Why the next request is compacted whatever its size, if it is. */
  #compactFor: CompactReason | undefined;
  /** The provider has said that it binds thinking to what stands before it. */
  #isBound = false;

  constructor(parts: SessionParts, options: WindowOptions, tools: { cache: CacheWatch; now: () => number }) {
    this.#parts = parts;
    this.#options = options;
    this.#cache = tools.cache;
    this.#now = tools.now;
    this.#safety = new SessionSafety(options.editSafety);
    this.planner = new CompactionPlanner(parts, options);
    const learned = parts.carried.get("learnedWindows");
    for (const [model, tokens] of Object.entries(isObject(learned) ? learned : {}))
      if (typeof tokens === "number" && tokens >= CATALOGUE_DEFAULTS.smallestWindowTokens)
        this.#learned.set(model, tokens);
  }

  /** Whether the last request had tools to look at the history; taken for granted as long as there was none. */
  get hasHistoryTools(): boolean {
    return this.#parts.carried.get("hasHistoryTools") !== false;
  }

  set hasHistoryTools(hasThem: boolean) {
    if (hasThem) this.#parts.carried.delete("hasHistoryTools");
    else this.#parts.carried.set("hasHistoryTools", false);
  }

  /** The limits of the window that the last call was prepared for. */
  get budget(): ContextBudget {
    this.#budget ??= this.#budgetFor(this.#parts.tracker.ledger.model);
    return this.#budget;
  }

  get editSafety(): EditSafety {
    if (this.#isBound) return "strict";
    const { tracker, writer } = this.#parts;
    return this.#safety.of(writer.projection, tracker.ledger.model);
  }

  switchTo(model: string): void {
    const { ledger } = this.#parts.tracker;
    if (ledger.model !== model || this.#budget === undefined) this.#budget = this.#budgetFor(model);
    ledger.modelSwitched(model);
  }

  /** The vendor's models endpoint said what a model takes. */
  vendorReported(model: string, limits: ReportedLimits): void {
    this.#vendor.set(model, limits);
    this.#budget = undefined;
  }

  /** The provider refused the request of call `callSeq` as too long, or cut it without a word: the next one is smaller. */
  refused(callSeq: number, size: RefusedSize, reason: CompactReason): void {
    const { tracker, calls } = this.#parts;
    const { ledger } = tracker;
    const { promptTokens, limitTokens, isWindow } = size;
    const sentTokens = ledger.figure().tokens;
    if (limitTokens !== undefined && limitTokens >= CATALOGUE_DEFAULTS.smallestWindowTokens) {
      if (isWindow) this.#learn(ledger.model, limitTokens);
      else this.#ceilingTokens = limitTokens;
    } else {
      this.#ceilingTokens = Math.floor(sentTokens * ENGINE_DEFAULTS.refusedShare);
      // A guess: good for as long as the session is open, and not written down.
      if (isWindow) {
        this.#learned.set(ledger.model, this.#ceilingTokens);
        this.#guessed.add(ledger.model);
      }
    }
    if (promptTokens !== undefined && promptTokens > 0) {
      const sent = calls.find(callSeq);
      if (sent !== undefined)
        ledger.learnFrom({ estimatedTokens: sent.coveredTokens, reportedTokens: promptTokens });
      if (promptTokens > sentTokens) ledger.counted({ tokens: promptTokens, source: "counter:refusal" });
    }
    this.#compactFor = reason;
    this.#budget = undefined;
  }

  /** Kept with the session: a limit that was run into once is not run into again. */
  #learn(model: string, windowTokens: number): void {
    this.#guessed.delete(model);
    this.#learned.set(model, windowTokens);
    const known = this.#parts.carried.get("learnedWindows");
    this.#parts.carried.set("learnedWindows", { ...(isObject(known) ? known : {}), [model]: windowTokens });
  }

  /** The provider refused the request for its bytes or its media: the next one has none of the old ones. */
  refusedForMedia(): void {
    this.#compactFor = "media";
  }

  /** The provider refused thinking whose history was edited: nothing of it is sent again, now and later. */
  refusedForThinking(): void {
    this.#isBound = true;
    this.#compactFor = "thinking";
  }

  /** The request left: what was done for one request is not done for the next. */
  left(): void {
    if (this.#ceilingTokens !== undefined) this.#budget = undefined;
    this.#ceilingTokens = undefined;
    this.#compactFor = undefined;
  }

  /** The edits of one rewrite that make the request fit, or that a summary is waited for. */
  async plan(
    fixed: FixedPart,
    help: CompactionInputs & { readonly writesSummaries?: boolean },
  ): Promise<PlannedCompaction | SummaryDue> {
    try {
      return await this.#planWithin(fixed, help);
    } catch (error) {
      if (!(error instanceof WindowTooSmallError) || !this.#forgetGuess()) throw error;
      return this.#planWithin(fixed, help);
    }
  }

  /** A limit that was guessed must not end what the provider may well take: it is asked again instead. */
  #forgetGuess(): boolean {
    const { model } = this.#parts.tracker.ledger;
    const isGuessed = this.#guessed.delete(model);
    if (isGuessed) this.#learned.delete(model);
    if (!isGuessed && this.#ceilingTokens === undefined) return false;
    this.#ceilingTokens = undefined;
    this.#budget = undefined;
    return true;
  }

  async #planWithin(
    fixed: FixedPart,
    help: CompactionInputs & { readonly writesSummaries?: boolean },
  ): Promise<PlannedCompaction | SummaryDue> {
    const { tracker, writer } = this.#parts;
    tracker.follow(writer.projection);
    const { budget } = this;
    const fixedTokens = tracker.ledger.fixedFigure().fitTokens;
    this.#checkFixed(fixed, fixedTokens);
    const state = this.state(fixedTokens, help.writesSummaries === true);
    // By hand goes before what the next request has to be made smaller for.
    const compactFor = help.compactFor ?? this.#compactFor;
    const plan =
      (compactFor === "media" ? this.#stripped(state) : undefined) ??
      (await this.planner.make(state, { ...help, compactFor }));
    if (isSummaryDue(plan)) return plan;
    const made = compactFor === "thinking" ? this.#withoutThinking(state, plan) : plan;
    // A compaction by hand sends nothing: what it frees is of use, also where it is not enough.
    if (made.usedTokens >= budget.blockingTokens && help.compactFor !== "manual") {
      if (made.edits.length > 0 || !this.#distrustsReport())
        throw this.#tooSmall(made.usedTokens, fixedTokens);
      return { state, made: { edits: [], usedTokens: made.usedTokens } };
    }
    return { state, made };
  }

  /** Old media give way first where they were what the provider refused, as far as history may be edited. */
  #stripped(state: WindowState): PlannedEdits | undefined {
    const mayStrip = ({ seq }: VisibleMessage): boolean =>
      state.editSafety === "permissive" || seq > state.lastCallSeq;
    const edit = planStripMedia(state.visible.filter(mayStrip), state.measure, state.pins, state);
    return edit === undefined ? undefined : { edits: [edit], usedTokens: tokensAfter(state, [edit]) };
  }

  /** Thinking that was refused goes with the history that it is bound to, and without a summary by itself. */
  #withoutThinking(state: WindowState, made: PlannedEdits): PlannedEdits {
    if (made.edits.some((edit) => edit.isBoundary === true)) return made;
    const edit = planStripThinking(visibleAfter(state, made.edits), state.measure, state);
    if (edit === undefined) return made;
    const edits = [...made.edits, edit];
    return { edits, usedTokens: tokensAfter(state, edits) };
  }

  /** The picture that the planner decides from. */
  state(fixedTokens: number, writesSummaries: boolean): WindowState {
    const { tracker, writer } = this.#parts;
    const { ratio, padding } = tracker.ledger;
    return {
      visible: writer.projection.visible,
      usedTokens: tracker.ledger.figure().fitTokens,
      fixedTokens,
      messagesTokens: this.messagesTokens(),
      budget: this.budget,
      tariff: this.#cache.tariffOf(tracker.ledger.model),
      editSafety: this.editSafety,
      isWarm: this.#cache.isWarm(this.#now(), tracker.ledger.model),
      measure: (block: ContentBlock) => estimateBlock(block, tracker.ledger.model) * ratio,
      padding,
      disabledLayers: this.planner.disabledLayers,
      writesSummaries,
      keptTools: this.#options.keptTools ?? [],
      clearableTools: this.#options.clearableTools,
      lastCallSeq: writer.projection.callSeqs.at(-1) ?? 0,
      pins: writer.projection.pins,
      hasHistoryTools: this.hasHistoryTools,
      seq: writer.nextSeq,
      at: this.#now(),
    };
  }

  /** The messages of the window alone, not padded. */
  messagesTokens(): number {
    const { ledger } = this.#parts.tracker;
    return Math.max(0, ledger.figure().tokens - ledger.fixedFigure().tokens);
  }

  /** The longest answer of the session's model, as far as anybody said. */
  get maxOutputTokens(): number | undefined {
    return this.#limitsOf(this.#parts.tracker.ledger.model).maxOutputTokens;
  }

  #limitsOf(model: string): ModelLimits {
    const { windowTokens, maxOutputTokens } = this.#options;
    const option = { windowTokens, maxOutputTokens };
    return resolveModelLimits({ model, option, vendor: this.#vendor.get(model) });
  }

  #budgetFor(model: string): ContextBudget {
    const limits = this.#limitsOf(model);
    // A refusal is later news than any catalogue, and than what a host believes.
    const learned = this.#learned.get(model) ?? Number.POSITIVE_INFINITY;
    const ceilingTokens = Math.min(learned, this.#ceilingTokens ?? Number.POSITIVE_INFINITY);
    return planBudget({ ...limits, ceilingTokens });
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
    notify(this.#parts.observer, {
      type: "usage-distrusted",
      reportedTokens: tokens,
      estimatedTokens: estimated.tokens,
    });
    return true;
  }

  #checkFixed(fixed: FixedPart, fixedTokens: number): void {
    const mostFixedTokens = Math.floor(this.budget.windowTokens * ENGINE_DEFAULTS.maxFixedShare);
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
      isUnmanaged: this.planner.isOff,
    });
  }
}
