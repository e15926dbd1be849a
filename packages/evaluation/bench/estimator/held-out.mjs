/**
 * Does the estimator fit what it has not seen? Fits the factors of the groups of weights, and what
 * wrappers cost, on one half of the recorded sessions alone and judges them on the other, both ways.
 *
 * Only the shape inside a group stays (it comes from published tokenizers, not from what was
 * billed). The settings of the calibration were chosen on all sessions, so this half of the claim is
 * not held out. Each factor starts at the shipped weight and is free to go anywhere the half pulls it.
 * Run `npm run build` first, then `node packages/evaluation/bench/estimator/held-out.mjs [--dist DIR] [CORPUS]`.
 */
import { fileURLToPath } from "node:url";
import { FactorModel } from "./factors.mjs";
import { absoluteQuantile, measureSession, signedMedian } from "./measure.mjs";
import { loadRecordedSessions } from "./recorded-usage.mjs";

const root = new URL("../../../../", import.meta.url);
const values = process.argv.slice(2);
const distAt = values.indexOf("--dist");
const dist =
  distAt === -1 ? new URL("build/node_modules/", root).href : `file://${values.splice(distAt, 2)[1]}/`;
const corpus = values[0] ?? process.env.PALIMPSEST_CORPUS ?? fileURLToPath(new URL("../shared/corpus", root));
const { buildAutomaton } = await import(`${dist}palimpsest/dist/tokens/estimate/character-automaton.js`);
const { TOKEN_WEIGHTS } = await import(`${dist}palimpsest/dist/base/defaults/tokens/token-weights.js`);
const { UsageLedger } = await import(`${dist}palimpsest/dist/tokens/count/usage-ledger.js`);
const { tokenizerRatio } = await import(`${dist}palimpsest/dist/tokens/models/model-id.js`);

const model = new FactorModel({ weights: TOKEN_WEIGHTS, buildAutomaton, tokenizerRatio });

const sessions = loadRecordedSessions(corpus);
const halves = [0, 1].map((rest) => sessions.filter((_, index) => index % 2 === rest));
console.log("Sessions not fitted on, in per cent:\n");
console.log(
  `${"fitted on".padEnd(12)}${"n".padStart(6)}${"median".padStart(9)}${"|e| p50".padStart(9)}${"|e| p95".padStart(9)}${"biased > 8 %".padStart(15)}${"context p95".padStart(13)}`,
);
for (const [fitted, judged] of [halves, [halves[1], halves[0]]]) {
  report(`half ${halves.indexOf(fitted) + 1}`, judged, model.fit(fitted));
}

function report(name, judged, factors) {
  const known = new WeakMap();
  const estimateMessage = (message) => {
    if (!known.has(message)) known.set(message, model.estimate(message, factors));
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
