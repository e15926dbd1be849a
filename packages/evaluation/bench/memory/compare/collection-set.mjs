/**
 * A set: collections of documents, each with questions that some of its documents answer. Half of it is for choosing
 * settings, the other half is only printed: collections in even and in odd places, or the questions of a single one.
 */
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Questions of one set: with more, every so manyth is taken. */
const QUESTIONS_COUNT = 500;

export function collectionSet(name, collections, { questionsCount = QUESTIONS_COUNT } = {}) {
  const isSingle = collections.length === 1;
  const asked = collections.flatMap(({ questions }, collection) =>
    questions
      .filter(({ gold }) => gold.length > 0)
      .map((question, place) => ({ ...question, collection, half: (isSingle ? place : collection) % 2 })),
  );
  return {
    name,
    collections: collections.map(({ documents }) => documents),
    questions: evenly(asked, questionsCount),
  };
}

/** So many of a list, at even distances. */
export function evenly(list, count) {
  if (list.length <= count) return list;
  return Array.from({ length: count }, (_, place) => list[Math.floor((place * list.length) / count)]);
}

export function jsonIn(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

export function linesIn(file) {
  if (!existsSync(file)) return [];
  const raw = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(raw) : raw).toString();
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
}
