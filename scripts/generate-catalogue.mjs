/**
 * Writes `packages/palimpsest/src/tokens/models/model-catalogue.generated.ts` from the npm package `@pydantic/genai-prices` (MIT).
 *
 * Kept: text models of the vendors below, with their windows and prices. The package is read from
 * the project's `node_modules` (or from the folder given as the first argument); the same version of
 * it gives the same file. What it does not know (output limits) or has not yet is in
 * `packages/palimpsest/src/tokens/models/model-catalogue.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "packages/palimpsest/src/tokens/models/model-catalogue.generated.ts");

/** Providers of the package → names used here. Vendors first; Groq hosts models that no other provider lists. */
const PROVIDERS = {
  anthropic: "anthropic",
  openai: "openai",
  google: "google",
  deepseek: "deepseek",
  "x-ai": "xai",
  mistral: "mistral",
  moonshotai: "moonshot",
  minimax: "minimax",
  zai: "zai",
  cohere: "cohere",
  cerebras: "cerebras",
  groq: "groq",
};
/** Routers whose list is read for these vendors only. */
const ROUTED = {
  openrouter: [
    [/^qwen\//, "qwen"],
    [/^meta-llama\//, "meta"],
    [/^z-ai\//, "zai"],
  ],
};
const NOT_TEXT =
  /audio|realtime|whisper|tts|transcri|image|embed|moderation|dall|sora|veo|imagen|guard|live|ocr|rerank|search|:free|davinci|computer-use/;

const { source, version } = await loadSource();
const rows = new Map();
for (const [providerId, name] of Object.entries(PROVIDERS)) {
  for (const model of source.findProvider({ providerId })?.models ?? []) addModel(model, model.id, name);
}
for (const [providerId, wanted] of Object.entries(ROUTED)) {
  for (const model of source.findProvider({ providerId })?.models ?? []) {
    const vendor = wanted.find(([pattern]) => pattern.test(model.id))?.[1];
    if (vendor !== undefined) addModel(model, model.id.replace(/^.*\//, ""), vendor);
  }
}
write();

async function loadSource() {
  const base =
    process.argv[2] === undefined ? import.meta.url : pathToFileURL(join(process.argv[2], "x.js")).href;
  const entry = createRequire(base).resolve("@pydantic/genai-prices");
  const manifest = JSON.parse(readFileSync(join(dirname(entry), "../package.json"), "utf8"));
  const required = createRequire(base)(entry);
  return { source: required, version: manifest.version };
}

function addModel(model, id, provider) {
  const key = keyOf(id);
  if (NOT_TEXT.test(id.toLowerCase()) || rows.has(key)) return;
  // Other vendors' copies of Claude, and names too short to distinguish from a newer model's.
  if ((key.startsWith("claude") && provider !== "anthropic") || !/\d/.test(key)) return;
  const prices = newestPrices(model.prices);
  const numbers = [model.context_window, ...prices.base].map((value) => value ?? 0);
  if (numbers[0] === 0 && numbers[1] === 0) return;
  while (numbers.at(-1) === 0) numbers.pop();
  rows.set(key, [key, provider, aliasesOf(model, key), numbers, prices.tier]);
}

/** Lower case, dots and underscores as dashes, no date: the form that `parseModelId` gives. */
function keyOf(id) {
  return id
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/:[a-z0-9.-]+$/, "")
    .replace(/[._]/g, "-")
    .replace(/-v\d$/, "")
    .replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d)$/, "")
    .replace(/-latest$/, "");
}

function aliasesOf(model, key) {
  const found = new Set();
  const collect = (match) => {
    for (const inner of [...(match?.or ?? []), ...(match?.and ?? [])]) collect(inner);
    const text = match?.equals ?? match?.starts_with;
    if (text !== undefined) found.add(keyOf(text.replace(/[@-]$/, "")));
  };
  collect(model.match);
  found.delete(key);
  return [...found].filter((alias) => alias.length > 2 && !NOT_TEXT.test(alias)).sort();
}

/** Prices per million tokens; of several in time the newest that holds all day (DeepSeek: outside peak hours). */
function newestPrices(prices) {
  const list = Array.isArray(prices) ? prices : [{ prices }];
  const dated = list.filter((one) => one.constraint?.start_time === undefined);
  const current = (dated.at(-1) ?? list[0])?.prices ?? {};
  const keys = ["input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok"];
  const base = keys.map((key) => (typeof current[key] === "object" ? current[key].base : current[key]));
  const start = current.input_mtok?.tiers?.[0]?.start;
  if (start === undefined) return { base, tier: undefined };
  // Tiers of one model begin at the same size; 271,999 and 272,000 mean the same step.
  const stepped = keys.map((key) => current[key]?.tiers?.[0]?.price ?? 0);
  while (stepped.at(-1) === 0) stepped.pop();
  return { base, tier: [Math.ceil(start / 1000) * 1000, ...stepped] };
}

function write() {
  const sorted = [...rows.values()].sort((left, right) => (left[0] < right[0] ? -1 : 1));
  const taken = new Set(sorted.map(([key]) => key));
  const lines = sorted.map(([key, provider, aliases, numbers, tier]) => {
    const own = aliases.filter((alias) => !taken.has(alias) && taken.add(alias));
    const row = [
      key,
      provider,
      numbers,
      ...(tier ? [own.join(" "), tier] : own.length > 0 ? [own.join(" ")] : []),
    ];
    return `  ${JSON.stringify(row)},`;
  });
  const text = `/**
 * Generated by \`scripts/generate-catalogue.mjs\` from @pydantic/genai-prices ${version} (MIT). Do not edit.
 *
 * A row: name, provider, [window in tokens, then prices in $ per million tokens: input, output, cache
 * read, cache write, 1-hour cache write], other names, [prompt size from which these prices hold:
 * size, input, output, cache read, cache write, 1-hour cache write]. 0 or absent: not known.
 */
export type CatalogueRow = readonly [
  name: string,
  provider: string,
  numbers: readonly number[],
  aliases?: string,
  tier?: readonly number[],
];

/** Version of the source, shown with the figures. */
export const CATALOGUE_VERSION = "genai-prices ${version}";

export const CATALOGUE_ROWS: readonly CatalogueRow[] = [
${lines.join("\n")}
];
`;
  writeFileSync(target, text);
  const counts = new Map();
  for (const [, provider] of sorted) counts.set(provider, (counts.get(provider) ?? 0) + 1);
  console.log(`genai-prices ${version}: ${sorted.length} models, ${text.length} bytes → ${target}`);
  for (const [provider, count] of counts) console.log(`  ${provider}: ${count}`);
}
