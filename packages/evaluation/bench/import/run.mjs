/**
 * Measures what importing a long recording costs.
 *
 * Claim: reading a recording holds the conversation and not the file, and takes a small multiple of parsing it. The
 * limit beside it is a bare `JSON.parse` of the same lines, with the values forgotten and with them kept, as every use
 * of them needs it. Each row is a separate process; times are of the processor.
 *
 *   npm run build && npm run bench:import
 *
 * Options: --megabytes 100 · --tools claude-code,codex · --corpus DIR (or PALIMPSEST_CORPUS: recorded sessions, of
 * which the long one is made; without it made-up ones) · --folder DIR · --dist DIR (`build/node_modules` of another
 * checkout, for before and after) · --cheap (10 MB) · --json.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { machine, ms, table } from "../figures.mjs";
import { writeRecording } from "./recording.mjs";

const { values: options } = parseArgs({
  options: {
    megabytes: { type: "string" },
    tools: { type: "string", default: "claude-code,codex" },
    corpus: { type: "string", default: process.env.PALIMPSEST_CORPUS ?? "" },
    folder: { type: "string", default: tmpdir() },
    dist: { type: "string" },
    cheap: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const bytes = Number(options.megabytes ?? (options.cheap ? 10 : 100)) * 1e6;
const dist =
  options.dist === undefined
    ? new URL("../../../../build/node_modules/", import.meta.url)
    : pathToFileURL(`${options.dist}/`);
const script = fileURLToPath(new URL("measure.mjs", import.meta.url));
const root = mkdtempSync(join(options.folder, "palimpsest-bench-import-"));
const results = [];
try {
  for (const tool of options.tools.split(",")) {
    const path = join(root, `${tool}.jsonl`);
    const size = writeRecording({ tool, corpus: options.corpus, path, bytes });
    const rows = {};
    for (const work of ["parse and forget", "parse and keep", "import"]) {
      rows[work] = JSON.parse(execFileSync(process.execPath, [script, dist.href, path, work]));
    }
    const share = (limit) => rows.import.cpuMs / rows[limit].cpuMs;
    const shares = { ofForgetting: share("parse and forget"), ofKeeping: share("parse and keep") };
    results.push({ tool, bytes: size, rows, ...shares });
    rmSync(path);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
if (options.json) console.log(JSON.stringify({ machine: machine(), results }, undefined, 2));
else print();

function print() {
  console.log(machine());
  console.log(options.corpus === "" ? "made-up sessions" : "recorded sessions");
  console.log(
    table([
      ["", "MB", "CPU ms", "of forgetting", "of keeping", "max RSS MB", "messages"],
      ...results.flatMap(({ tool, bytes: size, rows }) =>
        Object.entries(rows).map(([work, { cpuMs, maxRssMegabytes, messages }]) => [
          `${tool}: ${work}`,
          (size / 1e6).toFixed(0),
          ms(cpuMs),
          (cpuMs / rows["parse and forget"].cpuMs).toFixed(2),
          (cpuMs / rows["parse and keep"].cpuMs).toFixed(2),
          maxRssMegabytes.toFixed(0),
          messages ?? "",
        ]),
      ),
    ]),
  );
}
