/**
 * Measures the size of a session on disk beside the JSON of its messages.
 *
 * Each recorded session is lived through call by call in each window, and then its whole folder is weighed
 * (log, blobs, checkpoints, digest, lease, index), by type of entry, as it lies there: long edits are packed
 * in their lines, and so are blobs in their files. Edits that compaction makes are text that was not there
 * before, and the smaller the window the more of it there is. The aim is 1.15 × in all; the tables show the
 * remaining gap. Below them stand made-up sessions of short turns, which need no recordings.
 *
 *   npm run build && npm run bench:disk
 *
 * Options: --windows 200000,32000:4000 (sizes, each with the prompt to assume; without one the recorded prompt;
 * where that does not fit, the session is left out) · --corpus DIR (or PALIMPSEST_CORPUS) · --only PART-OF-A-NAME · --dist DIR
 * (`build/node_modules` of another checkout) · --turns 2000,1000,300 (characters of a turn) · --json.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { table } from "../figures.mjs";
import { importerOf } from "../import-recording.mjs";
import { weighTurns } from "./turns.mjs";

const { values: options } = parseArgs({
  options: {
    windows: { type: "string", default: "200000,32000:4000" },
    corpus: { type: "string", default: process.env.PALIMPSEST_CORPUS ?? "" },
    only: { type: "string", default: "" },
    dist: { type: "string" },
    turns: { type: "string", default: "2000,1000,300" },
    json: { type: "boolean", default: false },
  },
});
/** In a session that small, the header alone is a tenth. */
const LEAST_BYTES = 20_000;
const WORST_SHOWN = 5;
const EDITS = "edit";

if (options.corpus === "")
  console.error("There are no recorded sessions: name their folder with --corpus or PALIMPSEST_CORPUS.");
const dist =
  options.dist === undefined
    ? new URL("../../../../build/node_modules/", import.meta.url)
    : pathToFileURL(`${options.dist}/`);
const load = (file) => import(new URL(file, dist).href);
const importFile = await importerOf(load);
const { replaySession } = await load("palimpsest-cli/dist/replay/replay-session.js");

const windows = options.windows.split(",").map((window) => {
  const [windowTokens, fixedTokens] = window.split(":").map(Number);
  return { windowTokens, fixedTokens };
});
const temp = mkdtempSync(join(tmpdir(), "palimpsest-bench-disk-"));
const weighed = [];
try {
  if (options.corpus !== "") for (const path of recordings()) await weighFile(path);
} finally {
  rmSync(temp, { recursive: true, force: true });
}
const palimpsest = await load("palimpsest/dist/entries/index.js");
const turns = [];
for (const characters of options.turns.split(",").map(Number))
  turns.push(await weighTurns(palimpsest, characters));
if (options.json) console.log(JSON.stringify({ weighed, turns }, undefined, 2));
else {
  if (weighed.length > 0) print();
  console.log("\nBytes on the disk for each character said, 1,000 turns in a window of 32000 tokens.\n");
  const figure = (value) => value.toFixed(2);
  console.log(
    table([
      ["characters of a turn", "log and blobs", "derived files"],
      ...turns.map(({ characters, log, derived }) => [String(characters), figure(log), figure(derived)]),
    ]),
  );
}

function recordings() {
  const folder = join(options.corpus, "trajectories");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.jsonl?(?:\.gz)?$/.test(name) && name.includes(options.only))
    .sort()
    .map((name) => join(folder, name));
}

async function weighFile(path) {
  const { sessions } = await importFile(path);
  for (const [index, imported] of sessions.entries()) {
    const messages = imported.items.filter(({ type }) => type === "message");
    const messageBytes = messages.reduce((sum, { message }) => sum + byteLength(message), 0);
    if (messageBytes < LEAST_BYTES) continue;
    const stem = basename(path).replace(/\.jsonl?(?:\.gz)?$/, "");
    const name = sessions.length === 1 ? stem : `${stem}#${index + 1}`;
    console.error(`${name} …`);
    for (const window of windows) {
      const weights = await weigh(imported, { path, ...window });
      if (weights === undefined)
        console.error(`  left out: its prompt does not fit ${window.windowTokens} tokens`);
      else weighed.push({ name, windowTokens: window.windowTokens, messageBytes, ...weights });
    }
  }
}

async function weigh(imported, { path, windowTokens, fixedTokens }) {
  const folder = mkdtempSync(join(temp, "session-"));
  const { signal } = new AbortController();
  const recording = { file: basename(path), imported, folder };
  const task = { ...recording, windowTokens, fixedTokens, signal, onProgress: () => undefined };
  const { type, result } = await replaySession(task);
  if (type === "failed" && result.error.code === "WINDOW_TOO_SMALL") return undefined;
  if (type === "failed") throw new Error(`${path}: ${JSON.stringify(result.error)}`);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => ({ name, stat: statSync(join(folder, name)) }))
    .filter(({ stat }) => stat.isFile());
  const log = files.find(({ name }) => name.endsWith(".jsonl") && !name.startsWith("."));
  const parts = byType(join(folder, log.name));
  for (const { name, stat } of files) {
    if (name === log.name) continue;
    const kind = name.includes("blobs") ? "blobs" : "other files";
    parts[kind] = (parts[kind] ?? 0) + stat.size;
  }
  rmSync(folder, { recursive: true });
  const bytes = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { bytes, parts, layers: result.layers };
}

function byType(path) {
  const parts = {};
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line === "") continue;
    const { type } = JSON.parse(line);
    parts[type] = (parts[type] ?? 0) + Buffer.byteLength(line) + 1;
  }
  return parts;
}

function byteLength(value) {
  return Buffer.byteLength(JSON.stringify(value));
}

function print() {
  const sum = (list, value) => list.reduce((total, one) => total + value(one), 0);
  for (const { windowTokens } of windows) {
    const sessions = weighed.filter((one) => one.windowTokens === windowTokens);
    const messageBytes = sum(sessions, (one) => one.messageBytes);
    const types = [...new Set(sessions.flatMap(({ parts }) => Object.keys(parts)))];
    const share = (part, whole) => (part / whole).toFixed(3);
    const total = sum(sessions, ({ bytes }) => bytes);
    console.log(
      `\nWindow of ${windowTokens} tokens: ${sessions.length} sessions, ${(messageBytes / 1e6).toFixed(1)} MB of messages, ` +
        `${(total / messageBytes).toFixed(3)} × on the disk.\n`,
    );
    const worst = sessions.toSorted((one, other) => ratio(other) - ratio(one)).slice(0, WORST_SHOWN);
    const heavy = types
      .map((type) => ({ type, bytes: sum(sessions, ({ parts }) => parts[type] ?? 0) }))
      .toSorted((one, other) => other.bytes - one.bytes);
    console.log(
      table([
        ["× message JSON", "all", ...worst.map(({ name }) => name)],
        [
          "messages, KB",
          (messageBytes / 1e3).toFixed(0),
          ...worst.map((one) => (one.messageBytes / 1e3).toFixed(0)),
        ],
        ["all files", share(total, messageBytes), ...worst.map((one) => ratio(one).toFixed(3))],
        [
          "without edits",
          share(total - sum(sessions, ({ parts }) => parts[EDITS] ?? 0), messageBytes),
          ...worst.map((one) => share(one.bytes - (one.parts[EDITS] ?? 0), one.messageBytes)),
        ],
        ...heavy.map(({ type, bytes }) => [
          type,
          share(bytes, messageBytes),
          ...worst.map((one) => share(one.parts[type] ?? 0, one.messageBytes)),
        ]),
      ]),
    );
  }
}

function ratio({ bytes, messageBytes }) {
  return bytes / messageBytes;
}
