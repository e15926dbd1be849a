import { faultyFileSystem, InMemoryFileSystem } from "palimpsest-testing";
import type { FileFault } from "palimpsest-testing/internal";
import { describe, expect, it, vi } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import type { SessionStore } from "#ports/session-store.ts";
import type { HistoryHit } from "#session/history/search/history-search.ts";
import { openHistory } from "#session/history/stored-history.ts";
import { forkSession } from "#session/lifecycle/fork-session.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import { internalsOf, type Session } from "#session/session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import {
  converse,
  copyOf,
  counting,
  FOLDER,
  onceForEachLog,
  onDisk,
  onlyDerived,
  optionsOf,
  ROOT,
  writtenOnce,
} from "#test/helpers/derived-files.ts";
import { bySize, usualFew } from "../../../../../../test/helpers/size-of-run.ts";

const QUERIES = ["line of part 7", "Question 12", "src/part-31.ts", '"part-2"', "nothing here"];

/** A session that was searched once and closed after each number of turns. */
async function written(store: SessionStore, closings: readonly number[]): Promise<void> {
  let session = await createSession({ ...optionsOf(store), sessionId: "s" });
  let from = 0;
  for (const [index, to] of closings.entries()) {
    if (index > 0) session = await openSession("s", optionsOf(store, index + 1));
    await session.history.search("a word");
    await converse(session, from, to);
    await session.close();
    from = to;
  }
}

const disksWith = writtenOnce(written);
const writtenOnDisk = (closings: readonly number[] = [25, 50]): Promise<InMemoryFileSystem> =>
  disksWith(closings);

async function answers(session: Session): Promise<readonly (readonly HistoryHit[])[]> {
  const found: (readonly HistoryHit[])[] = [];
  for (const query of QUERIES) found.push(await session.history.search(query, { limit: 4 }));
  return found;
}

const answersOfLog = onceForEachLog(answers);

const segments = (fs: FileSystem): readonly string[] =>
  fs.stat(FOLDER) === undefined ? [] : fs.list(FOLDER).filter((name) => name.startsWith("segment-"));

/** Opens it, changes it, and compares its answers with those of the same log without any files. Returns reads of the whole log. */
async function compare(
  fs: InMemoryFileSystem,
  change: (session: Session) => Promise<void> = async () => {},
): Promise<number> {
  const { store, wholeReads } = counting(onDisk(fs, 7));
  const session = await openSession("s", optionsOf(store, 7));
  await change(session);
  const before = wholeReads();
  const found = await answers(session);
  const reads = wholeReads() - before;
  await session.close();
  expect(found).toEqual(await answersOfLog(fs));
  expect(found.at(-1)).toEqual([]);
  expect(found[0]!.length).toBe(4);
  return reads;
}

describe("the search index beside a log", () => {
  it("is saved at closing, and read instead of the log", async () => {
    const fs = await writtenOnDisk();
    expect(segments(fs).length).toBeGreaterThan(0);
    expect(await compare(fs)).toBe(0);
  });

  it("leaves no file of a short session, nor of one that was never searched", async () => {
    expect(segments(await writtenOnDisk([10]))).toEqual([]);
    const fs = new InMemoryFileSystem();
    const session = await createSession({ ...optionsOf(onDisk(fs)), sessionId: "s" });
    await converse(session, 0, 25);
    await session.close();
    expect(segments(fs)).toEqual([]);
  });

  it("holds everything that was said, also after a rewind, and what came after it", async () => {
    expect(await compare(await writtenOnDisk(), (session) => session.rewind(60))).toBe(0);
    expect(
      await compare(await writtenOnDisk(), async (session) => {
        await session.rewind(60);
        await converse(session, 50, 53);
      }),
    ).toBe(0);
  });

  it("does not change with what the host removes, what is undone, or what is pinned", async () => {
    expect(
      await compare(await writtenOnDisk(), async (session) => {
        const { writer } = internalsOf(session);
        const edit = { kind: "host", reason: "test", effect: { hide: [{ from: 9, to: 9 }] } } as const;
        const { seq } = await writer.appendOne({ type: "edit", edit });
        await session.pin({ seq: 5 });
        await session.undo(seq);
      }),
    ).toBe(0);
  });

  it("is used by a session whose writer was killed behind it", async () => {
    const fs = await writtenOnDisk();
    const session = await openSession("s", optionsOf(onDisk(fs, 3), 3));
    await session.history.search("a word");
    await converse(session, 50, 55);
    // The log is left open, as a killed process leaves it.
    expect(await compare(fs)).toBe(0);
  });

  it("is saved while the session is used, and merged", async () => {
    const fs = await writtenOnDisk([25]);
    const session = await openSession("s", optionsOf(onDisk(fs, 3), 3));
    await session.history.search("a word");
    await converse(session, 25, 165);
    await session.history.search("a word");
    await vi.waitFor(() => expect(segments(fs)).toEqual(["segment-1-487"]), { timeout: 20_000 });
    await session.close();
    expect(await compare(fs)).toBe(0);
  });

  it("finds its place in a fork by the fork's own log", async () => {
    const fs = await writtenOnDisk();
    const store = onDisk(fs, 5);
    const fork = await forkSession("s", optionsOf(store, 5));
    const parent = await openSession("s", optionsOf(onDisk(fs, 6), 6));
    const inFork = (await answers(fork)).map((hits) => hits.map(({ snippet }) => snippet));
    expect(inFork).toEqual((await answers(parent)).map((hits) => hits.map(({ snippet }) => snippet)));
    await fork.close();
    await parent.close();
  });

  it("is the same in a store in memory", async () => {
    const { store, wholeReads } = counting(new InMemorySessionStore());
    await written(store, [25]);
    const session = await openSession("s", optionsOf(store, 2));
    const before = wholeReads();
    const found = await answers(session);
    expect(found[0]!.length).toBe(4);
    expect(wholeReads()).toBe(before);
    await session.close();
  });

  it.each<{ why: string; change: (bytes: Uint8Array) => Uint8Array }>([
    { why: "is empty", change: () => new Uint8Array(0) },
    { why: "ends too early", change: (bytes) => bytes.slice(0, -1) },
    { why: "has another first byte", change: (bytes) => bytes.with(0, 1) },
    { why: "has another byte in its head", change: (bytes) => bytes.with(400, bytes[400]! ^ 1) },
  ])("is made from the log again where a file $why", async ({ change }) => {
    const fs = await writtenOnDisk();
    for (const name of segments(fs)) rewrite(fs, name, change);
    await compare(fs);
  });

  it("is never a wrong one, whichever byte of a file is another", async () => {
    const fs = await writtenOnDisk([25]);
    const [name] = segments(fs);
    const size = fs.stat(`${FOLDER}/${name}`)!.size;
    const places = Array.from({ length: 50 }, (_, index) => Math.floor((index * (size - 1)) / 49));
    const every = bySize({ usual: 12, long: 4, soak: 1 });
    for (const at of places.filter((_, index) => index % every === 0)) {
      const copy = copyOf(fs);
      rewrite(copy, name!, (bytes) => bytes.with(at, bytes[at]! ^ 0x40));
      await compare(copy);
    }
  });

  it("is written again after a damaged one was met, and the damaged one is removed", async () => {
    const fs = await writtenOnDisk([25]);
    const [name] = segments(fs);
    const size = fs.stat(`${FOLDER}/${name}`)!.size;
    // Behind the head and the blocks, so that only a search meets it.
    rewrite(fs, name!, (bytes) => bytes.with(size - 10, bytes[size - 10]! ^ 1));
    const session = await openSession("s", optionsOf(onDisk(fs, 3), 3));
    await answers(session);
    await session.close();
    expect(await compare(fs)).toBe(0);
  });

  it("is not used with another log: its last entry has another id there", async () => {
    const [one, other] = [await writtenOnDisk([25]), new InMemoryFileSystem()];
    const session = await createSession({ ...optionsOf(onDisk(other, 9), 9), sessionId: "s" });
    await converse(session, 1, 26);
    await session.close();
    other.makeDirectory(FOLDER);
    for (const name of segments(one)) {
      const file = one.open(`${FOLDER}/${name}`, "read");
      other.writeFile(`${FOLDER}/${name}`, Buffer.from(file.read(0, file.size())));
    }
    expect(await compare(other)).toBe(1);
  });

  it.each([
    { why: "whole", change: (bytes: Uint8Array) => bytes, reads: 0 },
    {
      why: "damaged",
      change: (bytes: Uint8Array) => bytes.with(bytes.length - 10, bytes.at(-10)! ^ 1),
      reads: 1,
    },
  ])("is read by a process that is not the session, and left as it is: $why", async ({ change, reads }) => {
    const fs = await writtenOnDisk();
    for (const name of segments(fs)) rewrite(fs, name, change);
    const before = [...segments(fs)].sort();
    const { store, wholeReads } = counting(onDisk(fs, 4));
    const history = await openHistory(store, "s");
    expect((await history.search("Question 12", { limit: 1 }))[0]?.snippet).toContain("Question 12");
    expect(wholeReads()).toBe(reads);
    await history.close();
    expect([...segments(fs)].sort()).toEqual(before);
  });

  it("goes to the trash with its session, and is deleted with it", async () => {
    const fs = await writtenOnDisk([25, 50]);
    const store = onDisk(fs, 9);
    await store.trash("s", { at: 1, reason: "test" });
    expect(fs.stat(FOLDER)).toBeUndefined();
    await store.restore("s");
    expect(segments(fs).length).toBeGreaterThan(0);
    await store.trash("s", { at: 2, reason: "test" });
    await store.purge("s");
    expect(fs.list(ROOT).filter((name) => name.includes("s") && !name.startsWith("."))).toEqual([]);
  });

  const faults: readonly (readonly [FileFault, first: number])[] = [
    ["EIO", 1],
    ["kill", 4],
    ["ENOSPC", 7],
    ["short", 10],
    ["torn", 13],
  ];
  it.each(
    usualFew(faults, 3),
  )("is never a wrong one, and closing never fails for it, whichever operation of writing, merging or removing fails: %s", async (error, first) => {
    const before = await writtenOnDisk([25]);
    const killed = await openSession("s", optionsOf(onDisk(before, 4), 4));
    await converse(killed, 25, 50);
    const step = bySize({ usual: 17, long: 5, soak: 1 });
    for (let failAtCall = bySize({ usual: first, long: 1 + (first % step), soak: 1 }); ; failAtCall += step) {
      const disk = copyOf(before);
      let isOn = false;
      const faulty = faultyFileSystem(disk, { failAtCall, error });
      const fs = onlyDerived(disk, faulty, () => isOn);
      const session = await openSession("s", optionsOf(onDisk(fs, 5), 5));
      await session.history.search("a word");
      isOn = true;
      await session.close();
      await compare(disk);
      if (!faulty.didFail()) {
        expect(failAtCall).toBeGreaterThan(10);
        return;
      }
      expect(failAtCall).toBeLessThan(400);
    }
  });
});

function rewrite(fs: InMemoryFileSystem, name: string, change: (bytes: Uint8Array) => Uint8Array): void {
  const path = `${FOLDER}/${name}`;
  const file = fs.open(path, "read");
  const bytes = Uint8Array.from(file.read(0, file.size()));
  file.close();
  fs.writeFile(path, Buffer.from(change(bytes)));
}
