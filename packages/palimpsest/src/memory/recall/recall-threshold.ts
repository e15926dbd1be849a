/**
 * Which memories a message calls for so clearly that they are told without being asked for.
 *
 * A search always finds the best of what there is, and most messages call for nothing: "make the button blue" has a
 * word in common with something in any larger memory. So a word counts here that few memories have, or that one is
 * named or described by; and by how much of the message it is.
 */
import { MEMORY_RECALL_DEFAULTS } from "../../base/defaults/memory/recall.ts";
import type { HitReason } from "../../base/search/memory-search.ts";
import { sentenceWords } from "../trust/sentences.ts";

/** One memory that was found, and the words of the message that it has. */
export interface WordHit {
  readonly path: string;
  readonly words: HitReason["words"];
}

/** @param memoriesCount - of all memories that were searched */
export function aboveRecallThreshold(
  query: string,
  hits: readonly WordHit[],
  memoriesCount: number,
): ReadonlySet<string> {
  const { rareShare, rareCount, wordsCount, pairShare, singleShare } = MEMORY_RECALL_DEFAULTS.clear;
  const queryCount = sentenceWords(query).words.size;
  const counts = new Map<string, number>();
  for (const { words } of hits) for (const { word } of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rare = Math.max(rareCount, memoriesCount * rareShare);
  const isClear = ({ words }: WordHit): boolean => {
    if (words.some(({ word }) => counts.get(word)! <= rare)) return true;
    const telling = words.filter(({ fields }) => fields.some((field) => field !== "body")).length;
    if (telling >= wordsCount) return true;
    const share = queryCount === 0 ? 0 : telling / queryCount;
    return telling > 1 ? share >= pairShare : telling === 1 && share >= singleShare;
  };
  return new Set(hits.filter(isClear).map(({ path }) => path));
}
