import { setImmediate } from "node:timers/promises";
import { faultyFileSystem, InMemoryFileSystem } from "palimpsest-testing";
import type { FileFault } from "palimpsest-testing/internal";
import { describe, expect, it, vi } from "vitest";
import { createDigest, type Digest } from "#compaction/digest/digest.ts";
import { readDigest, writeDigest } from "#compaction/digest/saved-digest.ts";
import type { FileSystem } from "#ports/file-system.ts";
import type { SessionStore } from "#ports/session-store.ts";
import { DigestPoints } from "#session/history/digest-points.ts";
import type { FoldedFromLog } from "#session/history/folded-from-log.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import { internalsOf, type Session } from "#session/session.ts";
import { turnsOf } from "#session/turns/fair-turns.ts";
import { packParts, readDerivedPart } from "#stores/files/blobs/derived-parts.ts";
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
import { user } from "#test/helpers/histories.ts";
import type { Entry } from "#transcript/entries.ts";
import { bySize, usualFew } from "../../../../../test/helpers/size-of-run.ts";

/** A session of `turns` turns, whose digest was used once and whose log was closed at each of the `closings`. */
async function written(store: SessionStore, closings: readonly number[]): Promise<void> {
  let session = await createSession({ ...optionsOf(store), sessionId: "s" });
  let from = 0;
  for (const [index, to] of closings.entries()) {
    if (index > 0) session = await openSession("s", optionsOf(store, index + 1));
    await internalsOf(session).digest.get();
    await converse(session, from, to);
    await session.close();
    from = to;
  }
}

const digestIn = async (session: Session): Promise<string> =>
  writeDigest(await internalsOf(session).digest.get());

const digestOfLog = onceForEachLog(digestIn);

/** Opens it, changes it, and compares its digest with that of the same log without any files. */
async function compare(
  fs: InMemoryFileSystem,
  change: (session: Session) => Promise<void> = async () => {},
): Promise<number> {
  const { store, wholeReads } = counting(onDisk(fs, 7));
  const session = await openSession("s", optionsOf(store, 7));
  await change(session);
  const before = wholeReads();
  const digest = await digestIn(session);
  const reads = wholeReads() - before;
  await session.close();
  expect(digest).toBe(await digestOfLog(fs));
  return reads;
}

const points = (fs: FileSystem): string[] =>
  (fs.stat(FOLDER) === undefined ? [] : fs.list(FOLDER)).filter((name) => name.startsWith("digest-"));

const newestFirst = (fs: FileSystem): string[] =>
  points(fs).sort((one, other) => Number(other.slice(7)) - Number(one.slice(7)));

/** Changes a byte in the middle of a part; of the last one, with -1. */
const otherByte =
  (index: number) =>
  (parts: readonly Buffer[]): readonly Buffer[] => {
    const changed = parts.map((part) => Buffer.from(part));
    const part = changed.at(index)!;
    part[part.length >> 1]! ^= 1;
    return changed;
  };

const disksWith = writtenOnce(written);
const written20 = (closings: readonly number[] = [20, 40]): Promise<InMemoryFileSystem> =>
  disksWith(closings);

describe("the digest beside a log", () => {
  it("is saved at closing, and read instead of the log", async () => {
    const fs = await written20();
    expect(points(fs)).toHaveLength(2);
    expect(await compare(fs)).toBe(0);
  });

  it("is saved again at a later closing after less than it takes to be saved at all", async () => {
    expect(points(await written20([8]))).toHaveLength(0);
    expect(points(await written20([20, 28]))).toHaveLength(2);
  });

  it("leaves no file of a short session", async () => {
    const fs = await written20([5]);
    expect(fs.stat(FOLDER)).toBeUndefined();
  });

  it("is one of an earlier point after a rewind, and none where all points are of what was taken back", async () => {
    expect(await compare(await written20(), (session) => session.rewind(100))).toBe(0);
    expect(await compare(await written20(), (session) => session.rewind(20))).toBe(1);
  });

  it("is the newest one again where a rewind went back to after it", async () => {
    expect(
      await compare(await written20(), async (session) => {
        await converse(session, 40, 41);
        const { nextSeq } = internalsOf(session).writer;
        await converse(session, 41, 43);
        await session.rewind(nextSeq - 1);
        await converse(session, 43, 44);
      }),
    ).toBe(0);
  });

  it("goes around a message that the host removed, and is used again once that is undone", async () => {
    const hide = async (session: Session): Promise<number> => {
      const { writer, digest } = internalsOf(session);
      const seq = 110;
      const edit = { kind: "host", reason: "test", effect: { hide: [{ from: seq, to: seq }] } } as const;
      const entry = await writer.appendOne({ type: "edit", edit });
      digest.invalidate();
      return entry.seq;
    };
    expect(await compare(await written20(), async (session) => void (await hide(session)))).toBe(0);
    expect(await compare(await written20(), async (session) => session.undo(await hide(session)))).toBe(0);
  });

  it("is used by a session whose writer was killed behind it", async () => {
    const fs = await written20();
    const session = await openSession("s", optionsOf(onDisk(fs, 3), 3));
    await converse(session, 40, 45);
    // The log is left open, as a killed process leaves it.
    expect(await compare(fs)).toBe(0);
  });

  it.each<{ why: string; damage: (parts: readonly Buffer[]) => readonly Buffer[] }>([
    {
      why: "a byte of the digest is another",
      damage: inPart(1, (text) => text.replace("Question 1 ", "Question 2 ")),
    },
    { why: "a byte of its strings is another", damage: otherByte(2) },
    { why: "a byte of its words is another", damage: otherByte(-1) },
    { why: "a part is missing", damage: (parts) => parts.slice(0, -1) },
    { why: "a part ends too early", damage: inPart(1, (text) => text.slice(0, -1)) },
    {
      why: "it is of another version",
      damage: inPart(0, (text) => text.replace('"version":3', '"version":2')),
    },
    {
      why: "it is of another entry",
      damage: inPart(0, (text) => text.replace(/"id":"[^"]*"/, '"id":"other"')),
    },
    {
      why: "it names another place",
      damage: inPart(0, (text) => text.replace(/"position":\d+/, '"position":3')),
    },
    {
      why: "it has far too many parts",
      damage: inPart(0, (text) =>
        text.replace(/"parts":\d+,"hash":"(\w+)"\}$/, '"parts":4000000000,"hash":"$1"}'),
      ),
    },
  ])("is not used where it is damaged: $why", async ({ damage }) => {
    const fs = await written20();
    const [newest, ...earlier] = newestFirst(fs);
    for (const name of earlier) fs.remove(`${FOLDER}/${name}`);
    await rewrite(fs, `${FOLDER}/${newest}`, damage);
    // The log is read from its beginning instead.
    expect(await compare(fs)).toBe(1);
  });

  it("is the last one that is whole, and needs no other", async () => {
    const fs = await written20();
    await rewrite(fs, `${FOLDER}/${newestFirst(fs)[0]}`, () => []);
    expect(await compare(fs)).toBe(0);
    const alone = await written20();
    for (const name of newestFirst(alone).slice(1)) alone.remove(`${FOLDER}/${name}`);
    expect(await compare(alone)).toBe(0);
  });

  it("is folded from the log where every file is gone or damaged", async () => {
    const fs = await written20();
    for (const name of fs.list(FOLDER)) await rewrite(fs, `${FOLDER}/${name}`, (parts) => parts.slice(0, 2));
    expect(await compare(fs)).toBe(1);
  });

  it("is saved once a long log was read for it, without waiting for the session to close", async () => {
    const fs = await written20([140]);
    for (const name of fs.list(FOLDER)) fs.remove(`${FOLDER}/${name}`);
    const session = await openSession("s", optionsOf(onDisk(fs, 3), 3));
    await internalsOf(session).digest.get();
    await session.append(user("It goes on at once."));
    await vi.waitFor(() => expect(points(fs)).toHaveLength(1));
    expect(await compare(fs)).toBe(0);
  });

  it("is saved although messages come in all the while", async () => {
    const fs = await written20([140]);
    for (const name of fs.list(FOLDER)) fs.remove(`${FOLDER}/${name}`);
    const session = await openSession("s", optionsOf(onDisk(fs, 3), 3));
    await internalsOf(session).digest.get();
    for (let turn = 140; turn < 240 && points(fs).length === 0; turn++) {
      await converse(session, turn, turn + 1);
      await setImmediate();
    }
    expect(points(fs)).toHaveLength(1);
    expect(await compare(fs)).toBe(0);
  });

  it("is saved again at closing, if much was folded in while an earlier point was written", async () => {
    const written: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let throughSeq = 1;
    const state = createDigest();
    const points = new DigestPoints({
      files: {
        list: async () => [],
        read: async () => undefined,
        write: async () => undefined,
        readPart: async () => undefined,
        writeParts: async (name) => {
          written.push(name);
          if (name === "digest-1") await released;
        },
        remove: async () => undefined,
      },
      log: {
        readFrom: async () => ({
          entries: [{ entry: { type: "undo", seq: throughSeq, id: "e" } as unknown as Entry, position: 0 }],
          damage: [],
        }),
      },
      turns: turnsOf({}),
      positionOf: () => 0,
      lineUpTo: () => "",
    });
    const digest = {
      hold: (work: () => Promise<void>) => work(),
      isStill: () => true,
      get rested() {
        return { state, throughSeq };
      },
    } as unknown as FoldedFromLog<Digest>;
    points.count(user("a".repeat(2_000_000)));
    points.rested(digest);
    await vi.waitFor(() => expect(written).toContain("digest-1"));
    points.count(user("b".repeat(300_000)));
    throughSeq = 2;
    release();
    await points.saveAtClose(digest);
    expect(written.filter((name) => name.startsWith("digest"))).toEqual(["digest-1", "digest-2"]);
  });

  it("is kept at a few points only", async () => {
    const fs = await written20([15, 30, 45, 60, 75, 90]);
    expect(points(fs)).toHaveLength(4);
    expect(await compare(fs)).toBe(0);
  });

  it.each([
    { why: "are gone", change: async (fs: InMemoryFileSystem, path: string) => fs.remove(path) },
    {
      why: "are damaged",
      change: (fs: InMemoryFileSystem, path: string) => rewrite(fs, path, otherByte(-1)),
    },
  ])("is folded from the log where its words $why", async ({ change }) => {
    const fs = await written20();
    for (const name of fs.list(FOLDER)) if (name.startsWith("words-")) await change(fs, `${FOLDER}/${name}`);
    expect(await compare(fs)).toBe(1);
  });

  it("leaves no file where its words would take more than a quarter of what was said", async () => {
    const fs = new InMemoryFileSystem();
    const session = await createSession({ ...optionsOf(onDisk(fs)), sessionId: "s" });
    await internalsOf(session).digest.get();
    const numbers = (from: number): string =>
      Array.from({ length: 3_000 }, (_, index) => `w${(from * 3_000 + index) * 7_919}`).join(" ");
    for (let turn = 0; turn < 10; turn++) await session.append(user(numbers(turn)));
    await session.close();
    expect(fs.stat(FOLDER)).toBeUndefined();
  });

  it("is the same in a store in memory", async () => {
    const { store, wholeReads } = counting(new InMemorySessionStore());
    await written(store, [20]);
    const before = wholeReads();
    const session = await openSession("s", optionsOf(store, 2));
    expect(readDigest(await digestIn(session))?.messageCount).toBeGreaterThan(0);
    expect(wholeReads()).toBe(before);
    await session.close();
  });

  it("goes to the trash with its session, and is deleted with it", async () => {
    const fs = await written20([20]);
    const store = onDisk(fs, 9);
    await store.trash("s", { at: 1, reason: "test" });
    expect(fs.stat(FOLDER)).toBeUndefined();
    await store.restore("s");
    expect(fs.list(FOLDER)).toHaveLength(2);
    await store.trash("s", { at: 2, reason: "test" });
    await store.purge("s");
    expect(fs.list(ROOT).filter((name) => name.includes("s") && !name.startsWith("."))).toEqual([]);
  });

  const faults: readonly (readonly [FileFault, first: number])[] = [
    ["EIO", 1],
    ["kill", 2],
    ["ENOSPC", 3],
    ["short", 6],
    ["torn", 5],
  ];
  it.each(
    usualFew(faults, 3),
  )("is never a wrong one, and closing never fails for it, whichever operation of writing it fails: %s", async (error, first) => {
    const before = await written20([20]);
    const killed = await openSession("s", optionsOf(onDisk(before, 4), 4));
    await converse(killed, 20, 40);
    const step = bySize({ usual: 11, long: 3, soak: 1 });
    for (let failAtCall = bySize({ usual: first, long: 1 + (first % step), soak: 1 }); ; failAtCall += step) {
      const disk = copyOf(before);
      let isOn = false;
      const faulty = faultyFileSystem(disk, { failAtCall, error });
      const fs = onlyDerived(disk, faulty, () => isOn);
      const session = await openSession("s", optionsOf(onDisk(fs, 5), 5));
      await internalsOf(session).digest.get();
      isOn = true;
      await session.close();
      expect(await compare(disk), `call ${failAtCall} failed`).toBe(0);
      if (!faulty.didFail()) {
        expect(failAtCall).toBeGreaterThan(5);
        return;
      }
      expect(failAtCall).toBeLessThan(100);
    }
  });
});

/** Reads the parts of a file, and writes it with others. */
async function rewrite(
  fs: InMemoryFileSystem,
  path: string,
  change: (parts: readonly Buffer[]) => readonly Buffer[],
): Promise<void> {
  const parts: Buffer[] = [];
  const file = fs.open(path, "read");
  for (let part = await readDerivedPart(file, 0); part !== undefined; ) {
    parts.push(Buffer.from(part));
    part = await readDerivedPart(file, parts.length);
  }
  file.close();
  fs.remove(path);
  const next = fs.open(path, "create");
  for (const piece of await packParts(change(parts))) next.write(piece);
  next.close();
}

/** Changes the text of one part. */
const inPart =
  (index: number, change: (text: string) => string) =>
  (parts: readonly Buffer[]): readonly Buffer[] =>
    parts.map((part, at) => (at === index ? Buffer.from(change(part.toString())) : part));
