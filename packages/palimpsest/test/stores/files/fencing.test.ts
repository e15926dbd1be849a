/** Two writers of one log, interleaved as only processes can be: the first in the file counts, the other is refused. */
import fc from "fast-check";
import { InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { beforeEach, describe, expect, it } from "vitest";
import { PalimpsestError } from "#base/errors.ts";
import type { FileSystem } from "#ports/file-system.ts";
import type { LogContents, SessionLog } from "#ports/session-store.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { formatBatch } from "#stores/files/log/log-line.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { anEntry } from "#test/fault/leased-workload.ts";
import type { Entry } from "#transcript/entries.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const ROOT = "/sessions";
const PATH = `${ROOT}/s.jsonl`;

let disk: InMemoryFileSystem;
beforeEach(() => {
  disk = new InMemoryFileSystem();
});

/** Hooks just before and after a write of a log. */
interface Instants {
  before?: (() => void) | undefined;
  after?: (() => void) | undefined;
  /** Called for other operations on the file. */
  asked?: (question: string) => void;
}

/** The disk as a process sees it that others interrupt. */
function interrupted(instants: Instants): FileSystem {
  const open: FileSystem["open"] = (path, mode) => {
    const file = disk.open(path, mode);
    const write = (bytes: Uint8Array) => {
      const ours = Buffer.from(bytes);
      try {
        instants.before?.();
      } finally {
        // The rival is another process with another line buffer; here the two share one.
        bytes.set(ours);
      }
      const written = file.write(bytes);
      instants.after?.();
      return written;
    };
    return {
      write,
      read: (position, length) => {
        instants.asked?.("read");
        return file.read(position, length);
      },
      size: () => {
        instants.asked?.("size");
        return file.size();
      },
      endsAt: (position) => {
        instants.asked?.("endsAt");
        return file.endsAt(position);
      },
      truncate: (size) => file.truncate(size),
      sync: () => file.sync(),
      close: () => file.close(),
    };
  };
  return {
    open,
    makeDirectory: (path) => disk.makeDirectory(path),
    list: (path) => disk.list(path),
    stat: (path) => disk.stat(path),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    removeDirectory: (path) => disk.removeDirectory(path),
    touch: (path, atMs) => disk.touch(path, atMs),
    syncDirectory: (path) => disk.syncDirectory(path),
  };
}

const storeOn = (fs: FileSystem) =>
  new FileSessionStore({ root: ROOT, fs, hasher: nodeHasher, ids: seededIds(1) });

/** Appends bytes as another process does that has the file open. */
function rivalAppends(...entries: readonly Entry[]): void {
  const file = disk.open(PATH, "append");
  file.write(formatBatch(entries).bytes);
  file.close();
}

async function begin(instants: Instants = {}): Promise<SessionLog> {
  const log = await storeOn(interrupted(instants)).create("s");
  await log.append([anEntry("a1", 1, ""), anEntry("a2", 2, "a1")]);
  return log;
}

async function read(): Promise<LogContents> {
  const log = await storeOn(disk).open("s");
  const parts: LogContents[] = [];
  for await (const part of log.readAll()) parts.push(part);
  await log.close();
  return { entries: parts.flatMap(({ entries }) => entries), damage: parts.flatMap(({ damage }) => damage) };
}

const idsOf = ({ entries }: LogContents) => entries.map(({ entry }) => entry.id);

describe("a write that another process got ahead of", () => {
  it("is not acknowledged, does not count, and is the last of its writer", async () => {
    const instants: Instants = {};
    const log = await begin(instants);
    instants.before = () => rivalAppends(anEntry("b3", 3, "a2"));
    const late = [anEntry("a3", 3, "a2"), anEntry("a4", 4, "a3"), anEntry("a5", 5, "a4")];
    await expect(log.append(late)).rejects.toMatchObject({ code: "SESSION_TAKEN" });
    instants.before = undefined;
    const bytes = disk.readFile(PATH).length;
    await expect(log.append(late)).rejects.toMatchObject({ code: "SESSION_TAKEN" });
    await expect(log.append([anEntry("a4", 4, "b3")])).rejects.toMatchObject({ code: "SESSION_TAKEN" });
    expect(disk.readFile(PATH).length).toBe(bytes);

    const contents = await read();
    expect(idsOf(contents)).toEqual(["a1", "a2", "b3"]);
    expect(contents.damage.map(({ reason }) => reason)).toEqual(["duplicate-seq", "forked", "forked"]);
    const next = await storeOn(disk).open("s");
    await next.append([anEntry("c4", 4, "b3")]);
    expect(idsOf(await read())).toEqual(["a1", "a2", "b3", "c4"]);
  });

  it("counts where the other came behind it, and tells its true place", async () => {
    const instants: Instants = {};
    const log = await begin(instants);
    instants.after = () => rivalAppends(anEntry("b3", 3, "a2"), anEntry("b4", 4, "b3"));
    const [position] = await log.append([anEntry("a3", 3, "a2")]);
    instants.after = undefined;
    await log.append([anEntry("a4", 4, "a3")]);
    expect((await log.readFrom(position!, 3)).entries[0]?.entry.id).toBe("a3");
    expect(idsOf(await read())).toEqual(["a1", "a2", "a3", "a4"]);
  });

  it("has its checkpoint passed over by who opens the session next", async () => {
    const instants: Instants = {};
    const log = await begin(instants);
    instants.before = () =>
      rivalAppends(anEntry("checkpoint-b3", 3, "a2"), anEntry("b4", 4, "checkpoint-b3"));
    const late = anEntry("checkpoint-a3", 3, "a2");
    await expect(log.append([late])).rejects.toMatchObject({ code: "SESSION_TAKEN" });
    rivalAppends(anEntry("b5", 5, "b4"));
    const next = await storeOn(disk).open("s");
    expect(idsOf(await next.readTail())).toEqual(["checkpoint-b3", "b4", "b5"]);
    await next.append([anEntry("c6", 6, "b5")]);
  });

  it("is not cut away with another's bytes behind it when it was refused half-way", async () => {
    const instants: Instants = {};
    const log = await begin(instants);
    const full: Error & { code?: string } = new Error("ENOSPC: no space");
    full.code = "ENOSPC";
    let isFirst = true;
    instants.before = () => {
      if (!isFirst) return;
      isFirst = false;
      const file = disk.open(PATH, "append");
      file.write(formatBatch([anEntry("a3", 3, "a2")]).bytes.subarray(0, 40));
      file.close();
      rivalAppends(anEntry("b3", 3, "a2"));
      throw full;
    };
    await expect(log.append([anEntry("a3", 3, "a2")])).rejects.toMatchObject({ code: "STORE_FAILED" });
    await expect(log.append([anEntry("a3", 3, "a2")])).rejects.toMatchObject({ code: "SESSION_TAKEN" });
    expect(idsOf(await read())).toEqual(["a1", "a2", "b3"]);
  });
});

describe("an append that nobody disturbs", () => {
  it("asks the disk where the log ends, writes, and asks again", async () => {
    const asked: string[] = [];
    const log = await begin({ before: () => asked.push("write"), asked: (question) => asked.push(question) });
    asked.length = 0;
    await log.append([anEntry("a3", 3, "a2")]);
    expect(asked).toEqual(["endsAt", "write", "endsAt"]);
  });
});

describe("any number of writers that know nothing of each other", () => {
  /** Which writer appends how many entries, and who appends in the instants before and after that write. */
  const turn = fc.record({
    who: fc.nat(3),
    count: fc.integer({ min: 1, max: 3 }),
    before: fc.option(fc.nat(3), { nil: undefined }),
    after: fc.option(fc.nat(3), { nil: undefined }),
    isCheckpoint: fc.boolean(),
    reopens: fc.boolean(),
  });

  it("never lose what one of them was told is kept, and agree on what counts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 14 }), async (turns) => {
        disk = new InMemoryFileSystem();
        const kept = await playTurns(turns);
        const contents = await read();
        expect(idsOf(contents).filter((id) => kept.includes(id))).toEqual(kept);
        expect(contents.entries.map(({ entry }) => entry.seq)).toEqual(
          contents.entries.map((_, index) => index + 1),
        );
        await checkTail(contents);
      }),
      { numRuns: bySize({ usual: 40, long: 1_200, soak: 5_000 }) },
    );
  });

  async function checkTail({ entries }: LogContents): Promise<void> {
    const log = await storeOn(disk).open("s");
    const from = entries.findLastIndex(({ entry }) => entry.type === "checkpoint");
    const tail = from === -1 ? [] : entries.slice(from).map(({ entry }) => entry.id);
    expect(idsOf(await log.readTail())).toEqual(tail);
    const last = entries.at(-1)!.entry;
    await log.append([anEntry("the end", last.seq + 1, last.id)]);
    await log.close();
    expect(idsOf(await read()).at(-1)).toBe("the end");
  }

  async function playTurns(
    turns: readonly {
      who: number;
      count: number;
      before: number | undefined;
      after: number | undefined;
      isCheckpoint: boolean;
      reopens: boolean;
    }[],
  ): Promise<readonly string[]> {
    const kept: string[] = [];
    const first = await begin();
    kept.push("a1", "a2");
    await first.close();
    let made = 0;
    const writers = await Promise.all(Array.from({ length: 4 }, () => openWriter()));

    async function openWriter() {
      const instants: Instants = {};
      const log = await storeOn(interrupted(instants)).open("s");
      const last = (await read()).entries.at(-1)!.entry;
      return { log, instants, last: { seq: last.seq, id: last.id } };
    }
    type Writer = Awaited<ReturnType<typeof openWriter>>;

    function entriesOf(writer: Writer, count: number, isCheckpoint: boolean): readonly Entry[] {
      let { seq, id } = writer.last;
      return Array.from({ length: count }, (_, index) => {
        const name = `${isCheckpoint && index === 0 ? "checkpoint-" : ""}m${++made}`;
        const entry = anEntry(name, ++seq, id);
        id = name;
        return entry;
      });
    }

    /** Told once its write is in the file; a store's append is done with its first step. */
    function append(writer: Writer, entries: readonly Entry[]): Promise<boolean> {
      return writer.log.append(entries).then(
        () => {
          kept.push(...entries.map(({ id }) => id));
          writer.last = entries.at(-1)!;
          return true;
        },
        (error: unknown) => {
          expect(error).toBeInstanceOf(PalimpsestError);
          expect(error).toMatchObject({ code: "SESSION_TAKEN" });
          return false;
        },
      );
    }

    for (const { who, count, before, after, isCheckpoint, reopens } of turns) {
      const writer = writers[who]!;
      const others: Promise<boolean>[] = [];
      const interrupt = (index: number | undefined) => () => {
        const other = index === undefined || index === who ? undefined : writers[index]!;
        if (other !== undefined) others.push(append(other, entriesOf(other, 1, false)));
      };
      writer.instants.before = interrupt(before);
      writer.instants.after = interrupt(after);
      const done = await append(writer, entriesOf(writer, count, isCheckpoint));
      writer.instants.before = undefined;
      writer.instants.after = undefined;
      await Promise.all(others);
      if (!done && reopens) {
        await writer.log.close();
        writers[who] = await openWriter();
      }
    }
    const order = (await read()).entries.map(({ entry }) => entry.id);
    return kept.sort((one, other) => order.indexOf(one) - order.indexOf(other));
  }
});
