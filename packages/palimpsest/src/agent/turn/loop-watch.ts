/**
 * A model that goes round in circles: the same calls with the same results, again and again; or, after each
 * compaction, nothing but what it had done before.
 */
import { AGENT_DEFAULTS } from "../../base/defaults/agent.ts";
import { ENGINE_DEFAULTS } from "../../base/defaults/engine.ts";
import { fingerprint } from "../../base/fingerprint.ts";
import type { ToolResultBlock, ToolUseBlock } from "../../transcript/blocks.ts";

export class LoopWatch {
  readonly #known = new Set<number>();
  #last: number | undefined;
  #count = 0;
  #compactions = 0;
  /** Whether anything was new since the last compaction. */
  #isNew = true;
  #repeatedWindows = 0;

  /**
   * Whether these calls had these results as often in a row as makes a loop. `compactions`: those of the
   * session before them.
   */
  isLoop(
    calls: readonly ToolUseBlock[],
    results: readonly ToolResultBlock[],
    compactions: number = this.#compactions,
  ): boolean {
    const round = fingerprint(
      JSON.stringify([calls.map(({ name, input }) => [name, input]), results.map(({ content }) => content)]),
    );
    if (compactions > this.#compactions) {
      this.#repeatedWindows = this.#isNew ? 0 : this.#repeatedWindows + 1;
      this.#compactions = compactions;
      this.#isNew = false;
    }
    if (!this.#known.has(round)) this.#isNew = true;
    this.#known.add(round);
    this.#count = round === this.#last ? this.#count + 1 : 1;
    this.#last = round;
    return this.#count >= AGENT_DEFAULTS.loopCount;
  }

  /** Whether the last compactions were each followed by what was done before them, and by nothing else. */
  get isRepeating(): boolean {
    return this.#repeatedWindows >= ENGINE_DEFAULTS.uselessCompactions;
  }
}
