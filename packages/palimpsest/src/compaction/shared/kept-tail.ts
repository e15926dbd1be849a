/**
 * The kept tail: where a window may be cut in two, and how much of its end a compaction keeps.
 *
 * A cut never separates a call from its result nor chunks of one response, whatever blocks they
 * are: pairs are found by the relation of their ids. It falls where a round starts, or before the
 * user's words that start one.
 */
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { type Measure, measureMessage } from "./measure.ts";

/** Indexes at which the window may be cut, ascending: the tail starts with the message there. */
export function findCuts(visible: readonly VisibleMessage[]): readonly number[] {
  const joined = joinedPlaces(visible);
  const cuts: number[] = [];
  for (let index = 1; index < visible.length; index++) {
    const message = visible[index]!;
    const isSplit = joined[index] === true || message.insertedBy !== undefined;
    const startsSomething =
      message.role === "assistant" || !message.blocks.some(({ block }) => isResult(block));
    if (!isSplit && startsSomething && message.seq > visible[index - 1]!.seq) cuts.push(index);
  }
  return cuts;
}

/** Per index, whether something reaches across the place before it: a pair or one response. */
export function joinedPlaces(visible: readonly VisibleMessage[]): readonly boolean[] {
  const first = new Map<string, number>();
  const starts = new Array<number>(visible.length + 1).fill(0);
  const reach = (key: string, index: number) => {
    const from = first.get(key);
    if (from === undefined) first.set(key, index);
    else if (index > from) {
      starts[from + 1]!++;
      starts[index + 1]!--;
      first.set(key, index);
    }
  };
  visible.forEach((message, index) => {
    if (message.role === "assistant" && message.responseId !== undefined)
      reach(`r:${message.responseId}`, index);
    for (const { block } of message.blocks) for (const id of pairIds(block)) reach(`c:${id}`, index);
  });
  let depth = 0;
  return visible.map((_, index) => {
    depth += starts[index]!;
    return depth > 0;
  });
}

/** Ids that tie blocks together: call and result, of any provider, and a program with the calls that it made. */
export function pairIds(block: ContentBlock): readonly string[] {
  const fields = (block.type === "opaque" ? block.value : block) as {
    readonly [key: string]: unknown;
  } | null;
  if (typeof fields !== "object" || fields === null) return [];
  const keys = block.type === "opaque" ? ["call_id", "tool_call_id"] : ["id", "tool_use_id"];
  const caller = (fields["caller"] ?? {}) as { readonly [key: string]: unknown };
  return [...keys.map((key) => fields[key]), caller["tool_id"], caller["caller_id"]].filter(
    (id): id is string => typeof id === "string",
  );
}

export function isResult(block: ContentBlock): boolean {
  return "tool_use_id" in block;
}

/**
 * Returns the start of the kept tail: as early as `budgetTokens` allow, no later than the newest cut and
 * never before an earlier summary. `undefined` if there is no place to cut.
 */
export function findTailStart(
  visible: readonly VisibleMessage[],
  budgetTokens: number,
  measure: Measure,
): number | undefined {
  const lastSummary = visible.findLastIndex(
    (message) => message.origin === "summary" && message.insertedBy !== undefined,
  );
  const cuts = findCuts(visible).filter((cut) => cut > lastSummary);
  let start = cuts.at(-1);
  if (start === undefined) return undefined;
  let tokens = 0;
  let counted = visible.length;
  for (const cut of cuts.toReversed()) {
    while (counted > cut) tokens += measureMessage(visible[--counted]!, measure);
    if (tokens > budgetTokens && cut !== start) break;
    start = cut;
    if (tokens > budgetTokens) break;
  }
  return start;
}
