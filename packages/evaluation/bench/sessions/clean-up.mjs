/**
 * Measures a clean-up of a folder of very many sessions.
 *
 * Half of the sessions are old. A run at start-up moves the oldest 1,000 to the trash, and a run without a
 * limit the others; then a dry run looks at the rest, and after the grace a run deletes them. Everything is
 * done by one process; beside the deletion stands what the disk itself takes for the same files. The process's largest resident memory is reported.
 *
 * The store keeps an index, as all stores of the library do. The folder is made directly: one log of a few
 * entries for each session, and for every tenth a folder with a blob.
 *
 * Two runs in a row do not measure the same: for up to five minutes after very many files were deleted, ext4
 * looks past the places of each of them for every file that is made (`recently_deleted` in its `ialloc.c`),
 * which takes half as long again.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const DAY_MS = 86_400_000;
const OLD_DAYS = 45;
const BLOB_EVERY = 10;
const START_UP_LIMIT = 1_000;
const RUNS_UNTIL_GRACE = 31;

/** The bytes of a log of some entries, dated so many days ago. */
async function logBytes({ FileSessionStore, InMemoryFileSystem, nodeHasher, seededIds }, at) {
  const fs = new InMemoryFileSystem();
  const store = new FileSessionStore({ root: "/s", fs, hasher: nodeHasher, ids: seededIds() });
  const log = await store.create("s");
  const entry = (seq) => ({
    ...{ type: "message", seq, id: `e${seq}`, ...(seq > 1 && { parentId: `e${seq - 1}` }), v: 1, at },
    ...{
      role: "user",
      content: [{ type: "text", text: "What the user asked. ".repeat(20) }],
      origin: "user",
    },
  });
  await log.append([1, 2, 3, 4].map(entry));
  await log.close();
  return fs.readFile("/s/s.jsonl");
}

/** What the disk itself takes to delete so many sessions as they lie in the trash: `rm -rf`, and a sync. */
async function measureDisk(library, { folder, count, nowMs }) {
  const bytes = await logBytes(library, nowMs);
  const hash = library.nodeHasher.sha256("a blob");
  mkdirSync(folder);
  for (let index = 0; index < count; index++) {
    const path = join(folder, `session-${String(index).padStart(7, "0")}`);
    mkdirSync(path);
    writeFileSync(join(path, "log.jsonl"), bytes);
    writeFileSync(
      join(path, "trashed.json"),
      `${JSON.stringify({ v: 1, reason: "not used for 30 days" })}\n`,
    );
    if (index % BLOB_EVERY !== 0) continue;
    mkdirSync(join(path, "files", "blobs"), { recursive: true });
    writeFileSync(join(path, "files", "blobs", hash), "a blob");
  }
  syncFolder(folder);
  const from = performance.now();
  const cpu = process.cpuUsage();
  rmSync(folder, { recursive: true });
  syncFolder(join(folder, ".."));
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - from, cpuMs: (user + system) / 1_000 };
}

function syncFolder(path) {
  const folder = openSync(path, "r");
  fsyncSync(folder);
  closeSync(folder);
}

/** Makes the folder; the first half of the sessions is old. */
async function makeSessions(library, { root, count, nowMs }) {
  const hash = library.nodeHasher.sha256("a blob");
  mkdirSync(root, { recursive: true });
  for (const [isOld, days] of [
    [true, OLD_DAYS],
    [false, 1],
  ]) {
    const at = nowMs - days * DAY_MS;
    const bytes = await logBytes(library, at);
    for (
      let index = isOld ? 0 : Math.floor(count / 2);
      index < (isOld ? Math.floor(count / 2) : count);
      index++
    ) {
      const path = join(root, `session-${String(index).padStart(7, "0")}`);
      writeFileSync(`${path}.jsonl`, bytes);
      utimesSync(`${path}.jsonl`, at / 1_000, at / 1_000);
      if (index % BLOB_EVERY !== 0) continue;
      mkdirSync(join(path, "blobs"), { recursive: true });
      writeFileSync(join(path, "blobs", hash), "a blob");
    }
  }
}

/**
 * Measures the clean-up of `count` sessions. `library` has the exports of `palimpsest` and
 * `palimpsest-testing`, `lease` what the store needs to keep leases.
 */
export async function measureCleanUp(library, { count, folder = tmpdir(), lease }) {
  const base = mkdtempSync(join(folder, "palimpsest-clean-up-"));
  try {
    const root = join(base, "sessions");
    const startMs = Date.now();
    const disk = await measureDisk(library, {
      folder: join(base, "bare"),
      count: Math.floor(count / 2),
      nowMs: startMs,
    });
    await makeSessions(library, { root, count, nowMs: startMs });
    let nowMs = startMs;
    const clock = { nowMs: () => nowMs };
    const { FileSessionStore, nodeFileSystem: fs, nodeHasher: hasher, randomIds: ids, cleanUp } = library;
    const options = { root, fs, hasher, ids, isIndexed: true, ...(lease && { lease: { ...lease, clock } }) };
    const store = new FileSessionStore(options);
    const ledger = store.cleanUpLedger();
    const timed = async (more) => {
      const from = performance.now();
      const cpu = process.cpuUsage();
      const report = await cleanUp(store, { clock, ledger, limit: Infinity, ...more });
      const { user, system } = process.cpuUsage(cpu);
      if (report.failures.length > 0) throw new Error(JSON.stringify(report.failures[0]));
      return { report, ms: performance.now() - from, cpuMs: (user + system) / 1_000 };
    };
    const dryRun = await timed({ dryRun: true });
    const startUp = await timed({ limit: START_UP_LIMIT, onlyIfDue: true });
    const trashing = await timed({});
    const again = await timed({ dryRun: true });
    // Days go by, with a run each, in which nothing is due.
    for (let day = 1; day < RUNS_UNTIL_GRACE; day++) {
      nowMs = startMs + day * DAY_MS;
      if (day === RUNS_UNTIL_GRACE - 1) break;
      const record = (await ledger.read()) ?? {};
      const notes = [...(record.notes ?? []), { atMs: nowMs, observedMs: day * DAY_MS }];
      await ledger.write({ ...record, notes });
    }
    const purging = await timed({ settings: { cleanupPeriodDays: 3_650 } });
    const figure = ({ report, ms, cpuMs }) => ({
      ms,
      cpuMs,
      seen: report.seen,
      trashed: report.trashed,
      purged: report.purged,
    });
    return {
      count,
      load: loadavg()[0],
      dryRun: figure(dryRun),
      startUp: figure(startUp),
      trashing: figure(trashing),
      nothingToDo: figure(again),
      purging: figure(purging),
      /** The limit of the row before. */
      disk,
      maxRssMb: process.resourceUsage().maxRSS / 1_024,
    };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** By itself: `node packages/evaluation/bench/sessions/clean-up.mjs [count] [--dist DIR] [--folder DIR]` */
if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { dist: { type: "string" }, folder: { type: "string", default: tmpdir() } },
  });
  const built = new URL("../../../../build/node_modules/", import.meta.url);
  const dist = values.dist === undefined ? built : pathToFileURL(`${values.dist}/`);
  const load = (path) => import(new URL(path, dist).href);
  const [library, testing, { nodeProcess }, { systemTimer }] = await Promise.all([
    load("palimpsest/dist/entries/index.js"),
    load("palimpsest-testing/dist/entries/index.js"),
    load("palimpsest/dist/stores/platform/node-process.js"),
    load("palimpsest/dist/stores/platform/node-ports.js"),
  ]);
  const options = {
    count: Number(positionals[0] ?? 100_000),
    folder: values.folder,
    lease: { process: nodeProcess, timer: systemTimer },
  };
  console.log(JSON.stringify(await measureCleanUp({ ...library, ...testing }, options), undefined, 2));
}
