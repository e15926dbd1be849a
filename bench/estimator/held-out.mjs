/**
 * Does the estimator fit what it has not seen? Fits the factors of the groups of weights, and what
 * wrappers cost, on one half of the recorded sessions alone and judges them on the other, both ways.
 *
 * Only the shape inside a group stays (it comes from published tokenizers, not from what was
 * billed). The settings of the calibration were chosen on all sessions, so this half of the claim is
 * not held out. Each factor starts at the shipped weight and is free to go anywhere the half pulls it.
 * Run `npm run build` first, then `node bench/estimator/held-out.mjs [--dist DIR] [CORPUS]`.
 */
import { fileURLToPath } from "node:url";
import { absoluteQuantile, measureSession, signedMedian } from "./measure.mjs";
import { loadRecordedSessions } from "./recorded-usage.mjs";

const root = new URL("../../", import.meta.url);
const values = process.argv.slice(2);
const distAt = values.indexOf("--dist");
const dist = distAt === -1 ? new URL("dist/", root).href : `file://${values.splice(distAt, 2)[1]}/`;
const corpus = values[0] ?? process.env.PALIMPSEST_CORPUS ?? fileURLToPath(new URL("../shared/corpus", root));
const { buildAutomaton } = await import(`${dist}tokens/character-automaton.js`);
const { TOKEN_WEIGHTS } = await import(`${dist}base/defaults/token-weights.js`);
const { UsageLedger } = await import(`${dist}tokens/usage-ledger.js`);
const { tokenizerRatio } = await import(`${dist}tokens/model-family.js`);

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
const SIZE = GROUPS.length + WRAPPERS.length;
const groupOf = (state) => GROUPS.findIndex((pattern) => pattern.test(state));
const automata = GROUPS.map((_, group) =>
  buildAutomaton(
    Object.fromEntries(
      Object.entries(TOKEN_WEIGHTS).map(([state, weight]) => [state, groupOf(state) === group ? weight : 0]),
    ),
  ),
);

const sessions = loadRecordedSessions(corpus);
const halves = [0, 1].map((rest) => sessions.filter((_, index) => index % 2 === rest));
console.log("Sessions not fitted on, in per cent:\n");
console.log(
  `${"fitted on".padEnd(12)}${"n".padStart(6)}${"median".padStart(9)}${"|e| p50".padStart(9)}${"|e| p95".padStart(9)}${"biased > 8 %".padStart(15)}${"context p95".padStart(13)}`,
);
for (const [fitted, judged] of [halves, [halves[1], halves[0]]]) {
  report(`half ${halves.indexOf(fitted) + 1}`, judged, fitFactors(fitted));
}

function report(name, judged, factors) {
  const known = new WeakMap();
  const estimateMessage = (message) => {
    if (!known.has(message)) known.set(message, dot(featuresOf(message), factors));
    return known.get(message);
  };
  const measured = judged.map((session) => measureSession(session, { UsageLedger, estimateMessage }));
  const increments = measured.flatMap((one) => one.incrementErrors);
  const contexts = measured.flatMap((one) => one.contextErrors);
  const biased = measured.filter((one) => Math.abs(signedMedian(one.incrementErrors)) > 0.08).length;
  const percent = (value) => (value * 100).toFixed(2).padStart(9);
  console.log(
    `${name.padEnd(12)}${String(increments.length).padStart(6)}${percent(signedMedian(increments))}${percent(absoluteQuantile(increments, 0.5))}` +
      `${percent(absoluteQuantile(increments, 0.95))}${`${biased} of ${judged.length}`.padStart(15)}${percent(absoluteQuantile(contexts, 0.95)).padStart(13)}`,
  );
  console.log(`${"".padEnd(12)}factors ${factors.map((value) => value.toFixed(2)).join(" ")}`);
}

/** Least relative deviation by repeated weighted least squares, over the clean increments of the sessions. */
function fitFactors(fitted) {
  const rows = fitted.flatMap(rowsOf);
  let factors = [...GROUPS.map(() => 1), 30, 12, 14, 3];
  for (let round = 0; round < 40; round++) {
    const matrix = Array.from({ length: SIZE }, () => Array(SIZE + 1).fill(0));
    for (const { features, tokens } of rows) {
      const error = Math.abs(dot(features, factors) / tokens - 1);
      const weight = 1 / (tokens * tokens * Math.max(0.03, error));
      for (let row = 0; row < SIZE; row++) {
        for (let column = 0; column < SIZE; column++)
          matrix[row][column] += weight * features[row] * features[column];
        matrix[row][SIZE] += weight * features[row] * tokens;
      }
    }
    // A little inertia keeps a factor that the half says nothing about where it is.
    for (let row = 0; row < SIZE; row++) {
      const inertia = 0.01 * matrix[row][row] + 1e-9;
      matrix[row][SIZE] += inertia * factors[row];
      matrix[row][row] += inertia;
    }
    factors = solve(matrix).map((value) => Math.max(0, value));
  }
  return factors;
}

function rowsOf(session) {
  return session.calls.flatMap((call, index) => {
    const before = session.calls[index - 1];
    if (before === undefined || index < 4 || call.gaps.length > 0 || call.model !== before.model) return [];
    const growth = promptOf(call) - promptOf(before) - (before.isOutputFinal ? before.usage.outputTokens : 0);
    if (growth < 100) return [];
    const messages = before.isOutputFinal ? call.added : [...call.added, before.reply];
    const features = messages
      .map(featuresOf)
      .reduce((sum, one) => sum.map((value, at) => value + one[at]), Array(SIZE).fill(0));
    return [{ features, tokens: growth / tokenizerRatio(call.model) }];
  });
}

function promptOf({ usage }) {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

function featuresOf(message) {
  const features = Array(SIZE).fill(0);
  const [call, argument, result, other] = WRAPPERS.map((_, at) => GROUPS.length + at);
  const addText = (text) => {
    automata.forEach((automaton, group) => {
      features[group] += read(automaton, text ?? "");
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

function read(automaton, text) {
  let state = automaton.startState;
  let tokens = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const plain = code < 128 ? automaton.asciiClass[code] : automaton.pageClass[code >> automaton.pageBits];
    const isRepeated = automaton.repeatable[plain] === 1 && index > 0 && text.charCodeAt(index - 1) === code;
    state = automaton.next[state | (isRepeated ? automaton.repeatClass : plain)];
    tokens += automaton.weight[state >> automaton.classBits];
  }
  return tokens;
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
