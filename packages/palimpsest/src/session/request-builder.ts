/**
 * Builds the request that leaves: makes it fit, repairs it, marks it for the cache, and records it in the log.
 *
 * Whatever makes the window smaller happens in the driver (`compact/compact-window.ts`), before anything else is
 * appended. A call that brings only new messages costs only those.
 */
import { SessionError } from "../base/errors.ts";
import type { ArrivalPolicy } from "../compaction/layers/offload/offload-at-arrival.ts";
import { arrivalPolicy, NO_ARRIVAL_LIMITS } from "../compaction/planner/policies.ts";
import type { CountableRequest } from "../ports/model-client.ts";
import type { ContextBudget } from "../tokens/budget/budget.ts";
import { WarningMonitor } from "../tokens/budget/warning-state.ts";
import type { TokenFigure } from "../tokens/count/counting-chain.ts";
import type { ResolvedTariff } from "../tokens/price/resolve-tariff.ts";
import type { Usage } from "../transcript/blocks.ts";
import { BudgetTracker } from "./compact/budget-tracker.ts";
import { type FitOptions, type FittedWindow, WindowCompactor } from "./compact/compact-window.ts";
import type { ByHand, SummaryAsk } from "./compact/summary-request.ts";
import { notify, type SessionEvent } from "./events/events.ts";
import type { CallRequest, CallTokens, PreparedCall } from "./options/prepared-call.ts";
import type { WindowOptions } from "./options/session-options.ts";
import { checkUndoBinds, checkUndoIsUnanswered } from "./window/bound-thinking.ts";
import { checkCallRequest } from "./window/fixed-part.ts";
import { CacheWatch, markedMessages } from "./window/prompt-cache-watch.ts";
import type { SessionParts } from "./window/session-parts.ts";
import { sizeOf } from "./window/window-tracker.ts";

/** A request before it is prepared. */
interface RequestSize {
  readonly figure: TokenFigure;
  /** Sizes near which a guess is not good enough. */
  readonly thresholds: readonly number[];
  readonly throughSeq: number;
  readonly countable: () => CountableRequest;
}

/** A request that has left. */
export interface SentCall {
  readonly prepared: PreparedCall;
  /** Its size by estimate alone, whatever was reported before. */
  readonly estimated: { readonly estimatedTokens: number; readonly generation: number };
}

export class RequestBuilder {
  /** Makes each request fit before it leaves. */
  readonly compaction: WindowCompactor;
  readonly #budgets: BudgetTracker;
  readonly #parts: SessionParts;
  readonly #options: WindowOptions;
  readonly #now: () => number;
  readonly #cache: CacheWatch;
  readonly #warnings = new WarningMonitor();

  constructor(parts: SessionParts, options: WindowOptions, { now }: { readonly now: () => number }) {
    this.#parts = parts;
    this.#options = options;
    this.#now = now;
    this.#cache = new CacheWatch(parts, options);
    this.#budgets = new BudgetTracker(parts, options, { cache: this.#cache, now });
    this.compaction = new WindowCompactor(parts, this.#budgets, options);
  }

  /** The limits of new messages; before the first call those of the window the options name. */
  arrivalPolicy(): ArrivalPolicy {
    return this.#budgets.isUnmanaged || this.#options.disabledLayers?.includes("arrival") === true
      ? NO_ARRIVAL_LIMITS
      : arrivalPolicy(this.budget().windowTokens, { hasHistoryTools: this.#budgets.hasHistoryTools });
  }

  /** The lifetime that cache marks ask the provider for. */
  get cacheTtl(): WindowOptions["cacheTtl"] {
    return this.#options.cacheTtl;
  }

  /** The token prices of a model's provider. */
  tariffOf(model: string): ResolvedTariff {
    return this.#cache.tariffOf(model);
  }

  /** The limits of the window that the last call was prepared for. */
  budget(): ContextBudget {
    return this.#budgets.budget;
  }

  /** Makes the next request fit and leave. @throws as {@link WindowCompactor.fit} */
  async prepare(request: CallRequest, options: FitOptions = {}): Promise<SentCall> {
    checkCallRequest(request);
    return this.compaction.fit(request, options, (window) => this.#send(request, window));
  }

  /** Compacts now because a person asked for it, and prepares no call. Resolves with the edits. */
  async compact(
    request: CallRequest,
    options: FitOptions & { readonly byHand: ByHand },
  ): Promise<PreparedCall["edits"]> {
    checkCallRequest(request);
    return this.compaction.fit(request, options, async ({ edits }) => {
      if (edits.length === 0) return edits;
      this.#warnings.compacted();
      const { writer, log, isDurable } = this.#parts;
      await writer.checkpoint();
      writer.forgetHidden();
      if (isDurable) await log.sync();
      return edits;
    });
  }

  /** Writes down what leaves, and makes it durable. */
  async #send(request: CallRequest, { fixed, edits }: FittedWindow): Promise<SentCall> {
    const { tracker, writer, log, isDurable } = this.#parts;
    if (edits.length > 0) this.#warnings.compacted();
    await this.#budgets.repair({ isLeaving: true });
    const messages = tracker.request(writer.projection);
    for (const { rule, message } of tracker.findBroken(messages))
      this.#emit({ type: "invariant-broken", rule, message });
    const tokens = this.figures();
    const atMs = this.#now();
    const cached = this.#cache.watch({ request, fixed, messages, promptTokens: tokens.total, atMs });
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
    const warning = this.#warnings.state(tokens.total, this.budget());
    this.compaction.called();
    if (edits.some(({ edit }) => edit.isBoundary === true)) {
      await writer.checkpoint();
      writer.forgetHidden();
    }
    if (isDurable) await log.sync();
    const { model, system, tools } = request;
    this.#emit({ type: "call", seq: call.seq, model, tokens: tokens.total, source: tokens.source });
    const { ledger } = tracker;
    return {
      prepared: {
        callSeq: call.seq,
        model,
        ...(system === undefined ? {} : { system }),
        ...(tools === undefined ? {} : { tools }),
        messages,
        cacheMarks: cached.marks,
        tokens,
        warning,
        edits,
      },
      estimated: { estimatedTokens: ledger.estimateKnown().tokens, generation: ledger.generation },
    };
  }

  /** Looks at the request as it would be now: its size, and what a counter would count. */
  async look(request: CallRequest): Promise<RequestSize> {
    checkCallRequest(request);
    const { toolsText } = await this.#budgets.receive(request, { isLeaving: false });
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

  /** The window as a model that takes notes of it is shown it. */
  summaryRequest(request: CallRequest): SummaryAsk {
    return this.#budgets.summaryRequest(request, "rent");
  }

  /** The provider reported the size of the window: warnings are exact again. */
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
    const isStrict = this.#budgets.editSafety === "strict";
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
