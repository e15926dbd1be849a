/**
 * Measures the cost of lists of very many sessions.
 *
 * Claims: the first page of 10,000 sessions is there within 100 ms and of 100,000 in one folder within 300
 * ms; all of 10,000 by the index within 10 ms; a session is resumed by its id within 50 ms however many lie
 * beside it; a clean-up of 100,000, of which half go to the trash, takes under 30 s. Beside each, the same
 * run prints the cost of reading the folder's names and calling `stat` on each of them, bare: compare the
 * ratios. Memory is that of a process that does nothing else.
 *
 *   npm run build && npm run bench:sessions
 *
 * Options: --counts 10000,100000 · --kilobytes 20 (of a session) · --folder DIR (which disk) · --dist DIR
 * (`build/node_modules` of another checkout) · --json (the figures instead of the table).
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { machine, median, ms, quantile, table } from "../figures.mjs";
import { measureCleanUp } from "./clean-up.mjs";
import { writeSessions } from "./sessions.mjs";

const { values: options } = parseArgs({
  options: {
    counts: { type: "string", default: "10000,100000" },
    kilobytes: { type: "string", default: "20" },
    folder: { type: "string", default: tmpdir() },
    dist: { type: "string" },
    json: { type: "boolean", default: false },
    /** Only does this to the sessions of `root` and prints its memory: a run of this file in a separate process. */
    memory: { type: "string" },
    root: { type: "string" },
  },
});
const RUNS = 15;
const REBUILDS = 3;
const RESUMES = 40;
const OLD_SHARE = 0.1;
const INDEX = ".index.jsonl";
const MEGABYTE = 1_048_576;

const dist =
  options.dist === undefined
    ? new URL("../../../../build/node_modules/", import.meta.url)
    : pathToFileURL(`${options.dist}/`);
const library = await import(new URL("palimpsest/dist/entries/index.js", dist).href);
const [testing, { nodeProcess }, { systemTimer }] = await Promise.all(
  [
    "palimpsest-testing/dist/entries/index.js",
    "palimpsest/dist/stores/platform/node-process.js",
    "palimpsest/dist/stores/platform/node-ports.js",
  ].map((path) => import(new URL(path, dist).href)),
);
const lease = { process: nodeProcess, timer: systemTimer };
const { FileSessionStore, nodeFileSystem, nodeHasher, openSession, randomIds, systemClock } = library;
const storeAt = (root) =>
  new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds, isIndexed: true });
const tasks = {
  nothing: async () => undefined,
  page: (store) => store.describe(),
  overview: (store) => store.overview(),
};

if (options.memory !== undefined) {
  await tasks[options.memory](storeAt(options.root));
  console.log(process.resourceUsage().maxRSS * 1_024);
} else await main();

async function main() {
  const figures = [];
  for (const count of options.counts.split(",").map(Number)) {
    const folder = mkdtempSync(join(options.folder, "palimpsest-bench-sessions-"));
    try {
      figures.push(await measure(join(folder, "sessions"), count));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  if (options.json) console.log(JSON.stringify({ machine: machine(), figures }, undefined, 2));
  else print(figures);
}

async function measure(root, count) {
  const kilobytes = Number(options.kilobytes);
  const { ids, bytes } = await writeSessions({
    library,
    folder: root,
    count,
    kilobytes,
    oldShare: OLD_SHARE,
  });
  const bare = [];
  const timed = async (work, runs, before = () => undefined) => {
    const times = [];
    for (let run = 0; run < runs; run++) {
      before(run);
      bare.push(time(() => lookBare(root)));
      const from = performance.now();
      await work(run);
      times.push(performance.now() - from);
    }
    return spread(times);
  };
  const removeIndex = () => rmSync(join(root, INDEX), { force: true });
  const rebuild = await timed(() => storeAt(root).describe(), REBUILDS, removeIndex);
  const firstPage = await timed(() => storeAt(root).describe(), RUNS);
  assertEqual(
    (await storeAt(root).describe()).sessions.map(({ sessionId }) => sessionId),
    ids.slice(-50).reverse(),
  );
  const { next } = await storeAt(root).describe();
  const secondPage = await timed(() => storeAt(root).describe({ after: next }), RUNS);
  const all = await timed(() => storeAt(root).overview(), RUNS);
  assertEqual((await storeAt(root).overview()).length, count);
  const places = Array.from(
    { length: RESUMES },
    (_, run) => ids[Math.floor(((run + 0.5) / RESUMES) * count)],
  );
  const find = await timed((run) => storeAt(root).find(places[run]), RESUMES);
  const resume = await timed((run) => resumeOne(root, places[run]), RESUMES);
  const memory = Object.fromEntries(Object.keys(tasks).map((task) => [task, memoryOf(task, root)]));
  const cleanUp = await measureCleanUp({ ...library, ...testing }, { count, folder: options.folder, lease });
  return {
    count,
    sessionBytes: bytes,
    bare: spread(bare),
    rebuild,
    firstPage,
    secondPage,
    all,
    find,
    resume,
    memory,
    cleanUp,
  };
}

async function resumeOne(root, id) {
  const session = await openSession(id, {
    store: storeAt(root),
    clock: systemClock,
    ids: randomIds,
    hasher: nodeHasher,
    window: { policy: "off" },
  });
  assertEqual(session.visible.length > 0, true);
  // Opened and closed again: nothing was said, so nothing is written.
  await session.close();
}

function lookBare(root) {
  for (const name of readdirSync(root)) statSync(join(root, name));
}

function time(work) {
  const from = performance.now();
  work();
  return performance.now() - from;
}

function memoryOf(task, root) {
  const args = [fileURLToPath(import.meta.url), "--memory", task, "--root", root];
  if (options.dist !== undefined) args.push("--dist", options.dist);
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

function spread(times) {
  return { runs: times.length, p50: median(times), p95: quantile(times, 0.95) };
}

function assertEqual(found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new RangeError(
      `found ${JSON.stringify(found).slice(0, 200)}, wanted ${JSON.stringify(wanted).slice(0, 200)}`,
    );
}

function print(figures) {
  console.log(`Lists of sessions, milliseconds. ${machine()}. Folder on ${options.folder}.`);
  for (const { count, sessionBytes, bare, memory, cleanUp, ...measured } of figures) {
    const row = (what, { p50, p95, runs }) => [
      `${what} (${runs})`,
      ms(p50),
      ms(p95),
      (p50 / bare.p50).toFixed(2),
    ];
    console.log(`\n${count} sessions of ${Math.round(sessionBytes / 1_024)} KB in one folder\n`);
    console.log(
      table([
        ["", "p50", "p95", "ratio to bare"],
        row("bare: names, and stat of each", bare),
        row("first page, without an index, which is made", measured.rebuild),
        row("first page", measured.firstPage),
        row("second page", measured.secondPage),
        row("all by the index", measured.all),
        row("one by id", measured.find),
        row("resume by id, to the first window, and close", measured.resume),
      ]),
    );
    const own = (task) => `${Math.round(memory[task] / MEGABYTE)} MB`;
    console.log(
      `\nmemory: ${own("page")} for the first page, ${own("overview")} for all; ${own("nothing")} for neither`,
    );
    const seconds = (milliseconds) => (milliseconds / 1_000).toFixed(1);
    for (const [what, { ms: tookMs, cpuMs, trashed, purged }] of [
      ["a run at start-up", cleanUp.startUp],
      ["a run without a limit", cleanUp.trashing],
      ["after the grace", cleanUp.purging],
    ])
      console.log(
        `clean-up, ${what}: ${trashed} moved, ${purged} deleted in ${seconds(tookMs)} s (${seconds(cpuMs)} s of CPU)`,
      );
    const { ms: diskMs, cpuMs: diskCpuMs } = cleanUp.disk;
    console.log(
      `the disk itself, to delete as many: ${seconds(diskMs)} s (${seconds(diskCpuMs)} s of CPU); the clean-up took ${(cleanUp.purging.ms / diskMs).toFixed(2)} times that`,
    );
  }
  if (existsSync(options.folder)) console.log("");
}
