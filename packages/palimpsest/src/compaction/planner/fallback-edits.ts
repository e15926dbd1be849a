/**
 * The fallbacks of the planner: truncate the blocks that keep a request too large after every other layer,
 * and remove media or thinking that a provider refused.
 */
import type { VisibleMessage } from "../../transcript/window.ts";
import { planStripMedia, planStripThinking } from "../layers/strip/strip-refused.ts";
import { planTruncateNewest } from "../layers/truncate-newest/truncate-newest.ts";
import { measureMessages } from "../shared/measure.ts";
import { type PlannedEdits, tokensAfter, visibleAfter, type WindowState } from "../shared/window-state.ts";
import { countLoss } from "../summary/loss-report.ts";
import { canLeave } from "./window-sizes.ts";

/** Share of the blocking limit that a last-resort peel aims at: room for one more message. Our choice. */
const TRUNCATE_SHARE = 0.9;

/** The last resort: blocks that are still too large are shown in part, whatever they are. Off where auto-compact is. */
export function truncateWindow(state: WindowState, made: PlannedEdits): PlannedEdits {
  const { blockingTokens } = state.budget;
  if (made.usedTokens < blockingTokens || state.disabledLayers.has("truncate")) return made;
  const visible = visibleAfter(state, made.edits);
  const maxTokens = Math.floor((blockingTokens * TRUNCATE_SHARE - state.fixedTokens) / state.padding);
  const mayShorten = (message: VisibleMessage): boolean =>
    state.editSafety === "permissive" || message.seq > state.lastCallSeq;
  const leftAlone = measureMessages(
    visible.filter((message) => !mayShorten(message)),
    state.measure,
  );
  const candidates = visible.filter(mayShorten);
  const edit = planTruncateNewest(candidates, maxTokens - leftAlone, state.measure, state.pins, state);
  if (edit === undefined) return made;
  const edits = [...made.edits, { ...edit, loss: countLoss(edit, state) }];
  return { edits, usedTokens: tokensAfter(state, edits) };
}

/** Old media, as far as history may be edited; `undefined` if there are none, or if that is not enough. */
export function stripMedia(state: WindowState): PlannedEdits | undefined {
  const mayStrip = ({ seq }: VisibleMessage): boolean =>
    state.editSafety === "permissive" || seq > state.lastCallSeq;
  const edit = planStripMedia(state.visible.filter(mayStrip), state.measure, state.pins, state);
  if (edit === undefined) return undefined;
  const made = { edits: [edit], usedTokens: tokensWithout(state, [edit], state.usedTokens) };
  return canLeave(state, made) ? made : undefined;
}

/** Adds the removal of thinking to `made`, unless a summary replaces its history anyway. */
export function stripThinking(state: WindowState, made: PlannedEdits): PlannedEdits {
  if (made.edits.some((edit) => edit.isBoundary === true)) return made;
  const edit = planStripThinking(visibleAfter(state, made.edits), state.measure, state);
  if (edit === undefined) return made;
  const edits = [...made.edits, edit];
  return { edits, usedTokens: tokensWithout(state, edits, made.usedTokens) };
}

/** The request without what was refused: never larger than it was with it, though an estimate may say so of a report. */
function tokensWithout(state: WindowState, edits: PlannedEdits["edits"], beforeTokens: number): number {
  return Math.min(tokensAfter(state, edits), beforeTokens);
}
