/**
 * Preparing a call: repairs, counting, the layers, and the entry that says what left.
 *
 * Everything is decided before anything is appended, and the layers' edits are appended together:
 * the model sees one rewrite at the most. A call that brings only new messages costs only those.
 */
import { ENGINE_DEFAULTS } from "../base/defaults/engine.ts";
import { SessionError, WindowTooSmallError } from "../base/errors.ts";
import type { ArrivalPolicy } from "../compaction/offload-at-arrival.ts";
import { arrivalPolicy, NO_ARRIVAL_LIMITS } from "../compaction/policies.ts";
import type { Room } from "../compaction/room.ts";
import { type ContextBudget, planBudget } from "../tokens/budget.ts";
import type { EditSafety } from "../tokens/edit-safety.ts";
import { estimateBlock } from "../tokens/estimate-block.ts";
import { resolveModelLimits } from "../tokens/model-catalogue.ts";
import { WarningMonitor } from "../tokens/warning-state.ts";
import type { ContentBlock } from "../transcript/blocks.ts";
import type { LayerEdit } from "../transcript/edits.ts";
import type { Usage } from "../transcript/messages.ts";
import { CacheWatch, markedMessages } from "./cache-watch.ts";
import { notify, type SessionEvent } from "./events.ts";
import { checkCallRequest, type FixedPart, FixedPartReader } from "./fixed-part.ts";
import type { CallRequest, CallTokens, PreparedCall } from "./prepared-call.ts";
import { RoomMaker } from "./room-maker.ts";
import type { WindowOptions } from "./session-options.ts";
import type { SessionParts } from "./session-parts.ts";
import { SessionSafety } from "./session-safety.ts";
import { sizeOf } from "./window-keeper.ts";

/** Passes of repair until a window needs none: a repair can uncover another, never more than a few deep. */
const REPAIR_PASSES = 5;

export class CallPreparer {
  readonly #parts: SessionParts;
  readonly #options: WindowOptions;
  readonly #now: () => number;
  readonly #rooms: RoomMaker;
  readonly #safety: SessionSafety;
  readonly #fixed: FixedPartReader;
  readonly #cache: CacheWatch;
  #budget: ContextBudget | undefined;
  #uselessCompactions = 0;
  readonly #warnings = new WarningMonitor();

  constructor(parts: SessionParts, options: WindowOptions, now: () => number) {
    this.#parts = parts;
    this.#fixed = new FixedPartReader(parts);
    this.#options = options;
    this.#now = now;
    this.#cache = new CacheWatch(parts, options);
    this.#safety = new SessionSafety(options.editSafety);
    this.#rooms = new RoomMaker(parts, options);
  }

  /** The limits of new messages; before the first call those of the window the options name. */
  arrivalPolicy(): ArrivalPolicy {
    return this.#rooms.isOff || this.#options.disabledLayers?.includes("arrival") === true
      ? NO_ARRIVAL_LIMITS
      : arrivalPolicy(this.budget().windowTokens);
  }

  /** The limits of the window that the last call was prepared for. */
  budget(): ContextBudget {
    this.#budget ??= this.#budgetFor(this.#parts.keeper.ledger.model);
    return this.#budget;
  }

  async prepare(request: CallRequest): Promise<PreparedCall> {
    checkCallRequest(request);
    const { keeper, writer, log, isDurable } = this.#parts;
    this.#switchTo(request.model);
    const fixed = await this.#fixed.read(request);
    await this.#repair();
    this.#checkNotEmpty();
    const edits = await this.#makeRoom(fixed);
    if (edits.length > 0) {
      this.#cache.rewritten();
      await this.#repair();
      this.#warnings.compacted();
    }

    const messages = keeper.request(writer.projection);
    for (const { rule, message } of keeper.findBroken(messages))
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
    this.#parts.calls.left(call.seq, keeper.sent());
    this.#cache.left(call.seq, cached);
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
      warning: this.#warnings.state(tokens.total, this.budget()),
      edits,
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
    const { writer, keeper } = this.#parts;
    const hint = "`visible` tells what is shown now; the edits of a call are in what `prepare` returned.";
    if (!writer.projection.activeEdits.some((active) => active.seq === editSeq))
      throw new SessionError("UNDO_REFUSED", { message: `Entry ${editSeq} is not an edit in force.`, hint });
    this.#checkUndoIsSafe(editSeq);
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

  /** What was sent after the edit holds thinking that is bound to the history as it was then. */
  #checkUndoIsSafe(editSeq: number): void {
    const wasSentSince = (this.#parts.writer.projection.callSeqs.at(-1) ?? 0) > editSeq;
    if (!wasSentSince || this.#editSafety() === "permissive") return;
    throw new SessionError("UNDO_REFUSED", {
      message: `Calls left after edit ${editSeq}, and this model binds its thinking to the history it saw.`,
      hint: "Read what you need with the history tools, or rewind to before the edit.",
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

  async #repair(): Promise<void> {
    const { keeper, writer } = this.#parts;
    for (let pass = 0; pass < REPAIR_PASSES; pass++) {
      const edit = keeper.findRepairs(writer.projection);
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

  async #makeRoom(fixed: FixedPart): Promise<PreparedCall["edits"]> {
    const { keeper, writer } = this.#parts;
    keeper.follow(writer.projection);
    const budget = this.budget();
    const { ledger } = keeper;
    const fixedTokens = ledger.fixedFigure().fitTokens;
    this.#checkFixed(fixed, fixedTokens, budget);
    const room = this.#room(fixedTokens, budget);
    const made = await this.#rooms.make(room);
    if (made.usedTokens >= budget.blockingTokens) {
      if (made.edits.length > 0 || !this.#distrustsReport(budget))
        throw this.#tooSmall(made.usedTokens, fixedTokens, budget);
      return [];
    }
    const entries = await writer.append(made.edits.map((edit) => ({ type: "edit", edit })));
    keeper.follow(writer.projection);
    const leftTokens = this.#messagesTokens();
    this.#rooms.called(room, made, leftTokens);
    this.#watchUseful(made.edits, room.messagesTokens, leftTokens, budget);
    return made.edits.map((edit, index) => {
      const { seq } = entries[index]!;
      this.#emit({ type: "layer", seq, layer: edit.kind, edit });
      return { seq, edit };
    });
  }

  #room(fixedTokens: number, budget: ContextBudget): Room {
    const { keeper, writer } = this.#parts;
    const { ratio, padding } = keeper.ledger;
    return {
      visible: writer.projection.visible,
      usedTokens: keeper.ledger.figure().fitTokens,
      fixedTokens,
      messagesTokens: this.#messagesTokens(),
      budget,
      tariff: this.#cache.tariffOf(keeper.ledger.model),
      editSafety: this.#editSafety(),
      isWarm: this.#cache.isWarm(this.#now(), keeper.ledger.model),
      measure: (block: ContentBlock) => estimateBlock(block) * ratio,
      padding,
      disabledLayers: this.#rooms.disabledLayers,
      keptTools: this.#options.keptTools ?? [],
      clearableTools: this.#options.clearableTools,
      lastCallSeq: writer.projection.callSeqs.at(-1) ?? 0,
      pins: writer.projection.pins,
      seq: writer.nextSeq,
      at: this.#now(),
    };
  }

  /** The messages of the window alone, not padded. */
  #messagesTokens(): number {
    const { ledger } = this.#parts.keeper;
    return Math.max(0, ledger.figure().tokens - ledger.fixedFigure().tokens);
  }

  /**
   * A report that says too much although nothing can be taken out: a host may have passed something
   * else than the usage of one call. Believing it would end the session, because no request would
   * leave that could correct it.
   */
  #distrustsReport({ blockingTokens }: ContextBudget): boolean {
    const { ledger } = this.#parts.keeper;
    const { tokens } = ledger.figure();
    const estimated = ledger.estimateKnown();
    if (estimated.fitTokens >= blockingTokens) return false;
    ledger.distrustReport();
    this.#emit({ type: "usage-distrusted", reportedTokens: tokens, estimatedTokens: estimated.tokens });
    return true;
  }

  #editSafety(): EditSafety {
    const { keeper, writer } = this.#parts;
    return this.#safety.of(writer.projection, keeper.ledger.model);
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
      isUnmanaged: this.#rooms.isOff,
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
    const failures = this.#uselessCompactions;
    const isThrashing = failures >= ENGINE_DEFAULTS.uselessCompactions;
    this.#emit({ type: "useless-compaction", freedTokens, targetTokens, failures, isThrashing });
  }

  /** The size of the next request as it is now. */
  figures(): CallTokens {
    const { keeper, writer } = this.#parts;
    keeper.follow(writer.projection);
    const { ledger } = keeper;
    const { tokens, fitTokens, source } = ledger.figure();
    return { total: tokens, padded: fitTokens, fixed: ledger.fixedFigure().tokens, source };
  }

  #emit(event: SessionEvent): void {
    notify(this.#parts.observer, event);
  }
}
