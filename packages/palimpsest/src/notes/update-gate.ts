/**
 * Decides when notes are updated: after growth, at a pause, and within a share of the session's cost.
 *
 * Growth alone would pay for updates that are never used. So an update waits for enough of the conversation,
 * then for some work or a natural pause, and the cap on its cost overrides both. The cost of the next update
 * counts before it is paid, so the share stays under the cap at all times.
 */
import { NOTES_DEFAULTS } from "../base/defaults/notes.ts";

export interface NotesGatePolicy {
  readonly startTokens: number;
  readonly growthTokens: number;
  readonly toolCallsCount: number;
  /** Switches the gates of size and pause: without them every response may bring an update. @defaultValue `true` */
  readonly isGated: boolean;
  /** Highest share of the session's cost, notes included; `undefined` switches the cap off. */
  readonly costShareCap: number | undefined;
}

/** The state of the session after a response. Tokens count the conversation, however much of it the window shows. */
export interface NotesGateState {
  readonly conversationTokens: number;
  /** The value of {@link conversationTokens} when the last update began; absent before the first. */
  readonly updatedAtTokens?: number;
  readonly toolCallsSinceUpdate: number;
  readonly didLastTurnCallTools: boolean;
  /** The cost of all calls of the session, updates included. Any unit, the same for all three. */
  readonly sessionCost: number;
  readonly notesCost: number;
  /** The expected cost of the update. */
  readonly updateCost: number;
}

type NotesGateReason = "too-early" | "too-little-new" | "in-the-middle" | "over-cost-cap" | "cost-unknown";

export type NotesGateVerdict =
  | { readonly isDue: true }
  | { readonly isDue: false; readonly reason: NotesGateReason };

/** The policy of the reference window; callers scale its tokens to their window. */
export const NOTES_GATE_POLICY: NotesGatePolicy = {
  startTokens: NOTES_DEFAULTS.start.tokens,
  growthTokens: NOTES_DEFAULTS.growth.tokens,
  toolCallsCount: NOTES_DEFAULTS.toolCallsCount,
  isGated: true,
  costShareCap: NOTES_DEFAULTS.costShareCap,
};

/** Judges if an update is due now; if not, gives the reason. */
export function judgeNotesGate(
  state: NotesGateState,
  policy: NotesGatePolicy = NOTES_GATE_POLICY,
): NotesGateVerdict {
  const reason = policy.isGated ? closedGate(state, policy) : undefined;
  const refused = reason ?? refusedCost(state, policy.costShareCap);
  return refused === undefined ? { isDue: true } : { isDue: false, reason: refused };
}

function closedGate(state: NotesGateState, policy: NotesGatePolicy): NotesGateReason | undefined {
  if (!(state.conversationTokens >= policy.startTokens)) return "too-early";
  if (!(state.conversationTokens - (state.updatedAtTokens ?? 0) >= policy.growthTokens))
    return "too-little-new";
  const isPause = state.toolCallsSinceUpdate >= policy.toolCallsCount || !state.didLastTurnCallTools;
  return isPause ? undefined : "in-the-middle";
}

function refusedCost(state: NotesGateState, cap: number | undefined): NotesGateReason | undefined {
  if (cap === undefined) return undefined;
  const notesCost = state.notesCost + state.updateCost;
  const sessionCost = state.sessionCost + state.updateCost;
  // Damaged usage figures must not allow spending: without comparable costs there is no update.
  if (!Number.isFinite(notesCost) || !Number.isFinite(sessionCost) || notesCost < 0) return "cost-unknown";
  return notesCost <= cap * sessionCost ? undefined : "over-cost-cap";
}
