/**
 * What does it cost to go on with a very long session?
 *
 * Claims: from asking for a session to having its first request takes milliseconds and little memory
 * where the last checkpoint is near the end, whatever lies before it; and where no checkpoint is left at
 * all, seconds, in memory that follows the window. Every run is a process of its own on the same bytes
 * (the log is cut back afterwards), so compiling is in the figures; the file is in the page cache.
 *
 *   npm run build && npm run bench:resume
 *
 * Options: --megabytes 1000 · --runs 20 · --folder DIR (which disk) · --dist DIR (another build) · --json.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
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
  options.dist === undefined ? new URL("../../dist/", import.meta.url) : pathToFileURL(`${options.dist}/`);
const library = new URL("entries/index.js", dist).href;
const resumeOnce = fileURLToPath(new URL("resume-once.mjs", import.meta.url));
const goOn = fileURLToPath(new URL("go-on.mjs", import.meta.url));

const folder = mkdtempSync(join(options.folder, "palimpsest-bench-resume-"));
const path = join(folder, `${SESSION}.jsonl`);
try {
  await writeLongLog({ library, folder, sessionId: SESSION, bytes: Number(options.megabytes) * 1_000_000 });
  const without = measure("no checkpoint", RUNS_WITHOUT_CHECKPOINT);
  // Goes on as an agent would, and is killed: checkpoints lie where the engine puts them.
  spawnSync(process.execPath, [goOn, library, folder, SESSION], { stdio: ["ignore", "inherit", "inherit"] });
  const rows = [measure("last checkpoint near the end", Number(options.runs)), without, bare()];
  if (options.json) console.log(JSON.stringify({ machine: machine(), rows }, undefined, 2));
  else print(rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measure(name, count) {
  const { size } = statSync(path);
  const behind = size - lastCheckpoint(size);
  warm();
  const runs = [];
  for (let index = 0; index < count; index++) {
    runs.push(run(resumeOnce));
    truncateSync(path, size);
  }
  return {
    name,
    bytes: size,
    bytesBehindCheckpoint: behind,
    runs: count,
    p50: median(runs.map(({ totalMs }) => totalMs)),
    p95: quantile(
      runs.map(({ totalMs }) => totalMs),
      0.95,
    ),
    openMs: median(runs.map(({ openMs }) => openMs)),
    prepareMs: median(runs.map(({ prepareMs }) => prepareMs)),
    againMs: median(runs.map(({ againMs }) => againMs)),
    rssMegabytes: Math.max(...runs.map(({ rssMegabytes }) => rssMegabytes)),
    messages: runs[0].messages,
  };
}

/** A process that reads nothing: what Node and the library take by themselves. */
function bare() {
  const runs = Array.from({ length: 3 }, () => run(resumeOnce, "bare"));
  return {
    name: "the library alone",
    rssMegabytes: Math.max(...runs.map(({ rssMegabytes }) => rssMegabytes)),
  };
}

/** Reads the file once, so that it is in the page cache. */
function warm() {
  execFileSync("cat", [path], { stdio: ["ignore", "ignore", "inherit"] });
}

function run(script, ...more) {
  const printed = execFileSync(process.execPath, [script, library, folder, SESSION, ...more], {
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  return printed.trim() === "" ? undefined : JSON.parse(printed);
}

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
        "p50 ms",
        "p95 ms",
        "open",
        "prepare",
        "open again",
        "max RSS MB",
      ],
      ...rows.map((row) => [
        row.name,
        row.bytes === undefined ? "" : (row.bytes / 1e6).toFixed(0),
        row.bytes === undefined ? "" : (row.bytesBehindCheckpoint / 1e6).toFixed(2),
        ms(row.p50),
        ms(row.p95),
        ms(row.openMs),
        ms(row.prepareMs),
        ms(row.againMs),
        row.rssMegabytes.toFixed(0),
      ]),
    ]),
  );
}
