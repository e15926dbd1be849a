/**
 * When and how far context collapse acts in a window of a given size, and its lines that are written ahead
 * of need.
 *
 * Above the gate of microcompact each call prepares the lines of a few old messages. So a call pays only
 * for the messages that are new since the last one, and a collapse finds its lines ready.
 */
import { assert } from "../../../base/assert.ts";
import { groupRounds, type VisibleMessage } from "../../../transcript/window.ts";
import { limitsOf } from "../../shared/layer-limits.ts";
import { scaleTokens } from "../../shared/measure.ts";
import { situationOf, type WindowSituation, type WindowState } from "../../shared/window-state.ts";
import {
  type CollapsePolicy,
  type PreparedCollapse,
  type PreparedRound,
  prepareCollapse,
} from "./collapse.ts";

/** Rounds that one line represents at the most. Our choice: a line that is still read as one. */
const SPAN_ROUNDS = 4;
/** Tokens of a line for each round. Our choice: three calls with their main argument. */
const ROUND_TOKENS = 36;
/** The same of an answer without calls, in tokens. Our choice: two sentences, because it is what the user read. */
const ANSWER_TOKENS = 64;
/** Messages whose rounds are written ahead with one call. Our choice: a fraction of a millisecond. */
const PREPARED_MESSAGES = 24;
/** A line is this share of what it represents at the most. Our choice: a rewrite for less gains little. */
const MAX_LINE_SHARE = 0.5;
/** Words of the user up to this size stay as they are, in tokens. Our choice: nearly all that people type. */
const PLAIN_USER_WORDS = { tokens: 600, floor: 200 };

assert(
  SPAN_ROUNDS * ROUND_TOKENS < PLAIN_USER_WORDS.floor && ANSWER_TOKENS < PLAIN_USER_WORDS.floor,
  "a line is shorter than words that are not worth one",
);

/** Returns which rounds may collapse in a window, and into how much. */
export function collapsePolicy(situation: WindowSituation): CollapsePolicy {
  const { windowTokens, editSafety, pendingCallIds, pins, hasHistoryTools } = situation;
  return {
    recentTailTokens: scaleTokens(limitsOf(situation).recentTailTokens, windowTokens),
    spanRounds: SPAN_ROUNDS,
    maxLineShare: MAX_LINE_SHARE,
    roundTokens: ROUND_TOKENS,
    answerTokens: ANSWER_TOKENS,
    userWordsTokens: scaleTokens(PLAIN_USER_WORDS, windowTokens),
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
    const next = state.visible.slice(this.#count, this.#count + PREPARED_MESSAGES);
    for (const [key, round] of this.prepare(state, next).rounds) this.#rounds.set(key, round);
    // The newest round may still grow: the next call begins with it.
    const newest = groupRounds(next).at(-1)?.start ?? 0;
    // A round longer than the prepared stretch waits until it is needed.
    const isLonger = newest === 0 && next.length === PREPARED_MESSAGES;
    this.#count += isLonger ? PREPARED_MESSAGES : newest;
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
