/**
 * A model that goes round in circles: the same calls with the same results, again and again.
 */
import { AGENT_DEFAULTS } from "../base/defaults/agent.ts";
import type { ToolResultBlock, ToolUseBlock } from "../transcript/blocks.ts";

export class LoopWatch {
  #last = "";
  #count = 0;

  /** Whether these calls had these results as often in a row as makes a loop. */
  isLoop(calls: readonly ToolUseBlock[], results: readonly ToolResultBlock[]): boolean {
    const round = JSON.stringify([
      calls.map(({ name, input }) => [name, input]),
      results.map(({ content }) => content),
    ]);
    this.#count = round === this.#last ? this.#count + 1 : 1;
    this.#last = round;
    return this.#count >= AGENT_DEFAULTS.loopCount;
  }
}
