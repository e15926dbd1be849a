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
import { waterLevel } from "../../shared/fair-share.ts";
import { type Measure, measureMessages } from "../../shared/measure.ts";
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
export function planPeel(
  visible: readonly VisibleMessage[],
  maxTokens: number,
  measure: Measure,
  pins?: readonly SeqPin[],
  access: HistoryAccess = {},
): LayerEdit | undefined {
  const { forms, freedTokens } = peelBlocks(visible, maxTokens, measure, pins, access);
  if (forms.length === 0) return undefined;
  return { kind: "peel", reason: "too-large", freedTokens: Math.round(freedTokens), effect: { forms } };
}

export interface Peeled {
  readonly forms: readonly BlockForm[];
  readonly freedTokens: number;
}

interface Peelable {
  readonly seq: number;
  readonly shown: VisibleBlock;
  readonly tokens: number;
}

/** The forms that bring `messages` to `maxTokens`; none where they fit. */
export function peelBlocks(
  messages: readonly VisibleMessage[],
  maxTokens: number,
  measure: Measure,
  pins?: readonly SeqPin[],
  access: HistoryAccess = {},
): Peeled {
  const totalTokens = measureMessages(messages, measure);
  if (totalTokens <= maxTokens) return { forms: [], freedTokens: 0 };

  const peelable = findPeelable(messages, measure, pinnedPlaces(pins));
  const fixedTokens = totalTokens - peelable.reduce((sum, { tokens }) => sum + tokens, 0);
  let roomTokens = Math.max(0, maxTokens - fixedTokens);
  let best: Peeled = { forms: [], freedTokens: 0 };
  for (let pass = 0; pass < PASSES; pass++) {
    const level = waterLevel(
      peelable.map(({ tokens }) => tokens),
      roomTokens,
    );
    const peeled = peelTo(peelable, level, measure, access);
    if (peeled.freedTokens > best.freedTokens) best = peeled;
    const overTokens = totalTokens - best.freedTokens - maxTokens;
    if (overTokens <= 0) break;
    roomTokens = Math.max(0, roomTokens - overTokens * 1.5);
  }
  return best;
}

function findPeelable(
  messages: readonly VisibleMessage[],
  measure: Measure,
  pinned: PinnedPlaces,
): readonly Peelable[] {
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

function peelTo(
  peelable: readonly Peelable[],
  level: number,
  measure: Measure,
  { hasHistoryTools }: HistoryAccess,
): Peeled {
  const forms: BlockForm[] = [];
  let freedTokens = 0;
  for (const { seq, shown, tokens } of peelable) {
    if (tokens <= level) continue;
    const pointer = formatPointer({ seq, block: shown.index });
    const budgetTokens = Math.max(LEAST_PREVIEW_TOKENS, level);
    const smaller = peelBlock(
      shown.block,
      { budgetTokens, pointer, dropsMedia: true, hasHistoryTools },
      measure,
    );
    if (smaller === undefined || measure(smaller) >= tokens) continue;
    forms.push({
      seq,
      block: shown.index,
      shown: smaller,
      ...(shown.blob === undefined ? {} : { blob: shown.blob }),
    });
    freedTokens += tokens - measure(smaller);
  }
  return { forms, freedTokens };
}

/** A preview; where none is small enough, a line in its place. */
function peelBlock(block: ContentBlock, options: ShrinkOptions, measure: Measure): ContentBlock | undefined {
  const preview = shrinkBlock(block, options, measure);
  if (preview !== undefined && measure(preview) <= options.budgetTokens * 1.5) return preview;
  const note = `[Left out to fit the window; ${formatOriginal(options.pointer, options)}]`;
  if (block.type === "text") return { ...block, text: note };
  return block.type === "tool_result" ? { ...block, content: note } : preview;
}
