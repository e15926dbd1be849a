/**
 * Removes what a provider refused: media that are too large, or thinking whose history was edited.
 */
import type { VisibleMessage } from "../../transcript/window.ts";
import { planStripMedia, planStripThinking } from "../layers/strip/strip-refused.ts";
import { type PlannedEdits, tokensAfter, visibleAfter, type WindowState } from "../shared/window-state.ts";

/** Old media, as far as history may be edited; `undefined` if there are none. */
export function stripMedia(state: WindowState): PlannedEdits | undefined {
  const mayStrip = ({ seq }: VisibleMessage): boolean =>
    state.editSafety === "permissive" || seq > state.lastCallSeq;
  const edit = planStripMedia(state.visible.filter(mayStrip), state.measure, state.pins, state);
  return edit === undefined ? undefined : { edits: [edit], usedTokens: tokensAfter(state, [edit]) };
}

/** Adds the removal of thinking to `made`, unless a summary replaces its history anyway. */
export function stripThinking(state: WindowState, made: PlannedEdits): PlannedEdits {
  if (made.edits.some((edit) => edit.isBoundary === true)) return made;
  const edit = planStripThinking(visibleAfter(state, made.edits), state.measure, state);
  if (edit === undefined) return made;
  const edits = [...made.edits, edit];
  return { edits, usedTokens: tokensAfter(state, edits) };
}
