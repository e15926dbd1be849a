/** Node's hooks for modules: a TypeScript source is loaded without its types, its lines where they were. */
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { transformSync } from "rolldown/utils";

export async function load(url, context, nextLoad) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const { code, map, errors } = transformSync(path, readFileSync(path, "utf8"), {
    lang: "ts",
    sourcemap: true,
  });
  if (errors.length > 0) throw errors[0];
  return { format: "module", source: inPlace(code, new SourceMap(map)), shortCircuit: true };
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
