/**
 * A compaction as an edit: which messages are hidden, which stay, and the one message that replaces the
 * hidden ones.
 *
 * The digest or a model composes the text of the summary within the available room; all other steps are the
 * same for both. Messages that the summary does not cover always stay. A round that is too large to stay is
 * cut to size in the same edit. If it cannot be cut, because it holds thinking or a result of a provider's
 * own tool, it is quoted as text, as on a strict session.
 */

import type { Steps } from "../../base/steps.ts";
import type { EditSafety } from "../../tokens/models/edit-safety.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import { groupRounds, type VisibleMessage } from "../../transcript/window.ts";
import {
  planTruncateNewest,
  type TruncatedBlocks,
  truncateBlocks,
} from "../layers/truncate-newest/truncate-newest.ts";
import type { LiteralLedger } from "../literals/literal-ledger.ts";
import { hidingEffect } from "../shared/hiding.ts";
import { findCuts, findTailStart, isResult } from "../shared/kept-tail.ts";
import { type Measure, measureMessages, measureText } from "../shared/measure.ts";
import { composePinned, findCarriedPins, findWholeSeqs, type PinnedText, pinsOf } from "../shared/pins.ts";
import type { HistoryAccess } from "../shared/pointer.ts";
import { literalsOfWindow, reportLossInSteps } from "./loss-report.ts";
import { composeNewestExchange } from "./newest-exchange.ts";

/** Sizes of a compaction, in tokens as `measure` counts them. */
export interface CompactionShape extends HistoryAccess {
  /** Size of the messages after the edit. */
  readonly targetTokens: number;
  /** Newest rounds that stay as they are (permissive sessions only). */
  readonly keepTailTokens: number;
  readonly editSafety: EditSafety;
  /** Newest rounds that are quoted as text where none may stay as it is. @defaultValue only the newest */
  readonly quotedTokens?: number;
  /** A newest round above this is peeled … */
  readonly maxNewestRoundTokens: number;
  /** … and told as text where it is still above this, because it cannot be peeled. */
  readonly maxTailTokens: number;
  /** A summary above this share of what it replaces is refused. */
  readonly maxSummaryShare: number;
}

/** The window to compact. */
export interface CompactionInput {
  readonly visible: readonly VisibleMessage[];
  readonly measure: Measure;
  readonly policy: CompactionShape;
  readonly pendingCallIds: readonly string[];
  /** Why now: `threshold`, `manual` … */
  readonly reason: string;
  /** Pinned texts, to the letter: carried over if they are hidden, and not shortened if they stay. */
  readonly pinned?: readonly PinnedText[];
  /** The last entry that the summary covers; later messages stay. @defaultValue the newest entry */
  readonly throughSeq?: number;
}

/** The limits of a summary. */
export interface SummaryBudget extends HistoryAccess {
  readonly budgetTokens: number;
  /** Last entry that is summarised. */
  readonly throughSeq: number;
  /** True if messages after it follow the summary in the window. */
  readonly hasTail: boolean;
  /** Literals that the window shows in any case. */
  readonly visibleLiterals: ReadonlySet<string>;
}

/** The text of a summary, and whose words it quotes in full. */
export interface ComposedSummary {
  readonly text: string;
  /** Entries whose user words are quoted in full. */
  readonly verbatimSeqs: ReadonlySet<number>;
}

/** Writes the summary; `compose` returns `undefined` if it does not fit the room. */
export interface SummaryComposer {
  readonly kind: LayerEdit["kind"];
  /** The literals of the log, for the loss report. */
  readonly ledger?: LiteralLedger | undefined;
  readonly compose: (budget: SummaryBudget) => Steps<ComposedSummary | undefined>;
}

/** Plans the compaction, or returns `undefined` where nothing is gained or a call is pending. */
export function* planCompaction(
  input: CompactionInput,
  writer: SummaryComposer,
): Steps<LayerEdit | undefined> {
  const { visible, policy, measure, pendingCallIds } = input;
  if (pendingCallIds.length > 0 || visible.length === 0) return undefined;

  const strict = () => splitAt(input, { tailStart: strictTailStart(visible), coversNewest: true });
  const kept =
    policy.editSafety === "strict"
      ? undefined
      : splitAt(input, { tailStart: permissiveTailStart(input), coversNewest: false });
  const split = kept !== undefined && kept.tailTokens <= policy.maxTailTokens ? kept : strict();
  if (split.hidden.length === 0)
    return planTruncateNewest(
      visible,
      policy.maxNewestRoundTokens,
      measure,
      pinsOf(input.pinned ?? []),
      policy,
    );
  return hidesUncovered(split, input) ? undefined : yield* summarise(input, split, writer);
}

/** True if the plan would hide a message that the summary does not cover. */
function hidesUncovered({ hidden }: Split, { throughSeq }: CompactionInput): boolean {
  if (throughSeq === undefined) return false;
  return hidden.some(({ seq, insertedBy }) => insertedBy === undefined && seq > throughSeq);
}

/** One side of a pivot, which is the number of a message entry. */
export interface PartialSpan {
  /** `up-to`: what stands before the pivot is summarised. `from`: the pivot and what follows it. */
  readonly side: "from" | "up-to";
  readonly pivotSeq: number;
}

/**
 * Plans the compaction of one side of a pivot; the other side stays as it is. The cut falls where no
 * call is parted from its result, so that a little more may stay. `undefined` where there is no such
 * place, or nothing is gained.
 */
export function* planPartialCompaction(
  input: CompactionInput,
  span: PartialSpan,
  writer: SummaryComposer,
): Steps<LayerEdit | undefined> {
  const { visible, measure, pendingCallIds } = input;
  if (pendingCallIds.length > 0) return undefined;
  const places = placesOf(input, span);
  if (places === undefined || places.start >= places.end) return undefined;
  const hidden = visible.slice(places.start, places.end);
  const tail = [...visible.slice(0, places.start), ...visible.slice(places.end)];
  const policy = { ...input.policy, targetTokens: Number.POSITIVE_INFINITY };
  return yield* summarise({ ...input, policy }, wholeSplit(hidden, tail, measure), writer);
}

/** The limits of a summary for any given tail. */
export interface TailInput extends Omit<CompactionInput, "policy" | "throughSeq"> {
  readonly policy: Pick<
    CompactionShape,
    "targetTokens" | "maxNewestRoundTokens" | "quotedTokens" | "maxSummaryShare" | "hasHistoryTools"
  >;
}

/** Plans the compaction of all messages before `tailStart`, a place where the window may be cut; the others stay as they are. */
export function* planCompactionBefore(
  input: TailInput,
  tailStart: number,
  writer: SummaryComposer,
): Steps<LayerEdit | undefined> {
  const { visible, measure } = input;
  return yield* summarise(
    input,
    wholeSplit(visible.slice(0, tailStart), visible.slice(tailStart), measure),
    writer,
  );
}

/** The hidden messages, by index: `start` included, `end` not. Messages that the summary does not cover stay after them. */
function placesOf(
  { visible, policy, throughSeq }: CompactionInput,
  { side, pivotSeq }: PartialSpan,
): { readonly start: number; readonly end: number } | undefined {
  const pivot = visible.findIndex(({ seq, insertedBy }) => insertedBy === undefined && seq >= pivotSeq);
  if (pivot === -1) return undefined;
  const cuts = findCuts(visible);
  const uncovered = findUncovered(visible, throughSeq) ?? visible.length;
  const lastCut = (index: number): number => cuts.findLast((cut) => cut <= index) ?? 0;
  if (side === "up-to") return { start: 0, end: lastCut(Math.min(pivot, uncovered)) };
  const start = pivot === 0 ? 0 : cuts.find((cut) => cut >= pivot);
  const end = uncovered === visible.length ? uncovered : lastCut(uncovered);
  const isBound = policy.editSafety === "strict" && end < strictTailStart(visible);
  return start === undefined || isBound ? undefined : { start, end };
}

/** Returns the first message that a summary through an entry does not cover. */
function findUncovered(
  visible: readonly VisibleMessage[],
  throughSeq = Number.POSITIVE_INFINITY,
): number | undefined {
  const index = visible.findIndex(({ seq, insertedBy }) => insertedBy === undefined && seq > throughSeq);
  return index === -1 ? undefined : index;
}

interface Split {
  readonly hidden: readonly VisibleMessage[];
  /** The messages that stay. */
  readonly tail: readonly VisibleMessage[];
  /** Size of the tail once it is peeled. */
  readonly tailTokens: number;
  readonly truncated: TruncatedBlocks;
  /** True if the newest exchange is hidden, and quoted. */
  readonly coversNewest: boolean;
}

/** The tail stays unchanged. */
function wholeSplit(
  hidden: readonly VisibleMessage[],
  tail: readonly VisibleMessage[],
  measure: Measure,
): Split {
  const truncated = { forms: [], freedTokens: 0 };
  return { hidden, tail, tailTokens: measureMessages(tail, measure), truncated, coversNewest: false };
}

function splitAt(
  { visible, policy, measure, pinned = [] }: CompactionInput,
  { tailStart, coversNewest }: { readonly tailStart: number; readonly coversNewest: boolean },
): Split {
  const tail = visible.slice(tailStart);
  const maxTokens = Math.max(policy.keepTailTokens, policy.maxNewestRoundTokens);
  const truncated = truncateBlocks(tail, maxTokens, measure, pinsOf(pinned), policy);
  const tailTokens = measureMessages(tail, measure) - truncated.freedTokens;
  return { hidden: visible.slice(0, tailStart), tail, tailTokens, truncated, coversNewest };
}

/** As much as the tail's budget allows; the newest round in any case. */
function permissiveTailStart({ visible, policy, measure, throughSeq }: CompactionInput): number {
  const start = findTailStart(visible, policy.keepTailTokens, measure) ?? 0;
  const uncovered = findUncovered(visible, throughSeq);
  if (uncovered === undefined || uncovered >= start) return start;
  return findCuts(visible).findLast((cut) => cut <= uncovered) ?? 0;
}

/**
 * Returns the tail of a strict session, which holds no answer. Only a prompt without an answer stays: it
 * carries no thinking, and it is the user's, with its pictures.
 */
export function strictTailStart(visible: readonly VisibleMessage[]): number {
  let start = visible.length;
  while (start > 0 && isUnansweredPrompt(visible[start - 1]!)) start--;
  return start;
}

function isUnansweredPrompt(message: VisibleMessage): boolean {
  if (message.role === "assistant" || message.insertedBy !== undefined) return false;
  return !message.blocks.some(({ block }) => isResult(block) || block.type === "opaque");
}

function* summarise(
  input: TailInput,
  { hidden, tail, tailTokens, truncated, coversNewest }: Split,
  { kind, ledger, compose }: SummaryComposer,
): Steps<LayerEdit | undefined> {
  const { policy, measure } = input;
  const hiddenTokens = measureMessages(hidden, measure);
  const availableTokens = Math.min(policy.targetTokens - tailTokens, hiddenTokens * policy.maxSummaryShare);
  const carried = findCarriedPins(input.pinned ?? [], tail);
  const pins = composePinned(carried);
  const pinsTokens = measureText(pins, measure);
  const exchange = coversNewest ? newestExchange(input, hidden, availableTokens - pinsTokens) : "";
  const throughSeq = hidden.at(-1)!.seq;
  yield;
  const visibleLiterals = yield* literalsOfWindow(tail, [pins, exchange]);
  const summary = yield* compose({
    budgetTokens: availableTokens - pinsTokens - measureText(exchange, measure),
    throughSeq,
    hasTail: tail.length > 0,
    hasHistoryTools: policy.hasHistoryTools,
    visibleLiterals,
  });
  if (summary === undefined) return undefined;
  const texts = [summary.text, pins, exchange].filter((text) => text !== "");
  const insertedTokens = texts.reduce((sum, text) => sum + measureText(text, measure), 0);
  if (insertedTokens > hiddenTokens * policy.maxSummaryShare) return undefined;
  const hiding = hidingEffect(input.visible, new Set(hidden));

  return {
    kind,
    reason: input.reason,
    isBoundary: true,
    freedTokens: Math.round(hiddenTokens - insertedTokens + truncated.freedTokens),
    effect: {
      ...hiding,
      insert: [{ afterSeq: throughSeq, messages: [summaryMessage(texts)] }, ...hiding.insert],
      ...(truncated.forms.length === 0 ? {} : { forms: truncated.forms }),
    },
    loss: yield* reportLossInSteps({
      hidden,
      shown: texts,
      kept: tail,
      verbatimSeqs: new Set([...summary.verbatimSeqs, ...findWholeSeqs(carried, hidden)]),
      hasHistoryTools: policy.hasHistoryTools,
      ledger,
    }),
  };
}

function newestExchange(
  { policy, measure }: TailInput,
  hidden: readonly VisibleMessage[],
  availableTokens: number,
): string {
  const newest = groupRounds(hidden).at(-1);
  if (newest === undefined) return "";
  const { maxNewestRoundTokens, quotedTokens = 0 } = policy;
  const budgetTokens = Math.min(
    Math.max(maxNewestRoundTokens, quotedTokens),
    availableTokens * NEWEST_EXCHANGE_SHARE,
  );
  const start = quotedStart(hidden, Math.min(quotedTokens, budgetTokens), measure);
  return composeNewestExchange(hidden.slice(start, newest.end), budgetTokens, measure, policy);
}

/** The first of the newest rounds that fit together, and that hold no earlier summary; the newest in any case. */
function quotedStart(hidden: readonly VisibleMessage[], budgetTokens: number, measure: Measure): number {
  const rounds = groupRounds(hidden).toReversed();
  let start = rounds[0]?.start ?? 0;
  let tokens = 0;
  for (const round of rounds) {
    const messages = hidden.slice(round.start, round.end);
    const blocks = messages.reduce((sum, message) => sum + message.blocks.length, 0);
    tokens += measureMessages(messages, measure) * QUOTED_GROWTH + blocks * QUOTE_LABEL_TOKENS;
    if (tokens > budgetTokens || messages.some(({ insertedBy }) => insertedBy !== undefined)) break;
    start = round.start;
  }
  return start;
}

/** Growth of a text by the marks of a quotation, and tokens of its label. Our choice: quotes are shortened where this is too little. */
const QUOTED_GROWTH = 1.15;
const QUOTE_LABEL_TOKENS = 24;

/** The newest exchange's largest share of the room for the inserted message. */
const NEWEST_EXCHANGE_SHARE = 0.6;

function summaryMessage(texts: readonly string[]): Message {
  return { role: "user", origin: "summary", content: texts.map((text) => ({ type: "text", text })) };
}
