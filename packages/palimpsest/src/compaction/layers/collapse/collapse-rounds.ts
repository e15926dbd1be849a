/**
 * Which rounds may collapse, and what of them stays: the user's words, where they are short, and
 * whatever is pinned. A round leaves as a whole or not at all, because a call and its result, and the
 * chunks of one response, belong together.
 */
import type { ContentBlock } from "../../../transcript/blocks.ts";
import { isMedia } from "../../../transcript/blocks.ts";
import type { VisibleBlock, VisibleMessage } from "../../../transcript/window.ts";
import { isResult, pairIds } from "../../shared/kept-tail.ts";
import { type Measure, measureText } from "../../shared/measure.ts";
import type { PinnedPlaces } from "../../shared/pins.ts";
import { stripHostTags, userWordsOf } from "../../shared/user-words.ts";

/** The effect of collapsing one round. */
export interface CollapsedRound {
  readonly hidden: readonly VisibleMessage[];
  /** Blocks of messages whose words stay: results go, and what a host wrapped around the words. */
  readonly changed: readonly ChangedBlock[];
  /** Messages of which something stays. */
  readonly kept: readonly VisibleMessage[];
}

export interface ChangedBlock {
  readonly message: VisibleMessage;
  readonly shown: VisibleBlock;
  /** The block shown in its place, if any. */
  readonly instead?: ContentBlock;
}

interface RoundRule {
  readonly pinned: PinnedPlaces;
  /** Words of the user up to this stay as they are. */
  readonly userWordsTokens: number;
  readonly measure: Measure;
}

/** Returns the parts of a round that collapse; `undefined` if the round has to stay. */
export function collapseRound(
  messages: readonly VisibleMessage[],
  rule: RoundRule,
): CollapsedRound | undefined {
  const hidden: VisibleMessage[] = [];
  const changed: ChangedBlock[] = [];
  const kept: VisibleMessage[] = [];
  for (const message of messages) {
    const fate = judgeMessage(message, rule);
    if (fate === "binds") return undefined;
    if (fate === "leaves") hidden.push(message);
    else {
      kept.push(message);
      changed.push(...(fate === "speaks" ? baredBlocks(message, rule) : resultsOf(message)));
    }
  }
  return { hidden, changed, kept };
}

/** An answer to a call, of any provider: without the call it is refused. */
const isAnswer = (block: ContentBlock): boolean =>
  isResult(block) || (block.type === "opaque" && pairIds(block).length > 0);

/** `binds`: the whole round stays because of it. `speaks`: the user's words stay. */
function judgeMessage(message: VisibleMessage, rule: RoundRule): "leaves" | "stays" | "speaks" | "binds" {
  const { role, origin, seq, insertedBy, blocks } = message;
  if (blocks.length === 0) return "leaves";
  // What follows a `system` message is its answer, and a provider's own summary is bound to its place.
  if (role === "system" || blocks.some(({ block }) => block.type === "compaction")) return "binds";
  const isPinned = ({ index }: VisibleBlock) =>
    insertedBy === undefined && rule.pinned.has({ seq, block: index });
  if (role === "assistant") return blocks.some(isPinned) ? "binds" : "leaves";
  if (insertedBy !== undefined) return origin === "summary" ? "stays" : "leaves";
  if (blocks.some((shown) => isAnswer(shown.block) && isPinned(shown))) return "binds";
  if (blocks.some(isPinned)) return "stays";
  return saysShortWords(message, rule) ? "speaks" : "leaves";
}

/** True if the message holds words of the user, and no more than may stay; pictures are not words. */
export function saysShortWords(
  { role, origin, insertedBy, blocks }: VisibleMessage,
  { userWordsTokens, measure }: Pick<RoundRule, "userWordsTokens" | "measure">,
): boolean {
  if (role !== "user" || insertedBy !== undefined || (origin !== "user" && origin !== "tool")) return false;
  const content = blocks.map(({ block }) => block);
  const words = userWordsOf({ role, origin, content });
  if (words.length === 0) return content.some(isMedia);
  return measureText(words.map(({ text }) => text).join("\n"), measure) <= userWordsTokens;
}

const resultsOf = (message: VisibleMessage): readonly ChangedBlock[] =>
  message.blocks.flatMap((shown) => (isAnswer(shown.block) ? [{ message, shown }] : []));

/** Results go. What a host wrapped around the words goes where it is more than words may be. */
function baredBlocks(
  message: VisibleMessage,
  { userWordsTokens, measure }: RoundRule,
): readonly ChangedBlock[] {
  const texts = message.blocks.filter(({ block }) => block.type === "text");
  const tokens = texts.reduce((sum, { block }) => sum + measure(block), 0);
  if (tokens <= userWordsTokens) return resultsOf(message);
  const bare = texts.flatMap((shown): readonly ChangedBlock[] => {
    if (shown.block.type !== "text") return [];
    const text = stripHostTags(shown.block.text);
    if (text === "") return [{ message, shown }];
    return text === shown.block.text.trim() ? [] : [{ message, shown, instead: { type: "text", text } }];
  });
  return [...resultsOf(message), ...bare];
}
