/**
 * Measures how long the library keeps a process waiting.
 *
 * Claim: no call, and nothing that is done between calls, stops the event loop for long, however long the session
 * is, however large a tool's result, and however many sessions one process has. Times of calls are those that the
 * caller waits; stalls are delays of a timer (`monitorEventLoopDelay`), whatever caused them: the bench's own work
 * and garbage collection are in them, and idle work too. The limit beside them is the same run with the sessions
 * left out, and for files a bare write of the same bytes with its sync.
 *
 *   npm run build && npm run bench:stalls
 *
 * Options: --only calls,session,result,many,think · --sizes 100,1000,10000,50000 · --calls 300 · --idle 50 (the
 * milliseconds between `record` and the next input) · --sessions 1000 · --corpus DIR (or PALIMPSEST_CORPUS: recorded
 * sessions; without it made-up ones) · --dist DIR (`build/node_modules` of another checkout, for before and after) ·
 * --cheap (small, a few seconds) · --json.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { machine, ms, quantile, table } from "../figures.mjs";
import { Life, openPlace } from "./live.mjs";
import { histogram, watchStalls } from "./stall-watch.mjs";
import { bigResult, madeUp, readRecordings, recorded } from "./steps.mjs";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "calls,session,result,many,think" },
    sizes: { type: "string" },
    calls: { type: "string" },
    idle: { type: "string", default: "50" },
    sessions: { type: "string" },
    corpus: { type: "string", default: process.env.PALIMPSEST_CORPUS ?? "" },
    dist: { type: "string" },
    cheap: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const { cheap } = options;
const sizes = (options.sizes ?? (cheap ? "100,1000" : "100,1000,10000,50000")).split(",").map(Number);
const callCount = Number(options.calls ?? (cheap ? 40 : 300));
const idleMs = Number(options.idle);
const manyCount = Number(options.sessions ?? (cheap ? 50 : 1_000));
const sessionTokens = cheap ? 60_000 : 600_000;
const only = new Set(options.only.split(","));
const dist =
  options.dist === undefined
    ? new URL("../../../../build/node_modules/", import.meta.url)
    : pathToFileURL(`${options.dist}/`);
const load = (file) => import(new URL(file, dist).href);
const palimpsest = await load("palimpsest/dist/entries/index.js");
const recordings = options.corpus === "" ? [] : await readRecordings(options.corpus, load);
if (options.corpus !== "" && recordings.length === 0) {
  console.error(`None of the recordings that this bench uses is in ${options.corpus}.`);
  process.exit(1);
}
const what = recordings.length > 0 ? "recorded" : "made-up";
const stepsOf = (number) =>
  recordings.length > 0 ? recorded(recordings, number % recordings.length) : madeUp(1 + number);

const tell = (text) => console.error(text);
const found = { machine: machine(), what };
await warmUp();
if (only.has("calls")) found.calls = await measureCalls();
if (only.has("session")) found.session = await measureSession();
if (only.has("result")) found.result = await measureResults();
if (only.has("many")) found.many = await measureMany();
if (only.has("think")) found.think = await measureThinking();
if (options.json) console.log(JSON.stringify(found, undefined, 2));
else print();

async function warmUp() {
  const life = new Life(await openPlace(palimpsest, "memory").create(), stepsOf(0));
  while (life.messages < 600) await life.step();
  await life.session.close();
}

function triple(values) {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99), max: quantile(values, 1) };
}

/** Single calls in sessions of about `size` messages, with idle time before each and without. */
async function measureCalls() {
  const rows = [];
  for (const size of sizes) {
    for (const thinkMs of [idleMs, undefined]) {
      tell(`calls at ${size} messages, ${thinkMs === undefined ? "back to back" : "between calls"} …`);
      const timed = [];
      let stalls;
      for (let number = 0; timed.length < callCount; number++) {
        const life = new Life(await openPlace(palimpsest, "memory").create(), stepsOf(number));
        while (life.messages < size) await life.step({ think: breathe });
        const most = Math.min(callCount - timed.length, Math.max(20, Math.ceil(size / 5)));
        const watched = await watchStalls(async () => {
          for (let call = 0; call < most; call++) timed.push(await life.step({ thinkMs }));
        });
        if (stalls === undefined || watched.stalls.max > stalls.max) stalls = watched.stalls;
        await life.session.close();
      }
      rows.push({
        size,
        mode: thinkMs === undefined ? "back to back" : "between calls",
        rewrites: timed.filter(({ kinds }) => kinds.length > 0).length,
        calls: timed.length,
        prepareMs: triple(timed.map(({ prepareMs }) => prepareMs)),
        turnMs: triple(timed.map(({ turnMs }) => turnMs)),
        stalls,
      });
    }
  }
  return rows;
}

/** One long session from beginning to end. */
async function measureSession() {
  const rows = [];
  const places = [
    ["memory", undefined],
    ["files", "process"],
    ["files", "durable"],
  ];
  for (const [store, durability] of places) {
    for (const thinkMs of [undefined, cheap ? 5 : idleMs]) {
      tell(`a session of ${sessionTokens} tokens, ${store} ${durability ?? ""} …`);
      const place = openPlace(palimpsest, store, durability);
      const life = new Life(await place.create(), stepsOf(0));
      const timed = [];
      const cpuFrom = process.cpuUsage();
      const { stalls } = await watchStalls(async () => {
        while (life.tokens < sessionTokens) timed.push(await life.step({ thinkMs }));
        await life.session.close();
      });
      const { user, system } = process.cpuUsage(cpuFrom);
      place.remove();
      rows.push({
        store: durability === undefined ? store : `${store}, ${durability}`,
        mode: thinkMs === undefined ? "back to back" : "between calls",
        rewrites: life.rewrites,
        prepareMs: triple(timed.map(({ prepareMs }) => prepareMs)),
        turnMs: triple(timed.map(({ turnMs }) => turnMs)),
        stalls,
        tokensPerCpuSecond: life.tokens / ((user + system) / 1e6),
      });
    }
  }
  return rows;
}

/** A tool result of some megabytes, taken in and sent. */
async function measureResults() {
  const rows = [];
  for (const store of ["memory", "files"])
    for (const megabytes of cheap ? [1] : [1, 10]) {
      tell(`a result of ${megabytes} MB, ${store} …`);
      const maxima = [];
      let stalls;
      for (let run = 0; run < 5; run++) {
        const place = openPlace(palimpsest, store);
        const session = await place.create();
        const call = { type: "tool_use", id: "big", name: "Bash", input: { command: "make" } };
        await session.append("Build it.");
        await session.prepare({ model: "claude-opus-4-5" });
        await session.record({ messages: [{ role: "assistant", content: [call] }] });
        const result = bigResult(megabytes * 1e6, "big");
        const watched = await watchStalls(async () => {
          await session.append([result]);
          await session.prepare({ model: "claude-opus-4-5" });
          await sleep(cheap ? 20 : 300);
        });
        maxima.push(watched.stalls.max);
        stalls = watched.stalls;
        await session.close();
        place.remove();
      }
      rows.push({ store, megabytes, longestMs: quantile(maxima, 0.5), stalls });
    }
  return rows;
}

/** Very many sessions in one process, each going on as soon as it can. */
async function measureMany() {
  const rows = [];
  const steps = 12;
  for (const store of ["memory", "files"]) {
    tell(`${manyCount} sessions back to back, ${store} …`);
    const place = openPlace(palimpsest, store, "process");
    const lives = await Promise.all(
      Array.from({ length: manyCount }, async (_, number) => new Life(await place.create(), stepsOf(number))),
    );
    const { stalls } = await watchStalls(() =>
      Promise.all(
        lives.map(async (life) => {
          for (let step = 0; step < steps; step++) await life.step();
        }),
      ),
    );
    for (const { session } of lives) await session.close();
    place.remove();
    rows.push({ store, sessions: manyCount, stalls });
  }
  return rows;
}

/** A hundred agents whose models think for half a second, everything durable; beside it, bare writes with a sync. */
async function measureThinking() {
  const count = cheap ? 10 : 100;
  const forMs = cheap ? 2_000 : 20_000;
  const thinkMs = 500;
  tell(`${count} sessions that think for ${thinkMs} ms, files …`);
  const place = openPlace(palimpsest, "files", "durable");
  const lives = await Promise.all(
    Array.from({ length: count }, async (_, number) => new Life(await place.create(), stepsOf(number))),
  );
  const turns = [];
  const end = performance.now() + forMs;
  const { stalls } = await watchStalls(() =>
    Promise.all(
      lives.map(async (life, index) => {
        await sleep((index * thinkMs) / count);
        while (performance.now() < end) turns.push((await life.step({ thinkMs })).turnMs);
      }),
    ),
  );
  for (const { session } of lives) await session.close();
  place.remove();
  return [
    { sessions: count, turns: turns.length, turnMs: triple(turns), stalls, syncMs: triple(bareSyncs()) },
  ];
}

function bareSyncs() {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-sync-"));
  const file = openSync(join(folder, "file"), "a");
  const times = Array.from({ length: 50 }, () => {
    const from = performance.now();
    writeSync(file, `${"x".repeat(4_000)}\n`);
    fsyncSync(file);
    return performance.now() - from;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return times;
}

function print() {
  const three = ({ p50, p99, max }) => [ms(p50), ms(p99), ms(max)];
  console.log(`Stalls, milliseconds. ${found.machine}. Sessions: ${what}.\n`);
  const section = (title, head, rows, cells) => {
    if (rows === undefined) return;
    console.log(`${title}\n`);
    console.log(table([["", ...head], ...rows.map(cells)]));
    for (const row of rows) console.log(`  ${cells(row)[0]}: ${histogram(row.stalls)}`);
    console.log("");
  };
  const times = ["prepare p50", "p99", "max", "append + prepare + record p50", "p99", "max"];
  const loop = ["loop p99", "longest"];
  section(
    "Calls by length of the session, in memory",
    ["calls", "rewrites", ...times, ...loop],
    found.calls,
    ({ size, mode, calls, rewrites, prepareMs, turnMs, stalls }) => [
      `${size} messages, ${mode}`,
      ...[calls, rewrites, ...three(prepareMs), ...three(turnMs), ms(stalls.p99), ms(stalls.max)],
    ],
  );
  section(
    `A session of ${sessionTokens} tokens`,
    ["rewrites", ...times, ...loop, "tokens per CPU-second"],
    found.session,
    ({ store, mode, rewrites, prepareMs, turnMs, stalls, tokensPerCpuSecond }) => [
      `${store}, ${mode}`,
      ...[rewrites, ...three(prepareMs), ...three(turnMs), ms(stalls.p99), ms(stalls.max)],
      Math.round(tokensPerCpuSecond),
    ],
  );
  section("A large tool result", ["longest stall (median of 5)"], found.result, (row) => [
    `${row.megabytes} MB, ${row.store}`,
    ms(row.longestMs),
  ]);
  section("Many sessions back to back", ["p50", ...loop], found.many, ({ store, sessions, stalls }) => [
    `${sessions} sessions, ${store}`,
    ...three(stalls),
  ]);
  section(
    "Sessions that think for 500 ms, durable",
    ["turns", "turn p50", "p99", "max", ...loop, "bare sync p50", "p99"],
    found.think,
    ({ sessions, turns, turnMs, stalls, syncMs }) => [
      `${sessions} sessions`,
      ...[turns, ...three(turnMs), ms(stalls.p99), ms(stalls.max), ms(syncMs.p50), ms(syncMs.p99)],
    ],
  );
}
