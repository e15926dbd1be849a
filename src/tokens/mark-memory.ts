/**
 * The marks of earlier requests that a new one can still read from: where they stand now, as far as
 * nothing in front of them changed and the cache has not expired.
 */
import { PROMPT_CACHE_DEFAULTS } from "../base/defaults/prompt-cache.ts";
import type { CacheMark } from "../transcript/window.ts";
import { countSameBlocks, numberOfBlock, placeOfBlock } from "./block-chain.ts";
import type { SentPrompt } from "./prompt-cache-monitor.ts";
import { findPromptChange } from "./prompt-fingerprint.ts";

export class MarkMemory {
  #last: SentPrompt | undefined;
  /** Marked blocks by their number in the last request, ascending. */
  #marked: readonly number[] = [];

  /** The marks that stand in a request that is about to leave, in order. */
  earlierMarks(sent: SentPrompt): readonly CacheMark[] {
    return this.#standing(sent).map((index) => placeOfBlock(sent.fingerprint.blocks, index));
  }

  /** The request left with these marks. */
  left(sent: SentPrompt, marks: readonly CacheMark[]): void {
    const { blocks } = sent.fingerprint;
    const added = marks.map((mark) => numberOfBlock(blocks, mark));
    const all = new Set([...this.#standing(sent), ...added]);
    this.#marked = [...all].sort((one, other) => one - other).slice(-PROMPT_CACHE_DEFAULTS.earlierMarksCount);
    this.#last = sent;
  }

  #standing(sent: SentPrompt): readonly number[] {
    const last = this.#last;
    if (last === undefined || last.fingerprint.model !== sent.fingerprint.model) return [];
    if (sent.atMs - last.atMs > last.tariff.cacheLifetimeMs) return [];
    const change = findPromptChange(last.fingerprint, sent.fingerprint);
    if (change === undefined) return this.#marked;
    // Tools, system prompt and parameters stand in front of all messages.
    if (change.part !== "message") return [];
    const sameCount = countSameBlocks(last.fingerprint.blocks, sent.fingerprint.blocks);
    return this.#marked.filter((index) => index < sameCount);
  }
}
