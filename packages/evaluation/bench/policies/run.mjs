/**
 * Measures the cost of keeping a window, and what stays visible in it.
 *
 * Claim: the library's own policies cost less than those of other agents, without losing strings that are
 * used again later; the tables show the worst sessions too, so that the claim can fail. Every long recorded
 * session is replayed under every policy; a cache model prices the requests, and strings that the recorded agent
 * used again show its needs; no model is asked. Limits of the method: where-the-numbers-come-from.md, "The recorded sessions".
 *
 *   npm run build && npm run bench:policies
 *
 * Options: --windows 200000,64000:4000,… (sizes, each with the prompt to assume; without one the recorded
 * prompt) · --tariff anthropic-5m|anthropic-1h|openai|openai-50|generic|model (the prices of tokens; `model`:
 * each session's own) · --half even|odd|all (settings are chosen on the even sessions, the odd ones are held
 * out) · --groups claude-code,codex,other · --only balanced,pi (policies) · --arrival (limits at arrival
 * instead) · --corpus DIR · --dist DIR (`build/node_modules` of another checkout) · --workers 2 · --json ·
 * --markdown.
 */
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { machine } from "../figures.mjs";
import { measureInWorkers } from "../in-workers.mjs";
import { loadContestants, PEER } from "./contestants.mjs";
import { markdown, readable } from "./report.mjs";
import { GROUP_NAMES, listSessions, loadTools } from "./sessions.mjs";

const startedMs = performance.now();
const root = new URL("../../../../", import.meta.url);
const { values: options } = parseArgs({
  options: {
    windows: { type: "string", default: "200000,64000:4000,32000:4000" },
    tariff: { type: "string", default: "anthropic-5m" },
    half: { type: "string", default: "all" },
    groups: { type: "string" },
    only: { type: "string" },
    arrival: { type: "boolean", default: false },
    corpus: {
      type: "string",
      default: process.env.PALIMPSEST_CORPUS ?? fileURLToPath(new URL("../shared/corpus", root)),
    },
    dist: { type: "string" },
    workers: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
const dist =
  options.dist === undefined ? new URL("build/node_modules/", root) : pathToFileURL(`${options.dist}/`);
const windows = options.windows.split(",").map((window) => {
  const [windowTokens, fixedTokens] = window.split(":").map(Number);
  return { windowTokens, fixedTokens };
});
const groups = options.groups?.split(",") ?? Object.keys(GROUP_NAMES);
checkOptions();

const { compareRuns, summarizeRuns } = await import(
  new URL("evaluation/dist/simulator/compare.js", dist).href
);
const asked = { isArrival: options.arrival, only: options.only };
const contestants = await loadContestants(dist, asked).catch((error) => stop(error.message));
const sessions = (await listSessions(options.corpus, options.half, await loadTools(dist))).filter(
  ({ group }) => groups.includes(group),
);
if (sessions.length === 0)
  stop(
    `There are no recorded sessions in ${options.corpus}: name a folder with --corpus or PALIMPSEST_CORPUS.`,
  );

const cells = await measureInWorkers(sessions, {
  worker: new URL("worker.mjs", import.meta.url),
  workerData: { dist: dist.href, windows, tariff: options.tariff, ...asked },
  workers: Number(options.workers),
  onProgress: showProgress,
});
const seconds = (performance.now() - startedMs) / 1_000;
const result = {
  machine: machine(),
  seconds,
  workers: Number(options.workers),
  tariff: options.tariff,
  half: options.half,
  policies: contestants.length,
  tables: tablesOf(cells),
};
if (options.json) console.log(JSON.stringify({ ...result, sessions: sessions.map(withRuns) }, undefined, 2));
else console.log(options.markdown ? markdown(result) : readable(result));

function checkOptions() {
  const tariffs = ["anthropic-5m", "anthropic-1h", "openai", "openai-50", "generic", "model"];
  if (!tariffs.includes(options.tariff)) stop(`--tariff is one of ${tariffs.join(", ")}.`);
  if (!["even", "odd", "all"].includes(options.half)) stop("--half is even, odd or all.");
  const isPrompt = (tokens) => tokens === undefined || (Number.isFinite(tokens) && tokens >= 0);
  if (!windows.every(({ windowTokens, fixedTokens }) => windowTokens > 0 && isPrompt(fixedTokens)))
    stop("--windows is a list such as 200000,64000:4000.");
  const unknown = groups.find((group) => !(group in GROUP_NAMES));
  if (unknown !== undefined) stop(`--groups is a list of ${Object.keys(GROUP_NAMES).join(", ")}.`);
  if (!(Number(options.workers) >= 1)) stop("--workers is a number from 1 on.");
  if (!existsSync(new URL("evaluation/dist/simulator/compare.js", dist)))
    stop("There is no build: npm run build.");
}

function showProgress(count) {
  const all = sessions.length * windows.length * contestants.length;
  if (process.stderr.isTTY) process.stderr.write(`\r${Math.round((100 * count) / all)} % `);
}

function tablesOf(measured) {
  return [...new Set(sessions.map(({ group }) => group))].flatMap((group) => {
    const names = new Set(sessions.filter((session) => session.group === group).map(({ name }) => name));
    return windows.map((size, window) => {
      const runsOf = (policy) =>
        measured
          .filter((cell) => cell.policy === policy && cell.window === window && names.has(cell.run.session))
          .map(({ run }) => run);
      const rows = contestants.map(({ id }) => ({
        policy: id,
        figures: summarizeRuns(runsOf(id)),
        difference: compareRuns(runsOf(id), runsOf(PEER)),
      }));
      return { group, ...size, sessions: names.size, rows };
    });
  });
}

function withRuns(session) {
  const { path: _, ...about } = session;
  const runs = cells.filter(({ run }) => run.session === session.name);
  return { ...about, runs: runs.map(({ run: { session: __, ...run }, ...cell }) => ({ ...cell, ...run })) };
}

function stop(words) {
  console.error(words);
  process.exit(2);
}
