/**
 * The session-memory compact of a window, with its sizes from the budget. The window planner calls it, and so
 * do callers that want to know beforehand if the notes suffice.
 */
import { finish, type Steps } from "../../base/steps.ts";
import type { Digest } from "../digest/digest.ts";
import {
  planSessionMemoryCompact,
  type SessionMemoryPlan,
  type SessionNotes,
} from "../layers/session-memory/session-memory-compact.ts";
import type { PinnedText } from "../shared/pins.ts";
import { situationOf, type WindowState } from "../shared/window-state.ts";
import { sessionMemoryPolicy, withAllWords } from "./policies.ts";

/** The notes of a session, and the digest beside them. */
interface NotesSources {
  readonly notes: SessionNotes | undefined;
  readonly digest: Digest;
  readonly pinned: readonly PinnedText[];
}

/** Plans a compaction that leaves at most the budget's target, and in any case less than the gate. */
export function planFromNotes(state: WindowState, reason: string, sources: NotesSources): SessionMemoryPlan {
  return finish(notesInSteps(state, reason, sources));
}

/** The same in steps. @internal */
export function* notesInSteps(
  state: WindowState,
  reason: string,
  sources: NotesSources,
): Steps<SessionMemoryPlan> {
  const { visible, measure, budget, fixedTokens, padding } = state;
  const situation = situationOf(state);
  const requestTokens = Math.min(budget.sessionMemoryTargetTokens, budget.autoCompactGateTokens - 1);
  // Planners measure unpadded and without the fixed part.
  const targetTokens = Math.max(0, Math.floor((requestTokens - fixedTokens) / padding));
  const usual = sessionMemoryPolicy(situation, targetTokens);
  return yield* planSessionMemoryCompact({
    ...sources,
    visible,
    measure,
    policy: reason === "manual" ? withAllWords(usual) : usual,
    pendingCallIds: situation.pendingCallIds,
    reason,
  });
}
