/**
 * Measures the gain of an hour's cache entry on system prompt and tools, chosen from a session's pauses.
 *
 * Claim: the rule of `HeadLifetime` saves more than it costs. Every long recorded session is replayed under `balanced`
 * at 200K with entries of five minutes; then system prompt and tools are priced as the rule would have had them, with
 * the times of the recording. Sessions whose calls have no times are left out. The answers are part of the bill.
 *
 *   npm run build && node packages/evaluation/bench/policies/pauses.mjs [--corpus DIR]… [--dist DIR]
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { listSessions, loadTools, readSessions } from "./sessions.mjs";

const root = new URL("../../../../", import.meta.url);
const { values: options } = parseArgs({
  options: {
    corpus: {
      type: "string",
      multiple: true,
      default: [process.env.PALIMPSEST_CORPUS ?? fileURLToPath(new URL("../shared/corpus", root))],
    },
    dist: { type: "string" },
  },
});
const dist =
  options.dist === undefined ? new URL("build/node_modules/", root) : pathToFileURL(`${options.dist}/`);
const [{ simulate }, { OWN_POLICIES }, { TARIFFS }, { HeadLifetime }] = await Promise.all(
  [
    "evaluation/dist/simulator/simulate.js",
    "evaluation/dist/simulator/own-policies.js",
    "palimpsest/dist/tokens/price/tariff.js",
    "palimpsest/dist/tokens/prompt-cache/head-lifetime.js",
  ].map((file) => import(new URL(file, dist).href)),
);
const [short, long] = [TARIFFS["anthropic-5m"], TARIFFS["anthropic-1h"]];
const policy = OWN_POLICIES.find(({ id }) => id === "balanced/strict");
const tools = await loadTools(dist);

for (const half of ["even", "odd"]) {
  const found = [];
  for (const { path, name } of await listSessions(options.corpus, half, tools)) {
    const session = (await readSessions(path, tools)).find((one) => one.name === name);
    const measured = measure(session.trajectory);
    if (measured !== undefined) found.push({ name, ...measured });
  }
  report(half, found);
}

function measure(trajectory) {
  const { messages, fixedTokens } = trajectory;
  const calls = messages.flatMap(({ author, atMs }, index) =>
    author === "assistant" ? [messages[index - 1]?.atMs ?? atMs] : [],
  );
  const pauses = calls.slice(1).map((atMs, index) => atMs - calls[index]);
  if (new Set(pauses).size < 3) return undefined;
  const answers = messages.filter(({ author }) => author === "assistant");
  const answered = answers.reduce((sum, { tokens }) => sum + tokens, 0);
  const { cost } = simulate(policy, { trajectory, windowTokens: 200_000, tariff: short });
  const head = new HeadLifetime();
  let saved = 0;
  let wasLong = head.sent(calls[0], { short, long });
  calls.slice(1).forEach((atMs, index) => {
    const isLong = head.sent(atMs, { short, long });
    if (pauses[index] > short.cacheLifetimeMs) {
      const isHeld = wasLong && pauses[index] <= long.cacheLifetimeMs;
      saved += fixedTokens * (short.write - (isHeld ? short.read : isLong ? long.write : short.write));
    }
    wasLong = isLong;
  });
  const isPause = (ms) => ms > short.cacheLifetimeMs && ms <= long.cacheLifetimeMs;
  return { saved, bill: cost + answered * short.outputRatio, hasPause: pauses.some(isPause) };
}

function report(half, found) {
  const sum = (of) => found.reduce((total, one) => total + of(one), 0);
  const shares = found.map(({ saved, bill }) => saved / bill).sort((one, other) => one - other);
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  console.log(
    `${half}: ${found.length} sessions, ${found.filter(({ hasPause }) => hasPause).length} with pauses of 5 to 60 minutes; ` +
      `saved ${percent(sum(({ saved }) => saved) / sum(({ bill }) => bill))} of the bill, ` +
      `best ${percent(shares.at(-1))}, worst ${percent(shares[0])}; ` +
      `${shares.filter((share) => share < 0).length} sessions lose`,
  );
}
