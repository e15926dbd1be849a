/**
 * Sets whose memories are texts that stand alone: short facts (Letta), preferences that a question does not name
 * (PrefEval), sentences in many languages (XQuAD), and long summaries of papers (Cranfield, CISI).
 *
 * No setting was ever chosen on the last ones: what two children told, of which an assistant is to think as they talk
 * (MADial-Bench, English and Chinese), and papers of medicine and documentation (Medline, ADI).
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { collectionSet, jsonIn, linesIn } from "./collection-set.mjs";

const XQUAD_OWN_ROWS = ["en", "de", "es", "zh"];
const XQUAD_OTHERS = ["ar", "el", "hi", "ro", "ru", "th", "tr", "vi"];

export function readTextSets(sets, corpus) {
  const xquad = (language) => xquadCollection(join(sets, "xquad", `xquad.${language}.json`), language);
  return [
    collectionSet("Letta facts", letta(join(corpus, "memory", "letta-core-memory"))),
    collectionSet("PrefEval", prefEval(join(sets, "PrefEval/benchmark_dataset/explicit_preference"))),
    ...XQUAD_OWN_ROWS.map((language) => collectionSet(`XQuAD ${language}`, xquad(language))),
    collectionSet("XQuAD, 8 others", XQUAD_OTHERS.flatMap(xquad), { questionsCount: 800, byQuestion: true }),
    collectionSet("Cranfield", smart(sets, "cranfield", ["cran.all.1400", "cran.qry", "cranqrel"])),
    collectionSet("CISI", smart(sets, "cisi", ["CISI.ALL", "CISI.QRY", "CISI.REL"])),
    ...["en", "zh"].map((language) => collectionSet(`MADial ${language}`, madial(sets, language))),
    collectionSet("Medline", smart(join(sets, "irs"), "med", ["MED.ALL", "MED.QRY", "MED.REL"])),
    collectionSet("ADI", smart(join(sets, "irs"), "adi", ["ADI.ALL", "ADI.QRY", "ADI.REL"])),
  ];
}

/** All facts of fifty people as one memory: what answers is among many of the same form. */
function letta(folder) {
  const asked = linesIn(join(folder, "core_memory_update.jsonl.gz"));
  const collections = [];
  for (const { input, agent_args } of asked) {
    const { facts, supporting_fact_indices: supporting = [] } = agent_args.extra;
    const key = facts.join("\n");
    let own = collections.find((one) => one.keys.has(key));
    if (own === undefined) {
      own = collections.at(-1);
      if (own === undefined || own.keys.size >= 25) {
        own = { keys: new Set(), documents: [], questions: [] };
        collections.push(own);
      }
      own.keys.add(key);
      for (const [place, fact] of facts.entries())
        own.documents.push({ id: `${key.length}:${key.slice(0, 60)}:${place}`, body: fact });
    }
    own.questions.push({
      text: input,
      kind: "fact",
      gold: supporting.map((place) => `${key.length}:${key.slice(0, 60)}:${place}`),
    });
  }
  return collections;
}

/** A person has three preferences of each of twenty topics. */
function prefEval(folder) {
  if (!existsSync(folder)) return [];
  const topics = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => ({ topic: name.slice(0, -5), all: jsonIn(join(folder, name)) }));
  return Array.from({ length: 14 }, (_, person) => {
    const own = topics.flatMap(({ topic, all }) =>
      all.slice(3 * person, 3 * person + 3).map((one, place) => ({ ...one, id: `${topic} ${place}`, topic })),
    );
    return {
      documents: own.map(({ id, preference }) => ({ id, body: preference })),
      questions: own.map(({ id, question, topic }) => ({
        text: question,
        kind: topic.split("_")[0],
        gold: [id],
      })),
    };
  });
}

function xquadCollection(file, language) {
  const read = jsonIn(file);
  if (read === undefined) return [];
  const sentences = new Intl.Segmenter(language, { granularity: "sentence" });
  const documents = [];
  const questions = [];
  for (const [article, { paragraphs }] of read.data.entries())
    for (const [paragraph, { context, qas }] of paragraphs.entries()) {
      const own = [...sentences.segment(context)].map(({ segment, index }, place) => ({
        id: `${article}.${paragraph}.${place}`,
        body: segment.trim(),
        from: index,
        to: index + segment.length,
      }));
      documents.push(...own.map(({ id, body }) => ({ id, body })));
      for (const { question, answers } of qas) {
        const at = answers[0].answer_start;
        const gold = own.filter(({ from, to }) => from <= at && at < to).map(({ id }) => id);
        questions.push({ text: question, kind: language, gold });
      }
    }
  return [{ documents, questions }];
}

/** What a child says is the question; the events that the assistant could bring up next are the answer. */
function madial(sets, language) {
  const file = (kind) =>
    join(sets, "MADial/data", language === "zh" ? "ch" : language, `MADial-Bench-${language}-${kind}.json`);
  const documents = linesIn(file("memory")).flatMap((line) =>
    Object.entries(line).map(([id, { event, time }]) => ({ id, body: event, time })),
  );
  const questions = linesIn(file("dialogue")).flatMap(({ dialogue, ...row }) =>
    row["test-turn"].map((turn) => ({
      text: dialogue[turn - 1].replace(/^<[^>]*>:/, "").trim(),
      kind: "dialogue",
      gold: row["relevant-id"].map(String),
    })),
  );
  return [{ documents, questions }];
}

/** The old form of Cornell's collections: `.I` number, `.T` title, `.A` authors, `.B` where, `.W` text. */
function smart(sets, folder, [texts, asked, judged]) {
  const path = (name) => join(sets, folder, name);
  if (!existsSync(path(texts))) return [];
  const documents = records(readFileSync(path(texts), "utf8")).map(({ id, T: title = "", W: text = "" }) => ({
    id,
    body: text.startsWith(title) ? text : `${title}\n${text}`,
  }));
  const gold = new Map();
  for (const line of readFileSync(path(judged), "utf8").split("\n")) {
    const [question, document, grade] = line.trim().split(/\s+/);
    if (document === undefined || grade === "-1" || (folder === "cranfield" && grade === "5")) continue;
    gold.set(question, [...(gold.get(question) ?? []), document]);
  }
  // Cranfield's judgements count the questions from one, whatever their numbers.
  const questions = records(readFileSync(path(asked), "utf8")).map(({ id, W: text = "" }, place) => ({
    text,
    kind: "topic",
    gold: gold.get(folder === "cranfield" ? String(place + 1) : id) ?? [],
  }));
  return [{ documents, questions }];
}

function records(text) {
  return text
    .split(/^\.I /m)
    .slice(1)
    .map((record) => {
      const [id, ...lines] = record.split("\n");
      const fields = { id: id.trim() };
      let field;
      for (const line of lines) {
        const mark = /^\.([A-Z])\s*$/.exec(line)?.[1];
        if (mark !== undefined) field = mark;
        else if (field !== undefined) fields[field] = `${fields[field] ?? ""}${line}\n`;
      }
      return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value.trim()]));
    });
}
