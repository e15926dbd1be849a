/**
 * A learned comparison for the vectors of the local model, which ranks well and separates badly.
 *
 * A message and a memory that it needs are often not alike: “Is a cruise a good idea?” and “I get motion sick on boats”.
 * So each vector, without what all have in common, is followed by the result of a map: one for messages, one for
 * memories. Both halves have one length, so a product of two such vectors is the mean of both cosines.
 */
import type { EmbeddedSide } from "../../ports/model-client.ts";

/** Numbers of a vector of the model, and of what a map first makes of them. */
const NUMBERS_COUNT = 512;
const RANK = 32;

type LinearMap = readonly [inner: Float32Array, outer: Float32Array];
export type LearnedComparison = Readonly<Record<EmbeddedSide, LinearMap>> & { readonly mean: Float32Array };

/** Reads the weights as `train.py` writes them. */
export function readLearnedComparison(weights: string): LearnedComparison {
  const bytes = Uint8Array.from(atob(weights), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  const next = (count: number): Float32Array => {
    const scale = view.getFloat32(at, true) / 127;
    const from = at + 4;
    at = from + count;
    return Float32Array.from({ length: count }, (_, place) => view.getInt8(from + place) * scale);
  };
  const nextMap = (): LinearMap => [next(RANK * NUMBERS_COUNT), next(RANK * NUMBERS_COUNT)];
  return { mean: next(NUMBERS_COUNT), message: nextMap(), memory: nextMap() };
}

/** The vector, and what its side's map makes of it. A vector of another length is of another model: it stays as it is. */
export function withLearnedHalf(
  vector: readonly number[],
  side: EmbeddedSide,
  comparison: LearnedComparison,
): readonly number[] {
  if (vector.length !== NUMBERS_COUNT) return vector;
  const unit = lengthOne(vector);
  const centred = unit.map((value, place) => value - comparison.mean[place]!);
  const mapped = [...centred];
  const [inner, outer] = comparison[side];
  for (let row = 0; row < RANK; row++) {
    const from = row * NUMBERS_COUNT;
    let sum = 0;
    for (let place = 0; place < NUMBERS_COUNT; place++) sum += centred[place]! * inner[from + place]!;
    for (let place = 0; place < NUMBERS_COUNT; place++) mapped[place]! += sum * outer[from + place]!;
  }
  return [...unit, ...lengthOne(mapped)];
}

function lengthOne(values: readonly number[]): readonly number[] {
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}
