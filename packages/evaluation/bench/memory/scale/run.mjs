/**
 * Measures what long-term memory costs with very many files on a real disk: a recall end to end, the first one of a
 * process, `remember` beside what its syncs take, the time until an edit by another program is seen, and the longest
 * time for which others had no turn.
 *
 *   npm run build && node packages/evaluation/bench/memory/scale/run.mjs
 *
 * Options: --files 10000,100000 · --folder DIR (on the disk to measure; default the system's for temporary files) ·
 * --dist DIR (`build/node_modules` of another checkout) · --check (small, and fails if a recall of ten times as many files costs
 * more than four times the processor's time) · --json.
 *
 * Beside each time is the processor's: on a busy machine a process mostly waits.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { machine, ms, quantile, table } from "../../figures.mjs";

const root = new URL("../../../../../", import.meta.url);
const { values: options } = parseArgs({
  options: {
    files: { type: "string" },
    folder: { type: "string", default: tmpdir() },
    dist: { type: "string" },
    check: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    part: { type: "string" },
    memories: { type: "string" },
  },
});
const dist =
  options.dist === undefined ? new URL("build/node_modules/", root) : pathToFileURL(`${options.dist}/`);
const load = (file) => import(new URL(file, dist).href);
const FILES = options.files ?? (options.check ? "1000,10000" : "10000,100000");
const WORDS_COUNT = 40_000;
const RECALLS_COUNT = 300;
const REMEMBERS_COUNT = 30;
/** Past the time in which a file's state is taken for the last one. */
const SETTLED_MS = 2_500;

function run() {
  const rows = FILES.split(",").map((count) => measure(Number(count)));
  if (options.json) console.log(JSON.stringify(rows, undefined, 2));
  else {
    console.log(
      `Made-up memories of about 43 words, each a file; ${machine()}. Times in ms, in brackets of the processor.\n`,
    );
    const heads = [
      "files",
      "first ever",
      "first",
      "recall p50",
      "p99",
      "max",
      "remember",
      "x its syncs",
      "edit seen",
      "longest turn",
      "MB",
    ];
    console.log(table([heads, ...rows.map(rowOf)]));
  }
  if (!options.check) return;
  const [few, many] = rows;
  const growth = many.warm.cpuMs / few.warm.cpuMs;
  console.log(
    `\nA recall of ${many.count / few.count} times as many files costs ${growth.toFixed(1)} times as much.`,
  );
  if (growth > 4) process.exit(1);
}

function rowOf({ count, build, warm }) {
  const { first, p50, p99, max, cpuMs, remember, seenMs, longestMs, rssMb } = warm;
  return [
    count.toLocaleString("en"),
    `${ms(build.first.ms)} (${ms(build.first.cpuMs)})`,
    `${ms(first.ms)} (${ms(first.cpuMs)})`,
    `${ms(p50)} (${ms(cpuMs)})`,
    ...[p99, max].map(ms),
    `${ms(remember.ms)} (${ms(remember.cpuMs)})`,
    remember.ofSyncs.toFixed(2),
    ms(seenMs),
    ms(longestMs),
    rssMb.toFixed(0),
  ];
}

/** Each part in another process: first one that reads all files, then one that finds the saved index. */
function measure(count) {
  const folder = mkdtempSync(join(options.folder, "palimpsest-scale-"));
  try {
    const memories = join(folder, "memory");
    makeFiles(memories, count);
    const part = (name) => {
      const given = ["--part", name, "--memories", memories, "--files", String(count)];
      const self = fileURLToPath(import.meta.url);
      const passed = options.dist === undefined ? [] : ["--dist", options.dist];
      const { stdout, stderr, status } = spawnSync(process.execPath, [self, ...given, ...passed], {
        maxBuffer: 1e8,
      });
      if (status !== 0) throw new Error(String(stderr));
      return JSON.parse(String(stdout));
    };
    return { count, build: part("build"), warm: part("warm") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measurePart(part) {
  const folder = options.memories;
  const texts = madeUp(Number(options.files));
  const { fileMemoryStore } = await load("palimpsest/dist/stores/files/memory/file-memory-store.js");
  const { confinedFileSystem } = await load("palimpsest/dist/stores/platform/confined-file-system.js");
  const ports = await load("palimpsest/dist/stores/platform/node-ports.js");
  const { createMemory } = await load("palimpsest/dist/host/create-memory.js");
  const { nodeProcess } = await load("palimpsest/dist/stores/platform/node-process.js");
  const syncs = new SyncTimes();
  const { systemClock: clock, systemTimer: timer, nodeHasher: hasher, randomIds: ids } = ports;
  const fs = syncs.wrap(confinedFileSystem(folder));
  const lease = { clock, timer, process: nodeProcess };
  const store = fileMemoryStore({ folder, fs, hasher, ids, clock, lease });
  const memory = createMemory({ store });
  const turns = monitorEventLoopDelay({ resolution: 1 });
  turns.enable();
  const first = await timed(() => memory.recall(texts.query()));
  if (part === "build") {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    await memory.close();
    return { first };
  }
  for (let at = 0; at < 20; at++) await memory.recall(texts.query());
  const recalls = [];
  for (let at = 0; at < RECALLS_COUNT; at++) {
    const query = texts.query();
    recalls.push(await timed(() => memory.recall(query)));
  }
  turns.disable();
  const seenMs = await timeUntilSeen(memory, folder);
  const remembered = [];
  for (let at = 0; at < REMEMBERS_COUNT; at++) {
    const fact = `${texts.query()} quokka${at}`;
    const before = syncs.ms;
    const time = await timed(() => memory.remember(fact, { source: "user" }));
    remembered.push({ ...time, syncMs: syncs.ms - before });
  }
  await memory.close();
  const wall = recalls.map(({ ms: one }) => one);
  const middle = (all) => quantile(all, 0.5);
  return {
    first,
    p50: middle(wall),
    p99: quantile(wall, 0.99),
    max: Math.max(...wall),
    cpuMs: middle(recalls.map(({ cpuMs }) => cpuMs)),
    remember: {
      ms: middle(remembered.map(({ ms: one }) => one)),
      cpuMs: middle(remembered.map(({ cpuMs }) => cpuMs)),
      ofSyncs: middle(remembered.map(({ ms: one, syncMs }) => one / syncMs)),
    },
    seenMs,
    longestMs: turns.max / 1e6,
    rssMb: process.memoryUsage().rss / 1e6,
  };
}

async function timed(work) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { ms: wallMs, cpuMs: (user + system) / 1_000 };
}

/** Another process changes a file; recalls go on until one finds it. */
async function timeUntilSeen(memory, folder) {
  const path = join(folder, "m5.md");
  appendFileSync(path, "The xylophonist rehearses on Thursdays.\n");
  const started = performance.now();
  for (;;) {
    const { memories } = await memory.recall("xylophonist rehearses", { isLogged: false });
    if (memories.some(({ path: found }) => found === "m5.md")) return performance.now() - started;
  }
}

/** The time in which at least one sync of the store was under way. */
class SyncTimes {
  ms = 0;
  #count = 0;
  #startedMs = 0;

  wrap(fs) {
    const during = (work) => this.#during(work);
    const wrapped = (target, overrides) =>
      new Proxy(target, {
        get: (of, name) => {
          if (name in overrides) return overrides[name];
          const value = Reflect.get(of, name);
          return typeof value === "function" ? value.bind(of) : value;
        },
      });
    return wrapped(fs, {
      syncDirectory: (path) => during(() => fs.syncDirectory(path)),
      open: (path, mode) => {
        const file = fs.open(path, mode);
        return mode === "read" ? file : wrapped(file, { sync: () => during(() => file.sync()) });
      },
    });
  }

  async #during(work) {
    if (this.#count++ === 0) this.#startedMs = performance.now();
    try {
      return await work();
    } finally {
      if (--this.#count === 0) this.ms += performance.now() - this.#startedMs;
    }
  }
}

function makeFiles(folder, count) {
  mkdirSync(folder, { recursive: true });
  const { text } = madeUp(count);
  for (let at = 0; at < count; at++)
    writeFileSync(
      join(folder, `m${at}.md`),
      `---\nname: ${text(4)}\ndescription: ${text(9)}\ntype: project\ncreatedAt: 2026-03-02T09:15:00.000Z\nsource: user\n---\n\n${text(30)}\n`,
    );
}

/** Words by Zipf's law. */
function madeUp(seed) {
  let state = seed;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (state + 1) / 2_147_483_649;
  };
  const letters = "etaoinshrdlcumwfgypbvk";
  const word = () =>
    Array.from({ length: 3 + Math.floor(random() * 7) }, () => letters[Math.floor(random() * 22)]).join("");
  const words = Array.from({ length: WORDS_COUNT }, word);
  const text = (length) =>
    Array.from(
      { length },
      () => words[Math.max(0, Math.floor(Math.exp(random() * Math.log(WORDS_COUNT))) - 1)],
    ).join(" ");
  return { text, query: () => text(3 + Math.floor(random() * 8)) };
}

if (options.part !== undefined) console.log(JSON.stringify(await measurePart(options.part)));
else run();
