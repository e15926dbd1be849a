/**
 * Finds memories by meaning: unit vectors and their similarity.
 *
 * Every text is somewhat similar to every other, so only what is clearly nearer than an everyday message counts. The
 * ranks of both kinds of search are fused.
 */
import { fuseRanks, type Ranking } from "../../base/search/ranking.ts";

/** Vectors as a provider returned them, or why they cannot be used. */
type ReadVectors =
  | { readonly ok: true; readonly vectors: readonly (Float32Array | undefined)[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads what a provider returned for some texts: one vector for each, all of one length. A single one that is none is
 * left out; where none is left, or it cannot be known which text a vector is of, nothing counts.
 */
export function readVectors(answer: unknown, textsCount: number): ReadVectors {
  if (!Array.isArray(answer)) return { ok: false, problem: "It returned no list of vectors." };
  if (answer.length !== textsCount)
    return { ok: false, problem: `It returned ${answer.length} vectors for ${textsCount} texts.` };
  const vectors = answer.map(unitVector);
  const lengths = new Set(vectors.flatMap((vector) => vector?.length ?? []));
  // A model may have no vector for a text, as one for English has none for German.
  const hasNone = answer.every((vector) => Array.isArray(vector) && vector.length === 0);
  if (lengths.size === 0 && !hasNone)
    return { ok: false, problem: "It returned vectors that are empty, zero, or not all of finite numbers." };
  if (lengths.size > 1)
    return {
      ok: false,
      problem: `It returned vectors of ${[...lengths].sort((one, other) => one - other).join(" and ")} numbers.`,
    };
  return { ok: true, vectors };
}

/** True if vectors of several texts are the same to the last number: then they say nothing of what the texts mean. */
export function areAllEqual(vectors: readonly Float32Array[]): boolean {
  const [first, ...others] = vectors;
  if (first === undefined || vectors.length < LEAST_COMPARED_COUNT) return false;
  return others.every(
    (other) => other.length === first.length && other.every((value, at) => value === first[at]),
  );
}

/** Two texts may mean the same by chance, or be two questions of one matter. */
const LEAST_COMPARED_COUNT = 3;

/** Numbers of one vector at the most. Our choice: four times the longest of known models; a longer one takes seconds to compare. */
const MOST_NUMBERS = 65_536;

/** A vector of length one; `undefined` for what is none: empty, too long, endless, or nothing at all. */
export function unitVector(values: unknown): Float32Array | undefined {
  if (!Array.isArray(values) && !(values instanceof Float32Array) && !(values instanceof Float64Array))
    return undefined;
  if (values.length > MOST_NUMBERS) return undefined;
  const vector = Float32Array.from(values as ArrayLike<number>);
  let square = 0;
  for (const value of vector) square += value * value;
  const length = Math.sqrt(square);
  if (vector.length === 0 || !Number.isFinite(length) || length === 0) return undefined;
  return vector.map((value) => value / length);
}

/** Between -1 and 1; nothing where the two are not of one length. */
export function similarity(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) return 0;
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!;
  return sum;
}

/** A memory and its similarity to a query. */
interface NearMemory {
  readonly id: string;
  readonly similarity: number;
}

/** The ids that are closest to a query, the closest first. */
export function closest(
  query: Float32Array,
  vectors: ReadonlyMap<string, Float32Array>,
  { least, count }: { readonly least: number; readonly count: number },
): readonly NearMemory[] {
  const scored: NearMemory[] = [];
  for (const [id, vector] of vectors) {
    const value = similarity(query, vector);
    if (value >= least) scored.push({ id, similarity: value });
  }
  return scored
    .sort((one, other) => other.similarity - one.similarity || (one.id < other.id ? -1 : 1))
    .slice(0, count);
}

/**
 * Messages that no memory is needed for. A model's similarities mean nothing by themselves: with some, unrelated texts
 * are at 0.1, with others at 0.7. So what counts as near is measured with these.
 */
export const EVERYDAY_MESSAGES: readonly string[] = [
  "What is the capital of Australia?",
  "How do I reverse a list?",
  "Thank you, that works.",
  "Explain how a rainbow forms.",
  "Write a short poem about the sea.",
  "Fix the typo in this sentence.",
  "Who wrote this book?",
  "Convert ten miles to kilometres.",
  "Why does this test fail?",
  "Summarise the text below.",
  "What time is it in Tokyo?",
  "Rename this function.",
  "Tell me a joke.",
  "How many days are in a leap year?",
  "Translate this into French.",
  "What does this error mean?",
];

/** Memories that are compared with the everyday messages, at the most. Our choice: more do not change the spread. */
const COMPARED_COUNT = 256;

/**
 * The spread of similarities of unrelated texts: the standard deviation between memories and everyday messages,
 * without what a memory or a message has in common with all others.
 */
export function spreadOf(vectors: readonly Float32Array[], everyday: readonly Float32Array[]): number {
  const step = Math.max(1, vectors.length / COMPARED_COUNT);
  const rows: number[][] = [];
  for (let at = 0; at < vectors.length; at += step)
    rows.push(everyday.map((message) => similarity(vectors[Math.floor(at)]!, message)));
  const ofMemory = rows.map(meanOf);
  const ofMessage = everyday.map((_, message) => meanOf(rows.map((row) => row[message]!)));
  const mean = meanOf(ofMemory);
  const squares = rows.flatMap((row, memory) =>
    row.map((value, message) => (value - ofMemory[memory]! - ofMessage[message]! + mean) ** 2),
  );
  return Math.sqrt(meanOf(squares));
}

/** What similarities of a model mean: everyday messages, the spread of unrelated texts, and how many are compared. */
interface NearScale {
  readonly everyday: readonly Float32Array[];
  readonly spread: number;
  readonly count: number;
}

/**
 * The similarity from which on a memory is near to a query: so far above the everyday messages. The closest of many
 * unrelated memories is closer than that of few: as of numbers by chance, by the square root of the logarithm.
 */
export function leastNear(
  query: Float32Array,
  { everyday, spread, count }: NearScale,
  spreads: number,
): number {
  // A few made-up vectors, or a model that tells nothing apart: only a fixed value is left.
  if (everyday.length === 0 || spread < LEAST_SPREAD) return LEAST_SIMILARITY;
  const usual = meanOf(everyday.map((message) => similarity(query, message)));
  const closestByChance = spread * Math.sqrt(2 * Math.log(count + 1));
  // Never more than halfway to the same text.
  return Math.min(usual + spreads * closestByChance, (1 + usual) / 2);
}

/** Cosine from which on a memory is near where a model's similarities could not be measured. Our choice: unrelated sentences are at 0.1 to 0.3 with common models. */
const LEAST_SIMILARITY = 0.3;
/** Score by words at which both rankings count the same, and bounds of the words' weight. Source: packages/evaluation/bench/memory: 5 to 12 differ by a point; without it, talk between people loses 5 points and preferences in other words 2. */
const EQUAL_SCORE = 8;
const LEAST_WEIGHT = 0.25;
const MOST_WEIGHT = 4;

/**
 * Fuses both rankings by rank. The words count as much as they match: where the best hit has several rare words of the
 * query, they know better than the meaning, and where it has one common word, they know nothing.
 */
export function fuseFound(
  hits: readonly { readonly id: string; readonly score: number }[],
  near: readonly string[],
): ReturnType<typeof fuseRanks> {
  const matched = (hits[0]?.score ?? 0) / EQUAL_SCORE;
  const words: Ranking = {
    ids: hits.map(({ id }) => id),
    weight: Math.min(MOST_WEIGHT, Math.max(LEAST_WEIGHT, matched)),
  };
  return fuseRanks([words, { ids: near }]);
}

const LEAST_SPREAD = 0.001;

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const MOST_BYTE = 127;

/** A unit vector with one byte for each number, as text. */
export function packVector(vector: Float32Array): string {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  let text = "";
  for (const value of vector) text += String.fromCharCode(Math.round((value / most) * MOST_BYTE) + 128);
  return btoa(text);
}

/** `undefined` if it is not a packed vector. */
export function unpackVector(packed: unknown): Float32Array | undefined {
  if (typeof packed !== "string" || !PACKED.test(packed) || packed.length % 4 !== 0) return undefined;
  return unitVector(Float32Array.from(atob(packed), (character) => character.charCodeAt(0) - 128));
}

const PACKED = /^[A-Za-z0-9+/]+={0,2}$/;
