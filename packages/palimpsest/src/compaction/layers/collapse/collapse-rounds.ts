/**
 * Decides which rounds may be collapsed (replaced by one line each), and which parts of them stay: short user texts and
 * pinned blocks. Calls and answers of a round are hidden together or not at all, because a call and its result, and the
 * chunks of one response, belong together.
 */
import { addAll } from "../../../base/lists.ts";
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
  /** Blocks of kept messages that are hidden or shortened: results, and what a host wrapped around the user's text. */
  readonly changed: readonly ChangedBlock[];
  /** Messages of which at least a part stays. */
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
  /** Largest user text that stays, in tokens. */
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
    if (fate === "keep-round") return undefined;
    if (fate === "hide") hidden.push(message);
    else {
      kept.push(message);
      addAll(changed, fate === "keep-words" ? blocksBesideWords(message, rule) : resultsOf(message));
    }
  }
  return { hidden, changed, kept };
}

/** True for a result of a call, in any provider's form. Providers refuse it without the call. */
const isAnswer = (block: ContentBlock): boolean =>
  isResult(block) || (block.type === "opaque" && pairIds(block).length > 0);

/**
 * Fate of a message: `hide` all of it, `keep` all but its results, `keep-words` (only the user's text stays), or
 * `keep-round` (because of this message the whole round stays).
 */
type Fate = "hide" | "keep" | "keep-words" | "keep-round";

function judgeMessage(message: VisibleMessage, rule: RoundRule): Fate {
  const { role, origin, seq, insertedBy, blocks } = message;
  if (blocks.length === 0) return "hide";
  // A `system` message has to be followed by its answer, and a provider's own summary may not move.
  if (role === "system" || blocks.some(({ block }) => block.type === "compaction")) return "keep-round";
  const isPinned = ({ index }: VisibleBlock) =>
    insertedBy === undefined && rule.pinned.has({ seq, block: index });
  if (role === "assistant") return blocks.some(isPinned) ? "keep-round" : "hide";
  if (insertedBy !== undefined) return origin === "summary" ? "keep" : "hide";
  if (blocks.some((shown) => isAnswer(shown.block) && isPinned(shown))) return "keep-round";
  if (blocks.some(isPinned)) return "keep";
  return hasShortUserText(message, rule) ? "keep-words" : "hide";
}

/** True if the message has a user text that is short enough to stay, or only media. */
export function hasShortUserText(
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

/** Returns the results, and if the texts are too long together, also what a host wrapped around the user's text. */
function blocksBesideWords(
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
