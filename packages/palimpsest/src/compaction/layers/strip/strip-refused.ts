/**
 * Strips media or thinking that the provider refused.
 *
 * Media: pictures and documents become a line that names them, after a request was refused for its bytes or
 * its media. No gate applies, since tokens show neither. Media of the newest message that holds any stay,
 * unless they are the only ones.
 *
 * Thinking: signed or encrypted reasoning is hidden if the provider refused it and no summary can replace
 * the history it belongs to. All of it goes at once, because a provider that binds reasoning to the
 * messages before it rejects every gap.
 */

import { isSealedReasoning } from "../../../tokens/models/edit-safety.ts";
import { isMedia } from "../../../transcript/blocks.ts";
import type { BlockForm, LayerEdit } from "../../../transcript/edits.ts";
import type { SeqPin } from "../../../transcript/projection.ts";
import type { VisibleBlock, VisibleMessage } from "../../../transcript/window.ts";
import { shrinkBlock } from "../../preview/shrink-block.ts";
import type { Measure } from "../../shared/measure.ts";
import { pinnedPlaces } from "../../shared/pins.ts";
import { formatPointer, type HistoryAccess } from "../../shared/pointer.ts";
import { countLoss } from "../../summary/loss-report.ts";

/** The edit that takes media out of the window, or `undefined` where there are none. */
export function planStripMedia(
  visible: readonly VisibleMessage[],
  measure: Measure,
  pins?: readonly SeqPin[],
  access: HistoryAccess = {},
): LayerEdit | undefined {
  const pinned = pinnedPlaces(pins);
  const holders = visible.filter(
    ({ insertedBy, blocks }) => insertedBy === undefined && blocks.some(({ block }) => holdsMedia(block)),
  );
  const older = holders.length > 1 ? holders.slice(0, -1) : holders;
  let freedTokens = 0;
  const forms = older.flatMap(({ seq, blocks }) =>
    blocks.flatMap((shown): readonly BlockForm[] => {
      const isPinned = pinned.has({ seq, block: shown.index });
      const smaller = isPinned ? undefined : withoutMedia(seq, shown, measure, access);
      if (smaller === undefined) return [];
      freedTokens += Math.max(0, measure(shown.block) - measure(smaller));
      const blob = shown.blob === undefined ? {} : { blob: shown.blob };
      return [{ seq, block: shown.index, shown: smaller, ...blob }];
    }),
  );
  if (forms.length === 0) return undefined;
  const edit: LayerEdit = {
    kind: "peel",
    reason: "media",
    freedTokens: Math.round(freedTokens),
    effect: { forms },
  };
  return { ...edit, loss: countLoss(edit, access) };
}

function holdsMedia(block: VisibleBlock["block"]): boolean {
  if (isMedia(block)) return true;
  return block.type === "tool_result" && Array.isArray(block.content) && block.content.some(isMedia);
}

function withoutMedia(
  seq: number,
  { index, block }: VisibleBlock,
  measure: Measure,
  { hasHistoryTools }: HistoryAccess,
): VisibleBlock["block"] | undefined {
  if (!holdsMedia(block)) return undefined;
  const pointer = formatPointer({ seq, block: index });
  // Text beside them in one result stays as it is.
  const options = { budgetTokens: measure(block), pointer, dropsMedia: true, hasHistoryTools };
  return shrinkBlock(block, options, measure);
}

/** The edit that takes all reasoning out of the window, or `undefined` where there is none. */
export function planStripThinking(
  visible: readonly VisibleMessage[],
  measure: Measure,
  access: HistoryAccess = {},
): LayerEdit | undefined {
  const sealed = visible
    .filter(({ insertedBy }) => insertedBy === undefined)
    .flatMap(({ seq, blocks }) =>
      blocks.filter(({ block }) => isSealedReasoning(block)).map((shown) => ({ seq, shown })),
    );
  if (sealed.length === 0) return undefined;
  const edit: LayerEdit = {
    kind: "peel",
    reason: "thinking",
    freedTokens: Math.round(sealed.reduce((sum, { shown }) => sum + measure(shown.block), 0)),
    effect: { forms: sealed.map(({ seq, shown }) => ({ seq, block: shown.index })) },
  };
  return { ...edit, loss: countLoss(edit, access) };
}
