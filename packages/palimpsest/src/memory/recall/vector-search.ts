/**
 * Finds memories by meaning: unit vectors and their similarity.
 *
 * Every text is somewhat similar to every other, so only the best few within reach of the closest one count. The
 * ranks of both kinds of search are fused.
 */
import { MEMORY_VECTOR_DEFAULTS } from "../../base/defaults/memory/vectors.ts";

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
  if (lengths.size === 0 && textsCount > 0)
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

/** A vector of length one; `undefined` for what is none: empty, endless, or nothing at all. */
export function unitVector(values: unknown): Float32Array | undefined {
  if (!Array.isArray(values) && !(values instanceof Float32Array) && !(values instanceof Float64Array))
    return undefined;
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

/** The ids that are closest to a query, the closest first, as far as they are within reach of the closest. */
export function closest(query: Float32Array, vectors: ReadonlyMap<string, Float32Array>): readonly string[] {
  const { leastSimilarity, reach, closestCount } = MEMORY_VECTOR_DEFAULTS;
  const scored = [...vectors]
    .map(([id, vector]) => ({ id, score: similarity(query, vector) }))
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
  const least = Math.max(leastSimilarity, (scored[0]?.score ?? 0) - reach);
  return scored
    .filter(({ score }) => score >= least)
    .slice(0, closestCount)
    .map(({ id }) => id);
}
