/** Lists of sessions in files: what the index's bytes may say, and what damage may not hide. */

import { InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { FakeFileSystemError } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { formatIndex, formatIndexNotes, parseSessionIndex } from "#stores/files/list/index-lines.ts";
import { type IndexRow, parseRows } from "#stores/files/list/index-rows.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { message } from "#test/fault/workload.ts";

const ROOT = "/s";
const INDEX = "/s/.index.jsonl";
const rows: readonly IndexRow[] = [
  { sessionId: "b", lastActivityAt: 2_000, bytes: 20, modifiedAt: 1_999.5, title: "Täglich\n„b“" },
  { sessionId: "a", lastActivityAt: 1_000, bytes: 10, modifiedAt: 1_000 },
];
const bytes = Buffer.concat([
  formatIndex(rows, [{ on: "open", sessionId: "a", by: "w1", isNew: false }]),
  formatIndexNotes([
    { on: "close", by: "w1", row: rows[1]! },
    { on: "gone", sessionId: "b" },
  ]),
]);

function aStore(fs: FileSystem, isIndexed = true): FileSessionStore {
  return new FileSessionStore({ root: ROOT, fs, hasher: nodeHasher, ids: seededIds(5), isIndexed });
}

async function say(store: FileSessionStore, id: string, seq: number): Promise<void> {
  const log = seq === 1 ? await store.create(id) : await store.open(id);
  await log.append([message(seq)]);
  await log.close();
}

const idsOf = async (store: FileSessionStore) =>
  (await store.describe()).sessions.map(({ sessionId }) => sessionId);

describe("the lines of an index", () => {
  it("come back as they were written", () => {
    const index = parseSessionIndex(bytes)!;
    expect([...parseRows(index.body)].flat()).toEqual(rows);
    expect(index.notes).toEqual([
      { on: "open", sessionId: "a", by: "w1", isNew: false },
      { on: "close", by: "w1", row: rows[1] },
      { on: "gone", sessionId: "b" },
    ]);
  });

  it("are void as a whole where a single bit of them is not as it was", () => {
    const believed: number[] = [];
    for (let at = 0; at < bytes.length * 8; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at >> 3] = damaged[at >> 3]! ^ (1 << (at & 7));
      if (parseSessionIndex(damaged) !== undefined) believed.push(at);
    }
    expect(believed).toEqual([]);
  });

  it("are void where they end in the middle of a line", () => {
    for (let length = 0; length < bytes.length; length++)
      if (bytes[length - 1] !== 0x0a)
        expect(parseSessionIndex(bytes.subarray(0, length)), `${length} bytes`).toBeUndefined();
  });

  it.each([
    ['["../../etc/passwd",1,2,3]', "an id that leaves the folder"],
    ['["a",-1,2,3]', "a time before all times"],
    ['["a",1e400,2,3]', "a time after all times"],
    ['["a","1",2,3]', "a text for a number"],
    ['["a",1,2,3,{"x":1}]', "a title that is no text"],
    ["null", "nothing"],
    ["[".repeat(100_000), "brackets without end"],
  ])("pass over a row that is none: %s", (line) => {
    const body = Buffer.from(`${line}\n["ok",1,2,3]\n`, "utf8");
    expect([...parseRows(body)].flat().map(({ sessionId }) => sessionId)).toEqual(["ok"]);
  });

  it("come back in their order however many there are, without the one that is damaged", () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `["session-${index}",1,2,3]\n`);
    lines[1_000] = `["session-1000",1,2\n`;
    const found = [...parseRows(Buffer.from(lines.join(""), "utf8"))].flat();
    expect(found.length).toBe(1_999);
    expect([0, 999, 1_000, 1_998].map((place) => found[place]!.sessionId)).toEqual([
      "session-0",
      "session-999",
      "session-1001",
      "session-1999",
    ]);
  });
});

describe("a list of sessions in files", () => {
  it("has all of very many, also without an index", async () => {
    const names = Array.from({ length: 150_000 }, (_, index) => `session-${index}.jsonl`);
    const empty = new InMemoryFileSystem().open("/empty", "append");
    const disk: Pick<FileSystem, "list" | "stat" | "open"> = {
      list: () => names,
      stat: () => ({ size: 0, modifiedMs: 1, isDirectory: false }),
      open: () => empty,
    };
    expect((await aStore(disk as FileSystem, false).overview()).length).toBe(names.length);
  });

  it("shows sessions whose logs are damaged, empty, or cannot be opened", async () => {
    const disk = new InMemoryFileSystem(() => 1_800_000_000_000);
    await say(aStore(disk), "whole", 1);
    const log = disk.readFile("/s/whole.jsonl");
    disk.writeFile("/s/torn.jsonl", log.slice(0, -9));
    disk.writeFile("/s/junk.jsonl", new Uint8Array(50_000).fill(0x5b));
    disk.writeFile("/s/empty.jsonl", new Uint8Array(0));
    disk.writeFile("/s/denied.jsonl", log);
    disk.makeDirectory("/s/folder.jsonl");
    const open: FileSystem["open"] = (path, mode) => {
      if (path.includes("denied")) throw new FakeFileSystemError("EACCES", path);
      return disk.open(path, mode);
    };
    const fs = Object.assign(Object.create(disk) as InMemoryFileSystem, { open });
    for (const isIndexed of [false, true, true]) {
      const store = aStore(bound(fs, disk), isIndexed);
      expect((await idsOf(store)).sort()).toEqual(["denied", "empty", "junk", "torn", "whole"]);
    }
    await expect(aStore(bound(fs, disk)).find("denied")).rejects.toMatchObject({
      code: "SESSION_UNREADABLE",
    });
    await expect(aStore(bound(fs, disk)).find("folder")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  });

  it("shows the first prompt of a fork, which is one long append, as that of its parent", async () => {
    const store = aStore(new InMemoryFileSystem());
    const log = await store.create("fork");
    const entries = Array.from({ length: 400 }, (_, index) =>
      message(index + 1, `${index} ${"x".repeat(1_000)}`),
    );
    await log.append(entries);
    await log.close();
    const { sessions } = await store.describe();
    expect(sessions.map(({ firstPrompt }) => firstPrompt?.slice(0, 3))).toEqual(["0 x"]);
  });

  it("shows a session whose log could be opened once and not again", async () => {
    const disk = new InMemoryFileSystem(() => 1_800_000_000_000);
    disk.makeDirectory(ROOT);
    disk.writeFile(`${ROOT}/empty.jsonl`, new Uint8Array(0));
    let opened = 0;
    const open: FileSystem["open"] = (path, mode) => {
      if (path.includes("empty") && opened++ > 0) throw new FakeFileSystemError("EMFILE", path);
      return disk.open(path, mode);
    };
    const fs = Object.assign(Object.create(disk) as InMemoryFileSystem, { open });
    expect(await aStore(bound(fs, disk), false).overview()).toMatchObject([{ sessionId: "empty", bytes: 0 }]);
    expect(opened).toBe(2);
  });

  it("does not write where nothing is to be noted", async () => {
    const disk = new InMemoryFileSystem(() => 1_800_000_000_000);
    await say(aStore(disk), "a", 1);
    await aStore(disk).describe();
    const before = Buffer.from(disk.readFile(INDEX)).toString("utf8");
    await aStore(disk).describe();
    await aStore(disk).overview();
    const log = await aStore(disk).open("a");
    await log.readTail();
    await log.close();
    expect(Buffer.from(disk.readFile(INDEX)).toString("utf8")).toBe(before);
    expect(await idsOf(aStore(new InMemoryFileSystem()))).toEqual([]);
  });

  it("has no index rather than one in which a session is as it was", async () => {
    let now = 1_800_000_000_000;
    const disk = new InMemoryFileSystem(() => now);
    for (const id of ["a", "b"]) {
      now += 1_000;
      await say(aStore(disk), id, 1);
    }
    expect(await idsOf(aStore(disk))).toEqual(["b", "a"]);
    const open: FileSystem["open"] = (path, mode) => {
      const file = disk.open(path, mode);
      if (path !== INDEX) return file;
      const write = () => {
        throw new FakeFileSystemError("ENOSPC", path);
      };
      return { ...bound(file, file), write };
    };
    now += 1_000;
    const full = aStore({ ...(bound(disk, disk) as FileSystem), open });
    const log = await full.open("a");
    await log.append([{ ...message(2), at: now }]);
    expect(disk.stat(INDEX)).toBeUndefined();
    expect(await idsOf(aStore(disk))).toEqual(["a", "b"]);
    await log.close();
  });

  it("shows sessions that were there before the index, also where a writer comes first", async () => {
    const disk = new InMemoryFileSystem(() => 1_800_000_000_000);
    for (const id of ["a", "b"]) await say(aStore(disk, false), id, 1);
    await say(aStore(disk), "c", 1);
    await say(aStore(disk), "a", 2);
    await aStore(disk).trash("b", { at: 1_800_000_000_000, reason: "by hand" });
    for (let round = 0; round < 2; round++)
      expect((await aStore(disk).overview()).map(({ sessionId }) => sessionId)).toEqual(["a", "c"]);
  });

  it("is made anew when most of its index is loose lines", async () => {
    const disk = new InMemoryFileSystem(() => 1_800_000_000_000);
    const store = aStore(disk);
    await say(store, "a", 1);
    await store.describe();
    const row = { sessionId: "a", lastActivityAt: 1, bytes: 1, modifiedAt: 1 };
    const loose = formatIndexNotes(
      Array.from({ length: 1_001 }, () => ({ on: "close", by: "w", row }) as const),
    );
    disk.writeFile(INDEX, Buffer.concat([disk.readFile(INDEX), loose]));
    const before = disk.readFile(INDEX).length;
    await store.describe();
    expect(disk.readFile(INDEX).length).toBeLessThan(before / 100);
    expect((await store.overview())[0]?.bytes).toBe(disk.readFile("/s/a.jsonl").length);
  });

  it("survives a half-made index that a crash left", async () => {
    const now = Date.now();
    const disk = new InMemoryFileSystem(() => now);
    await say(aStore(disk), "a", 1);
    disk.writeFile("/s/.index.jsonl.new", Buffer.from("half"));
    for (let round = 0; round < 2; round++) expect(await idsOf(aStore(disk))).toEqual(["a"]);
    expect(disk.stat("/s/.index.jsonl.new")).toBeUndefined();
    expect(disk.stat(INDEX)).toBeDefined();
  });
});

/** Its methods, so that some of them can be replaced. */
function bound<T extends object>(object: T, receiver: object): T {
  const names = [...Object.keys(object), ...Object.getOwnPropertyNames(Object.getPrototypeOf(receiver))];
  const methods = names
    .filter((name) => name !== "constructor")
    .map((name) => {
      const value: unknown = (object as Record<string, unknown>)[name];
      const isOwn = Object.hasOwn(object, name);
      return [name, typeof value === "function" && !isOwn ? value.bind(receiver) : value];
    });
  return Object.fromEntries(methods) as T;
}
