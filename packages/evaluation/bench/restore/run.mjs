/**
 * Measures how much of the content that agents read again after a compaction would have been restored.
 *
 * Claim: ranked by evidence, five files within 24K tokens cover more of it than the five files that were
 * touched last. At every recorded compaction of Claude Code sessions, the needed files are those that the
 * session knew and the agent read again in its next calls; their content is taken from the log. There are few
 * recorded compactions, so the table of other weights is printed beside it: a rule that only holds for one
 * setting would show there. Files that are read again after a compaction depend on the files that the
 * recorded tool itself restored; see where-the-numbers-come-from.md, "Restoration".
 *
 *   npm run build && npm run bench:restore
 *
 * Options: --corpus DIR · --dist DIR (`build/node_modules` of another checkout) · --per-boundary · --json.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { table } from "../figures.mjs";

const root = new URL("../../../../", import.meta.url);
const { values: options } = parseArgs({
  options: {
    corpus: {
      type: "string",
      default: process.env.PALIMPSEST_CORPUS ?? fileURLToPath(new URL("../shared/corpus", root)),
    },
    dist: { type: "string" },
    "per-boundary": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const dist =
  options.dist === undefined ? new URL("build/node_modules/", root) : pathToFileURL(`${options.dist}/`);
if (!existsSync(new URL("evaluation/dist/restoration/restore-coverage.js", dist)))
  stop("There is no build: npm run build.");
const load = (file) => import(new URL(file, dist).href);
const { importSessions } = await load("palimpsest/dist/importers/registry.js");
const { readInputFile } = await load("palimpsest/dist/runtime/input-files/input-file.js");
const { recordedBoundaries } = await load("evaluation/dist/restoration/restore-boundaries.js");
const { coverRestorations, evidenceRule, hindsightRule, lastTouchedRule, mostTouchedRule } = await load(
  "evaluation/dist/restoration/restore-coverage.js",
);
const { fileBudget } = await load("palimpsest/dist/compaction/restore/restore-files.js");
const { RESTORE_DEFAULTS } = await load("palimpsest/dist/base/defaults/compaction/restore.js");

const OURS = fileBudget(200_000);
const boundaries = await readBoundaries();
if (boundaries.length === 0)
  stop(
    `There are no recorded compactions in ${options.corpus}: name a folder with --corpus or PALIMPSEST_CORPUS.`,
  );

const rules = {
  "by evidence": evidenceRule(),
  "last touched": lastTouchedRule,
  "most touched": mostTouchedRule,
  hindsight: hindsightRule,
};
const budgets = {
  ...Object.fromEntries([1, 2, 3, 5, 10].map((count) => [`${count} files`, { ...OURS, filesCount: count }])),
  "5 files, classic": {
    filesCount: RESTORE_DEFAULTS.filesCount,
    fileTokens: RESTORE_DEFAULTS.classicFileTokens,
    filesTokens: RESTORE_DEFAULTS.classicFilesTokens,
  },
};
const rows = Object.entries(rules).flatMap(([rule, ranked]) =>
  Object.entries(budgets).map(([budget, size]) => ({
    rule,
    budget,
    ...coverRestorations(boundaries, ranked, size),
  })),
);
const other = otherWeights().map(([name, value]) => {
  const rule = evidenceRule({ ...RESTORE_DEFAULTS, [name]: value });
  const two = coverRestorations(boundaries, rule, { ...OURS, filesCount: 2 });
  return { name, value, two, five: coverRestorations(boundaries, rule, OURS) };
});

if (options.json) console.log(JSON.stringify({ boundaries: boundaries.length, rows, other }, undefined, 2));
else print();

async function readBoundaries() {
  const folder = join(options.corpus, "trajectories", "claude-code");
  if (!existsSync(folder)) return [];
  const found = [];
  for (const file of readdirSync(folder).sort()) {
    const { sessions } = importSessions(await readInputFile(join(folder, file)));
    const name = basename(file).replace(/\.jsonl?(?:\.gz)?$/, "");
    for (const session of sessions) found.push(...recordedBoundaries(session, name));
  }
  return found;
}

/** Each factor alone switched off, halved or doubled; age from a quarter to infinity. */
function otherWeights() {
  const { recencyCalls, editWeight, namedNextFactor, namedLastFactor, failingFactor, latestTurnFactor } =
    RESTORE_DEFAULTS;
  const factors = { namedNextFactor, namedLastFactor, failingFactor, latestTurnFactor };
  return [
    ...[0.25, 0.5, 0.75, 1.5, 2, 1e6].map((share) => ["recencyCalls", recencyCalls * share]),
    ...[0.5, 2, 4].map((share) => ["editWeight", editWeight * share]),
    ...Object.entries(factors).flatMap(([name, value]) => [1, value * 2].map((one) => [name, one])),
  ];
}

function print() {
  const needed = rows[0];
  console.log(
    `${boundaries.length} recorded compactions; ${needed.neededFiles} known files were read again in the next calls, ` +
      `${Math.round(needed.neededTokens / 1_000)}K tokens.\n`,
  );
  const percent = (part, whole) => `${Math.round((100 * part) / whole)} %`;
  const cells = rows.map((row) => [
    row.rule,
    row.budget,
    `${row.coveredFiles}`,
    percent(row.coveredFiles, row.neededFiles),
    percent(row.coveredTokens, row.neededTokens),
    `${(row.spentTokens / boundaries.length / 1_000).toFixed(1)}K`,
    `${(row.mostSpentTokens / 1_000).toFixed(1)}K`,
  ]);
  const heads = ["rule", "put back", "files", "of all", "of tokens", "spent, mean", "most"];
  console.log(table([heads, ...cells]));
  console.log("\nOther weights, one at a time: files covered of two and of five, tokens of five.\n");
  const changed = other.map(({ name, value, two, five }) => [
    `${name} ${value >= 1e6 ? "no decay" : value}`,
    `${two.coveredFiles}`,
    `${five.coveredFiles}`,
    percent(five.coveredTokens, five.neededTokens),
  ]);
  const { coveredFiles } = rows.find(({ rule, budget }) => rule === "by evidence" && budget === "2 files");
  const ours = rows.find(({ rule, budget }) => rule === "by evidence" && budget === "5 files");
  const used = [
    "as used",
    `${coveredFiles}`,
    `${ours.coveredFiles}`,
    percent(ours.coveredTokens, ours.neededTokens),
  ];
  console.log(table([["weight", "two", "five", "of tokens"], used, ...changed]));
  if (options["per-boundary"]) printBoundaries();
}

function printBoundaries() {
  console.log("\nPer compaction: files known, read again, covered by five.\n");
  const cells = boundaries.map((boundary) => {
    const { neededFiles, coveredFiles } = coverRestorations([boundary], evidenceRule(), OURS);
    return [`${boundary.session} ${boundary.number + 1}`, boundary.knownCount, neededFiles, coveredFiles];
  });
  console.log(table([["compaction", "known", "read again", "covered"], ...cells]));
}

function stop(words) {
  console.error(words);
  process.exit(2);
}
