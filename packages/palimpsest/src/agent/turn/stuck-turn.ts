/**
 * Ends a turn that gets nowhere: compaction does not help, or the model repeats itself.
 *
 * A model repeats itself if it makes the same calls with the same results many times in a row, or if after each
 * compaction it only does again what it did before.
 */
import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/compaction/full-compact.ts";
import { ENGINE_DEFAULTS } from "../../base/defaults/engine.ts";
import { CompactionError } from "../../base/errors.ts";
import { fingerprint } from "../../base/fingerprint.ts";
import { formatThousands } from "../../compaction/preview/preview.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { estimateVisibleMessage } from "../../tokens/estimate/estimate-block.ts";
import type { ToolResultBlock, ToolUseBlock } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";

/** The same calls with the same results this many times in a row are a loop. Our choice: polling is rarely so even. */
const LOOP_COUNT = 8;

/**
 * Ends the turn if the last compactions were of no use. Then it counts from zero again. @throws
 * `COMPACTION_THRASHING`
 */
export function checkThrashing(session: Session): void {
  const { watch } = internalsOf(session);
  if (!watch.endsTurn) return;
  watch.endedTurn();
  throw thrashing(
    session,
    `The last ${ENGINE_DEFAULTS.uselessCompactions} compactions were of no use: they freed little, or the window was full again ` +
      `within ${FULL_COMPACT_DEFAULTS.refillCallsCount} calls.`,
  );
}

/** Makes the error for a model that does the same after each compaction: the window is too small for it. */
export function repeating(session: Session): CompactionError {
  return thrashing(
    session,
    `After each of the last ${ENGINE_DEFAULTS.uselessCompactions} compactions the model did again what it had done before, and nothing else.`,
  );
}

function thrashing(session: Session, what: string): CompactionError {
  const { fixed, total } = session.tokens;
  const { windowTokens } = internalsOf(session).budgets.budget;
  const largest = largestTool(session.visible);
  const filledBy = [
    `system prompt and tools ${formatThousands(fixed)}`,
    `messages ${formatThousands(Math.max(0, total - fixed))}`,
    ...(largest === undefined
      ? []
      : [`of these, results of ${largest.name} ${formatThousands(largest.tokens)}`]),
  ].join(", ");
  return new CompactionError("COMPACTION_THRASHING", {
    message: `${what} The window of ${formatThousands(windowTokens)} tokens holds ${filledBy}.`,
    hint: "Nothing is lost, and the next turn goes on. Read less at a time, shorten system prompt and tools, or take a model with a larger window.",
  });
}

/** Finds the tool whose results take most of the window. */
function largestTool(
  visible: readonly VisibleMessage[],
): { readonly name: string; readonly tokens: number } | undefined {
  const nameOf = new Map<string, string>();
  const sums = new Map<string, number>();
  for (const message of visible)
    for (const shown of message.blocks) {
      const { block } = shown;
      if (block.type === "tool_use") nameOf.set(block.id, block.name);
      if (block.type !== "tool_result") continue;
      const name = nameOf.get(block.tool_use_id) ?? "a tool";
      const tokens = estimateVisibleMessage({ ...message, blocks: [shown] });
      sums.set(name, (sums.get(name) ?? 0) + tokens);
    }
  const [first] = [...sums].sort(([, one], [, other]) => other - one);
  return first === undefined ? undefined : { name: first[0], tokens: Math.round(first[1]) };
}

/** Detects a model that repeats itself, from the calls and results of each round. */
export class LoopWatch {
  readonly #known = new Set<number>();
  #last: number | undefined;
  /** Times in a row that the last round was repeated. */
  #count = 0;
  #compactions = 0;
  /** True if a round since the last compaction was new. */
  #hasNew = true;
  /** Compactions in a row after which nothing was new. */
  #repeatedWindows = 0;

  /**
   * Adds a round. Returns true if the same calls had the same results too often in a row. `compactions` is the
   * number of compactions of the session before the round.
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
      this.#repeatedWindows = this.#hasNew ? 0 : this.#repeatedWindows + 1;
      this.#compactions = compactions;
      this.#hasNew = false;
    }
    if (!this.#known.has(round)) this.#hasNew = true;
    this.#known.add(round);
    this.#count = round === this.#last ? this.#count + 1 : 1;
    this.#last = round;
    return this.#count >= LOOP_COUNT;
  }

  /** True if the model did nothing new after each of the last compactions. */
  get isRepeating(): boolean {
    return this.#repeatedWindows >= ENGINE_DEFAULTS.uselessCompactions;
  }
}
