/**
 * Vectors of the local model (English), each text once: a file keeps them between runs, because a
 * text costs 20 to 30 ms. A text that the model does not take for English has none: `undefined`.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const BATCH_COUNT = 32;

export function localVectors(client, folder) {
  const keysFile = join(folder, "local-vectors.json");
  const numbersFile = join(folder, "local-vectors.f32");
  const known = new Map();
  if (existsSync(keysFile)) {
    const keys = JSON.parse(readFileSync(keysFile, "utf8"));
    const bytes = readFileSync(numbersFile);
    const numbers = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const length = numbers.length / keys.length;
    for (const [place, key] of keys.entries())
      known.set(key, numbers.slice(place * length, (place + 1) * length));
  }
  const signal = new AbortController().signal;
  return {
    /** `side`: the texts are messages or memories, which the model embeds differently. */
    async embed(texts, side) {
      const keys = texts.map((text) => createHash("sha256").update(`${side}\n${text}`).digest("base64url"));
      const missing = [...new Set(keys)].filter((key) => !known.has(key));
      const textOf = new Map(keys.map((key, place) => [key, texts[place]]));
      for (let from = 0; from < missing.length; from += BATCH_COUNT) {
        const batch = missing.slice(from, from + BATCH_COUNT);
        const vectors = await client.embed(
          batch.map((key) => textOf.get(key)),
          { signal, side },
        );
        for (const [place, key] of batch.entries())
          known.set(key, vectors[place].length === 0 ? undefined : unit(vectors[place]));
      }
      return keys.map((key) => known.get(key));
    },
    save() {
      const made = [...known].filter(([, vector]) => vector !== undefined);
      const vectors = made.map(([, vector]) => vector);
      const length = vectors[0]?.length ?? 0;
      const numbers = new Float32Array(vectors.length * length);
      for (const [place, vector] of vectors.entries()) numbers.set(vector, place * length);
      writeFileSync(keysFile, JSON.stringify(made.map(([key]) => key)));
      writeFileSync(numbersFile, numbers);
    },
  };
}

function unit(values) {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}
