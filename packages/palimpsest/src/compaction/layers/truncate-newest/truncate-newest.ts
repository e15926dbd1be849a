/**
 * Peel: the largest blocks of a window that cannot be shortened in any other way become previews,
 * just so much of each that everything fits.
 *
 * The end stop of every ladder. It needs no model, touches no thinking, and leaves a pointer at
 * every place.
 */
import type { ContentBlock } from "../../../transcript/blocks.ts";
import type { BlockForm, LayerEdit } from "../../../transcript/edits.ts";
import type { SeqPin } from "../../../transcript/projection.ts";
import type { VisibleBlock, VisibleMessage } from "../../../transcript/window.ts";
import { type ShrinkOptions, shrinkBlock } from "../../preview/shrink-block.ts";
import { fairShare, type Measure, measureMessages } from "../../shared/measure.ts";
import { type PinnedPlaces, pinnedPlaces } from "../../shared/pins.ts";
import { formatOriginal, formatPointer, type HistoryAccess } from "../../shared/pointer.ts";

/** Least budget of a preview, in tokens: below it even the marker does not fit. */
const LEAST_PREVIEW_TOKENS = 60;
/** Passes with a lower level, because markers and line ends make previews larger or smaller than asked. */
const PASSES = 4;

/**
 * The edit that brings the window under `maxTokens`, or as near as it can; `undefined` where nothing
 * is to do. What is pinned stays whole.
 */
export function planTruncateNewest(
  visible: readonly VisibleMessage[],
  maxTokens: number,
  measure: Measure,
  pins?: readonly SeqPin[],
  access: HistoryAccess = {},
): LayerEdit | undefined {
  const { forms, freedTokens } = truncateBlocks(visible, maxTokens, measure, pins, access);
  if (forms.length === 0) return undefined;
  return { kind: "peel", reason: "too-large", freedTokens: Math.round(freedTokens), effect: { forms } };
}

export interface TruncatedBlocks {
  readonly forms: readonly BlockForm[];
  readonly freedTokens: number;
}

interface TruncatableBlock {
  readonly seq: number;
  readonly shown: VisibleBlock;
  readonly tokens: number;
}

/** The forms that bring `messages` to `maxTokens`; none where they fit. */
export function truncateBlocks(
  messages: readonly VisibleMessage[],
  maxTokens: number,
  measure: Measure,
  pins?: readonly SeqPin[],
  access: HistoryAccess = {},
): TruncatedBlocks {
  const totalTokens = measureMessages(messages, measure);
  if (totalTokens <= maxTokens) return { forms: [], freedTokens: 0 };

  const candidates = findTruncatable(messages, measure, pinnedPlaces(pins));
  const fixedTokens = totalTokens - candidates.reduce((sum, { tokens }) => sum + tokens, 0);
  let availableTokens = Math.max(0, maxTokens - fixedTokens);
  let best: TruncatedBlocks = { forms: [], freedTokens: 0 };
  for (let pass = 0; pass < PASSES; pass++) {
    const level = fairShare(
      candidates.map(({ tokens }) => tokens),
      availableTokens,
    );
    const truncated = truncateTo(candidates, level, measure, access);
    if (truncated.freedTokens > best.freedTokens) best = truncated;
    const overTokens = totalTokens - best.freedTokens - maxTokens;
    if (overTokens <= 0) break;
    availableTokens = Math.max(0, availableTokens - overTokens * 1.5);
  }
  return best;
}

function findTruncatable(
  messages: readonly VisibleMessage[],
  measure: Measure,
  pinned: PinnedPlaces,
): readonly TruncatableBlock[] {
  return messages
    .filter((message) => message.insertedBy === undefined)
    .flatMap(({ seq, blocks }) =>
      blocks
        .filter(({ block, index }) => PEELABLE_TYPES.has(block.type) && !pinned.has({ seq, block: index }))
        .map((shown) => ({ seq, shown, tokens: measure(shown.block) })),
    );
}

const PEELABLE_TYPES: ReadonlySet<ContentBlock["type"]> = new Set([
  "text",
  "tool_use",
  "tool_result",
  "image",
  "document",
]);

function truncateTo(
  candidates: readonly TruncatableBlock[],
  level: number,
  measure: Measure,
  { hasHistoryTools }: HistoryAccess,
): TruncatedBlocks {
  const forms: BlockForm[] = [];
  let freedTokens = 0;
  for (const { seq, shown, tokens } of candidates) {
    if (tokens <= level) continue;
    const pointer = formatPointer({ seq, block: shown.index });
    const budgetTokens = Math.max(LEAST_PREVIEW_TOKENS, level);
    const smaller = truncateBlock(
      shown.block,
      { budgetTokens, pointer, dropsMedia: true, hasHistoryTools },
      measure,
    );
    if (smaller === undefined || measure(smaller) >= tokens) continue;
    forms.push({
      seq,
      block: shown.index,
      shown: smaller,
      blob: shown.blob,
    });
    freedTokens += tokens - measure(smaller);
  }
  return { forms, freedTokens };
}

/** A preview; where none is small enough, a line in its place. */
function truncateBlock(
  block: ContentBlock,
  options: ShrinkOptions,
  measure: Measure,
): ContentBlock | undefined {
  const preview = shrinkBlock(block, options, measure);
  if (preview !== undefined && measure(preview) <= options.budgetTokens * 1.5) return preview;
  const note = `[Left out to fit the window; ${formatOriginal(options.pointer, options)}]`;
  if (block.type === "text") return { ...block, text: note };
  return block.type === "tool_result" ? { ...block, content: note } : preview;
}
