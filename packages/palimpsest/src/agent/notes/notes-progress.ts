/**
 * Decides if an update of the notes is due: counts how far the session has come since the last one, and its cost.
 *
 * Everything is counted as it comes, so that the work after each answer depends only on that answer. Prices are
 * in input-token-equivalents of the model that was called.
 */
import { scaleTokens } from "../../compaction/shared/measure.ts";
import { judgeNotesGate, leastWindowForNotes, type NotesGateVerdict } from "../../notes/update-gate.ts";
import type { NotesState } from "../../session/append/carried-marks.ts";
import type { CallRequest, PreparedCall } from "../../session/options/prepared-call.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { estimateMessage, estimateVisibleMessage } from "../../tokens/estimate/estimate-block.ts";
import { usagePrice } from "../../tokens/price/cache-price.ts";
import type { Message, Usage } from "../../transcript/blocks.ts";
import type { NotesOptions } from "../options/agent-options.ts";
import { notesLimits } from "./notes-store.ts";

/** Tokens of an update's answer, before one was seen. Our choice: two sections rewritten and some entries. */
const EXPECTED_OUTPUT_TOKENS = 1_200;
/** Tokens of the instruction for an update, without the notes. Source: measured of our own: about 550. */
const INSTRUCTION_TOKENS = 600;

/** A call of the model that was answered. */
export interface AnsweredCall {
  readonly request: CallRequest;
  readonly prepared: PreparedCall;
  readonly messages: readonly Message[];
  /** Their numbers in the log. */
  readonly seqs: readonly number[];
  readonly usage?: Usage | undefined;
}

export class NotesProgress {
  readonly #session: Session;
  readonly #options: NotesOptions;
  #conversationTokens: number;
  /** Estimate of what is new since the last answer: what it is in tokens is known best once the model has answered. */
  #newEstimate = 0;
  #updatedAtTokens: number | undefined;
  /** Size of the covered conversation. */
  #coveredTokens: number;
  #toolCalls = 0;
  #sessionCost: number;
  #notesCost: number;
  #notesTokens: number;
  #outputTokens: number = EXPECTED_OUTPUT_TOKENS;
  /** The newest message that is counted. */
  #countedSeq: number;

  constructor(session: Session, options: NotesOptions, state: NotesState | undefined) {
    this.#session = session;
    this.#options = options;
    this.#conversationTokens = state?.conversationTokens ?? 0;
    this.#updatedAtTokens =
      state === undefined || state.throughSeq === 0 ? undefined : state.conversationTokens;
    this.#coveredTokens = state?.conversationTokens ?? 0;
    this.#sessionCost = state?.sessionCost ?? 0;
    this.#notesCost = state?.notesCost ?? 0;
    this.#notesTokens = state?.notesTokens ?? 0;
    this.#countedSeq = state?.throughSeq ?? 0;
  }

  /** Tokens of all that was said, as far as it was seen. */
  get conversationTokens(): number {
    return this.#conversationTokens;
  }

  get costs(): Pick<NotesState, "sessionCost" | "notesCost"> {
    return { sessionCost: this.#sessionCost, notesCost: this.#notesCost };
  }

  /** A request is about to be prepared: counts new messages before a compaction may hide them. */
  preparing(): void {
    this.#follow();
  }

  /** A call was answered: adds its cost. Without a report the whole prompt counts as read from the cache. */
  answered(call: AnsweredCall): void {
    this.#follow();
    this.#conversationTokens += this.#newEstimate * internalsOf(this.#session).tracker.ledger.ratio;
    this.#newEstimate = 0;
    const { request, prepared, usage } = call;
    const read = { ...NO_USAGE, cacheReadTokens: prepared.tokens.total, outputTokens: this.#sizeOf(call) };
    this.#sessionCost += this.#price(usage ?? read, request.model);
  }

  /** A summary was written: it belongs to what the session costs. */
  summaryCalled(usage: Usage | undefined, model: string): void {
    if (usage !== undefined) this.#sessionCost += this.#price(usage, model);
  }

  /** A model was asked to bring the notes up to date; without usage it cost what was expected. */
  updateCalled(usage: Usage | undefined, model: string, call: AnsweredCall): void {
    const price = usage === undefined ? this.#expectedPrice(call) : this.#price(usage, model);
    if (usage !== undefined) this.#outputTokens = usage.outputTokens;
    this.#sessionCost += price;
    this.#notesCost += price;
  }

  /** Judges if an update is due after this answer. `isFree`: no model is asked, so the cap does not apply. */
  judge(call: AnsweredCall, isFree: boolean): NotesGateVerdict {
    const { budget, limits, firstSummaryTokens } = internalsOf(this.#session).budgets;
    const { windowTokens } = budget;
    const leastKeptTokens = scaleTokens(limits.leastKeptTokens, windowTokens);
    const { costShareCap: cap = limits.notesCostShareCap, isGated = true } = this.#options;
    return judgeNotesGate(
      {
        conversationTokens: this.#conversationTokens,
        windowTokens: call.prepared.tokens.total + this.#sizeOf(call),
        ...(this.#updatedAtTokens === undefined ? {} : { updatedAtTokens: this.#updatedAtTokens }),
        toolCallsSinceUpdate: this.#toolCalls,
        didLastTurnCallTools: callsTools(call),
        ...this.costs,
        updateCost: this.#expectedPrice(call),
      },
      {
        startTokens: scaleTokens(limits.notesStartTokens, windowTokens),
        growthTokens: scaleTokens(limits.notesGrowthTokens, windowTokens),
        toolCallsCount: limits.notesToolCallsCount,
        leastWindowTokens: leastWindowForNotes({ windowTokens, firstSummaryTokens, leastKeptTokens }),
        isGated,
        costShareCap: cap === "off" || cap >= 1 || isFree ? undefined : cap,
      },
    );
  }

  /** An update begins: the next one is due from here on, whatever becomes of this one. */
  updateBegan(): void {
    this.#updatedAtTokens = this.#conversationTokens;
    this.#toolCalls = 0;
  }

  /** The notes cover the conversation up to this size. */
  recordCoverage(conversationTokens: number): void {
    this.#coveredTokens = conversationTokens;
  }

  /** The notes have this size now: the next update reads them whole. */
  resized(notesTokens: number): void {
    this.#notesTokens = notesTokens;
  }

  /** Counts what is new in the window. */
  #follow(): void {
    const { visible } = this.#session;
    const counted = this.#countedSeq;
    for (let index = visible.length - 1; index >= 0; index--) {
      const message = visible[index]!;
      if (message.insertedBy !== undefined) continue;
      if (message.seq <= counted) break;
      this.#countedSeq = Math.max(this.#countedSeq, message.seq);
      // What the host adds, the notes themselves among it, is not what was said.
      if (message.origin === "host") continue;
      this.#newEstimate += estimateVisibleMessage(message);
      this.#toolCalls += message.blocks.filter(({ block }) => block.type === "tool_use").length;
    }
  }

  /**
   * Forked: the conversation out of the cache, and the newest answer as new input. Cold: the messages that the notes do not
   * cover yet, as new input. Either way with the notes, and an answer like the last.
   */
  #expectedPrice(call: AnsweredCall): number {
    const { budget, limits } = internalsOf(this.#session).budgets;
    const { windowTokens, effectiveTokens } = budget;
    const { total } = call.prepared.tokens;
    const frameTokens = INSTRUCTION_TOKENS + this.#notesTokens;
    const forkedTokens = frameTokens + this.#sizeOf(call);
    const fits = total + forkedTokens + notesLimits(windowTokens, limits).totalTokens <= effectiveTokens;
    const shownTokens = total + this.#sizeOf(call);
    const uncoveredTokens = Math.min(this.#conversationTokens - this.#coveredTokens, shownTokens);
    const prompt =
      this.#options.updater === "cold" || !fits
        ? { inputTokens: frameTokens + uncoveredTokens }
        : { inputTokens: forkedTokens, cacheReadTokens: total };
    return this.#price({ ...NO_USAGE, ...prompt, outputTokens: this.#outputTokens }, call.request.model);
  }

  #sizeOf({ messages, usage }: AnsweredCall): number {
    const { ratio, model } = internalsOf(this.#session).tracker.ledger;
    return (
      usage?.outputTokens ??
      messages.reduce((sum, message) => sum + estimateMessage(message, model) * ratio, 0)
    );
  }

  #price(usage: Usage, model: string): number {
    return usagePrice(usage, internalsOf(this.#session).cache.tariffOf(model));
  }
}

/** True if an answer waits for results of tools. */
export function callsTools({ messages }: Pick<AnsweredCall, "messages">): boolean {
  return messages.some(({ content }) => content.some(({ type }) => type === "tool_use"));
}

const NO_USAGE: Usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
