/**
 * The policies of other agents as data: how their published code or documentation keeps a window.
 *
 * These are re-implementations, not their code. Absolute numbers are those for a window of 200K tokens, and shrink with
 * the window, so that small windows compare ideas and not constants. Sources:
 * where-the-numbers-come-from.md, "Baselines".
 */
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";
import type { CallMoment, PolicyUnderTest } from "../simulator/contestant.ts";
import { readThrough } from "../simulator/summary-model.ts";
import { BaselineWindow, type Piece } from "./baseline-window.ts";

/** When a baseline acts, and what it does then. */
interface Baseline {
  readonly id: string;
  readonly name: string;
  /** Before a message of the user is appended. */
  readonly onUserTurn?: (window: BaselineWindow) => void;
  /** Before each request. */
  readonly before?: (window: BaselineWindow, moment: CallMoment) => void;
  /** Acts if a request does not fit. */
  readonly overflow?: (window: BaselineWindow) => void;
}

const wholeResults = (window: BaselineWindow): readonly Piece[] =>
  window.pieces.filter(({ author, form }) => author === "tool" && form === "whole");
const isLarge = ({ tokens }: Piece): boolean => tokens > D.clearableTokens;
const tokensOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((tokens, piece) => tokens + piece.tokens, 0);
const everything = (window: BaselineWindow): number => window.pieces.length;
const isOver = (window: BaselineWindow, marginTokens: number): boolean =>
  window.totalTokens > window.setting.windowTokens - marginTokens * window.scale;
const summariseAll = (window: BaselineWindow): void =>
  window.summarise({ count: everything(window), mode: "fresh" });

/** Does nothing: gives the cost of a window without a limit. */
const none: Baseline = { id: "none", name: "none" };

const slidingWindow: Baseline = {
  id: "sliding",
  name: "sliding window, one by one",
  before: (window) => {
    while (isOver(window, 20_000) && window.pieces.length > 4) {
      let count = 1;
      while (window.pieces[count]?.author === "tool") count++;
      window.drop(count);
    }
  },
};

const slidingHalf: Baseline = {
  id: "sliding-half",
  name: "sliding window, dropped to 50 %",
  before: (window) => {
    if (isOver(window, 20_000)) window.drop(window.tailStart(window.setting.windowTokens * 0.5));
  },
};

/** Anthropic's `clear_tool_uses`: trigger 100K, keep 3, and a summary where that is not enough. */
function clearToolUses(atLeastTokens: number): Baseline {
  const suffix = atLeastTokens === 0 ? "" : ` at_least ${atLeastTokens / 1_000}k`;
  return {
    id: `clear-tool-uses-${atLeastTokens / 1_000}k`,
    name: `clear_tool_uses, keep 3${suffix}`,
    before: (window) => {
      const old = wholeResults(window).slice(0, -3).filter(isLarge);
      const freed = tokensOf(old) - old.length * D.placeholderTokens;
      if (window.totalTokens > 100_000 * window.scale && freed >= atLeastTokens * window.scale)
        window.clear(old);
      if (isOver(window, 20_000)) summariseAll(window);
    },
    overflow: summariseAll,
  };
}

/** Clears results of earlier turns beyond their newest 40K tokens, if that frees 20K. */
const opencode: Baseline = {
  id: "opencode",
  name: "opencode-like",
  onUserTurn: (window) => {
    const old: Piece[] = [];
    let turns = 0;
    let seenTokens = 0;
    for (const piece of window.pieces.toReversed()) {
      if (piece.author === "user") turns++;
      if (turns < 2) continue;
      if (piece.form === "summary") break;
      if (piece.author !== "tool" || piece.form !== "whole") continue;
      seenTokens += piece.tokens;
      if (seenTokens > 40_000 * window.scale) old.push(piece);
    }
    if (tokensOf(old) > 20_000 * window.scale) window.clear(old);
  },
  before: (window) => {
    if (isOver(window, 32_000)) summariseAll(window);
  },
  overflow: summariseAll,
};

/** The summarizer sees only the newest tokens of the messages that it replaces. */
const LANGCHAIN_TRIM_TOKENS = 4_000;
const LANGCHAIN_SUMMARY_TOKENS = 800;

const newestTokens =
  (tokens: number) =>
  (pieces: readonly Piece[]): readonly Piece[] => {
    const shown: Piece[] = [];
    let seenTokens = 0;
    for (const piece of pieces.toReversed()) {
      if (seenTokens >= tokens) break;
      shown.unshift(piece);
      seenTokens += piece.tokens;
    }
    return shown;
  };

const langchainDefault: Baseline = {
  id: "langchain",
  name: "LangChain, keeps 20 messages, trims to 4k",
  before: (window) => {
    if (window.totalTokens <= 0.85 * window.setting.windowTokens) return;
    const count = window.tailStart(0, 20);
    window.summarise({
      count,
      mode: "fresh",
      outputTokens: LANGCHAIN_SUMMARY_TOKENS,
      inputTokens: Math.min(LANGCHAIN_TRIM_TOKENS, tokensOf(window.pieces.slice(0, count))),
      shown: newestTokens(LANGCHAIN_TRIM_TOKENS),
    });
  },
  overflow: (window) =>
    window.summarise({
      count: window.tailStart(window.setting.windowTokens * 0.1),
      mode: "fresh",
      outputTokens: LANGCHAIN_SUMMARY_TOKENS,
      inputTokens: LANGCHAIN_TRIM_TOKENS,
    }),
};

const keepTenPercent = (window: BaselineWindow): void =>
  window.summarise({ count: window.tailStart(window.setting.windowTokens * 0.1), mode: "fresh" });

const langchainTenPercent: Baseline = {
  id: "langchain-10",
  name: "LangChain, keeps 10 %, no trim",
  before: (window) => {
    if (window.totalTokens > 0.85 * window.setting.windowTokens) keepTenPercent(window);
  },
  overflow: keepTenPercent,
};

const MASKED_CHARACTERS = 250;
const MASKED_TOKENS = 190;

/**
 * Masks results beyond the newest 50K tokens, if that frees 30K. Above half the window, keeps 30 % and summarizes the
 * rest in two calls.
 */
const geminiCli: Baseline = {
  id: "gemini-cli",
  name: "gemini-cli-like",
  before: (window) => {
    const old: Piece[] = [];
    let seenTokens = 0;
    for (const piece of window.pieces.slice(0, -1).toReversed()) {
      if (piece.author !== "tool" || piece.form !== "whole") continue;
      seenTokens += piece.tokens;
      if (seenTokens > 50_000 * window.scale) old.push(piece);
    }
    if (tokensOf(old) > 30_000 * window.scale)
      window.mask(
        old.filter(({ tokens }) => tokens > MASKED_TOKENS + 70),
        MASKED_TOKENS,
        (text) => `${text.slice(0, MASKED_CHARACTERS)}\n${text.slice(-MASKED_CHARACTERS)}`,
      );
    if (window.totalTokens <= 0.5 * window.setting.windowTokens) return;
    const count = geminiSplit(window);
    if (count > 0 && tokensOf(window.pieces.slice(0, count)) > 2_000 * window.scale)
      window.summarise({ count, mode: "fresh", calls: 2 });
  },
};

/**
 * Returns the index at which gemini-cli splits: the first message of the user after 70 % of the tokens, else the last
 * one.
 */
function geminiSplit(window: BaselineWindow): number {
  const most = tokensOf(window.pieces) * 0.7;
  let seenTokens = 0;
  let split = 0;
  for (const [index, piece] of window.pieces.entries()) {
    if (piece.author === "user" && piece.form !== "summary") {
      split = index;
      if (seenTokens >= most) return index;
    }
    seenTokens += piece.tokens;
  }
  return split;
}

/** Tool results are shown to pi's summariser up to this many tokens. */
const PI_RESULT_TOKENS = 600;

const pi: Baseline = {
  id: "pi",
  name: "pi-like (window − 16k, keeps 20k)",
  before: (window) => {
    if (!isOver(window, 16_384)) return;
    const count = window.tailStart(20_000 * window.scale);
    const inputTokens = window.pieces
      .slice(0, count)
      .reduce(
        (tokens, piece) =>
          tokens + (piece.author === "tool" ? Math.min(piece.tokens, PI_RESULT_TOKENS) : piece.tokens),
        0,
      );
    window.summarise({ count, mode: "fresh", inputTokens });
  },
  overflow: (window) => window.summarise({ count: window.tailStart(20_000 * window.scale), mode: "fresh" }),
};

/** Claude Code clears after an hour without a call. */
const CLAUDE_IDLE_MS = 3_600_000;
const CLAUDE_MARGIN_TOKENS = 33_000;

function clearWhenCold(window: BaselineWindow, { idleMs }: CallMoment): void {
  if (idleMs > CLAUDE_IDLE_MS) window.clear(wholeResults(window).slice(0, -5).filter(isLarge));
}

const claudeFull = (window: BaselineWindow, mode: "fork" | "fresh"): void =>
  window.summarise({ count: everything(window), mode, restoredCount: 5, hasPointer: true });
const claudeOverflow = (window: BaselineWindow): void =>
  window.summarise({ count: everything(window), mode: "fresh", hasPointer: true });

function claudeCode(mode: "fork" | "fresh"): Baseline {
  return {
    id: mode === "fork" ? "claude-code" : "claude-code-fresh",
    name: `Claude-Code-like, full compact${mode === "fork" ? "" : ", not forked"}`,
    before: (window, moment) => {
      clearWhenCold(window, moment);
      if (isOver(window, CLAUDE_MARGIN_TOKENS)) claudeFull(window, mode);
    },
    overflow: claudeOverflow,
  };
}

/** Keeps notes by forked calls in the background. At the threshold, the notes replace the messages that they cover. */
class NotesBaseline {
  #notedTokens = 0;
  #calls = 0;
  #coveredThrough = -1;

  before(window: BaselineWindow, moment: CallMoment): void {
    clearWhenCold(window, moment);
    const { scale, setting } = window;
    const conversationTokens = setting.trajectory.tokensBefore[moment.index]!;
    this.#calls++;
    const isFirst = this.#coveredThrough < 0;
    const isDue = isFirst
      ? conversationTokens > 10_000 * scale
      : conversationTokens - this.#notedTokens > 5_000 * scale && this.#calls >= 3;
    if (isDue) {
      window.sideCall(700, 1_500);
      this.#notedTokens = conversationTokens;
      this.#calls = 0;
      this.#coveredThrough = moment.index;
    }
    if (isOver(window, CLAUDE_MARGIN_TOKENS)) this.#compact(window, conversationTokens);
  }

  #compact(window: BaselineWindow, conversationTokens: number): void {
    const { scale, setting } = window;
    const firstUnnoted = window.pieces.findIndex(
      ({ source }) => source !== undefined && source >= this.#coveredThrough,
    );
    let count = window.tailStart(40_000 * scale);
    if (firstUnnoted >= 0) count = Math.max(count, Math.min(firstUnnoted, window.tailStart(10_000 * scale)));
    if (count <= 0 || this.#coveredThrough < 0) {
      claudeFull(window, "fork");
      return;
    }
    const tokens = Math.min(12_000 * scale, Math.max(1_500, 0.06 * conversationTokens));
    const seen = readThrough(setting.trajectory, this.#coveredThrough);
    window.replaceOldest(count, window.notes(tokens, seen), true);
  }
}

const SIMPLE: readonly Baseline[] = [
  none,
  slidingWindow,
  slidingHalf,
  clearToolUses(0),
  clearToolUses(20_000),
  clearToolUses(50_000),
  opencode,
  langchainDefault,
  langchainTenPercent,
  geminiCli,
  pi,
  claudeCode("fork"),
  claudeCode("fresh"),
];

function enterWith(make: () => Baseline): PolicyUnderTest["enter"] {
  return (setting, arena) => {
    const baseline = make();
    const window = new BaselineWindow(setting, arena);
    return {
      get units() {
        return window.pieces;
      },
      get totalTokens() {
        return window.totalTokens;
      },
      append: (message, index) => {
        if (message.author === "user") baseline.onUserTurn?.(window);
        window.append(message, index);
      },
      prepare: (moment) => {
        baseline.before?.(window, moment);
        return [];
      },
      overflow: () => baseline.overflow?.(window),
      lookedUp: (lookup) => window.lookedUp(lookup),
      isVisible: (text) => window.visible.has(text),
      isBehindPointer: (source) => window.isPointedTo(source),
    };
  };
}

/** All baselines, the one without a policy first. */
export const BASELINES: readonly PolicyUnderTest[] = [
  ...SIMPLE.map(({ id, name, ...acts }) => ({ id, name, enter: enterWith(() => ({ id, name, ...acts })) })),
  {
    id: "claude-code-notes",
    name: "Claude-Code-like, session-memory compact",
    enter: enterWith(() => {
      const notes = new NotesBaseline();
      return {
        id: "claude-code-notes",
        name: "Claude-Code-like, session-memory compact",
        before: (window, moment) => notes.before(window, moment),
        overflow: claudeOverflow,
      };
    }),
  },
];
