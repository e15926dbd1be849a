/**
 * Decides when notes are updated: after growth, at a pause, shortly before a compaction that may use them, and
 * within a share of the session's cost.
 *
 * Growth alone would pay for updates that are never used. So an update waits for enough of the conversation,
 * then for some work or a natural pause. Where it costs something it also waits until the next compaction is near: one
 * that came earlier would need another update before it could use these notes. The cap on the cost overrides all. The cost of the next update
 * counts before it is paid, so the share stays under the cap at all times.
 */
import { POLICY_DEFAULTS } from "../base/defaults/compaction/economics.ts";
import { NOTES_DEFAULTS } from "../base/defaults/notes.ts";

export interface NotesGatePolicy {
  readonly startTokens: number;
  readonly growthTokens: number;
  readonly toolCallsCount: number;
  /** Switches the gates of size, pause and nearness: without them every response may bring an update. @defaultValue `true` */
  readonly isGated: boolean;
  /** Highest share of the session's cost, notes included; `undefined` switches the cap off. */
  readonly costShareCap: number | undefined;
  /** No update in a smaller window as long as there is a cap: the next compaction would need another one. @defaultValue 0 */
  readonly leastWindowTokens?: number;
}

/** The state of the session after a response. Tokens count the conversation, however much of it the window shows. */
export interface NotesGateState {
  readonly conversationTokens: number;
  /** The window, as the next request would send it. */
  readonly windowTokens: number;
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

type NotesGateReason =
  | "too-early"
  | "too-little-new"
  | "in-the-middle"
  | "far-from-compaction"
  | "over-cost-cap"
  | "cost-unknown";

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

/** Windows below this size, which are compacted early, do not wait. Source: where-the-numbers-come-from.md, "Session memory": there it saves 1 % and costs lines of edits. */
const WAITING_WINDOW_TOKENS = POLICY_DEFAULTS.balanced.largeEarlyShare.from;

/**
 * The least request for an update whose cost counts. What a compaction keeps beside the notes in any case may still come
 * between the update and the compaction. 0: no compaction will come by itself, or at any time.
 */
export function leastWindowForNotes({
  windowTokens,
  firstSummaryTokens,
  leastKeptTokens,
}: {
  readonly windowTokens: number;
  readonly firstSummaryTokens: number;
  readonly leastKeptTokens: number;
}): number {
  return windowTokens < WAITING_WINDOW_TOKENS ? 0 : Math.max(0, firstSummaryTokens - leastKeptTokens);
}

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
  if (!isPause) return "in-the-middle";
  const { leastWindowTokens = 0, costShareCap } = policy;
  return costShareCap === undefined || state.windowTokens >= leastWindowTokens
    ? undefined
    : "far-from-compaction";
}

function refusedCost(state: NotesGateState, cap: number | undefined): NotesGateReason | undefined {
  if (cap === undefined) return undefined;
  const notesCost = state.notesCost + state.updateCost;
  const sessionCost = state.sessionCost + state.updateCost;
  // Damaged usage figures must not allow spending: without comparable costs there is no update.
  if (!Number.isFinite(notesCost) || !Number.isFinite(sessionCost) || notesCost < 0) return "cost-unknown";
  return notesCost <= cap * sessionCost ? undefined : "over-cost-cap";
}
