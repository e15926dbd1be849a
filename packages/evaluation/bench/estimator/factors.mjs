/**
 * One factor per group of the estimator's weights, and what wrappers cost, fitted on what providers
 * billed. The shape inside a group stays as it is. The built modules are handed in.
 */

/** Groups of states that a factor moves together; the first that matches counts. */
const GROUPS = [
  /^(letter|word|latin)/,
  /^ca/,
  /^digit/,
  /^space/,
  /^newline/,
  /^tab/,
  /^symbol/,
  /^(rule|quote|open|close|point|slash|sign)/,
  /./,
];
const WRAPPERS = ["call", "argument", "result", "other"];
/** The shipped costs of wrappers in tokens, from which the fit begins. */
const WRAPPER_STARTS = [30, 12, 14, 3];
const SIZE = GROUPS.length + WRAPPERS.length;
/** Calls that are not learned from: the first ones of a session hold its unlogged prompt. */
const SKIPPED_CALLS = 4;
/** Smaller increments are mostly wrapper. */
const SMALLEST_INCREMENT = 100;
const ROUNDS = 40;
/** Inertia against which no data counts. */
const HELD_INERTIA = 1e6;
/** Relative errors below this weigh alike: nothing is known more exactly. */
const SMALLEST_ERROR = 0.03;

/** Number of the group that a state belongs to. */
export const groupOf = (state) => GROUPS.findIndex((pattern) => pattern.test(state));

/** The model that factors are found for: `weights` by state, read by the built automaton. */
export class FactorModel {
  #automata;
  #tokenizerRatio;

  constructor({ weights, buildAutomaton, tokenizerRatio }) {
    this.#tokenizerRatio = tokenizerRatio;
    this.#automata = GROUPS.map((_, group) =>
      buildAutomaton(
        Object.fromEntries(
          Object.entries(weights).map(([state, weight]) => [state, groupOf(state) === group ? weight : 0]),
        ),
      ),
    );
  }

  /**
   * Least relative deviation by repeated weighted least squares, over the clean increments of the
   * sessions. `inertia` keeps a factor that they say nothing about where it was, as a share of the
   * weight of the data; groups that a state of `held` belongs to are kept where they are.
   */
  fit(sessions, { inertia = 0.01, held = [] } = {}) {
    const isHeld = GROUPS.map((_, group) => held.some((state) => groupOf(state) === group));
    const rows = sessions.flatMap((session) => this.#rowsOf(session));
    let factors = [...GROUPS.map(() => 1), ...WRAPPER_STARTS];
    for (let round = 0; round < ROUNDS; round++) {
      const matrix = Array.from({ length: SIZE }, () => Array(SIZE + 1).fill(0));
      for (const { features, tokens } of rows) {
        const error = Math.abs(dot(features, factors) / tokens - 1);
        const weight = 1 / (tokens * tokens * Math.max(SMALLEST_ERROR, error));
        for (let row = 0; row < SIZE; row++) {
          for (let column = 0; column < SIZE; column++)
            matrix[row][column] += weight * features[row] * features[column];
          matrix[row][SIZE] += weight * features[row] * tokens;
        }
      }
      for (let row = 0; row < SIZE; row++) {
        const pull = (isHeld[row] ? HELD_INERTIA : inertia) * matrix[row][row] + 1e-9;
        matrix[row][SIZE] += pull * factors[row];
        matrix[row][row] += pull;
      }
      factors = solve(matrix).map((value) => Math.max(0, value));
    }
    return factors;
  }

  /** Tokens of a message under `factors`, in reference tokens. */
  estimate(message, factors) {
    return dot(this.#featuresOf(message), factors);
  }

  #rowsOf(session) {
    return session.calls.flatMap((call, index) => {
      const before = session.calls[index - 1];
      const isClean = before !== undefined && call.gaps.length === 0 && call.model === before.model;
      if (!isClean || index < SKIPPED_CALLS) return [];
      const growth =
        promptOf(call) - promptOf(before) - (before.isOutputFinal ? before.usage.outputTokens : 0);
      if (growth < SMALLEST_INCREMENT) return [];
      const messages = before.isOutputFinal ? call.added : [...call.added, before.reply];
      const features = messages
        .map((message) => this.#featuresOf(message))
        .reduce((sum, one) => sum.map((value, at) => value + one[at]), Array(SIZE).fill(0));
      return [{ features, tokens: growth / this.#tokenizerRatio(call.model) }];
    });
  }

  #featuresOf(message) {
    const features = Array(SIZE).fill(0);
    const [call, argument, result, other] = WRAPPERS.map((_, at) => GROUPS.length + at);
    const addText = (text) => {
      this.#automata.forEach((automaton, group) => {
        features[group] += readText(automaton, text ?? "");
      });
    };
    for (const block of message.content) {
      if (block.type === "tool_use") {
        features[call]++;
        features[argument] += Object.keys(block.input ?? {}).length;
        addText(block.name + JSON.stringify(block.input ?? {}));
      } else if (block.type === "tool_result") {
        features[result]++;
        if (typeof block.content === "string") addText(block.content);
        else for (const part of block.content ?? []) addText(part.text);
      } else {
        features[other]++;
        addText(block.text ?? block.thinking);
      }
    }
    return features;
  }
}

/** Sums the weights along a text; calls `onState` with the weight of each state that is entered. */
export function readText(automaton, text, onState = () => {}) {
  let state = automaton.startState;
  let tokens = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const plain = code < 128 ? automaton.asciiClass[code] : automaton.pageClass[code >> automaton.pageBits];
    const isRepeated = automaton.repeatable[plain] === 1 && index > 0 && text.charCodeAt(index - 1) === code;
    state = automaton.next[state | (isRepeated ? automaton.repeatClass : plain)];
    const weight = automaton.weight[state >> automaton.classBits];
    onState(weight);
    tokens += weight;
  }
  return tokens;
}

function promptOf({ usage }) {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

function dot(left, right) {
  return left.reduce((sum, value, at) => sum + value * right[at], 0);
}

/** Gauss–Jordan; the inertia keeps the diagonal away from zero. */
function solve(matrix) {
  for (let pivot = 0; pivot < SIZE; pivot++) {
    for (let row = 0; row < SIZE; row++) {
      if (row === pivot) continue;
      const factor = matrix[row][pivot] / matrix[pivot][pivot];
      for (let column = pivot; column <= SIZE; column++)
        matrix[row][column] -= factor * matrix[pivot][column];
    }
  }
  return matrix.map((row, at) => row[SIZE] / row[at]);
}
