/**
 * Builds the request that leaves: makes it fit, repairs it, marks it for the cache, and records it in the log.
 *
 * Whatever makes the window smaller happens in the driver (`compact/compact-window.ts`), before anything else is
 * appended. A call that brings only new messages costs only those.
 */
import { SessionError } from "../base/errors.ts";
import type { JsonObject } from "../base/json/json.ts";
import { thinkingBudget } from "../compaction/shared/layer-limits.ts";
import type { CountableRequest } from "../ports/model-client.ts";
import { WarningMonitor } from "../tokens/budget/warning-state.ts";
import type { TokenFigure } from "../tokens/count/counting-chain.ts";
import { resolveModelLimits } from "../tokens/models/model-catalogue.ts";
import { isCompaction, type Usage } from "../transcript/blocks.ts";
import { isBoundary } from "../transcript/edits.ts";
import { asProviderShows } from "../transcript/provider-view.ts";
import type { BudgetTracker } from "./compact/budget-tracker.ts";
import type { WindowCompactor } from "./compact/compact-window.ts";
import type { FitOptions, FittedWindow } from "./compact/fit-options.ts";
import type { ByHand } from "./compact/summary-request.ts";
import type { CallRequest, CallTokens, PreparedCall } from "./options/prepared-call.ts";
import { checkUndoBinds, checkUndoIsUnanswered } from "./window/bound-thinking.ts";
import { type ContextUse, contextUse } from "./window/context-use.ts";
import { checkCallRequest } from "./window/fixed-part.ts";
import { type CacheWatch, markedMessages } from "./window/prompt-cache-watch.ts";
import type { ProviderEditing } from "./window/provider-edits.ts";
import type { SessionParts, WindowParts } from "./window/session-parts.ts";
import { figuresOf, sizeOf } from "./window/window-tracker.ts";

/** A request before it is prepared. */
interface RequestSize {
  readonly figure: TokenFigure;
  /** Sizes near which a guess is not good enough. */
  readonly thresholds: readonly number[];
  readonly throughSeq: number;
  /** True if the provider edits the context on its side, which its counting endpoint knows nothing of. */
  readonly isEdited: boolean;
  readonly countable: () => CountableRequest;
}

/** A request that has left. */
export interface SentCall {
  readonly prepared: PreparedCall;
  /** Its size by estimate alone, whatever was reported before. */
  readonly estimated: { readonly estimatedTokens: number; readonly generation: number };
}

type SendingParts = WindowParts & Pick<SessionParts, "makeDurable" | "turns">;

interface BuilderTools {
  /** Makes each request fit before it leaves. */
  readonly compaction: WindowCompactor;
  readonly budgets: BudgetTracker;
  readonly cache: CacheWatch;
  readonly provider: ProviderEditing;
  readonly now: () => number;
}

export class RequestBuilder {
  readonly #parts: SendingParts;
  readonly #compaction: WindowCompactor;
  readonly #budgets: BudgetTracker;
  readonly #cache: CacheWatch;
  readonly #provider: ProviderEditing;
  readonly #now: () => number;
  readonly #warnings = new WarningMonitor();
  /** The model that the first request will name. */
  #expected: string | undefined;

  constructor(parts: SendingParts, { compaction, budgets, cache, provider, now }: BuilderTools) {
    this.#parts = parts;
    this.#compaction = compaction;
    this.#budgets = budgets;
    this.#cache = cache;
    this.#provider = provider;
    this.#now = now;
  }

  /** Until a request names a model, the window that is shown is that of this one. */
  expects(model: string | undefined): void {
    this.#expected = model;
  }

  /** Makes the next request fit and leave. @throws as {@link WindowCompactor.fit} */
  async prepare(request: CallRequest, options: FitOptions = {}): Promise<SentCall> {
    checkCallRequest(request);
    return this.#compaction.fit(request, options, (window) => this.#send(request, window));
  }

  /** Compacts now because a person asked for it, and prepares no call. */
  async compact(
    request: CallRequest,
    options: FitOptions & { readonly byHand: ByHand },
  ): Promise<Pick<FittedWindow, "edits" | "freedTokens">> {
    checkCallRequest(request);
    return this.#compaction.fit(request, options, async ({ edits, freedTokens }) => {
      if (edits.length === 0) return { edits, freedTokens };
      this.#warnings.compacted();
      const { writer, makeDurable } = this.#parts;
      await writer.checkpoint();
      writer.forgetHidden();
      await makeDurable();
      return { edits, freedTokens };
    });
  }

  /** Writes down what leaves, and makes it durable. */
  async #send(request: CallRequest, { fixed, edits }: FittedWindow): Promise<SentCall> {
    const { tracker, writer, makeDurable, turns } = this.#parts;
    if (edits.length > 0) this.#warnings.compacted();
    await this.#budgets.repair({ isLeaving: true });
    const messages = tracker.request(writer.projection);
    for (const { rule, message } of tracker.findBroken(messages))
      this.#parts.emit({ type: "invariant-broken", rule, message });
    this.#expected = undefined;
    const tokens = this.figures();
    if (edits.length > 0) await turns.take();
    const atMs = this.#now();
    const providerEdits = this.#provider.plan(request, this.#budgets);
    const cached = this.#cache.watch({ request, fixed, messages, promptTokens: tokens.total, atMs });
    const { windowTokens } = this.#budgets.budget;
    const call = await writer.appendOne({
      type: "call",
      model: request.model,
      throughSeq: writer.nextSeq - 1,
      parameters: request.parameters,
      betas: request.betas,
      system: fixed.systemRef,
      tools: fixed.toolsRef,
      ...(cached.marks.length === 0 ? {} : { breakpoints: markedMessages(cached.marks) }),
      ...(providerEdits === undefined ? {} : { serverEdits: providerEdits as JsonObject }),
      estimatedTokens: tokens.total,
      ...(fixed.system === undefined && fixed.toolsText === undefined ? {} : { fixedTokens: fixed.tokens }),
      ...(windowTokens === resolveModelLimits({ model: request.model }).windowTokens ? {} : { windowTokens }),
    });
    this.#parts.calls.left(call.seq, tracker.sent(), request.model);
    this.#cache.left(call.seq, cached);
    const warning = this.#warnings.state(tokens.total, this.#budgets.budget);
    this.#compaction.watch.called();
    this.#budgets.left();
    if (edits.some(({ edit }) => edit.isBoundary === true)) {
      await turns.take();
      await writer.checkpoint();
      writer.forgetHidden();
    }
    await makeDurable();
    const { model, system, tools } = request;
    this.#parts.emit({ type: "call", seq: call.seq, model, tokens: tokens.total, source: tokens.source });
    const { ledger } = tracker;
    const { headCacheTtl } = this.#cache.lifetimes;
    return {
      prepared: {
        callSeq: call.seq,
        model,
        ...(system === undefined ? {} : { system }),
        ...(tools === undefined ? {} : { tools }),
        messages,
        cacheMarks: cached.marks,
        ...(headCacheTtl && { headCacheTtl }),
        ...(providerEdits === undefined ? {} : { providerEdits }),
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
    const { autoCompactGateTokens, blockingTokens } = this.#budgets.budget;
    const messages = tracker.request(writer.projection);
    const { model, system } = request;
    return {
      figure: tracker.ledger.figure(),
      thresholds: [autoCompactGateTokens, blockingTokens],
      throughSeq: writer.nextSeq - 1,
      isEdited: tracker.cleared !== undefined || messages[0]?.content.some(isCompaction) === true,
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

  /** The provider reported the size of the window: warnings are exact again. */
  usageReported(callSeq: number, usage: Usage): void {
    this.#warnings.reported();
    this.#cache.reported(callSeq, usage);
  }

  /** @throws `UNDO_REFUSED` where the edit is not in force, or the window would not fit without it. */
  async checkUndo(editSeq: number): Promise<void> {
    const { writer, tracker } = this.#parts;
    const hint = "`layer` events and `edits` of `compact` have numbers; for messages use `rewind`.";
    const undone = writer.projection.activeEdits.find((active) => active.seq === editSeq)?.edit;
    if (undone === undefined)
      throw new SessionError("UNDO_REFUSED", { message: `Entry ${editSeq} is not an edit in force.`, hint });
    if (undone.kind === "provider-clear" && isBoundary(undone))
      throw new SessionError("UNDO_REFUSED", {
        message: `Edit ${editSeq} is a summary of the provider, which ignores what stands before it.`,
        hint: `Read what you need with the history tools, or go back to before it with \`rewind(${editSeq - 1})\`.`,
      });
    const isStrict = this.#budgets.editSafety === "strict" && undone.kind !== "provider-clear";
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
      sizeOf(asProviderShows(after, tracker.cleared), tracker.ledger.model) * ratio * padding +
        tracker.ledger.fixedFigure().fitTokens,
    );
    const { blockingTokens } = this.#budgets.budget;
    if (neededTokens < blockingTokens) return;
    throw new SessionError("UNDO_REFUSED", {
      message: `Without edit ${editSeq} the request would have ${neededTokens} tokens; ${blockingTokens} is the most that is sent.`,
      hint: "Use a model with a larger window, read what you need with the history tools, or `rewind` to an earlier entry.",
    });
  }

  /** What fills the next request as it is now. */
  contextUse(): ContextUse {
    const figures = this.figures();
    const { tracker, writer } = this.#parts;
    const { activeEdits: edits, callSeqs } = writer.projection;
    const visible = tracker.shown(writer.projection);
    const { fixedSizes: fixed } = this.#budgets;
    const clearedTokens = this.#provider.clearedTokens();
    const model = this.#expected ?? tracker.ledger.model;
    const window = this.#budgets.windowOf(model);
    return contextUse({ ...window, model, visible, edits, callSeqs, figures, fixed, clearedTokens });
  }

  /** The size of the next request as it is now. */
  figures(): CallTokens {
    const { tracker, writer } = this.#parts;
    return figuresOf(tracker, writer.projection, thinkingBudget(this.#budgets));
  }
}
