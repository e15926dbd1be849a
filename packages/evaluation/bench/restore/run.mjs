/**
 * Measures how much of the content that agents read again after a compaction would have been restored.
 *
 * Claim: within 24K tokens, files ranked by evidence cover at least 60 % of the known files that agents read again in
 * their next calls, and 55 % of the tokens; more than files ranked by recency or by number of uses, with the same
 * budget and the same excerpts. At every recorded compaction of all formats, the needed files are those that the
 * session knew. Weights are also chosen without the repository on which they are measured. Files that are read again
 * depend on the files that the recorded tool itself restored; see where-the-numbers-come-from.md, "Restoration".
 *
 *   npm run build && npm run bench:restore
 *
 * Options: --corpus DIR (may be repeated) · --dist DIR (`build/node_modules` of another checkout) · --per-boundary
 * · --json.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { table } from "../figures.mjs";
import { importerOf } from "../import-recording.mjs";

const root = new URL("../../../../", import.meta.url);
const shared = (name) => fileURLToPath(new URL(`../shared/${name}`, root));
const { values: options } = parseArgs({
  options: {
    corpus: { type: "string", multiple: true },
    dist: { type: "string" },
    "per-boundary": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const corpora = options.corpus ?? [
  process.env.PALIMPSEST_CORPUS ?? shared("corpus"),
  process.env.PALIMPSEST_CORPUS_2 ?? shared("corpus-2"),
];
const dist =
  options.dist === undefined ? new URL("build/node_modules/", root) : pathToFileURL(`${options.dist}/`);
if (!existsSync(new URL("evaluation/dist/restoration/left-out.js", dist)))
  stop("There is no build: npm run build.");
const load = (file) => import(new URL(file, dist).href);
const importFile = await importerOf(load);
const { recordedBoundaries } = await load("evaluation/dist/restoration/restore-boundaries.js");
const { coverRestorations, evidenceRule, hindsightRule, lastTouchedRule, mostTouchedRule } = await load(
  "evaluation/dist/restoration/restore-coverage.js",
);
const { coverLeftOut, weightChoices } = await load("evaluation/dist/restoration/left-out.js");
const { fileBudget } = await load("palimpsest/dist/compaction/restore/restore-files.js");
const { RESTORE_DEFAULTS } = await load("palimpsest/dist/base/defaults/compaction/restore.js");

const OURS = fileBudget(200_000);
const BUDGETS = {
  "24K": OURS,
  "5 files in 24K": { ...OURS, filesCount: 5 },
  "2 files": { ...OURS, filesCount: 2 },
  "5 files, classic": {
    filesCount: 5,
    ...RESTORE_DEFAULTS.classicFiles,
  },
};
const RULES = {
  "by evidence": evidenceRule(),
  "last touched": lastTouchedRule,
  "most touched": mostTouchedRule,
  hindsight: hindsightRule,
};
const boundaries = await readBoundaries();
if (boundaries.length === 0)
  stop(`There are no recorded compactions in ${corpora.join(", ")}: name a folder with --corpus.`);
const repositories = [...new Set(boundaries.map(({ repository }) => repository))].sort();

const rows = ["log", "disk"].flatMap((content) => [
  ...Object.entries(RULES).flatMap(([rule, ranked]) =>
    Object.entries(BUDGETS).map(([budget, size]) => ({
      ...{ content, rule, budget },
      ...coverRestorations(boundaries, ranked, size, content),
    })),
  ),
]);
const leftOut = ["24K", "2 files"].flatMap((budget) =>
  ["log", "disk"].map((content) => ({ content, budget, ...leftOutOf(BUDGETS[budget], content) })),
);
const factors = factorGains();

if (options.json) {
  const chosen = leftOut.map((one) => ({ ...one, chosen: Object.fromEntries(one.chosen) }));
  console.log(
    JSON.stringify({ boundaries: boundaries.length, rows, leftOut: chosen, factors }, undefined, 2),
  );
} else print();

async function readBoundaries() {
  const found = [];
  for (const corpus of corpora) {
    const manifest = join(corpus, "manifest.json");
    if (!existsSync(manifest)) continue;
    for (const { id, file, source, measure } of JSON.parse(readFileSync(manifest, "utf8"))) {
      if (!(measure?.compactions > 0)) continue;
      const { sessions } = await importFile(join(corpus, file));
      for (const session of sessions)
        for (const one of recordedBoundaries(session, id)) found.push({ ...one, repository: source.repo });
    }
  }
  return found;
}

function coveredByRepository(rule, budget, content) {
  return new Map(
    repositories.map((repository) => {
      const own = boundaries.filter((one) => one.repository === repository);
      return [repository, coverRestorations(own, rule, budget, content)];
    }),
  );
}

/** Weights chosen on the other repositories. */
function leftOutOf(budget, content) {
  const choices = weightChoices().map((choice) => ({
    choice,
    covered: coveredByRepository(evidenceRule(choice), budget, content),
  }));
  return coverLeftOut(choices);
}

/** Each part of the evidence alone taken out: the repositories in which it covered more, and those in which less. */
function factorGains() {
  const used = {
    ...{ recencyCalls: 60, namedWeight: 1, namedNextFactor: 2 },
    ...{ latestTurnFactor: 2, failureFactor: 4, folderFactor: 2 },
  };
  const without = {
    ...{ recencyCalls: 1e6, namedWeight: 0, namedNextFactor: 1 },
    ...{ latestTurnFactor: 1, failureFactor: 1, folderFactor: 1 },
  };
  const coverageOf = ({ coveredFiles, neededFiles, coveredTokens, neededTokens }) =>
    coveredFiles / Math.max(1, neededFiles) + coveredTokens / Math.max(1, neededTokens);
  const of = (weights) =>
    [OURS, BUDGETS["2 files"]].flatMap((budget) =>
      ["log", "disk"].map((content) => coveredByRepository(evidenceRule(weights), budget, content)),
    );
  const all = of(used);
  return Object.entries(without).map(([name, value]) => {
    const less = of({ ...used, [name]: value });
    const gains = repositories.map((repository) =>
      all.reduce(
        (sum, by, index) => sum + coverageOf(by.get(repository)) - coverageOf(less[index].get(repository)),
        0,
      ),
    );
    return {
      name,
      better: gains.filter((gain) => gain > 0.01).length,
      worse: gains.filter((gain) => gain < -0.01).length,
    };
  });
}

function print() {
  const needed = rows[0];
  console.log(
    `${boundaries.length} recorded compactions of ${repositories.length} repositories; ${needed.neededFiles} known files ` +
      `were read again in the next calls, ${Math.round(needed.neededTokens / 1_000)}K tokens.\n`,
  );
  const heads = ["content", "rule", "put back", "files", "of all", "of tokens", "spent, mean", "most"];
  const left = leftOut.map(({ covered, ...rest }) => ({ ...rest, rule: "left out", ...covered }));
  console.log(table([heads, ...[...rows, ...left].map(cellsOf)]));
  console.log("\n«left out»: for each repository, the weights that cover most on the others.\n");
  console.log("Repositories in which a part of the evidence covers more, and in which less.\n");
  console.log(
    table([["evidence", "more", "less"], ...factors.map(({ name, better, worse }) => [name, better, worse])]),
  );
  if (options["per-boundary"]) printBoundaries();
}

function cellsOf(row) {
  const percent = (part, whole) => `${Math.round((100 * part) / whole)} %`;
  return [
    row.content,
    row.rule,
    row.budget,
    `${row.coveredFiles} of ${row.restoredFiles}`,
    percent(row.coveredFiles, row.neededFiles),
    percent(row.coveredTokens, row.neededTokens),
    `${(row.spentTokens / boundaries.length / 1_000).toFixed(1)}K`,
    `${(row.mostSpentTokens / 1_000).toFixed(1)}K`,
  ];
}

function printBoundaries() {
  console.log("\nPer compaction: files known, read again, covered; tokens read again, covered.\n");
  const cells = boundaries.map((boundary) => {
    const covered = coverRestorations([boundary], evidenceRule(), OURS);
    const { neededFiles, coveredFiles, neededTokens, coveredTokens } = covered;
    const name = `${boundary.session} ${boundary.number + 1}`;
    return [
      name,
      boundary.knownCount,
      neededFiles,
      coveredFiles,
      Math.round(neededTokens),
      Math.round(coveredTokens),
    ];
  });
  console.log(table([["compaction", "known", "read again", "covered", "tokens", "covered"], ...cells]));
}

function stop(words) {
  console.error(words);
  process.exit(2);
}
