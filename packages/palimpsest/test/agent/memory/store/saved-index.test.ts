/** The index that one process saves for the next: it changes no result, and damage costs time only. */
import fc from "fast-check";
import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { expect, it, vi } from "vitest";
import { MemoryCache } from "#agent/memory/store/memory-cache.ts";
import { composeSavedIndex, readIndex } from "#agent/memory/store/saved-index.ts";
import { createMemorySearch, type MemorySearch } from "#base/search/memory-search.ts";
import { fileMemoryStore } from "#stores/files/memory/file-memory-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";

const INDEX = ".palimpsest/derived/index";
const COUNT = 520;
const soon = async () => undefined;

const WORDS = ["tuesday", "deploy", "Oslo", "server", "port", "東京", "cat", "running", "x9f"];
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => words.join(" "));
const document = fc.record({
  id: fc.constantFrom("a.md", "b.md", "c.md", "d.md", "e.md"),
  fields: fc.record({ name: text, body: text }),
  before: fc.option(fc.constantFrom("a.md", "b.md", "z.md"), { nil: undefined }),
  isRemoved: fc.boolean(),
});

async function restored(search: MemorySearch, rows: ReadonlyMap<string, string | undefined>) {
  const pieces = composeSavedIndex(search, (path) => ({
    ...{ path, stamp: "", version: "", modifiedMs: 0, odd: undefined, revises: [] },
    ...{ isQuarantined: false, supersededBy: undefined, sessionId: "s", follows: rows.get(path) },
  }));
  return (await readIndex(
    [...pieces].map((piece) => piece.slice()),
    soon,
  ))!.search;
}

it("a search that was saved and restored finds the same, with the same scores to the last digit, also after changes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(document, { maxLength: 12 }),
      fc.array(document, { maxLength: 4 }),
      text,
      async (first, then, query) => {
        const search = createMemorySearch();
        const followed = new Map<string, string | undefined>();
        const put = (into: MemorySearch, documents: typeof first) => {
          for (const { id, fields, before, isRemoved } of documents) {
            // As `searchFields` links them; all are of one session.
            if (isRemoved) into.remove(id);
            else into.set(id, { ...fields, before, ...(before === undefined ? {} : { group: "s" }) });
            if (isRemoved) followed.delete(id);
            else followed.set(id, before);
          }
        };
        put(search, first);
        const isFollowed = new Set(followed.values());
        // One that is followed is a piece of a conversation.
        for (const { id, fields, isRemoved } of first)
          if (!isRemoved && followed.has(id) && followed.get(id) === undefined && isFollowed.has(id))
            search.set(id, { ...fields, group: "s" });
        const other = await restored(search, followed);
        const options = { limit: 10, alsoAlike: true };
        expect(other.search(query, options)).toEqual(search.search(query, options));
        put(search, then);
        put(other, then);
        expect(other.search(query, options)).toEqual(search.search(query, options));
      },
    ),
    { numRuns: 60 },
  );
});

function aDisk(count = COUNT, ageMs = 60_000) {
  const clock = new FakeClock();
  const fs = new InMemoryFileSystem(() => clock.nowMs());
  for (let at = 0; at < count; at++) {
    const file = fs.open(`m${at}.md`, "create");
    file.write(Buffer.from(`---\nname: fact ${at}\n---\n\nService number${at} listens on port ${at}.\n`));
    file.close();
  }
  clock.advance(ageMs);
  const readPaths: string[] = [];
  const savedIds: string[] = [];
  const counting = new Proxy(fs, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: readonly unknown[]) => {
        if (name === "open" && given[1] === "read" && String(given[0]).endsWith(".md"))
          readPaths.push(String(given[0]));
        if (name === "rename" && given[1] === INDEX) savedIds.push(String(given[0]));
        return value.apply(target, given);
      };
    },
  });
  const open = () => {
    readPaths.length = 0;
    const store = fileMemoryStore({
      folder: "m",
      fs: counting,
      hasher: nodeHasher,
      ids: seededIds(1),
      clock,
    });
    return new MemoryCache(store);
  };
  return { fs, clock, open, readPaths, savedIds };
}

const find = (cache: MemoryCache, query: string) =>
  cache.search(query, { limit: 3, accepts: () => true }).map(({ id, score }) => ({ id, score }));

/** A cache that looked once and was closed: the index is saved. */
async function savedDisk() {
  const disk = aDisk();
  const cache = disk.open();
  await cache.look();
  const found = find(cache, "number7 port");
  await cache.close();
  return { ...disk, found };
}

it("a second process reads no memory for its first look, and one for what it shows", async () => {
  const { open, readPaths, found } = await savedDisk();
  const cache = open();
  const { memories } = await cache.look();
  expect(readPaths).toEqual([]);
  expect(find(cache, "number7 port")).toEqual(found);
  expect(memories.get("m7.md")?.memory.body).toBe("Service number7 listens on port 7.");
  expect(readPaths).toEqual(["m7.md"]);
});

/** The number of memories that each of three later processes reads for its first look. */
async function readsOfLaterProcesses({
  open,
  readPaths,
}: Pick<ReturnType<typeof aDisk>, "open" | "readPaths">) {
  const counts: number[] = [];
  for (let process = 0; process < 3; process++) {
    const cache = open();
    await cache.look();
    counts.push(readPaths.length);
    await cache.close();
  }
  return counts;
}

it("memories that were just written when the index was saved are not read again by every later process", async () => {
  const disk = aDisk(COUNT, 0);
  const cache = disk.open();
  await cache.look();
  await cache.close();
  disk.clock.advance(60_000);
  expect(await readsOfLaterProcesses(disk)).toEqual([COUNT, 0, 0]);
});

it("a process that lives on saves the index again once the memories have settled, and only once", async () => {
  const disk = aDisk(COUNT, 0);
  const cache = disk.open();
  await cache.look();
  await vi.waitFor(() => expect(disk.savedIds).toHaveLength(1));
  for (let look = 0; look < 5; look++) await cache.look();
  disk.clock.advance(60_000);
  for (let look = 0; look < 5; look++) await cache.look();
  await vi.waitFor(() => expect(disk.savedIds).toHaveLength(2));
  for (let look = 0; look < 5; look++) await cache.look();
  await cache.close();
  expect(disk.savedIds).toHaveLength(2);
  expect(await readsOfLaterProcesses(disk)).toEqual([0, 0, 0]);
});

it("a copy of the folder, whose files have other stamps, is read once", async () => {
  const disk = await savedDisk();
  for (let at = 0; at < COUNT; at++) disk.fs.touch(`m${at}.md`, disk.clock.nowMs());
  disk.clock.advance(60_000);
  expect(await readsOfLaterProcesses(disk)).toEqual([COUNT, 0, 0]);
});

it("what changed, came or went since it was saved is read", async () => {
  const { fs, clock, open, readPaths } = await savedDisk();
  fs.remove("m3.md");
  for (const [path, animal] of [
    ["m7.md", "quokka"],
    ["new.md", "wombat"],
  ] as const) {
    if (path === "m7.md") fs.remove(path);
    const file = fs.open(path, "create");
    file.write(Buffer.from(`The ${animal} is here.`));
    file.close();
  }
  clock.advance(60_000);
  const cache = open();
  const { memories } = await cache.look();
  expect([...readPaths].sort()).toEqual(["m7.md", "new.md"]);
  expect(find(cache, "quokka").map(({ id }) => id)).toEqual(["m7.md"]);
  expect(find(cache, "wombat").map(({ id }) => id)).toEqual(["new.md"]);
  expect(find(cache, "number3").map(({ id }) => id)).not.toContain("m3.md");
  expect(memories.has("m3.md")).toBe(false);
  expect(memories.size).toBe(COUNT);
});

it("the words of a memory that was removed leave the saved index, too", async () => {
  const { fs, open } = await savedDisk();
  const saved = () => {
    const file = fs.open(INDEX, "read");
    const bytes = Buffer.from(file.read(0, file.size())).toString("latin1");
    file.close();
    return bytes;
  };
  expect(saved()).toContain("number3");
  fs.remove("m3.md");
  for (const at of Array.from({ length: 10 }, (_, one) => one)) {
    if (at > 0) fs.remove(`m3${at - 1}.md`);
  }
  const cache = open();
  await cache.look();
  await cache.close();
  expect(saved()).not.toMatch(/number3[^0-9]/);
});

it("damage anywhere in it, and any length, changes no result", async () => {
  const { fs, open, found } = await savedDisk();
  const whole = (() => {
    const file = fs.open(INDEX, "read");
    const bytes = Buffer.from(file.read(0, file.size()));
    file.close();
    return bytes;
  })();
  const write = (bytes: Uint8Array) => {
    fs.remove(INDEX);
    const file = fs.open(INDEX, "create");
    file.write(bytes);
    file.close();
  };
  const firstLength = whole.readUInt32LE(0);
  // The length of a piece, its checksum, its bytes, and the arrays.
  const places = [0, 4, 8 + firstLength, whole.length >> 1];
  const damaged = [
    ...places.map((at) => Buffer.from(whole).fill(whole[at]! ^ 0x41, at, at + 1)),
    ...places.map((at) => whole.subarray(0, at)),
    Buffer.alloc(4_096),
    Buffer.from("not an index"),
  ];
  for (const bytes of damaged) {
    write(bytes);
    const cache = open();
    expect((await cache.look()).memories.size).toBe(COUNT);
    expect(find(cache, "number7 port")).toEqual(found);
  }
});

it("one of another version is ignored, and replaced", async () => {
  const { fs, open, readPaths } = await savedDisk();
  const file = fs.open(INDEX, "read");
  const bytes = Buffer.from(file.read(0, file.size()));
  file.close();
  // A complete file: its first piece alone, with the checksum of its bytes, of an older format.
  const head = Buffer.from(JSON.stringify({ format: "0 1", rows: 0, terms: 0, counts: {} }));
  fs.remove(INDEX);
  const older = fs.open(INDEX, "create");
  older.write(Buffer.concat([framed(head), bytes]));
  older.close();
  const cache = open();
  await cache.look();
  expect(readPaths).toHaveLength(COUNT);
  await cache.close();
  await open().look();
  expect(readPaths).toEqual([]);
});

function framed(bytes: Buffer): Buffer {
  let sum = (0x811c9dc5 ^ bytes.length) | 0;
  const wordsLength = bytes.length - (bytes.length % 4);
  for (let at = 0; at < wordsLength; at += 4) sum = Math.imul(sum ^ bytes.readUInt32LE(at), 0x01000193);
  for (let at = wordsLength; at < bytes.length; at++) sum = Math.imul(sum ^ bytes[at]!, 0x01000193);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(bytes.length, 0);
  head.writeUInt32LE(sum >>> 0, 4);
  return Buffer.concat([head, bytes]);
}

it.each([
  { from: '["oslo","port"]', to: '["oslo","oslo"]', why: "a term is there twice" },
  { from: '"paths":["a.md"', to: '"paths":[null', why: "a memory has no path" },
  { from: '"stamps":["s"', to: '"stamps":[7', why: "a stamp is no text" },
  { from: '"versions":["v"]', to: '"versions":[]', why: "a memory has no version" },
  { from: '"rare":[]', to: '"rare":[[1,{}]]', why: "it tells of a memory that is not there" },
  { from: '"rare":[]', to: '"rare":[[0,{"revises":5}]]', why: "what a memory revises is no list" },
])("an index in which $why is not used", async ({ from, to }) => {
  const search = createMemorySearch();
  search.set("a.md", { body: "oslo port" });
  const head = { path: "a.md", stamp: "s", version: "v", modifiedMs: 0, odd: undefined, revises: [] };
  const row = {
    ...head,
    ...{ isQuarantined: false, supersededBy: undefined, sessionId: undefined, follows: undefined },
  };
  const pieces = [...composeSavedIndex(search, () => row)].map((piece) => piece.slice());
  expect((await readIndex(pieces, soon))?.memories).toHaveLength(1);
  const forged = pieces.map((piece) => {
    const written = Buffer.from(piece).toString("latin1");
    return written.includes(from) ? Buffer.from(written.replace(from, to), "latin1") : piece;
  });
  expect(forged.filter((piece, at) => piece !== pieces[at])).toHaveLength(1);
  expect(await readIndex(forged, soon).catch(() => undefined)).toBeUndefined();
});

it("its pieces are read into one place, since new memory costs more than reading", async () => {
  const { fs, clock } = await savedDisk();
  const ports = { hasher: nodeHasher, ids: seededIds(1), clock };
  const follower = fileMemoryStore({ folder: "m", fs, ...ports }).follow!();
  const places = [...follower.kept!()].map(({ buffer }) => buffer);
  expect(places.length).toBeGreaterThan(8);
  // A larger piece than the ones before needs another place.
  expect(new Set(places).size).toBeLessThan(places.length / 2);
  follower.close();
});

it("a memory that changed later is read once, however many there are, and not again for its text", async () => {
  const { fs, clock, open, readPaths } = aDisk(5_001);
  const cache = open();
  await cache.look();
  clock.advance(60_000);
  fs.remove("m7.md");
  const file = fs.open("m7.md", "create");
  file.write(Buffer.from("The quokka is here."));
  file.close();
  readPaths.length = 0;
  // A look does not wait long for a walk through so many files, which may take seconds on a loaded machine.
  await vi.waitFor(
    async () => {
      const { memories } = await cache.look();
      expect(memories.get("m7.md")?.memory.body).toBe("The quokka is here.");
    },
    { timeout: 10_000 },
  );
  expect(readPaths).toEqual(["m7.md"]);
});

it("a process that dies while it writes leaves the old one", async () => {
  const { fs, open, readPaths, found } = await savedDisk();
  fs.makeDirectory(".palimpsest/derived");
  const half = fs.open(".palimpsest/derived/index.1-abc.new", "create");
  half.write(Buffer.from("half"));
  half.close();
  const cache = open();
  await cache.look();
  expect(readPaths).toEqual([]);
  expect(find(cache, "number7 port")).toEqual(found);
});

it("a small directory has no such file", async () => {
  const { fs, open } = aDisk(20);
  const cache = open();
  await cache.look();
  await cache.close();
  expect(fs.stat(INDEX)).toBeUndefined();
});
