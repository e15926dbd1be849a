/**
 * Small results of read-only queries that may leave the window together with their calls.
 *
 * A line in place of a result of three lines is hardly shorter than the result, so call and result both go,
 * and the history keeps them. But a response is more than its calls: some providers refuse thinking without
 * the call that follows it, and none accepts a `system` message after an answer. So a pair leaves only if the
 * remaining messages would be a valid conversation by themselves. Then the response holds only text and plain
 * calls, it keeps something or disappears as a whole, and no two answers meet of which the second begins with
 * thinking. In all other cases the pair stays, and its result is cleared in place.
 */
import { isObject } from "../../../base/json/json.ts";
import {
  type ContentBlock,
  partText,
  type ToolUseBlock,
  toolResultText,
} from "../../../transcript/blocks.ts";
import type { SeqPin } from "../../../transcript/projection.ts";
import { groupRounds, type VisibleBlock, type VisibleMessage } from "../../../transcript/window.ts";
import { type PinnedPlaces, pinnedPlaces } from "../../shared/pins.ts";
import { toolKey } from "../../shared/tool-kinds.ts";
import type { ClearableResult } from "./clearable-results.ts";

/** Which results count as small. */
export interface SmallQueryPolicy {
  /** A result of a read-only tool below this many characters gets no brief. */
  readonly smallResultCharacters: number;
  /** Names by `toolKey`; short results of these are cleared without a brief. */
  readonly readOnlyTools: ReadonlySet<string>;
}

/** True if a result is so small, and so easy to get again, that no brief is worth its tokens. */
export function isSmallQuery(
  { result, call }: Pick<ClearableResult, "result" | "call">,
  { smallResultCharacters, readOnlyTools }: SmallQueryPolicy,
): boolean {
  if (result.is_error === true || !readOnlyTools.has(toolKey(call.name))) return false;
  const { content } = result;
  const isText = typeof content !== "object" || content.every((part) => partText(part) !== undefined);
  return isText && toolResultText(result).length < smallResultCharacters;
}

/** A block of the window, and the entry that contains it. */
export interface PlacedBlock {
  readonly seq: number;
  readonly shown: VisibleBlock;
}

/** A call and its only result, which may both disappear. */
interface SmallExchange {
  readonly call: PlacedBlock & { readonly block: ToolUseBlock };
  readonly result: PlacedBlock;
}

/** Those of `small` that may leave with their calls, oldest first; a pinned call stays. Linear in the window. */
export function findRemovableExchanges(
  visible: readonly VisibleMessage[],
  small: readonly ClearableResult[],
  pins?: readonly SeqPin[],
): readonly SmallExchange[] {
  if (small.length === 0) return [];
  const pairs = findPairs(visible, small, pinnedPlaces(pins));
  // A provider does not see messages that were emptied before.
  const shown = visible.filter(({ blocks }) => blocks.length > 0);
  const rounds = groupRounds(shown);
  const removable: SmallExchange[][] = [];
  // From the newest round back, because what may stay of one depends on what then follows it.
  let mayFollowAnswer = false;
  for (let index = rounds.length - 1; index >= 0; index--) {
    const { start, end } = rounds[index]!;
    const round = describeRound(shown.slice(start, end), pairs);
    const isNewest = index === rounds.length - 1;
    const followsAnswer = shown[start - 1]?.role === "assistant";
    const isWhole = !isNewest && mayGoAsAWhole(round, { followsAnswer });
    if (isWhole || (!isNewest && mayLoseItsCalls(round, { mayFollowAnswer })))
      removable.push(round.exchanges);
    // One call that stays lets the others go.
    else if (!isNewest && mayLoseSomeCalls(round)) removable.push(round.exchanges.slice(1));
    if (!isWhole) mayFollowAnswer = round.isPlain;
  }
  return removable.reverse().flat();
}

interface DescribedRound {
  /** True if the response holds only text and calls that every provider understands. */
  readonly isPlain: boolean;
  readonly exchanges: SmallExchange[];
  readonly saysText: boolean;
  readonly keepsCalls: boolean;
  /** True if anything except the results of these exchanges follows the response. */
  readonly keepsUserBlocks: boolean;
  readonly hasSystem: boolean;
}

function describeRound(
  messages: readonly VisibleMessage[],
  pairs: ReadonlyMap<VisibleBlock, SmallExchange>,
): DescribedRound {
  const calls = new Map<VisibleBlock, PlacedBlock>();
  const exchanges: SmallExchange[] = [];
  let isPlain = true;
  let saysText = false;
  let callCount = 0;
  let userBlockCount = 0;
  let hasSystem = false;
  for (const { role, seq, blocks } of messages)
    for (const shown of blocks) {
      const { block } = shown;
      if (role === "system") hasSystem = true;
      else if (role === "assistant") {
        if (block.type === "text") saysText = true;
        else if (isPlainCall(block)) calls.set(shown, { seq, shown });
        else isPlain = false;
        if (block.type === "tool_use") callCount++;
      } else {
        userBlockCount++;
        const pair = pairs.get(shown);
        if (pair !== undefined && calls.has(pair.call.shown)) exchanges.push(pair);
      }
    }
  return {
    isPlain,
    exchanges,
    saysText,
    keepsCalls: callCount > exchanges.length,
    keepsUserBlocks: userBlockCount > exchanges.length,
    hasSystem,
  };
}

/** Nothing stays of the round, and what stands before and after it may meet. */
function mayGoAsAWhole(
  round: DescribedRound,
  { followsAnswer }: { readonly followsAnswer: boolean },
): boolean {
  const { saysText, keepsCalls, keepsUserBlocks } = round;
  return mayLoseSomeCalls(round) && !saysText && !keepsCalls && !keepsUserBlocks && !followsAnswer;
}

/** True if the rest of the response is an answer that ends with calls, or with words that the next message may follow. */
function mayLoseItsCalls(
  round: DescribedRound,
  { mayFollowAnswer }: { readonly mayFollowAnswer: boolean },
): boolean {
  const { saysText, keepsCalls, keepsUserBlocks } = round;
  return mayLoseSomeCalls(round) && (keepsCalls || (saysText && (keepsUserBlocks || mayFollowAnswer)));
}

function mayLoseSomeCalls({ isPlain, hasSystem, exchanges }: DescribedRound): boolean {
  return isPlain && !hasSystem && exchanges.length > 0;
}

const CALL_FIELDS: ReadonlySet<string> = new Set(["type", "id", "name", "input"]);

/** A call without a field of its provider's own, which could be a signature that later calls need. */
function isPlainCall(block: ContentBlock): block is ToolUseBlock {
  if (block.type !== "tool_use") return false;
  return Object.entries(block).every(
    ([field, value]) =>
      CALL_FIELDS.has(field) || (field === "caller" && isObject(value) && value["type"] === "direct"),
  );
}

/** By the result: only of ids that one call and one result have, because damaged logs repeat them. */
function findPairs(
  visible: readonly VisibleMessage[],
  small: readonly ClearableResult[],
  pinned: PinnedPlaces,
): ReadonlyMap<VisibleBlock, SmallExchange> {
  const calls = new Map<string, PlacedBlock & { readonly block: ToolUseBlock }>();
  const uses = new Map<string, number>();
  const answers = new Map<string, number>();
  const count = (counts: Map<string, number>, id: string) => counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const { seq, insertedBy, blocks } of visible)
    for (const shown of blocks) {
      const { block } = shown;
      if (block.type === "tool_use") {
        count(uses, block.id);
        if (insertedBy === undefined && !pinned.has({ seq, block: shown.index }))
          calls.set(block.id, { seq, shown, block });
      } else if (block.type === "tool_result") count(answers, block.tool_use_id);
    }
  const pairs = new Map<VisibleBlock, SmallExchange>();
  for (const { seq, shown, result } of small) {
    const call = calls.get(result.tool_use_id);
    const isOnly = uses.get(result.tool_use_id) === 1 && answers.get(result.tool_use_id) === 1;
    if (call !== undefined && isOnly) pairs.set(shown, { call, result: { seq, shown } });
  }
  return pairs;
}
