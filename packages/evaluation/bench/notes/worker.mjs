/**
 * Runs one session after the other with every variant, under every policy and in every window, and hands
 * back the figures.
 */
import { parentPort, workerData } from "node:worker_threads";
import { loadTools, readSessions } from "../policies/sessions.mjs";

const { dist, windows, policies, editSafety } = workerData;
const tools = await loadTools(dist);
const [{ simulate }, { SUMMARY_VARIANTS, variantPolicy }, { costPolicy }, { TARIFFS }] = await Promise.all(
  [
    "evaluation/dist/simulator/simulate.js",
    "evaluation/dist/simulator/own-policies.js",
    "palimpsest/dist/compaction/planner/cost-policy.js",
    "palimpsest/dist/tokens/price/tariff.js",
  ].map((file) => import(new URL(file, dist).href)),
);
const tariff = TARIFFS["anthropic-5m"];

parentPort.on("message", async ({ path, name }) => {
  const session = (await readSessions(path, tools)).find((one) => one.name === name);
  parentPort.postMessage({ cells: windows.flatMap((_, window) => measure(session, window)) });
});
parentPort.postMessage({ isReady: true });

function measure({ name, trajectory: recorded }, window) {
  const { windowTokens, fixedTokens } = windows[window];
  const trajectory = fixedTokens === undefined ? recorded : { ...recorded, fixedTokens };
  const setting = { trajectory, windowTokens, tariff };
  return policies.flatMap((policy) =>
    SUMMARY_VARIANTS.map((variant) => {
      const run = (chargesLookups) => {
        const tally = { answers: [], summaries: [] };
        const how = { policy: costPolicy(policy), editSafety };
        // This bench does not check if a search would have found the missing strings.
        const contestant = { ...variantPolicy(variant, how, tally), hasSearch: false };
        const result = simulate(contestant, setting, { chargesLookups });
        return { result, tally };
      };
      // Visible strings are counted without lookups; all costs, with them.
      const plain = run(false).result;
      const { result, tally } = run(true);
      const updates = tally.answers.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
      const summaries = tally.summaries.map(({ reason, kind, refusal, call }) => ({
        reason,
        kind,
        refusal,
        call,
      }));
      return {
        session: name,
        window,
        policy,
        variant: variant.id,
        isFinished: plain.failedAt === undefined && result.failedAt === undefined,
        far: plain.far,
        cost: result.cost,
        updates: updates.length,
        notesCost: updates.reduce((sum, cost) => sum + cost, 0),
        summaries,
      };
    }),
  );
}
