/**
 * Measures the cost of keeping a window, and what stays visible in it.
 *
 * Claim: the default policy costs less than the compaction of Claude Code and makes no session worse; the floors and
 * the worst sessions are printed, so that the claim can fail. Every long recorded session is replayed under every
 * policy; a cache model prices the requests. Its needs are shown by what the recorded agent used again: named strings,
 * lines that it copied into an edit, plain words. No model is asked. Limits of the method:
 * where-the-numbers-come-from.md, "Survival" and "The recorded sessions".
 *
 *   npm run build && npm run bench:policies
 *
 * Options: --windows 200000,64000:4000,… (sizes, each with the prompt to assume; without one the recorded
 * prompt) · --tariff anthropic-5m|anthropic-1h|openai|openai-50|generic|model (the prices of tokens; `model`:
 * each session's own) · --half even|odd|all|each (settings are chosen on the even sessions, the odd ones are held
 * out; `each` prints both) · --with none|model|model+notes (what writes summaries and notes of the library's own
 * policies) · --vary '{"id":"later","summaryMultiple":16}' (values other than those of `balanced`; may be repeated) · --groups claude-code,codex,other · --only balanced,pi (policies) · --arrival (limits at
 * arrival instead) · --corpus DIR (may be repeated) · --dist DIR (`build/node_modules` of another checkout) ·
 * --workers 2 · --json · --markdown.
 */
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { machine } from "../figures.mjs";
import { measureInWorkers } from "../in-workers.mjs";
import { loadContestants } from "./contestants.mjs";
import { markdown, readable } from "./report.mjs";
import { GROUP_NAMES, listSessions, loadTools } from "./sessions.mjs";
import { tablesOf } from "./tables.mjs";

const startedMs = performance.now();
const root = new URL("../../../../", import.meta.url);
const { values: options } = parseArgs({
  options: {
    windows: { type: "string", default: "200000,64000:4000,32000:4000" },
    tariff: { type: "string", default: "anthropic-5m" },
    half: { type: "string", default: "all" },
    groups: { type: "string" },
    only: { type: "string" },
    with: { type: "string", default: "none" },
    vary: { type: "string", multiple: true, default: [] },
    arrival: { type: "boolean", default: false },
    corpus: {
      type: "string",
      multiple: true,
      default: [process.env.PALIMPSEST_CORPUS ?? fileURLToPath(new URL("../shared/corpus", root))],
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

const asked = {
  isArrival: options.arrival,
  only: options.only,
  configuration: options.with,
  varied: options.vary.map((text) => JSON.parse(text)),
};
const contestants = await loadContestants(dist, asked).catch((error) => stop(error.message));
const listed = options.half === "each" ? "all" : options.half;
const sessions = (await listSessions(options.corpus, listed, await loadTools(dist))).filter(({ group }) =>
  groups.includes(group),
);
if (sessions.length === 0)
  stop(
    `There are no recorded sessions in ${options.corpus.join(", ")}: name a folder with --corpus or PALIMPSEST_CORPUS.`,
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
  configuration: options.with,
  policies: contestants.length,
  tables: await tablesOf({ cells, sessions, windows, contestants, dist, isEach: options.half === "each" }),
};
if (options.json) console.log(JSON.stringify({ ...result, sessions: sessions.map(withRuns) }, undefined, 2));
else console.log(options.markdown ? markdown(result) : readable(result));

function checkOptions() {
  const tariffs = ["anthropic-5m", "anthropic-1h", "openai", "openai-50", "generic", "model"];
  if (!tariffs.includes(options.tariff)) stop(`--tariff is one of ${tariffs.join(", ")}.`);
  if (!["even", "odd", "all", "each"].includes(options.half)) stop("--half is even, odd, all or each.");
  const configurations = ["none", "model", "model+notes"];
  if (!configurations.includes(options.with)) stop(`--with is one of ${configurations.join(", ")}.`);
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
  process.stderr.write(
    process.stderr.isTTY ? `\r${Math.round((100 * count) / all)} % ` : `${count} of ${all}\n`,
  );
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
