/**
 * When the notes are brought up to date: after growth, at a pause, and never beyond their share of the bill.
 *
 * Growth alone would pay for updates that nobody reads. So an update waits for enough of the conversation,
 * then for some work or a natural pause, and the cap on its cost wins over both. What the update itself
 * will cost counts before it is paid: so the share stays under the cap, and does not only return to it.
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

/** What the session knows after a response. Tokens count what was said, whatever the window shows of it. */
export interface NotesGateState {
  readonly conversationTokens: number;
  /** What {@link conversationTokens} was when the last update began; absent before the first. */
  readonly updatedAtTokens?: number;
  readonly toolCallsSinceUpdate: number;
  readonly didLastTurnCallTools: boolean;
  /** What all calls of the session have cost, updates included. Any unit, the same for all three. */
  readonly sessionCost: number;
  readonly notesCost: number;
  /** What the update is expected to cost. */
  readonly updateCost: number;
}

type NotesGateReason = "too-early" | "too-little-new" | "in-the-middle" | "over-cost-cap" | "cost-unknown";

export type NotesGateVerdict =
  | { readonly isDue: true }
  | { readonly isDue: false; readonly reason: NotesGateReason };

/** The policy of the reference window; whoever knows the window scales its tokens. */
export const NOTES_GATE_POLICY: NotesGatePolicy = {
  startTokens: NOTES_DEFAULTS.start.tokens,
  growthTokens: NOTES_DEFAULTS.growth.tokens,
  toolCallsCount: NOTES_DEFAULTS.toolCallsCount,
  isGated: true,
  costShareCap: NOTES_DEFAULTS.costShareCap,
};

/** Whether an update is due now, and if not, why not. */
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
  // Damaged usage must not open the purse: what cannot be compared is not paid.
  if (!Number.isFinite(notesCost) || !Number.isFinite(sessionCost) || notesCost < 0) return "cost-unknown";
  return notesCost <= cap * sessionCost ? undefined : "over-cost-cap";
}
