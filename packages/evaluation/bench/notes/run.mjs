/**
 * Measures the cost of session notes, how often they suffice, and what stays visible with them.
 *
 * Claim: with the default settings updates of the notes take no more than a twentieth of a session's bill,
 * and no model is asked when the window is full and the notes suffice. Every long recorded session is
 * replayed with a model that is asked at that moment (`full`), with notes, and without any model; a cache
 * model prices requests, updates and summaries, and no model is asked. Limits of the method:
 * where-the-numbers-come-from.md, "Session memory".
 *
 *   npm run build && npm run bench:notes
 *
 * Options: --windows 200000,64000:4000,… (sizes, each with the prompt to assume; without one the recorded
 * prompt) · --policies balanced,faithful,economy · --edit permissive|strict · --corpus DIR · --dist DIR
 * (`build/node_modules` of another checkout) · --workers 2 · --json · --markdown.
 */
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { machine, table } from "../figures.mjs";
import { measureInWorkers } from "../in-workers.mjs";
import { listSessions, loadTools } from "../policies/sessions.mjs";

const startedMs = performance.now();
const root = new URL("../../../../", import.meta.url);
const { values: options } = parseArgs({
  options: {
    windows: { type: "string", default: "200000,64000:4000,32000:4000" },
    policies: { type: "string", default: "balanced,faithful" },
    edit: { type: "string", default: "permissive" },
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
const policies = options.policies.split(",");
checkOptions();

const sessions = await listSessions(options.corpus, "all", await loadTools(dist));
if (sessions.length === 0)
  stop(
    `There are no recorded sessions in ${options.corpus}: name a folder with --corpus or PALIMPSEST_CORPUS.`,
  );
const { SUMMARY_VARIANTS } = await import(new URL("evaluation/dist/simulator/own-policies.js", dist).href);

const HEADER = [
  "way",
  "cost",
  "far",
  "summaries",
  "waited for",
  "sufficed",
  "updates",
  "share",
  "worst",
  "why not",
];
const LEGEND = [
  "cost: beside `full`, updates, summaries and lookups included; far: strings used again from 8,000 tokens away or more that were visible, in per cent.",
  "summaries: due in all sessions, for want of room or for the price's sake; waited for: calls of a model while the agent waits; sufficed: summaries for which the notes stood, in per cent.",
  "updates: of the notes, in all sessions; share, worst: what they took of the bill, in per cent, pooled and in the session where it was most; why not: how often the notes did not suffice, by reason.",
];

const cells = await measureInWorkers(sessions, {
  worker: new URL("worker.mjs", import.meta.url),
  workerData: { dist: dist.href, windows, policies, editSafety: options.edit },
  workers: Number(options.workers),
  onProgress: showProgress,
});
if (options.json) console.log(JSON.stringify(cells, undefined, 2));
else print();

function checkOptions() {
  const known = ["economy", "balanced", "faithful"];
  if (!policies.every((policy) => known.includes(policy)))
    stop(`--policies is a list of ${known.join(", ")}.`);
  if (!["permissive", "strict"].includes(options.edit)) stop("--edit is permissive or strict.");
  const isPrompt = (tokens) => tokens === undefined || (Number.isFinite(tokens) && tokens >= 0);
  if (!windows.every(({ windowTokens, fixedTokens }) => windowTokens > 0 && isPrompt(fixedTokens)))
    stop("--windows is a list such as 200000,64000:4000.");
  if (!(Number(options.workers) >= 1)) stop("--workers is a number from 1 on.");
  if (!existsSync(new URL("evaluation/dist/simulator/own-policies.js", dist)))
    stop("There is no build: npm run build.");
}

function showProgress(count) {
  const all = sessions.length * windows.length * policies.length * SUMMARY_VARIANTS.length;
  if (process.stderr.isTTY) process.stderr.write(`\r${Math.round((100 * count) / all)} % `);
}

function print() {
  for (const policy of policies)
    for (const [window, { windowTokens, fixedTokens }] of windows.entries()) {
      const own = cells.filter((cell) => cell.policy === policy && cell.window === window);
      const unfinished = new Set(own.filter((cell) => !cell.isFinished).map(({ session }) => session));
      const counted = own.filter(({ session }) => !unfinished.has(session));
      const count = new Set(counted.map(({ session }) => session)).size;
      const prompt =
        fixedTokens === undefined ? "the recorded prompt" : `a prompt of ${fixedTokens.toLocaleString("en")}`;
      const left =
        unfinished.size === 0 ? "" : `; left out, because a way failed: ${[...unfinished].join(", ")}`;
      const title = `${policy}, ${options.edit}, ${windowTokens.toLocaleString("en")} tokens with ${prompt}: ${count} sessions${left}`;
      const rows = [HEADER, ...SUMMARY_VARIANTS.map(({ id }) => row(id, counted))];
      console.log(
        options.markdown ? `### ${title}\n\n${asMarkdown(rows)}\n` : `${title}\n\n${table(rows)}\n`,
      );
    }
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
  console.log(`${LEGEND.join("\n")}\n\n${seconds} s on ${options.workers} threads. ${machine()}`);
}

function row(id, counted) {
  const own = counted.filter(({ variant }) => variant === id);
  const beside = counted.filter(({ variant }) => variant === SUMMARY_VARIANTS[0].id);
  const summaries = own.flatMap((cell) => cell.summaries);
  const sufficed = summaries.filter(({ kind }) => kind === "session-memory").length;
  const isNoted = own.some(({ updates }) => updates > 0);
  return [
    id,
    (sum(own, "cost") / sum(beside, "cost")).toFixed(3),
    percent(
      own.reduce((total, { far }) => total + far.visible, 0),
      own.reduce((total, { far }) => total + far.references, 0),
    ),
    summaries.length,
    summaries.filter(({ call }) => call === "blocking").length,
    isNoted ? percent(sufficed, summaries.length) : "",
    isNoted ? sum(own, "updates") : "",
    isNoted ? percent(sum(own, "notesCost"), sum(own, "cost")) : "",
    isNoted ? (100 * Math.max(...own.map(({ notesCost, cost }) => notesCost / cost))).toFixed(1) : "",
    isNoted ? reasons(summaries) : "",
  ];
}

function reasons(summaries) {
  const counts = new Map();
  for (const { refusal } of summaries)
    if (refusal !== undefined) counts.set(refusal, (counts.get(refusal) ?? 0) + 1);
  const sorted = [...counts].sort((one, other) => other[1] - one[1]);
  return sorted.map(([reason, count]) => `${reason} ${count}`).join(", ");
}

function sum(own, figure) {
  return own.reduce((total, cell) => total + cell[figure], 0);
}

function percent(part, whole) {
  return whole > 0 ? ((100 * part) / whole).toFixed(1) : "-";
}

function asMarkdown([header, ...rows]) {
  const line = (row) => `| ${row.join(" | ")} |`;
  const rule = header.map((_, column) => (column === 0 || column === header.length - 1 ? "---" : "--:"));
  return [header, rule, ...rows].map(line).join("\n");
}

function stop(words) {
  console.error(words);
  process.exit(2);
}
