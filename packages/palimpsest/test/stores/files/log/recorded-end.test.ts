/** A log that was cut where a line ends is reported as shorter than it was durable; nothing else is ever taken for that. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { type Crash, FakeProcess, FakeTimer } from "palimpsest-testing/internal";
import { beforeEach, describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import type { LogDamage, SessionLog } from "#ports/session-store.ts";
import { openSession } from "#session/lifecycle/open-session.ts";
import { inspectSession } from "#stores/files/doctor/session-doctor.ts";
import { repairSession } from "#stores/files/doctor/session-repair.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { sessionPaths } from "#stores/shared/session-paths.ts";
import { checkpoint, message } from "#test/fault/workload.ts";
import { countingStore } from "./counting-store.ts";

const ROOT = "/s";
const LOG = `${ROOT}/one.jsonl`;
const END = `${ROOT}/.log-ends/one`;
const BLOB = "a large text ".repeat(100);
const TRASHING = { at: 1_767_225_700_000, reason: "by hand" };

let disk: InMemoryFileSystem;
/** Ends of its lines. */
let ends: number[];

const storeOn = (fs: FileSystem) =>
  new FileSessionStore({ root: ROOT, fs, hasher: nodeHasher, ids: seededIds() });

const bytesOf = (path: string) => Buffer.from(disk.readFile(path));

function leased(living: Set<string>, pid: number, clock: FakeClock): FileSessionStore {
  const lease = { clock, process: new FakeProcess({ pid, living }), timer: new FakeTimer() };
  return new FileSessionStore({ root: ROOT, fs: disk, hasher: nodeHasher, ids: seededIds(pid), lease });
}

async function damageIn(log: SessionLog): Promise<readonly LogDamage[]> {
  const found = [...(await log.readTail()).damage];
  for await (const { damage } of log.readAll()) found.push(...damage);
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

async function reported(fs: FileSystem = disk, sessionId = "one"): Promise<readonly LogDamage[]> {
  const log = await storeOn(fs).open(sessionId);
  const damage = await damageIn(log);
  await log.close();
  return damage;
}

async function write(seqs: readonly number[], { isSynced = true } = {}): Promise<void> {
  const store = storeOn(disk);
  const isThere = disk.stat(LOG) !== undefined;
  const log = await (isThere ? store.open("one") : store.create("one"));
  for (const seq of seqs) await log.append([seq % 5 === 0 ? checkpoint(seq) : message(seq)]);
  if (isSynced) await log.sync();
  await log.close();
}

const cutTo = (size: number) => disk.writeFile(LOG, bytesOf(LOG).subarray(0, size));

beforeEach(async () => {
  disk = new InMemoryFileSystem();
  await write([1, 2, 3, 4, 5, 6, 7, 8]);
  const bytes = bytesOf(LOG);
  ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a).map((at) => at + 1);
});

describe("a log that was cut where a line ends", () => {
  it("is reported by whoever reads it, also when nothing is left of it", async () => {
    expect(await reported()).toEqual([]);
    for (const size of [...ends.slice(0, -1).reverse(), 0]) {
      cutTo(size);
      expect(await reported()).toEqual([{ position: size, bytes: 0, reason: "missing-tail" }]);
    }
  });

  it("is reported when it is opened, and the session goes on", async () => {
    for (const lost of [1, 3, 7, 8]) {
      await write([]);
      const cut = new InMemoryFileSystem();
      cut.writeFile(LOG, bytesOf(LOG).subarray(0, [0, ...ends].at(-1 - lost)!));
      cut.writeFile(END, bytesOf(END));
      const found: string[] = [];
      const options = { store: storeOn(cut), clock: new FakeClock(), ids: seededIds(9), hasher: nodeHasher };
      const observer = {
        onEvent: (event: { readonly type: string }) => {
          if (event.type === "damage") found.push((event as unknown as { damage: LogDamage }).damage.reason);
        },
      };
      const session = await openSession("one", { ...options, observer });
      expect(found, `${lost} lost`).toEqual(["missing-tail"]);
      await session.append({ role: "user", content: [{ type: "text", text: "And on." }] });
      await session.prepare({ model: "claude-opus-4-5", system: "" });
      await session.close();
      // What it has from now on is recorded.
      expect(await reported(cut)).toEqual([]);
    }
  });

  it("is reported also where the lease of a writer that may wake up is taken over", async () => {
    const clock = new FakeClock();
    const living = new Set<string>();
    const first = await leased(living, 1, clock).open("one");
    await first.acquire();
    cutTo(ends.at(-2)!);
    clock.advance(60_000);
    const second = await leased(living, 2, clock).open("one");
    await second.acquire();
    expect((await damageIn(second)).map(({ reason }) => reason)).toEqual(["missing-tail"]);
    await second.close();
  });

  it("is named by the doctor, who removes neither the empty log nor a blob", async () => {
    const log = await storeOn(disk).open("one");
    await log.putBlob(nodeHasher.sha256(BLOB), BLOB);
    await log.close();
    cutTo(0);
    const before = bytesOf(`${ROOT}/one/blobs/${nodeHasher.sha256(BLOB)}`);
    const paths = sessionPaths(ROOT, "one");
    const options = { sessionId: "one", paths, fs: disk, hasher: nodeHasher };
    for (const look of [inspectSession, repairSession, inspectSession]) {
      const found = await look(options);
      const findings = "findings" in found ? found.findings : found.left;
      expect(findings).toContainEqual({
        kind: "missing-entries",
        path: LOG,
        position: 0,
        bytes: 0,
        reason: "missing-tail",
        isQuarantined: false,
        isMendable: false,
        advice: "The log ends at 0 and was longer: its last entries are gone; a backup may have them.",
      });
    }
    expect(bytesOf(`${ROOT}/one/blobs/${nodeHasher.sha256(BLOB)}`).equals(before)).toBe(true);
    expect(disk.stat(LOG)?.size).toBe(0);
  });
});

describe("no loss is reported", () => {
  it.each<{ why: string; change: () => unknown }>([
    { why: "the last line break is gone", change: () => cutTo(ends.at(-1)! - 1) },
    { why: "a home of an earlier version has no record", change: () => disk.remove(END) },
    {
      why: "an earlier version went on, and recorded nothing",
      change: () => write([9, 10], { isSynced: false }),
    },
    {
      why: "an earlier version put a log of its own in the place of one that was deleted",
      change: async () => {
        const other = new InMemoryFileSystem();
        const log = await storeOn(other).create("one");
        await log.append([{ ...message(1), id: "other" }]);
        await log.close();
        disk.writeFile(LOG, other.readFile(LOG));
      },
    },
    {
      why: "the session was deleted for good and begun again",
      change: async () => {
        const store = storeOn(disk);
        await store.trash("one", TRASHING);
        await store.purge("one");
        expect(disk.list(`${ROOT}/.log-ends`)).toEqual([]);
        await write([1], { isSynced: false });
      },
    },
    {
      why: "it was deleted by an earlier version, and begun again",
      change: async () => {
        disk.remove(LOG);
        await write([1], { isSynced: false });
      },
    },
    {
      why: "it came back from the trash",
      change: async () => {
        await storeOn(disk).trash("one", TRASHING);
        await storeOn(disk).restore("one");
      },
    },
  ])("where $why", async ({ change }) => {
    await change();
    expect(await reported()).toEqual([]);
  });

  it("where lines were lost that were never synced", async () => {
    await write([9, 10, 11], { isSynced: false });
    const whole = bytesOf(LOG);
    for (let size = ends.at(-1)!; size <= whole.length; size++) {
      disk.writeFile(LOG, whole.subarray(0, size));
      expect((await reported()).filter(({ reason }) => reason === "missing-tail")).toEqual([]);
    }
  });

  it.each<Crash>(["process", "power", "power-torn"])("after a crash (%s) at any moment", async (crash) => {
    disk = new InMemoryFileSystem();
    const log = await storeOn(disk).create("one");
    for (let seq = 1; seq <= 12; seq++) {
      await log.append([message(seq)]);
      if (seq % 3 === 0) await log.sync();
      const after = disk.crashedCopy(crash);
      if (after.stat(LOG) !== undefined)
        expect((await reported(after)).filter(({ reason }) => reason === "missing-tail")).toEqual([]);
    }
    await log.close();
  });

  it("to a reader beside the writer, or in a copy", async () => {
    const log = await storeOn(disk).open("one");
    const beside = await storeOn(disk).open("one");
    for (let seq = 9; seq <= 14; seq++) {
      await log.append([message(seq)]);
      await log.sync();
      expect(await damageIn(beside)).toEqual([]);
      const copy = new InMemoryFileSystem();
      copy.writeFile(LOG, bytesOf(LOG));
      copy.writeFile(END, bytesOf(END));
      expect(await reported(copy)).toEqual([]);
    }
    await Promise.all([log.close(), beside.close()]);
  });

  it("where the record is damaged, whichever bit of it, and where it is cut or zero", async () => {
    const sound = bytesOf(END);
    const log = bytesOf(LOG);
    const spoiled = Array.from({ length: sound.length * 8 }, (_, bit) => {
      const bytes = Buffer.from(sound);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      return bytes;
    });
    for (const bytes of [...spoiled, Buffer.alloc(sound.length), Buffer.alloc(0), sound.subarray(0, 9)]) {
      disk.writeFile(END, bytes);
      expect(await reported()).toEqual([]);
      // Neither does it hide anything, nor is the log touched.
      const opened = await storeOn(disk).open("one");
      const seqs: number[] = [];
      for await (const { entries } of opened.readAll()) seqs.push(...entries.map(({ entry }) => entry.seq));
      await opened.close();
      expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    }
    expect(bytesOf(LOG).equals(log)).toBe(true);
  });
});

describe("the record", () => {
  it("costs an append nothing, and a sync no sync of its own", async () => {
    const done: string[] = [];
    const counting: FileSystem = Object.create(disk, {
      open: {
        value: (path: string, mode: "read" | "append" | "create") => {
          if (path === END) done.push(mode);
          const file = disk.open(path, mode);
          return Object.assign(Object.create(file), {
            write: (bytes: Uint8Array) => file.write(bytes),
            read: (position: number, length: number) => file.read(position, length),
            size: () => file.size(),
            endsAt: (position: number) => file.endsAt(position),
            truncate: (size: number) => file.truncate(size),
            close: () => file.close(),
            sync: () => {
              done.push(path === END ? "sync of the record" : "sync of the log");
              return file.sync();
            },
          });
        },
      },
    });
    for (const name of [
      "makeDirectory",
      "list",
      "stat",
      "rename",
      "remove",
      "removeDirectory",
      "touch",
      "syncDirectory",
    ] as const)
      Object.defineProperty(counting, name, {
        value: (...args: never[]) => (disk[name] as (...all: never[]) => unknown)(...args),
      });
    const log = await storeOn(counting).open("one");
    for (let seq = 9; seq < 40; seq++) await log.append([message(seq)]);
    expect(done).toEqual([]);
    await log.sync();
    expect(done).toEqual(["sync of the log", "append"]);
    await log.sync();
    await log.close();
    expect(done).toHaveLength(2);
  });

  it("stays small however often a log is synced, and its last whole line counts", async () => {
    const log = await storeOn(disk).open("one");
    for (let seq = 9; seq < 400; seq++) {
      await log.append([message(seq)]);
      await log.sync();
      expect(disk.stat(END)!.size).toBeLessThan(4_300);
    }
    await log.close();
    const record = bytesOf(END).toString("utf8");
    disk.writeFile(END, Buffer.from(`${record}0badcafe {"seq":900,"bytes":90000000}\n12ab {"seq":`, "utf8"));
    expect(await reported()).toEqual([]);
    cutTo(bytesOf(LOG).lastIndexOf(0x0a, disk.stat(LOG)!.size - 2) + 1);
    expect((await reported()).map(({ reason }) => reason)).toEqual(["missing-tail"]);
  });

  it.skipIf(process.platform === "win32")("is not written through a link, nor removed there", async () => {
    const root = mkdtempSync(join(tmpdir(), "palimpsest-ends-"));
    const elsewhere = mkdtempSync(join(tmpdir(), "palimpsest-elsewhere-"));
    const options = { fs: nodeFileSystem, hasher: nodeHasher, ids: seededIds() };
    const store = new FileSessionStore({ root: join(root, "s"), ...options });
    const text = "somebody else's ".repeat(1_000);
    const begin = async (sessionId: string) => {
      const log = await store.create(sessionId);
      await log.append([message(1)]);
      await log.sync();
      await log.close();
    };
    for (const name of ["two", "three"]) writeFileSync(join(elsewhere, name), text);
    await begin("one");
    const folder = join(root, "s", ".log-ends");
    expect(readdirSync(folder)).toEqual(["one"]);
    symlinkSync(join(elsewhere, "two"), join(folder, "two"));
    await begin("two");
    rmSync(folder, { recursive: true });
    symlinkSync(elsewhere, folder);
    await begin("three");
    await begin("four");
    expect(readdirSync(elsewhere).sort()).toEqual(["three", "two"]);
    for (const name of ["two", "three"]) expect(readFileSync(join(elsewhere, name), "utf8")).toBe(text);
    for (const path of [root, elsewhere]) rmSync(path, { recursive: true });
  });

  it("that cannot be written fails no sync", async () => {
    disk.remove(END);
    disk.makeDirectory(END);
    await write([9]);
    expect(await reported()).toEqual([]);
  });
});

it("A sync reads the beginning of the log once, however often it is recorded", async () => {
  const root = mkdtempSync(join(tmpdir(), "palimpsest-end-"));
  const { store, readBytes } = countingStore(root);
  const log = await store.create("one");
  const readIn = async (seq: number): Promise<number> => {
    const before = readBytes();
    await log.append([message(seq)]);
    await log.sync();
    return readBytes() - before;
  };
  expect(await readIn(1)).toBeGreaterThan(0);
  expect(await readIn(2)).toBe(0);
  await log.close();
  rmSync(root, { recursive: true, force: true });
});
