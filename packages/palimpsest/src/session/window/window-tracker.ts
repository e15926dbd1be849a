/**
 * Follows the window and keeps what is derived from it: its size, the request that it makes, the repairs that this
 * request needs, and the rules that it breaks. Following costs only what is new.
 *
 * A push is followed message by message. Any other change of the window (an edit, an undo, a
 * rewind) counts up the projection's revision, and all of it is derived again.
 */

import type { SentRequest, UsageLedger, UsageReport } from "../../tokens/count/usage-ledger.ts";
import { estimateBlock, estimateVisibleMessage } from "../../tokens/estimate/estimate-block.ts";
import { isSealedReasoning } from "../../tokens/models/edit-safety.ts";
import { isThinking, promptTokens } from "../../transcript/blocks.ts";
import type { ProviderCleared, RepairEdit } from "../../transcript/edits.ts";
import type { BrokenInvariant } from "../../transcript/invariants.ts";
import type { Projection } from "../../transcript/projection.ts";
import { asProviderShows } from "../../transcript/provider-view.ts";
import { RepairScan } from "../../transcript/repair.ts";
import { RequestAssembler } from "../../transcript/request.ts";
import type { RequestMessage, VisibleBlock, VisibleMessage } from "../../transcript/window.ts";
import type { SessionEvent } from "../events/events.ts";
import type { CallTokens } from "../options/prepared-call.ts";
import { RequestCheck } from "./request-check.ts";

/** The size of the next request as the window is now. Follows first. */
export function figuresOf(
  tracker: WindowTracker,
  projection: Projection,
  thinkingBudget: number,
): CallTokens {
  tracker.follow(projection);
  const { ledger } = tracker;
  const { tokens: total, fitTokens: padded, source } = ledger.figure();
  const fixed = ledger.fixedFigure().tokens;
  const thinking = Math.round(Math.max(0, total - fixed) * tracker.thinkingShare);
  return { total, padded, fixed, thinking, thinkingBudget, source };
}

export class WindowTracker {
  readonly ledger: UsageLedger;
  #projection: Projection | undefined;
  #revision = -1;
  /** The model by whose rules media were priced. */
  #model: string | undefined;
  #seen = 0;
  #blocks = new BlockSizes();
  /** The window as it was followed last, and how much of it the last request held. */
  #visible: readonly VisibleMessage[] = [];
  #sentCount = 0;
  #assembler = new RequestAssembler();
  #scan = new RepairScan();
  #check = new RequestCheck();
  /** What the provider was asked to clear with the next answer; until then it counts as cleared. */
  #asked: ProviderCleared | undefined;
  #cleared: ProviderCleared | undefined;
  /** False where the next request is not asked to clear what earlier ones were. */
  #isCleared = true;

  constructor(ledger: UsageLedger) {
    this.ledger = ledger;
  }

  /** Content that the provider leaves out of the next request, as far as is known. */
  get cleared(): ProviderCleared | undefined {
    return this.#cleared;
  }

  /** Share of the conversation that is thinking, by its text, without signatures. */
  get thinkingShare(): number {
    return this.#blocks.thinkingShare;
  }

  /** The clearing that the log records for the window as it is. */
  recorded({ activeEdits }: Projection): ProviderCleared | undefined {
    for (const { edit } of activeEdits.toReversed())
      if ("cleared" in edit && edit.cleared !== undefined) return edit.cleared;
    return undefined;
  }

  /** The next request asks for this; `undefined`: for nothing new. `isCleared`: false if it asks for nothing at all. */
  ask(cleared: ProviderCleared | undefined, projection: Projection, isCleared = this.#isCleared): void {
    this.#asked = cleared;
    this.#isCleared = isCleared;
    this.follow(projection);
  }

  /** The window as the model reads it. Follows first. */
  shown(projection: Projection): readonly VisibleMessage[] {
    this.follow(projection);
    return asProviderShows(projection.visible, this.#cleared);
  }

  /** Catches up with the window. */
  follow(projection: Projection): void {
    const { visible, revision, callSeqs } = projection;
    const { model } = this.ledger;
    const cleared = this.#asked ?? (this.#isCleared ? this.recorded(projection) : undefined);
    const isClearedAlike = isAlike(cleared, this.#cleared);
    this.#cleared = cleared;
    const sizeNow = (of = visible): number => {
      const shown = asProviderShows(of, cleared);
      this.#blocks = new BlockSizes();
      for (const message of shown) this.#blocks.add(message, model);
      return sizeOf(shown, model);
    };
    if (model !== this.#model && projection === this.#projection)
      this.ledger.windowRestored(sizeNow(visible.slice(0, this.#seen)));
    this.#model = model;
    if (projection !== this.#projection || revision !== this.#revision) {
      // The sent part is unchanged: the report about it holds.
      const holdsReport = this.#projection === undefined || (isClearedAlike && this.#startsAsSent(visible));
      this.#projection = projection;
      this.#revision = revision;
      this.#assembler = new RequestAssembler();
      this.#scan = new RepairScan();
      this.#check = new RequestCheck();
      this.#seen = 0;
      if (holdsReport) this.ledger.windowRestored(sizeNow());
      else this.ledger.windowReplaced(sizeNow());
      for (const message of visible) this.#assembler.push(message, callSeqs);
    } else {
      for (let index = this.#seen; index < visible.length; index++) {
        const message = visible[index]!;
        this.ledger.messageAdded(estimateVisibleMessage(message, model));
        this.#blocks.add(message, model);
        if (message.role === "user" && message.origin === "user") this.ledger.turnBegan();
        this.#assembler.push(message, callSeqs);
      }
      if (!isClearedAlike) this.ledger.windowReplaced(sizeNow());
    }
    this.#seen = visible.length;
    this.#visible = visible;
  }

  /** The number of messages of the window that the last request held. */
  get sentCount(): number {
    return this.#sentCount;
  }

  /** Takes over {@link sentCount} of a window that was opened. */
  restoreSent(count: number): void {
    this.#sentCount = Math.min(count, this.#seen);
  }

  /** A request of the window as it is left. */
  sent(): SentRequest {
    this.#sentCount = this.#seen;
    return this.ledger.requestSent();
  }

  /** The provider reported a request, whose reply is shown as `reply`; returns the doubt about it, if there is one. */
  reported({
    reply,
    ...report
  }: Pick<UsageReport, "sent" | "usage" | "windowTokens"> & {
    readonly reply: readonly VisibleMessage[];
  }): Extract<SessionEvent, { readonly type: "usage-distrusted" }> | undefined {
    const estimatedTokens = this.ledger.figure().tokens;
    const judgement = this.ledger.usageReported({ ...report, ...replySize(reply, this.ledger.model) });
    if (judgement !== "doubted") return undefined;
    return { type: "usage-distrusted", reportedTokens: promptTokens(report.usage), estimatedTokens };
  }

  /** As {@link reported}, of a request that held nothing but a summary, which its reply brought. */
  reportedAlone(
    report: Omit<Parameters<WindowTracker["reported"]>[0], "sent">,
    projection: Projection,
  ): ReturnType<WindowTracker["reported"]> {
    this.follow(projection);
    const { coveredTokens, generation } = this.ledger.requestSent();
    const replyTokens = sizeOf(report.reply, this.ledger.model);
    return this.reported({ ...report, sent: { coveredTokens: coveredTokens - replyTokens, generation } });
  }

  #startsAsSent(visible: readonly VisibleMessage[]): boolean {
    if (this.#sentCount === 0 || visible.length < this.#sentCount) return false;
    for (let index = 0; index < this.#sentCount; index++)
      if (visible[index] !== this.#visible[index]) return false;
    return true;
  }

  /** Finds the repairs that the window needs. `isLeaving`: right before it is sent. Follows first. */
  findRepairs(
    projection: Projection,
    options: { readonly isLeaving?: boolean } = {},
  ): RepairEdit | undefined {
    this.follow(projection);
    return this.#scan.scan(projection.visible, projection.callSeqs, options);
  }

  /** The request that the window makes. Follows first. */
  request(projection: Projection): readonly RequestMessage[] {
    this.follow(projection);
    return this.#assembler.messages;
  }

  /** The rules that `request`, the newest one, breaks. */
  findBroken(request: readonly RequestMessage[]): readonly BrokenInvariant[] {
    return this.#check.check(request);
  }
}

/** Sizes of the blocks of a window, in reference tokens. */
class BlockSizes {
  #tokens = 0;
  #thinkingTokens = 0;

  get thinkingShare(): number {
    return this.#tokens === 0 ? 0 : this.#thinkingTokens / this.#tokens;
  }

  add({ blocks }: VisibleMessage, model: string): void {
    for (const { block } of blocks) {
      const tokens = estimateBlock(block, model);
      this.#tokens += tokens;
      if (isThinking(block)) this.#thinkingTokens += tokens;
    }
  }
}

function isAlike(one: ProviderCleared | undefined, other: ProviderCleared | undefined): boolean {
  return (
    one === other ||
    (one?.throughSeq === other?.throughSeq &&
      one?.thinkingThroughSeq === other?.thinkingThroughSeq &&
      one?.keptTools.join() === other?.keptTools.join())
  );
}

/** Size of a window in reference tokens. */
export function sizeOf(visible: readonly VisibleMessage[], model: string): number {
  let tokens = 0;
  for (const message of visible) tokens += estimateVisibleMessage(message, model);
  return tokens;
}

/** The figures of a reply for the ledger; `visible` are its messages. */
function replySize(
  visible: readonly VisibleMessage[],
  model: string,
): Pick<UsageReport, "replyTokens" | "isReplyWhole" | "sealedTokens"> {
  const blocks = visible.flatMap((message) => message.blocks);
  const sealed = blocks.filter(({ block }) => isSealedReasoning(block));
  return {
    replyTokens: sizeOf(visible, model),
    isReplyWhole: visible.every((message) => message.blocks.every(isOriginal)),
    sealedTokens: sealed.reduce((sum, { block }) => sum + estimateBlock(block, model), 0),
  };
}

/** True if the block is shown as it was said, and nothing that was said before it is hidden. */
function isOriginal({ form, index }: VisibleBlock, place: number): boolean {
  return form === "original" && index === place;
}

/** The messages of a window that are the entries `seqs`, which are among its newest. */
export function messagesOf(
  visible: readonly VisibleMessage[],
  seqs: readonly number[],
): readonly VisibleMessage[] {
  const wanted = new Set(seqs);
  const found: VisibleMessage[] = [];
  for (let index = visible.length - 1; index >= 0 && found.length < wanted.size; index--) {
    const message = visible[index]!;
    if (message.insertedBy === undefined && wanted.has(message.seq)) found.push(message);
  }
  return found;
}
