/**
 * The marks of earlier requests that a new one can still read from: where they stand now, as far as
 * nothing in front of them changed and the cache has not expired.
 */
import { PROMPT_CACHE_DEFAULTS } from "../../base/defaults/tokens/prompt-cache.ts";
import type { CacheMark } from "../../transcript/window.ts";
import { countSameBlocks, numberOfBlock, placeOfBlock } from "./block-chain.ts";
import type { SentPrompt } from "./prompt-cache-monitor.ts";
import { findPromptChange } from "./prompt-fingerprint.ts";

interface RememberedMark {
  /** Number of the marked block in the last request. */
  readonly index: number;
  /** When a request with this mark left last: from then on its entry lives. */
  readonly atMs: number;
}

export class MarkMemory {
  #last: SentPrompt | undefined;
  #marks: readonly RememberedMark[] = [];

  /** The marks that stand in a request that is about to leave, in order. */
  earlierMarks(sent: SentPrompt): readonly CacheMark[] {
    return this.#standing(sent)
      .map(({ index }) => index)
      .sort((one, other) => one - other)
      .map((index) => placeOfBlock(sent.fingerprint.blocks, index));
  }

  /** The request left with these marks. */
  left(sent: SentPrompt, marks: readonly CacheMark[]): void {
    const { blocks } = sent.fingerprint;
    const { atMs } = sent;
    const used = marks.map((mark) => ({ index: numberOfBlock(blocks, mark), atMs }));
    const indexes = new Set(used.map(({ index }) => index));
    const others = this.#standing(sent).filter(({ index }) => !indexes.has(index));
    // Those that were used last stand last: the others are the first to be forgotten.
    this.#marks = [...others, ...used].slice(-PROMPT_CACHE_DEFAULTS.earlierMarksCount);
    this.#last = sent;
  }

  #standing(sent: SentPrompt): readonly RememberedMark[] {
    const last = this.#last;
    if (last === undefined || last.fingerprint.model !== sent.fingerprint.model) return [];
    const change = findPromptChange(last.fingerprint, sent.fingerprint);
    // Tools, system prompt and parameters stand in front of all messages.
    if (change !== undefined && change.part !== "message") return [];
    const sameCount = countSameBlocks(last.fingerprint.blocks, sent.fingerprint.blocks);
    const sinceMs = sent.atMs - last.tariff.cacheLifetimeMs;
    return this.#marks.filter(({ index, atMs }) => index < sameCount && atMs >= sinceMs);
  }
}
