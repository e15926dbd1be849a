/**
 * A conversation as a transcript for a model that has not seen it.
 *
 * Rounds are written one by one, so that the oldest can be left out if the whole is too long. Pictures and
 * PDFs become words. Thinking is left out, and so are messages that every compaction adds again.
 */
import type { ContentBlock } from "../../transcript/blocks.ts";
import { groupRounds, type VisibleMessage } from "../../transcript/window.ts";
import { withoutSecrets } from "../../transcript/without-secrets.ts";
import { readableText } from "../preview/readable-text.ts";
import { LAYER_LIMITS } from "../shared/layer-limits.ts";
import { type Measure, measureText } from "../shared/measure.ts";
import { neutralise } from "../shared/quoted-lines.ts";

/** Share of what a window has free for a transcript that it is filled to. Our choice: sizes are estimates of another model's tokens. */
export const TRANSCRIPT_SHARE = 0.85;
/** The gap that a refusal names is covered this many times: its tokens are not ours. Our choice. */
const GAP_MARGIN = 1.1;

/** One round as text. */
export interface WrittenRound {
  readonly text: string;
  readonly tokens: number;
}

/** The rounds of a window as text, oldest first; rounds that say nothing are left out. */
export function writeRounds(visible: readonly VisibleMessage[], measure: Measure): readonly WrittenRound[] {
  return groupRounds(visible)
    .map(({ start, end }) => visible.slice(start, end).flatMap(writeMessage).join("\n\n"))
    .filter((text) => text !== "")
    .map((text) => ({ text, tokens: measureText(text, measure) }));
}

/**
 * Returns how many of the oldest rounds to drop, `dropped` of which are already gone: as many as cover
 * `gapTokens`, else a share of them; at least one, and never the newest.
 */
export function countToDrop(
  rounds: readonly WrittenRound[],
  {
    dropped,
    gapTokens,
    droppedShare = LAYER_LIMITS.droppedShare,
  }: {
    readonly dropped: number;
    readonly gapTokens?: number | undefined;
    /** Share of the rounds where no gap is known. */
    readonly droppedShare?: number;
  },
): number {
  const most = Math.max(dropped, rounds.length - 1);
  if (gapTokens === undefined || gapTokens <= 0) {
    const step = Math.max(1, Math.ceil((rounds.length - dropped) * droppedShare));
    return Math.min(most, dropped + step);
  }
  let left = gapTokens * GAP_MARGIN;
  let count = dropped;
  while (count < most && (left > 0 || count === dropped)) left -= rounds[count++]!.tokens;
  return count;
}

/** Returns how many of the oldest rounds to drop so that the rest measures within `budgetTokens`. */
export function countOverBudget(rounds: readonly WrittenRound[], budgetTokens: number): number {
  let tokens = rounds.reduce((sum, round) => sum + round.tokens, 0);
  let count = 0;
  while (count < rounds.length - 1 && tokens > budgetTokens) tokens -= rounds[count++]!.tokens;
  return count;
}

function writeMessage(message: VisibleMessage): readonly string[] {
  if (message.origin === "restored" || message.origin === "recalled") return [];
  return message.blocks.flatMap(({ block }) => {
    const text = readableText(withoutSecrets(block)).trim();
    return text === "" ? [] : [`[${labelOf(message, block)}]\n${quoted(text)}`];
  });
}

/** A line of the text that looks like a label, so that a result could pass for the user's words. */
const LABEL = /^(?=[ \t]*\[(?:user|assistant|system|result|failed result|earlier summary)\b[^\]\n]*\])/gim;

const quoted = (text: string): string => neutralise(text).replace(LABEL, "\\");

function labelOf({ role, origin }: VisibleMessage, block: ContentBlock): string {
  if (origin === "summary") return "earlier summary";
  if (block.type === "tool_use") return "assistant calls";
  if (block.type === "tool_result") return block.is_error === true ? "failed result" : "result";
  return role;
}
