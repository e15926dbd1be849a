/**
 * Logs as every earlier version of the code wrote them, and as a later one may: they open, their first
 * request is one that providers take, nothing of them is lost, and reading changes no byte.
 *
 * The files in `fixtures/formats` were written by the code of the time, one for each shape that the
 * format has had: 1 the first; 2 several repairs in one edit; 3 calls with cache marks; 4 pins;
 * 5 checkpoints that count what is visible; 6 the same with compactions and blobs as they were, plain;
 * 7 these packed, and calls that name an earlier one with the same system prompt and tools;
 * 8 lines without what their entry says already, usage as a list, and blobs packed with Brotli.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, seededIds } from "palimpsest-testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionEvent } from "#session/events/events.ts";
import { openSession } from "#session/lifecycle/open-session.ts";
import type { SessionOptions } from "#session/options/session-options.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { user } from "#test/helpers/histories.ts";
import { judgeRequest } from "./damaged-session/judge-kind.ts";
import { type Fields, frame, parseFields } from "./damaged-session/kind.ts";
import { diskWith, LOG_PATH, marksIn, optionsOn, REQUEST, SESSION } from "./damaged-session/sound-session.ts";

const FIXTURES = new URL("fixtures/formats/", import.meta.url).pathname;
const SHAPES = ["shape-1", "shape-2", "shape-3", "shape-4", "shape-5", "shape-6", "shape-7", "shape-8"];
const WRITTEN_AT = new Date("2026-01-02T03:04:05Z");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-formats-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function optionsFor(events: SessionEvent[]): SessionOptions {
  const ids = seededIds(3);
  const store = new FileSessionStore({ root: folder, fs: nodeFileSystem, hasher: nodeHasher, ids });
  const observer = { onEvent: (event: SessionEvent) => void events.push(event) };
  return {
    store,
    clock: new FakeClock(),
    ids,
    hasher: nodeHasher,
    observer,
    window: { windowTokens: 64_000 },
  };
}

/** Content and times of a session's files. */
function stateOf(id: string): readonly string[] {
  const blobs = join(folder, id, "blobs");
  const paths = [join(folder, `${id}.jsonl`), ...readdirSync(blobs).map((name) => join(blobs, name))];
  return paths.map(
    (path) => `${path} ${statSync(path).mtimeMs} ${nodeHasher.sha256(readFileSync(path, "latin1"))}`,
  );
}

describe("a log of an earlier version", () => {
  it("has a fixture for each shape", () => {
    const found = readdirSync(FIXTURES).filter((name) => name.endsWith(".jsonl"));
    expect(found.map((name) => name.replace(".jsonl", "")).sort()).toEqual(SHAPES);
  });

  it.each(SHAPES)("opens, is sent, and is not changed by reading: %s", async (id) => {
    cpSync(`${FIXTURES}${id}.jsonl`, join(folder, `${id}.jsonl`));
    cpSync(`${FIXTURES}${id}`, join(folder, id), { recursive: true });
    utimesSync(join(folder, `${id}.jsonl`), WRITTEN_AT, WRITTEN_AT);
    const before = stateOf(id);
    const events: SessionEvent[] = [];
    const { store } = optionsFor([]);

    const log = await store.open(id);
    for await (const { damage } of log.readAll()) expect(damage).toEqual([]);
    await log.readTail();
    await log.close();
    expect(stateOf(id)).toEqual(before);

    const session = await openSession(id, optionsFor(events));
    const marks = marksIn(readFileSync(join(folder, `${id}.jsonl`), "utf8"));
    const visible = JSON.stringify(session.visible);
    const hits = await Promise.all(marks.map((mark) => session.history.search(mark, { limit: 3 })));
    const lost = marks.filter(
      (mark, index) => !visible.includes(mark) && !hits[index]!.some(({ snippet }) => snippet.includes(mark)),
    );
    expect(marks.length).toBeGreaterThan(10);
    expect(lost).toEqual([]);
    expect(stateOf(id)).toEqual(before);

    expect(judgeRequest(await session.prepare(REQUEST)).complaints).toEqual([]);
    expect(events.filter(({ type }) => type === "damage" || type === "mended")).toEqual([]);
    await session.close();
    const again = await openSession(id, optionsFor(events));
    await again.append(user("markmore"));
    expect(judgeRequest(await again.prepare(REQUEST)).text).toContain("markmore");
    await again.close();
  });
});

/** The newest fixture as a version that is not written yet may have written it. */
const FUTURES: readonly {
  readonly why: string;
  readonly change: (entry: Fields, index: number) => Fields;
}[] = [
  { why: "with fields that are not known", change: (entry) => ({ ...entry, mood: { blue: [null, 1] } }) },
  {
    why: "with the next version of some entries",
    change: (entry, index) => (index % 5 === 2 ? { ...entry, v: 2, content: { packed: "x" } } : entry),
  },
  {
    why: "with the version after the next in all but messages",
    change: (entry) => (entry["type"] === "message" ? entry : { ...entry, v: 3 }),
  },
  {
    why: "with entries of a type that is not known",
    change: (entry) =>
      entry["type"] === "metadata" || entry["type"] === "answer" ? { ...entry, type: "mood" } : entry,
  },
  {
    why: "with edits of a kind that is not known",
    change: (entry) => (entry["type"] === "edit" ? { ...entry, edit: { kind: "dream", of: [2] } } : entry),
  },
  {
    why: "with blocks of a type that is not known",
    change: (entry) =>
      entry["type"] === "message"
        ? { ...entry, content: [...(entry["content"] as Fields[]), { type: "hologram", beam: 1 }] }
        : entry,
  },
];

describe("a log of a later version", () => {
  it.each(FUTURES)("opens, is sent, and keeps what it does not know: $why", async ({ change }) => {
    const lines = readFileSync(`${FIXTURES}shape-5.jsonl`, "utf8").trimEnd().split("\n");
    const changed = lines.map((line, index) => `${frame(change(parseFields(line), index))}\n`).join("");
    const disk = diskWith({ log: Buffer.from(changed), blobs: new Map() });
    const before = Buffer.from(disk.readFile(LOG_PATH));

    const session = await openSession(SESSION, optionsOn(disk, 4));
    expect(Buffer.from(disk.readFile(LOG_PATH)).equals(before)).toBe(true);
    const { complaints, text } = judgeRequest(await session.prepare(REQUEST));
    expect(complaints).toEqual([]);
    expect(text).toContain("marklast");
    await session.close();

    const after = Buffer.from(disk.readFile(LOG_PATH));
    expect(after.subarray(0, before.length).equals(before), "what is not known is kept as it was").toBe(true);
    const again = await openSession(SESSION, optionsOn(disk, 5));
    expect(judgeRequest(await again.prepare(REQUEST)).complaints).toEqual([]);
    await again.close();
  });
});
