/**
 * Node's hooks for modules: a TypeScript source is loaded without its types, its lines where they were. The result is
 * kept below `node_modules/.cache`, because each process of a run loads the same hundreds of sources.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../../node_modules/.cache/palimpsest-tests/sources", import.meta.url));
/** A changed transformation has other results. */
const VERSION = [import.meta.url, new URL("../../node_modules/rolldown/package.json", import.meta.url)]
  .map((url) => readFileSync(fileURLToPath(url), "utf8"))
  .join();

mkdirSync(CACHE, { recursive: true });

export async function load(url, context, nextLoad) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const text = readFileSync(path, "utf8");
  const kept = `${CACHE}/${createHash("sha1").update(VERSION).update(text).digest("hex")}.mjs`;
  const source = keptSource(kept) ?? (await newSource({ path, text, kept }));
  return { format: "module", source, shortCircuit: true };
}

function keptSource(kept) {
  try {
    return readFileSync(kept, "utf8");
  } catch {
    return undefined; // Nothing is kept yet.
  }
}

async function newSource({ path, text, kept }) {
  const { transformSync } = await import("rolldown/utils");
  const { code, map, errors } = transformSync(path, text, { lang: "ts", sourcemap: true });
  if (errors.length > 0) throw errors[0];
  const source = inPlace(code, new SourceMap(map));
  // Other processes of the run write the same file.
  const unfinished = `${kept}.${process.pid}`;
  writeFileSync(unfinished, source);
  renameSync(unfinished, kept);
  return source;
}

/** Pads the code with empty lines, so that a stack names the line of the source. */
function inPlace(code, map) {
  const lines = [];
  code.split("\n").forEach((line, index) => {
    const { originalLine = 0 } = map.findEntry(index, Math.max(0, line.search(/\S/)));
    while (lines.length < originalLine) lines.push("");
    lines.push(line);
  });
  return lines.join("\n");
}
