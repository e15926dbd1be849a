/** One row of `run.mjs`, in a separate process: `measure.mjs LIBRARY FOLDER SESSION WORK`. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { conversation } from "../prepare-call/conversation.mjs";

const [library, folder, sessionId, work] = process.argv.slice(2);
const { nodeSessions, FileSessionStore, nodeFileSystem, nodeHasher, randomIds } = await import(library);
const { internalsOf } = await import(new URL("internal.js", library).href);
const { blockText } = await import(new URL("transcript.js", library).href);
const MODEL = { model: "claude-sonnet-4-5", system: "You are a coding agent.", tools: [] };
/** Larger than the windows of the logs, so that nothing is compacted before a row asks for it. */
const LARGE_WINDOW = 1_000_000;
const CONTINUED_WINDOW = 200_000;
const CONTINUED_BYTES = 3_000_000;
const BYTES_BEHIND_CLOSING = 1_000_000;
const HEAP_BYTES = 20_000_000;
/** Of a session before it, in which the process compiles most of its code. */
const WARM_UP_BYTES = 10_000_000;
const QUERY = "which parser handler failed on release";
const STRING_QUERY = '"session-parser" src/cache/window.ts 4711';

if (work === "closed" || work === "killed") await goOn();
else if (work === "heap") await measureHeap();
else if (work === "parse") await measureParse();
else if (work === "derived") await measureDerived();
else await measureRow();

/** Compacts and searches once, as an agent may, and continues for some megabytes. */
async function goOn() {
  const options = { durability: "process", verifyStored: false };
  const first = await nodeSessions({ folder }).open(sessionId, {
    ...options,
    window: { windowTokens: CONTINUED_WINDOW },
  });
  await first.prepare(MODEL);
  await first.history.search(QUERY);
  await converse(first, CONTINUED_BYTES, 7);
  await first.close();
  if (work === "closed") return;
  const second = await nodeSessions({ folder }).open(sessionId, options);
  await second.prepare(MODEL);
  await second.history.search(QUERY);
  await converse(second, BYTES_BEHIND_CLOSING, 8);
  process.kill(process.pid, "SIGKILL");
}

async function converse(session, bytes, seed) {
  for (const { answer, arrived } of conversation(seed)) {
    if (answer !== undefined) {
      await session.prepare(MODEL);
      await session.record({ messages: [answer] });
    }
    await session.append(arrived);
    if (session.bytesWritten() > bytes) return;
  }
}

async function measureRow() {
  const options = { verifyStored: false };
  if (work === "compact-warm") await warmUp();
  let session = await nodeSessions({ folder }).open(sessionId, {
    ...options,
    window: { windowTokens: LARGE_WINDOW },
  });
  const { writer, digest } = internalsOf(session);
  const last = writer.nextSeq - 1;
  if (work === "rewind") await session.rewind(last - 40);
  if (work === "undo") {
    const edits = writer.projection.activeEdits.filter(({ edit }) => edit.kind !== "pin");
    await session.undo(edits.at(-1).seq);
  }
  if (work === "host") {
    const { seq } = session.visible.at(-3);
    await writer.appendOne({
      type: "edit",
      edit: { kind: "host", reason: "bench", effect: { hide: [{ from: seq, to: seq }] } },
    });
    digest.invalidate();
  }
  const oldCall = work === "window" ? await findCall(Math.floor(last / 3)) : undefined;
  const steps = {
    search: () => session.history.search(QUERY),
    "search-string": () => session.history.search(STRING_QUERY),
    read: () => session.history.read("m12.0"),
    window: () => session.windowAt(oldCall),
  };
  const isCompaction = steps[work] === undefined;
  const layers = [];
  if (isCompaction) {
    // Opened again with a window that is too small for what it shows.
    const windowTokens = Math.floor(session.tokens.total * 0.7);
    await session.close();
    const observer = { onEvent: (event) => void (event.type === "layer" && layers.push(event.layer)) };
    session = await nodeSessions({ folder }).open(sessionId, {
      ...options,
      observer,
      window: { windowTokens },
    });
  }
  const step = steps[work] ?? (() => session.prepare(MODEL));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await pause(50);
  delay.enable();
  const cpuBefore = process.cpuUsage();
  const tookMs = await timed(step);
  const { user, system } = process.cpuUsage(cpuBefore);
  await pause(5);
  delay.disable();
  if (isCompaction && !layers.includes("extractive")) throw new Error(`${work}: compacted by ${layers}`);
  const againMs = isCompaction ? Number.NaN : await timed(step);
  report({ tookMs, cpuMs: (user + system) / 1_000, againMs, stallMs: delay.max / 1e6 });
}

/** A call's number near `seq`, read from a copy of the log so that the session learns nothing of it. */
async function findCall(seq) {
  const log = await openStore();
  for await (const { entries } of log.readAll({ outline: true }))
    for (const { entry } of entries)
      if (entry.seq >= seq && entry.type === "call") {
        await log.close();
        return entry.seq;
      }
  return undefined;
}

async function measureParse() {
  const log = await openStore();
  report({
    tookMs: await timed(async () => {
      for await (const { entries } of log.readAll()) entries.at(-1);
    }),
  });
}

/** Bytes of the files that were derived from the log, per character that was said. */
async function measureDerived() {
  const log = await openStore();
  let characters = 0;
  for await (const { entries } of log.readAll())
    for (const { entry } of entries)
      if (entry.type === "message")
        for (const block of entry.content) characters += blockText(block.shown ?? block).length;
  await log.close();
  const derived = join(folder, sessionId, "derived");
  const sizes = existsSync(derived)
    ? readdirSync(derived).map((name) => statSync(join(derived, name)).size)
    : [];
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  report({ tookMs: Number.NaN, share: bytes / characters });
}

/**
 * Measures the memory of a session that was begun here, in parts of its content: the heap and the arrays outside it, at
 * rest, without what the process has after another session.
 */
async function measureHeap() {
  const before = await warmUp();
  const session = await nodeSessions({ folder }).create({ durability: "process" });
  await converse(session, HEAP_BYTES, 9);
  const after = await memoryAtRest();
  const megabytes = session.bytesWritten() / 1e6;
  const [heap, arrays] = [after.heapUsed - before.heapUsed, after.arrayBuffers - before.arrayBuffers];
  report({ tookMs: Number.NaN, megabytes, share: (heap + arrays) / 1e6 / megabytes });
  await session.close();
}

async function warmUp() {
  const session = await nodeSessions({ folder }).create({ durability: "process" });
  await converse(session, WARM_UP_BYTES, 5);
  await session.close();
  return memoryAtRest();
}

/** After everything in the background has ended: a digest that is saved is a text of some megabytes. */
async function memoryAtRest() {
  for (let collection = 0; collection < 5; collection++) {
    await pause(500);
    global.gc?.();
  }
  return process.memoryUsage();
}

function openStore() {
  const store = new FileSessionStore({
    root: folder,
    fs: nodeFileSystem,
    hasher: nodeHasher,
    ids: randomIds,
  });
  return store.open(sessionId);
}

async function timed(step) {
  const from = performance.now();
  await step();
  return performance.now() - from;
}

function report(figures) {
  console.log(JSON.stringify({ ...figures, rssMegabytes: process.resourceUsage().maxRSS / 1_000 }));
}
