/**
 * Extractive compact: everything before the kept tail becomes one message, made from the digest
 * without a model. The default where no model is there to ask, and the last resort where one fails.
 *
 * It cannot fail on its own account: every part is cut to a budget, and a newest round that is too
 * large is peeled in the same edit. A round that cannot be peeled, because it holds thinking or what
 * a provider's own tool answered, is told as text, as it is on a strict session. It refuses
 * (`undefined`) only where nothing would be gained, or where a call is pending: a boundary between a
 * call and its result would orphan both.
 */

import { blockText } from "../transcript/blocks.ts";
import type { LayerEdit } from "../transcript/edits.ts";
import type { Message } from "../transcript/messages.ts";
import { groupRounds } from "../transcript/rounds.ts";
import type { VisibleMessage } from "../transcript/window.ts";
import type { Digest } from "./digest.ts";
import type { EditSafety } from "./editing-rule.ts";
import { composeExtractiveSummary } from "./extractive-summary.ts";
import { hidingEffect } from "./hiding.ts";
import { findTailStart, isResult } from "./kept-tail.ts";
import { findLiterals } from "./literals.ts";
import { reportLoss } from "./loss-report.ts";
import { type Measure, measureMessages, measureText } from "./measure.ts";
import { composeNewestExchange } from "./newest-exchange.ts";
import { type Peeled, peelBlocks, planPeel } from "./peel.ts";
import { composePinned, findCarriedPins, findWholeSeqs, type PinnedText, pinsOf } from "./pins.ts";

/**
 * Budgets of one extractive compaction, in tokens as `measure` counts them. `extractivePolicy` makes
 * the policy of a window of a given size.
 */
export interface ExtractivePolicy {
  /** Size of the messages after the edit. */
  readonly targetTokens: number;
  /** Newest rounds that stay as they are (permissive sessions only). */
  readonly keepTailTokens: number;
  readonly editSafety: EditSafety;
  /** A newest round above this is peeled … */
  readonly maxNewestRoundTokens: number;
  /** … and told as text where it is still above this, because it cannot be peeled. */
  readonly maxTailTokens: number;
  /** The user's own words, verbatim. */
  readonly userWordsTokens: number;
  /** Files, commands, errors, decisions and open tasks. */
  readonly factsTokens: number;
  /** Strings that are likely to be needed to the letter. */
  readonly appendixTokens: number;
  /** A summary above this share of what it replaces is refused. */
  readonly maxSummaryShare: number;
}

/** The window to compact, and what is known about everything that was ever said in it. */
export interface ExtractiveInput {
  readonly visible: readonly VisibleMessage[];
  /** Folded from all original messages of the session's line. */
  readonly digest: Digest;
  readonly measure: Measure;
  readonly policy: ExtractivePolicy;
  readonly pendingCallIds: readonly string[];
  /** Why now: `threshold`, `manual` … */
  readonly reason: string;
  /** What is pinned, to the letter: it is carried over where it is hidden, and not shortened where it stays. */
  readonly pinned?: readonly PinnedText[];
}

/** Plans the compaction, or returns `undefined` where nothing is gained or a call is pending. */
export function planExtractiveCompact(input: ExtractiveInput): LayerEdit | undefined {
  const { visible, policy, measure, pendingCallIds } = input;
  if (pendingCallIds.length > 0 || visible.length === 0) return undefined;

  const strict = () => splitAt(input, { tailStart: strictTailStart(visible), isTold: true });
  const kept =
    policy.editSafety === "strict"
      ? undefined
      : splitAt(input, { tailStart: permissiveTailStart(input), isTold: false });
  const split = kept !== undefined && kept.tailTokens <= policy.maxTailTokens ? kept : strict();
  return split.hidden.length === 0
    ? planPeel(visible, policy.maxNewestRoundTokens, measure, pinsOf(input.pinned ?? []))
    : summarise(input, split);
}

interface Split {
  readonly hidden: readonly VisibleMessage[];
  readonly tail: readonly VisibleMessage[];
  /** Size of the tail once it is peeled. */
  readonly tailTokens: number;
  readonly peeled: Peeled;
  /** Whether the newest exchange is among what is hidden, and told. */
  readonly isTold: boolean;
}

function splitAt(
  { visible, policy, measure, pinned = [] }: ExtractiveInput,
  { tailStart, isTold }: { readonly tailStart: number; readonly isTold: boolean },
): Split {
  const tail = visible.slice(tailStart);
  const maxTokens = Math.max(policy.keepTailTokens, policy.maxNewestRoundTokens);
  const peeled = peelBlocks(tail, maxTokens, measure, pinsOf(pinned));
  const tailTokens = measureMessages(tail, measure) - peeled.freedTokens;
  return { hidden: visible.slice(0, tailStart), tail, tailTokens, peeled, isTold };
}

/** As much as the tail's budget allows; the newest round in any case. */
function permissiveTailStart({ visible, policy, measure }: ExtractiveInput): number {
  const budgetTokens = Math.min(policy.keepTailTokens, policy.maxNewestRoundTokens);
  return findTailStart(visible, budgetTokens, measure) ?? 0;
}

/**
 * Nothing that an answer stands in. Only a prompt that no answer has followed yet stays where it
 * is: no thinking comes with it, and it is the user's, with its pictures.
 */
function strictTailStart(visible: readonly VisibleMessage[]): number {
  let start = visible.length;
  while (start > 0 && isUnansweredPrompt(visible[start - 1]!)) start--;
  return start;
}

function isUnansweredPrompt(message: VisibleMessage): boolean {
  if (message.role === "assistant" || message.insertedBy !== undefined) return false;
  return !message.blocks.some(({ block }) => isResult(block) || block.type === "opaque");
}

function summarise(
  input: ExtractiveInput,
  { hidden, tail, tailTokens, peeled, isTold }: Split,
): LayerEdit | undefined {
  const { policy, measure } = input;
  const hiddenTokens = measureMessages(hidden, measure);
  const roomTokens = Math.min(policy.targetTokens - tailTokens, hiddenTokens * policy.maxSummaryShare);
  const carried = findCarriedPins(input.pinned ?? [], tail);
  const pins = composePinned(carried);
  const pinsTokens = measureText(pins, measure);
  const exchange = isTold ? newestExchange(input, hidden, roomTokens - pinsTokens) : "";
  const throughSeq = hidden.at(-1)!.seq;
  const summary = composeExtractiveSummary(
    input.digest,
    {
      budgetTokens: roomTokens - pinsTokens - measureText(exchange, measure),
      userWordsTokens: policy.userWordsTokens,
      factsTokens: policy.factsTokens,
      appendixTokens: policy.appendixTokens,
      throughSeq,
      hasTail: tail.length > 0,
      visibleLiterals: literalsOf(tail, pins, exchange),
    },
    measure,
  );
  const texts = [summary.text, pins, exchange].filter((text) => text !== "");
  const insertedTokens = texts.reduce((sum, text) => sum + measureText(text, measure), 0);
  if (insertedTokens > hiddenTokens * policy.maxSummaryShare) return undefined;
  const hiding = hidingEffect(input.visible, new Set(hidden));

  return {
    kind: "extractive",
    reason: input.reason,
    isBoundary: true,
    freedTokens: Math.round(hiddenTokens - insertedTokens + peeled.freedTokens),
    effect: {
      ...hiding,
      insert: [{ afterSeq: throughSeq, messages: [summaryMessage(texts)] }, ...hiding.insert],
      ...(peeled.forms.length === 0 ? {} : { forms: peeled.forms }),
    },
    loss: reportLoss({
      hidden,
      shown: texts,
      kept: tail,
      verbatimSeqs: new Set([...summary.verbatimSeqs, ...findWholeSeqs(carried, hidden)]),
    }),
  };
}

function newestExchange(
  { policy, measure }: ExtractiveInput,
  hidden: readonly VisibleMessage[],
  roomTokens: number,
): string {
  const newest = groupRounds(hidden).at(-1);
  if (newest === undefined) return "";
  const budgetTokens = Math.min(policy.maxNewestRoundTokens, roomTokens * NEWEST_EXCHANGE_SHARE);
  return composeNewestExchange(hidden.slice(newest.start, newest.end), budgetTokens, measure);
}

/** Of the room for the inserted message, what the newest exchange may take. */
const NEWEST_EXCHANGE_SHARE = 0.6;

function literalsOf(tail: readonly VisibleMessage[], ...shown: readonly string[]): ReadonlySet<string> {
  const texts = tail.flatMap(({ blocks }) => blocks.map(({ block }) => blockText(block)));
  return new Set([...texts, ...shown].flatMap((text) => findLiterals(text)));
}

function summaryMessage(texts: readonly string[]): Message {
  return { role: "user", origin: "summary", content: texts.map((text) => ({ type: "text", text })) };
}
