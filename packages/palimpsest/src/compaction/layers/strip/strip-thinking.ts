/**
 * Stripping thinking: signed or encrypted reasoning is not shown any more, where the provider refused it for
 * the history that it stands in and no summary can take that history's place.
 *
 * All of it goes at once: a provider that binds reasoning to what stands before it minds every gap.
 */
import { isSealedReasoning } from "../../../tokens/models/edit-safety.ts";
import type { LayerEdit } from "../../../transcript/edits.ts";
import type { VisibleMessage } from "../../../transcript/window.ts";
import type { Measure } from "../../shared/measure.ts";
import type { HistoryAccess } from "../../shared/pointer.ts";
import { countLoss } from "../../summary/loss-report.ts";

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
