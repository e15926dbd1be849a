/**
 * Finds the blocks that microcompact may clear: results of tools that can run again, each with the call it
 * answers, and large old arguments of the same tools. It does not choose among them, because every trigger
 * has another rule for that: size, age, or the price of clearing.
 */
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from "../../../transcript/blocks.ts";
import type { SeqPin } from "../../../transcript/projection.ts";
import type { VisibleBlock, VisibleMessage } from "../../../transcript/window.ts";
import { holdsLargeString } from "../../preview/shrink-input.ts";
import type { Measure } from "../../shared/measure.ts";
import { pinnedPlaces } from "../../shared/pins.ts";
import { toolKey } from "../../shared/tool-kinds.ts";
import { isCleared } from "../../shared/tool-results.ts";

/** Which tools' results and arguments may go. */
export interface ClearablePolicy {
  /** Names by `toolKey`; results and arguments of other tools are kept. */
  readonly clearableTools: ReadonlySet<string>;
  /** Newest clearable results that stay whole … */
  readonly resultsKeptCount: number;
  /** … as far as they fit into this; the newest in any case. */
  readonly resultsKeptTokens: number;
  /** Strings in arguments of calls above this are previewed. */
  readonly argumentTokens: number;
  /** Places that are never cleared. @defaultValue none */
  readonly pins?: readonly SeqPin[] | undefined;
}

/** A result that may be cleared, with the call it answers. */
export interface ClearableResult {
  /** The message entry of the result. */
  readonly seq: number;
  readonly shown: VisibleBlock;
  readonly result: ToolResultBlock;
  readonly call: ToolUseBlock;
}

/** A call whose arguments are large. */
export interface LargeArgument {
  readonly seq: number;
  readonly shown: VisibleBlock;
  readonly call: ToolUseBlock;
}

/**
 * Results of clearable tools that still show something, oldest first. A result belongs to the
 * nearest call before it with its id: damaged logs hold the same id twice.
 */
export function findClearableResults(
  visible: readonly VisibleMessage[],
  { clearableTools, pins }: Pick<ClearablePolicy, "clearableTools" | "pins">,
): readonly ClearableResult[] {
  const pinned = pinnedPlaces(pins);
  const calls = new Map<string, ToolUseBlock>();
  const found: ClearableResult[] = [];
  for (const { seq, insertedBy, blocks } of visible)
    for (const shown of blocks) {
      const { block } = shown;
      if (block.type === "tool_use") calls.set(block.id, block);
      if (block.type !== "tool_result" || insertedBy !== undefined || isCleared(shown)) continue;
      const call = calls.get(block.tool_use_id);
      if (call === undefined || pinned.has({ seq, block: shown.index })) continue;
      if (clearableTools.has(toolKey(call.name))) found.push({ seq, shown, result: block, call });
    }
  return found;
}

/** Counts how many of the newest results stay. */
export function countKeptResults(
  results: readonly ClearableResult[],
  { resultsKeptCount, resultsKeptTokens }: Pick<ClearablePolicy, "resultsKeptCount" | "resultsKeptTokens">,
  measure: Measure,
): number {
  let keptTokens = 0;
  let count = 0;
  for (const { result } of results.slice(-resultsKeptCount).reverse()) {
    keptTokens += measure(result);
    if (count > 0 && keptTokens > resultsKeptTokens) break;
    count++;
  }
  return count;
}

/** Calls of clearable tools with large arguments, oldest first. */
export function findLargeArguments(
  visible: readonly VisibleMessage[],
  policy: Pick<ClearablePolicy, "clearableTools" | "argumentTokens" | "pins">,
  measure: Measure,
): readonly LargeArgument[] {
  const pinned = pinnedPlaces(policy.pins);
  const found: LargeArgument[] = [];
  for (const { seq, insertedBy, blocks } of visible) {
    if (insertedBy !== undefined) continue;
    for (const shown of blocks)
      if (isLargeArgument(shown.block, policy, measure) && !pinned.has({ seq, block: shown.index }))
        found.push({ seq, shown, call: shown.block });
  }
  return found;
}

function isLargeArgument(
  block: ContentBlock,
  { clearableTools, argumentTokens }: Pick<ClearablePolicy, "clearableTools" | "argumentTokens">,
  measure: Measure,
): block is ToolUseBlock {
  return (
    block.type === "tool_use" &&
    clearableTools.has(toolKey(block.name)) &&
    measure(block) > argumentTokens &&
    // Many small strings do not count as a large one: none of them could be previewed.
    holdsLargeString(block.input, argumentTokens, measure)
  );
}
