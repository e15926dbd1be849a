/**
 * Measures the cost of resuming a very long session.
 *
 * Claims: from opening a session to its first request takes milliseconds and little memory if the last
 * checkpoint is near the end, whatever lies before it; and if no checkpoint is left at all, seconds, in
 * memory that follows the window. The file is in the page cache, and is cut to its original size after each
 * run. Runs in one process show the work; a separate process for each shows the cost of a command with a cold
 * start.
 *
 *   npm run build && npm run bench:resume
 *
 * Options: --megabytes 1000 · --runs 20 · --folder DIR (which disk) · --dist DIR (`build/node_modules` of
 * another checkout) · --json.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { machine, median, ms, quantile, table } from "../figures.mjs";
import { writeLongLog } from "./long-log.mjs";

const { values: options } = parseArgs({
  options: {
    megabytes: { type: "string", default: "1000" },
    runs: { type: "string", default: "20" },
    folder: { type: "string", default: tmpdir() },
    dist: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const RUNS_WITHOUT_CHECKPOINT = 3;
const SESSION = "long";

const dist =
  options.dist === undefined
    ? new URL("../../../../build/node_modules/", import.meta.url)
    : pathToFileURL(`${options.dist}/`);
const library = new URL("palimpsest/dist/entries/index.js", dist).href;
const script = (name) => fileURLToPath(new URL(name, import.meta.url));
const runCount = Number(options.runs);

const folder = mkdtempSync(join(options.folder, "palimpsest-bench-resume-"));
const path = join(folder, `${SESSION}.jsonl`);
try {
  await writeLongLog({ library, folder, sessionId: SESSION, bytes: Number(options.megabytes) * 1_000_000 });
  const without = measure("no checkpoint", { processes: RUNS_WITHOUT_CHECKPOINT, runs: 1 });
  // Goes on as an agent would, and is killed: checkpoints lie where the engine puts them.
  spawnSync(process.execPath, [script("go-on.mjs"), library, folder, SESSION], { stdio: "inherit" });
  const rows = [
    measure("last checkpoint near the end", { processes: 1, runs: runCount }),
    measure("the same, a process for each run", { processes: runCount, runs: 1 }),
    without,
    { name: "the library alone", rssMegabytes: resume(0).rssMegabytes },
  ];
  if (options.json) console.log(JSON.stringify({ machine: machine(), rows }, undefined, 2));
  else print(rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measure(name, { processes, runs }) {
  const { size } = statSync(path);
  // Once, so that it is in the page cache.
  execFileSync("cat", [path], { stdio: ["ignore", "ignore", "inherit"] });
  const results = Array.from({ length: processes }, () => resume(runs));
  const all = results.flatMap((result) => result.runs);
  const totals = all.map(({ totalMs }) => totalMs);
  return {
    name,
    bytes: size,
    bytesBehindCheckpoint: size - lastCheckpoint(size),
    runs: all.length,
    p50: median(totals),
    p95: quantile(totals, 0.95),
    openP50: median(all.map(({ openMs }) => openMs)),
    rssMegabytes: Math.max(...results.map((result) => result.rssMegabytes)),
    messages: all[0].messages,
  };
}

function resume(count) {
  const command = [script("resume-runs.mjs"), library, folder, SESSION, String(count)];
  return JSON.parse(execFileSync(process.execPath, command, { encoding: "utf8" }));
}

/** The start of the last checkpoint; 0 if the last megabytes hold none. */
function lastCheckpoint(size) {
  const tailBytes = Math.min(size, 16_000_000);
  const tail = execFileSync("tail", ["-c", String(tailBytes), path], { maxBuffer: 2 * tailBytes });
  const found = tail.lastIndexOf('"type":"checkpoint",');
  return found === -1 ? 0 : size - tailBytes + found;
}

function print(rows) {
  console.log(machine());
  console.log(
    table([
      [
        "",
        "MB",
        "MB behind the last checkpoint",
        "runs",
        "p50 ms",
        "p95 ms",
        "of it open",
        "messages",
        "max RSS MB",
      ],
      ...rows.map((row) => [
        row.name,
        megabytes(row.bytes),
        megabytes(row.bytesBehindCheckpoint),
        row.runs ?? "",
        ms(row.p50),
        ms(row.p95),
        ms(row.openP50),
        row.messages ?? "",
        row.rssMegabytes.toFixed(0),
      ]),
    ]),
  );
}

function megabytes(bytes) {
  return bytes === undefined ? "" : (bytes / 1e6).toFixed(2);
}
