/**
 * The window as the model reads it where its provider clears content on its side.
 *
 * Requests carry every message whole, because the thinking in them is bound to what was said; the provider leaves the
 * cleared part out. Sizes and plans are those of this view, requests those of the projection.
 */
import { isThinking } from "./blocks.ts";
import type { ProviderCleared } from "./edits.ts";
import type { VisibleBlock, VisibleMessage } from "./window.ts";

/** Represents a result that the provider cleared; about as long as the provider's own words. */
const CLEARED_RESULT = "[Old tool result content cleared by the provider]";

/** Returns the window without what is cleared. The same messages are the same objects where nothing of them is. */
export function asProviderShows(
  visible: readonly VisibleMessage[],
  cleared: ProviderCleared | undefined,
): readonly VisibleMessage[] {
  if (cleared === undefined) return visible;
  const keptTools = new Set(cleared.keptTools);
  const keptCalls = new Set<string>();
  const { throughSeq, thinkingThroughSeq = 0 } = cleared;
  const last = Math.max(throughSeq, thinkingThroughSeq);
  return visible.map((message) => {
    if (message.seq > last) return message;
    let isChanged = false;
    const blocks = message.blocks.flatMap((shown): readonly VisibleBlock[] => {
      const { block } = shown;
      if (block.type === "tool_use" && keptTools.has(block.name)) keptCalls.add(block.id);
      const isGone = isThinking(block) && message.seq <= thinkingThroughSeq;
      if (isGone) {
        isChanged = true;
        return [];
      }
      if (block.type !== "tool_result" || message.seq > throughSeq || keptCalls.has(block.tool_use_id))
        return [shown];
      isChanged = true;
      return [{ ...shown, form: "edited", block: { ...block, content: CLEARED_RESULT } }];
    });
    return isChanged ? { ...message, blocks } : message;
  });
}

/** The counts by which a request names what is cleared. */
interface ClearedCounts {
  readonly clearedResults: number;
  readonly keptResults: number;
  readonly clearedTurns: number;
  readonly keptTurns: number;
}

/** Counts results and turns with thinking on both sides of what is cleared; those of kept tools do not count. */
export function countCleared(visible: readonly VisibleMessage[], cleared: ProviderCleared): ClearedCounts {
  const { throughSeq, thinkingThroughSeq = 0 } = cleared;
  const results = clearableSeqs(visible, cleared.keptTools);
  const turns = thinkingTurns(visible);
  const clearedResults = results.filter((seq) => seq <= throughSeq).length;
  const clearedTurns = turns.filter((seq) => seq <= thinkingThroughSeq).length;
  return {
    clearedResults,
    keptResults: results.length - clearedResults,
    clearedTurns,
    keptTurns: turns.length - clearedTurns,
  };
}

/** The clearing that these counts describe: what a provider reports instead of what it was asked for. */
export function clearedBy(
  visible: readonly VisibleMessage[],
  counts: Pick<ClearedCounts, "clearedResults" | "clearedTurns">,
  keptTools: readonly string[],
): ProviderCleared {
  const { clearedResults, clearedTurns } = counts;
  const throughSeq = clearableSeqs(visible, keptTools)[clearedResults - 1] ?? 0;
  const thinkingThroughSeq = thinkingTurns(visible)[clearedTurns - 1];
  return { throughSeq, keptTools, ...(thinkingThroughSeq === undefined ? {} : { thinkingThroughSeq }) };
}

/** The messages of all results that a provider may clear, oldest first. */
function clearableSeqs(visible: readonly VisibleMessage[], keptTools: readonly string[]): readonly number[] {
  const kept = new Set(keptTools);
  const keptCalls = new Set<string>();
  const seqs: number[] = [];
  for (const { seq, blocks } of visible)
    for (const { block } of blocks) {
      if (block.type === "tool_use" && kept.has(block.name)) keptCalls.add(block.id);
      if (block.type === "tool_result" && !keptCalls.has(block.tool_use_id)) seqs.push(seq);
    }
  return seqs;
}

/** The last message of each answer with thinking, oldest first. */
function thinkingTurns(visible: readonly VisibleMessage[]): readonly number[] {
  const seqs: number[] = [];
  let isOpen = false;
  for (const { seq, role, blocks } of visible) {
    if (blocks.length === 0) continue;
    const thinks = role === "assistant" && blocks.some(({ block }) => isThinking(block));
    if (role === "assistant" && isOpen) seqs[seqs.length - 1] = seq;
    else if (thinks) seqs.push(seq);
    isOpen = role === "assistant" && (isOpen || thinks);
  }
  return seqs;
}
