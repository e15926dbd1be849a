/**
 * When and how far context collapse acts in a window of a given size, and its lines that are written ahead
 * of need.
 *
 * Above the gate of microcompact each call prepares the lines of a few old messages. So a call pays only
 * for the messages that are new since the last one, and a collapse finds its lines ready.
 */
import { COLLAPSE_DEFAULTS as C, COLLAPSE_DEFAULTS } from "../../../base/defaults/compaction/collapse.ts";
import { COMPACTION_DEFAULTS } from "../../../base/defaults/compaction/compaction.ts";
import { groupRounds, type VisibleMessage } from "../../../transcript/window.ts";
import { scaleTokens } from "../../shared/measure.ts";
import { situationOf, type WindowSituation, type WindowState } from "../../shared/window-state.ts";
import {
  type CollapsePolicy,
  type PreparedCollapse,
  type PreparedRound,
  prepareCollapse,
} from "./collapse.ts";

/** Returns which rounds may collapse in a window, and into how much. */
export function collapsePolicy(situation: WindowSituation): CollapsePolicy {
  const { windowTokens, editSafety, pendingCallIds, pins, hasHistoryTools } = situation;
  return {
    recentTailTokens: scaleTokens(COMPACTION_DEFAULTS.recentTail, windowTokens),
    spanRounds: C.spanRounds,
    maxLineShare: C.maxLineShare,
    roundTokens: C.roundTokens,
    answerTokens: C.answerTokens,
    userWordsTokens: scaleTokens(C.userWords, windowTokens),
    editSafety,
    pendingCallIds,
    pins,
    hasHistoryTools,
  };
}

export class CollapseAhead {
  readonly #rounds = new Map<string, PreparedRound>();
  /** Messages of the window that lines were written from. */
  #count = 0;

  /** The window was rewritten: its rounds are others. */
  clear(): void {
    this.#rounds.clear();
    this.#count = 0;
  }

  /** A request left: the next few messages are prepared, where room will soon be needed. */
  called(state: WindowState): void {
    if (state.usedTokens < state.budget.microcompactGateTokens) {
      this.clear();
      return;
    }
    const { preparedMessages } = COLLAPSE_DEFAULTS;
    const next = state.visible.slice(this.#count, this.#count + preparedMessages);
    for (const [key, round] of this.prepare(state, next).rounds) this.#rounds.set(key, round);
    // The newest round may still grow: the next call begins with it.
    const newest = groupRounds(next).at(-1)?.start ?? 0;
    // A round longer than the prepared stretch waits until it is needed.
    const isLonger = newest === 0 && next.length === preparedMessages;
    this.#count += isLonger ? preparedMessages : newest;
  }

  /** Returns the lines of `visible`. Lines that are missing, or whose rounds have changed, are written now. */
  prepare(state: WindowState, visible: readonly VisibleMessage[]): PreparedCollapse {
    const { seq, measure } = state;
    const before = { headSeq: seq - 1, rounds: this.#rounds };
    return prepareCollapse(
      { visible, headSeq: seq - 1, measure, before },
      collapsePolicy(situationOf(state)),
    );
  }
}
