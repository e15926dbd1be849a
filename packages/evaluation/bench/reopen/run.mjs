/**
 * Measures the cost of opening a long session again and asking for something far back in it.
 *
 * Rows: the first compaction after reopening, however the session ended and whatever was taken back since; the first
 * search, with and without files beside the log, and how large these files are; an old message and the window of an old call; the memory of a session that
 * was never searched (heap and typed arrays, without the code and whatever else the process keeps after another session).
 * The log is written through the store, and continued by the engine for some megabytes behind a
 * compaction and a search. Each row is a separate process on a separate copy; a stall is the longest time in which the
 * process had no turn.
 *
 *   npm run build && node packages/evaluation/bench/reopen/run.mjs
 *
 * Options: --megabytes 10,100 · --session FILE (a log to measure instead, such as a recorded session that was imported) ·
 * --folder DIR (which disk) · --rows NAME,NAME · --dist DIR (`build/node_modules` of another checkout) · --json.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { machine, ms, table } from "../figures.mjs";
import { writeLongLog } from "../resume/long-log.mjs";

const { values: options } = parseArgs({
  options: {
    megabytes: { type: "string", default: "10,100" },
    session: { type: "string" },
    folder: { type: "string", default: tmpdir() },
    rows: { type: "string" },
    dist: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const SESSION = "long";
/** The state of the copy that a row opens: continued and closed, continued and killed, or as the store wrote it. */
const ROWS = [
  { row: "compact after closing", left: "closed", work: "compact" },
  { row: "the same, in a process with other sessions", left: "closed", work: "compact-warm" },
  { row: "compact after a kill", left: "killed", work: "compact" },
  { row: "compact after a rewind", left: "closed", work: "rewind" },
  { row: "compact after an undo", left: "closed", work: "undo" },
  { row: "compact after a host edit", left: "closed", work: "host" },
  { row: "search", left: "closed", work: "search" },
  { row: "search for a string", left: "closed", work: "search-string" },
  { row: "search without derived files", left: "written", work: "search" },
  { row: "a parse of the log", left: "written", work: "parse" },
  { row: "derived files, bytes per character", left: "closed", work: "derived" },
  { row: "read an old message", left: "closed", work: "read" },
  { row: "window of an old call", left: "closed", work: "window" },
];
const wanted = options.rows?.split(",");
const dist =
  options.dist === undefined
    ? new URL("../../../../build/node_modules/", import.meta.url)
    : pathToFileURL(`${options.dist}/`);
const library = new URL("palimpsest/dist/entries/index.js", dist).href;
const script = fileURLToPath(new URL("measure.mjs", import.meta.url));
const root = mkdtempSync(join(options.folder, "palimpsest-bench-reopen-"));
const results = [];
try {
  const sizes = options.session === undefined ? options.megabytes.split(",") : ["recorded"];
  for (const size of sizes) await measureSize(size);
  const heap = JSON.parse(
    execFileSync(process.execPath, ["--expose-gc", script, library, root, "heap", "heap"]),
  );
  results.push({
    size: `${heap.megabytes.toFixed(0)} MB said`,
    row: "memory of an open session, MB per MB said",
    ...heap,
  });
} finally {
  rmSync(root, { recursive: true, force: true });
}
if (options.json) console.log(JSON.stringify({ machine: machine(), results }, undefined, 2));
else print();

async function measureSize(size) {
  const folders = Object.fromEntries(
    ["written", "closed", "killed"].map((left) => [left, join(root, size, left)]),
  );
  mkdirSync(folders.written, { recursive: true });
  if (options.session === undefined)
    await writeLongLog({
      library,
      folder: folders.written,
      sessionId: SESSION,
      bytes: Number(size) * 1e6,
      hasCheckpoints: true,
    });
  else copyFileSync(options.session, join(folders.written, `${SESSION}.jsonl`));
  for (const left of ["closed", "killed"]) {
    cpSync(folders.written, folders[left], { recursive: true });
    spawnSync(process.execPath, [script, library, folders[left], SESSION, left], { stdio: "inherit" });
  }
  const { size: bytes } = statSync(join(folders.closed, `${SESSION}.jsonl`));
  for (const { row, left, work } of ROWS) {
    if (wanted !== undefined && !wanted.some((name) => row.includes(name))) continue;
    const copy = join(root, "copy");
    cpSync(folders[left], copy, { recursive: true });
    const found = JSON.parse(execFileSync(process.execPath, [script, library, copy, SESSION, work]));
    rmSync(copy, { recursive: true, force: true });
    results.push({ size: `${(bytes / 1e6).toFixed(0)} MB`, row, ...found });
  }
  rmSync(join(root, size), { recursive: true, force: true });
}

function print() {
  console.log(machine());
  console.log(
    table([
      ["", "log", "ms", "CPU ms", "again ms", "stall ms", "max RSS MB", "share"],
      ...results.map(({ row, size, tookMs, cpuMs, againMs, stallMs, rssMegabytes, share }) => [
        row,
        size,
        figure(tookMs),
        figure(cpuMs),
        figure(againMs),
        figure(stallMs),
        rssMegabytes.toFixed(0),
        share?.toFixed(2) ?? "",
      ]),
    ]),
  );
}

/** JSON has no NaN: a row without the figure has `null`. */
function figure(value) {
  return ms(value ?? undefined);
}
