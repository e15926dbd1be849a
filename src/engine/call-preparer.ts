/**
 * Preparing a call: repairs, counting, the layers, and the entry that says what left.
 *
 * Everything is decided before anything is appended, and the layers' edits are appended together:
 * the model sees one rewrite at the most. A call that brings only new messages costs only those.
 */
import { ENGINE_DEFAULTS } from "../base/defaults/engine.ts";
import { SessionError, WindowTooSmallError } from "../base/errors.ts";
import type { ArrivalPolicy } from "../compaction/offload-at-arrival.ts";
import { arrivalPolicy } from "../compaction/policies.ts";
import { type ContextBudget, planBudget } from "../tokens/budget.ts";
import { type EditSafety, editSafety, holdsBoundReasoning } from "../tokens/edit-safety.ts";
import { estimateBlock } from "../tokens/estimate-block.ts";
import { estimateFixed } from "../tokens/estimate-message.ts";
import { resolveModelLimits } from "../tokens/model-catalogue.ts";
import { WarningMonitor } from "../tokens/warning-state.ts";
import type { BlobRef, ContentBlock } from "../transcript/blocks.ts";
import type { LayerEdit } from "../transcript/edits.ts";
import type { VisibleMessage } from "../transcript/window.ts";
import type { SessionEvent } from "./events.ts";
import { RoomMaker } from "./make-room.ts";
import type { CallRequest, CallTokens, PreparedCall } from "./prepared-call.ts";
import type { WindowOptions } from "./session-options.ts";
import type { SessionParts } from "./session-parts.ts";
import { sizeOf } from "./window-keeper.ts";

/** Passes of repair until a window needs none: a repair can uncover another, never more than a few deep. */
const REPAIR_PASSES = 5;

/** System prompt and tools as they were last seen, with what was derived from them. */
interface FixedPart {
  readonly system: string | undefined;
  readonly tools: CallRequest["tools"];
  readonly tokens: number;
  readonly systemRef?: BlobRef;
  readonly toolsRef?: BlobRef;
}

export class CallPreparer {
  readonly #parts: SessionParts;
  readonly #options: WindowOptions;
  readonly #now: () => number;
  readonly #roomMaker: RoomMaker;
  #fixed: FixedPart | undefined;
  #budget: ContextBudget | undefined;
  #uselessCompactions = 0;
  readonly #warnings = new WarningMonitor();

  constructor(parts: SessionParts, options: WindowOptions, now: () => number) {
    this.#parts = parts;
    this.#options = options;
    this.#now = now;
    this.#roomMaker = new RoomMaker(() => parts.digest.get());
  }

  /** The limits of new messages; before the first call those of the window the options name. */
  arrivalPolicy(): ArrivalPolicy {
    return arrivalPolicy(this.budget().windowTokens);
  }

  /** The limits of the window that the last call was prepared for. */
  budget(): ContextBudget {
    this.#budget ??= this.#budgetFor(this.#parts.keeper.ledger.model);
    return this.#budget;
  }

  async prepare(request: CallRequest): Promise<PreparedCall> {
    const { keeper, writer, log, isDurable } = this.#parts;
    this.#switchTo(request.model);
    const fixed = await this.#readFixed(request);
    await this.#repair();
    const edits = await this.#makeRoom(fixed);
    if (edits.length > 0) {
      await this.#repair();
      this.#warnings.compacted();
    }

    const messages = keeper.request(writer.projection);
    for (const { rule, message } of keeper.findBroken(messages))
      this.#emit({ type: "invariant-broken", rule, message });
    const tokens = this.#figures();
    const call = await writer.appendOne({
      type: "call",
      model: request.model,
      throughSeq: writer.nextSeq - 1,
      ...(request.parameters === undefined ? {} : { parameters: request.parameters }),
      ...(request.betas === undefined ? {} : { betas: request.betas }),
      ...(fixed.systemRef === undefined ? {} : { system: fixed.systemRef }),
      ...(fixed.toolsRef === undefined ? {} : { tools: fixed.toolsRef }),
      estimatedTokens: tokens.total,
      fixedTokens: fixed.tokens,
    });
    if (edits.some(({ edit }) => edit.isBoundary === true)) await writer.checkpoint();
    if (isDurable) await log.sync();
    const { model, system, tools } = request;
    this.#emit({ type: "call", seq: call.seq, model, tokens: tokens.total, source: tokens.source });
    return {
      callSeq: call.seq,
      model,
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
      messages,
      tokens,
      warning: this.#warnings.state(tokens.total, this.budget()),
      edits,
    };
  }

  /** The provider reported the window as it is: what is said of it is true again. */
  usageReported(): void {
    this.#warnings.reported();
  }

  /** @throws `UNDO_REFUSED` where the edit is not in force, or the window would not fit without it. */
  async checkUndo(editSeq: number): Promise<void> {
    const { writer, keeper } = this.#parts;
    const hint = "`visible` tells what is shown now; the edits of a call are in what `prepare` returned.";
    if (!writer.projection.activeEdits.some((active) => active.seq === editSeq))
      throw new SessionError("UNDO_REFUSED", { message: `Entry ${editSeq} is not an edit in force.`, hint });
    const undo = { type: "edit", edit: { kind: "undo", editSeq } } as const;
    const known = writer.projection.canApply({ ...undo, seq: writer.nextSeq, id: "", v: 1, at: 0 })
      ? writer.projection
      : await writer.readProjection(writer.nextSeq - 1);
    const { ratio, padding } = keeper.ledger;
    const neededTokens = Math.ceil(
      sizeOf(known.visibleWithout(editSeq)) * ratio * padding + keeper.ledger.fixedFigure().fitTokens,
    );
    const { blockingTokens } = this.budget();
    if (neededTokens < blockingTokens) return;
    throw new SessionError("UNDO_REFUSED", {
      message: `Without edit ${editSeq} the request would have ${neededTokens} tokens; ${blockingTokens} is the most that is sent.`,
      hint: "Use a model with a larger window, or read what you need with the history tools.",
    });
  }

  #switchTo(model: string): void {
    const { ledger } = this.#parts.keeper;
    if (ledger.model !== model || this.#budget === undefined) this.#budget = this.#budgetFor(model);
    ledger.modelSwitched(model);
  }

  #budgetFor(model: string): ContextBudget {
    const { windowTokens, maxOutputTokens } = this.#options;
    return planBudget(resolveModelLimits({ model, option: { windowTokens, maxOutputTokens } }));
  }

  async #readFixed(request: CallRequest): Promise<FixedPart> {
    const { system, tools } = request;
    const known = this.#fixed;
    if (known !== undefined && known.system === system && known.tools === tools) return known;
    const toolsText = tools === undefined ? undefined : JSON.stringify(tools);
    const tokens = estimateFixed({
      ...(system === undefined ? {} : { system }),
      ...(toolsText === undefined ? {} : { tools: toolsText }),
    });
    this.#fixed = {
      system,
      tools,
      tokens,
      ...(system === undefined ? {} : { systemRef: await this.#parts.messages.keepText(system) }),
      ...(toolsText === undefined ? {} : { toolsRef: await this.#parts.messages.keepText(toolsText) }),
    };
    this.#parts.keeper.ledger.fixedChanged(tokens);
    return this.#fixed;
  }

  async #repair(): Promise<void> {
    const { keeper, writer } = this.#parts;
    for (let pass = 0; pass < REPAIR_PASSES; pass++) {
      const repairs = keeper.findRepairs(writer.projection);
      if (repairs.length === 0) return;
      const entries = await writer.append(repairs.map((edit) => ({ type: "edit", edit })));
      repairs.forEach(({ reason, subject }, index) => {
        this.#emit({ type: "repair", seq: entries[index]!.seq, reason, subject });
      });
    }
  }

  async #makeRoom(fixed: FixedPart): Promise<PreparedCall["edits"]> {
    const { keeper, writer } = this.#parts;
    keeper.follow(writer.projection);
    const budget = this.budget();
    const { ledger } = keeper;
    const fixedTokens = ledger.fixedFigure().fitTokens;
    this.#checkFixed(fixed, fixedTokens, budget);
    const usedTokens = ledger.figure().fitTokens;
    if (!this.#roomMaker.isNeeded(usedTokens, budget)) return [];
    const { ratio } = ledger;
    const made = await this.#roomMaker.make({
      visible: writer.projection.visible,
      usedTokens,
      fixedTokens,
      budget,
      editSafety: this.#editSafety(),
      measure: (block: ContentBlock) => estimateBlock(block) * ratio,
      padding: ledger.padding,
      disabledLayers: new Set<string>(this.#options.disabledLayers ?? []),
      keptTools: this.#options.keptTools ?? [],
      lastCallSeq: writer.projection.callSeqs.at(-1) ?? 0,
      seq: writer.nextSeq,
      at: this.#now(),
    });
    if (made.usedTokens >= budget.blockingTokens) throw this.#tooSmall(made.usedTokens, fixedTokens, budget);
    this.#watchUseful(made.edits, usedTokens, made.usedTokens, budget);
    const entries = await writer.append(made.edits.map((edit) => ({ type: "edit", edit })));
    keeper.follow(writer.projection);
    return made.edits.map((edit, index) => {
      const { seq } = entries[index]!;
      this.#emit({ type: "layer", seq, layer: edit.kind, edit });
      return { seq, edit };
    });
  }

  #editSafety(): EditSafety {
    const { keeper, writer } = this.#parts;
    const { model } = keeper.ledger;
    const isBound = (message: VisibleMessage): boolean =>
      holdsBoundReasoning({ content: message.blocks.map(({ block }) => block) }, model);
    return (
      this.#options.editSafety ??
      editSafety({ model, holdsBoundReasoning: writer.projection.visible.some(isBound) })
    );
  }

  #checkFixed(fixed: FixedPart, fixedTokens: number, budget: ContextBudget): void {
    const mostTokens = budget.windowTokens * ENGINE_DEFAULTS.maxFixedShare;
    if (fixed.tokens > 0 && fixedTokens >= mostTokens) throw this.#tooSmall(fixedTokens, fixedTokens, budget);
  }

  #tooSmall(neededTokens: number, fixedTokens: number, budget: ContextBudget): WindowTooSmallError {
    return new WindowTooSmallError({
      neededTokens,
      fixedTokens,
      availableTokens: budget.blockingTokens,
      windowTokens: budget.windowTokens,
    });
  }

  /** A compaction that frees little, again and again, is said: it ends in a message, not in a bill. */
  #watchUseful(edits: readonly LayerEdit[], before: number, after: number, budget: ContextBudget): void {
    if (!edits.some((edit) => edit.isBoundary === true)) return;
    const freedTokens = before - after;
    const isUseful = freedTokens >= before * ENGINE_DEFAULTS.usefulFreedShare;
    this.#uselessCompactions = isUseful ? 0 : this.#uselessCompactions + 1;
    if (isUseful) return;
    const { fullTargetTokens: targetTokens } = budget;
    this.#emit({ type: "useless-compaction", freedTokens, targetTokens, failures: this.#uselessCompactions });
  }

  #figures(): CallTokens {
    const { ledger } = this.#parts.keeper;
    const { tokens, fitTokens, source } = ledger.figure();
    return { total: tokens, padded: fitTokens, fixed: ledger.fixedFigure().tokens, source };
  }

  #emit(event: SessionEvent): void {
    this.#parts.observer?.onEvent(event);
  }
}
