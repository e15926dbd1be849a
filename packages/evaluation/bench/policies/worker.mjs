/**
 * Runs one session after the other under every policy and in every window, and hands back the figures.
 */
import { parentPort, workerData } from "node:worker_threads";
import { loadContestants } from "./contestants.mjs";
import { loadTools, readSessions } from "./sessions.mjs";

const { dist, windows, tariff: tariffName, ...asked } = workerData;
const tools = await loadTools(dist);
const contestants = await loadContestants(dist, asked);
const [{ simulate }, { BASELINES }, { resolveTariff, TARIFFS }] = await Promise.all(
  [
    "evaluation/dist/simulator/simulate.js",
    "evaluation/dist/baselines/baselines.js",
    "palimpsest/dist/tokens/price/tariff.js",
  ].map((file) => import(new URL(file, dist).href)),
);
const none = BASELINES.find(({ id }) => id === "none");

parentPort.on("message", async ({ path, name }) => {
  const session = (await readSessions(path, tools)).find((one) => one.name === name);
  parentPort.postMessage({ name, cells: windows.flatMap((_, window) => measure(session, window)) });
});
parentPort.postMessage({ isReady: true });

/** The prices of entries that live for an hour, where the tariff has them. */
function longTariffOf(model) {
  if (tariffName === "model") return resolveTariff({ model, cacheTtl: "1h" });
  return tariffName === "anthropic-5m" ? TARIFFS["anthropic-1h"] : undefined;
}

function measure({ name, model, trajectory: recorded }, window) {
  const { windowTokens, fixedTokens } = windows[window];
  const trajectory = fixedTokens === undefined ? recorded : { ...recorded, fixedTokens };
  const tariff = tariffName === "model" ? resolveTariff({ model }) : TARIFFS[tariffName];
  const endless = {
    trajectory,
    tariff,
    longTariff: longTariffOf(model),
    windowTokens: Number.POSITIVE_INFINITY,
  };
  const uncompactedCost = simulate(none, endless).cost;
  const setting = { ...endless, windowTokens };
  return contestants.map((policy) => {
    const startedMs = performance.now();
    const plain = simulate(policy, setting);
    const charged = simulate(policy, setting, { chargesLookups: true });
    const elapsedMs = performance.now() - startedMs;
    return { policy: policy.id, window, elapsedMs, run: { session: name, uncompactedCost, plain, charged } };
  });
}
