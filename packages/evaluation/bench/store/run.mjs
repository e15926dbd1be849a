/**
 * Measures the cost of the file store over the cost of the disk.
 *
 * Claims: an acknowledged append is a few microseconds over one bare write of the same bytes (numbering,
 * shape check, JSON, checksum); a durable append costs as much as `fdatasync`; opening reads the tail, so it
 * takes the same time however large the log is. All of it is measured in one run, in turn, in a temporary
 * folder that is removed at the end; compare the ratios, not the milliseconds of a machine. The store is
 * wired as `nodeSessions` wires it: with a lease and an index. Beside it are the session stores of other
 * libraries (`libraries.mjs`): LangGraph's SQLite saver and pi's session manager.
 *
 *   npm run build && npm ci --prefix packages/evaluation/bench/store && npm run bench:store
 *
 * Options: --megabytes 10,200 (sizes of the logs that are opened) · --peers none · --peer-megabytes 10,100 ·
 * --folder DIR (which disk) · --dist DIR (`build/node_modules` of another checkout) · --json (the figures
 * instead of the table).
 */
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { machine, median, ms, quantile, table } from "../figures.mjs";
import { measurePeers, PEERS, printPeers } from "./peers.mjs";

const { values: options } = parseArgs({
  options: {
    megabytes: { type: "string", default: "10,200" },
    peers: { type: "string", default: PEERS.join(",") },
    "peer-megabytes": { type: "string", default: "10,100" },
    folder: { type: "string", default: tmpdir() },
    dist: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const APPENDS = 20_000;
/** On a machine that does other things as well, the best of many medians says what the work takes. */
const BLOCK = 1_000;
const DURABLE_APPENDS = 500;
const OPENINGS = 25;
const ENTRY_CHARACTERS = 900;
const TAIL_BYTES = 1_000_000;
const MEGABYTE = 1_000_000;

const dist =
  options.dist === undefined
    ? new URL("../../../../build/node_modules/", import.meta.url)
    : pathToFileURL(`${options.dist}/`);
const [{ folderStore }, { randomIds }] = await Promise.all(
  ["palimpsest/dist/host/folder-store.js", "palimpsest/dist/stores/platform/node-ports.js"].map(
    (file) => import(new URL(file, dist).href),
  ),
);

const folder = mkdtempSync(join(options.folder, "palimpsest-bench-store-"));
const store = folderStore(folder);
try {
  const acknowledged = await compareAppends({ name: "acknowledged", count: APPENDS, isDurable: false });
  const durable = await compareAppends({ name: "durable", count: DURABLE_APPENDS, isDurable: true });
  const openings = [];
  for (const megabytes of options.megabytes.split(",").map(Number))
    openings.push(await timeOpening(megabytes));
  const peers = measurePeers({
    peers: options.peers === "none" ? [] : options.peers.split(","),
    folder,
    dist,
    megabytes: options["peer-megabytes"].split(",").map(Number),
    tell: (text) => console.error(text),
  });
  if (options.json)
    console.log(JSON.stringify({ machine: machine(), acknowledged, durable, openings, peers }, undefined, 2));
  else print({ acknowledged, durable, openings, peers });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Appends through the store and bare, in turn, so that both meet the same disk. */
async function compareAppends({ name, count, isDurable }) {
  const log = await store.create(name);
  const file = openSync(join(folder, `${name}.bare`), "a");
  const stored = [];
  const bare = [];
  // One filler for all: garbage made in between is collected while the store is timed.
  const filler = Buffer.alloc(2 * ENTRY_CHARACTERS, "x");
  let previousBytes = 0;
  let parentId;
  for (let seq = 1; seq <= count; seq++) {
    const entry = anEntry(seq, parentId);
    parentId = entry.id;
    const storedFrom = performance.now();
    await log.append([entry]);
    if (isDurable) await log.sync();
    stored.push(performance.now() - storedFrom);

    const bytes = filler.subarray(0, log.bytesWritten() - previousBytes);
    previousBytes = log.bytesWritten();
    const bareFrom = performance.now();
    writeSync(file, bytes);
    if (isDurable) fdatasyncSync(file);
    bare.push(performance.now() - bareFrom);
  }
  await log.close();
  closeSync(file);
  return { count, stored: spread(stored), bare: spread(bare), ratio: median(stored) / median(bare) };
}

/** Opens a log of this size and reads its tail, beside a bare read of as many bytes and parsing them. */
async function timeOpening(megabytes) {
  const name = `log-${megabytes}`;
  await writeLog(name, megabytes * MEGABYTE);
  const stored = [];
  const bare = [];
  let entries = 0;
  for (let index = 0; index < OPENINGS; index++) {
    const from = performance.now();
    const log = await store.open(name);
    const tail = await log.readTail();
    stored.push(performance.now() - from);
    entries = tail.entries.length;
    await log.close();
    bare.push(readBare(join(folder, `${name}.jsonl`)));
  }
  return {
    megabytes,
    entries,
    stored: spread(stored),
    bare: spread(bare),
    ratio: median(stored) / median(bare),
  };
}

/** A log with one checkpoint, `TAIL_BYTES` before its end. */
async function writeLog(name, bytes) {
  const log = await store.create(name);
  let seq = 0;
  let hasCheckpoint = false;
  while (log.bytesWritten() < bytes) {
    const isTail = log.bytesWritten() >= bytes - TAIL_BYTES;
    if (isTail && !hasCheckpoint) {
      hasCheckpoint = true;
      const line = [{ from: 1, to: seq }];
      await log.append([
        { ...anEntry(++seq), ...{ type: "checkpoint", runs: [], line, undone: [], pins: [] } },
      ]);
    }
    await log.append(Array.from({ length: 50 }, () => anEntry(++seq)));
  }
  await log.close();
}

function readBare(path) {
  const from = performance.now();
  const file = openSync(path, "r");
  const { size } = statSync(path);
  const bytes = Buffer.alloc(TAIL_BYTES);
  readSync(file, bytes, 0, TAIL_BYTES, size - TAIL_BYTES);
  closeSync(file);
  const lines = bytes.toString("utf8").split("\n").slice(1, -1);
  for (const line of lines) JSON.parse(line.slice(line.indexOf("{")));
  return performance.now() - from;
}

/** The fields that the engine makes, in their order: with any other, they are copied before they are written. */
function anEntry(seq, parentId) {
  const text = `line ${seq}: const value = compute(${seq});\n`.repeat(40).slice(0, ENTRY_CHARACTERS);
  const content = [{ type: "text", text }];
  return {
    type: "message",
    seq,
    id: randomIds.entryId(),
    ...(parentId !== undefined && { parentId }),
    v: 1,
    at: 1_750_000_000_000 + seq,
    role: "user",
    origin: "user",
    content,
  };
}

function spread(times) {
  const blocks = [];
  for (let from = 0; from < times.length; from += BLOCK) blocks.push(median(times.slice(from, from + BLOCK)));
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), best: quantile(blocks, 0) };
}

function print({ acknowledged, durable, openings, peers }) {
  const row = (what, { stored, bare, ratio }) => [
    what,
    ms(stored.p50),
    ms(stored.p99),
    ms(bare.p50),
    ms(bare.p99),
    ratio.toFixed(1),
  ];
  console.log(`The file store, milliseconds. ${machine()}. Folder on ${options.folder}.`);
  console.log(
    `Load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(", ")}.\n`,
  );
  console.log(
    table([
      ["", "store p50", "p99", "bare p50", "p99", "ratio of p50"],
      row(`append one 1 KB entry, acknowledged (${acknowledged.count})`, acknowledged),
      row(`append one 1 KB entry, durable (${durable.count})`, durable),
      ...openings.map((one) =>
        row(`open a log of ${one.megabytes} MB, read its last 1 MB (${OPENINGS})`, one),
      ),
    ]),
  );
  const { stored, bare } = acknowledged;
  console.log(
    `\nAn acknowledged append takes ${(stored.best * 1_000).toFixed(1)} µs in the best ${BLOCK} in a row (median), ` +
      `the bare write ${(bare.best * 1_000).toFixed(1)} µs.`,
  );
  printPeers(peers);
}
