/** Fails the 1st file operation, then the 2nd, … until a run gets through; then the same with kills and power cuts. */

import { faultyFileSystem, InMemoryFileSystem } from "palimpsest-testing";
import { type Crash, FakeFileSystemError, type FileFault } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import type { FileSystem, OpenFile } from "#ports/file-system.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import {
  ALL_SEQS,
  fileStore,
  message,
  type Promised,
  readSession,
  runWorkload,
  SESSION,
} from "./workload.ts";

interface Run {
  readonly failAtCall: number;
  readonly disk: InMemoryFileSystem;
  readonly promised: Promised;
}

interface SweepOptions {
  readonly failCount: number;
  readonly attempts: number;
  /** A layer between the fault and the disk. */
  readonly under?: (disk: FileSystem) => FileSystem;
}

/** A disk on which no file can be cut: what a failed write left stays there. */
function withoutTruncate(disk: FileSystem): FileSystem {
  const truncate = () => {
    throw new FakeFileSystemError("EIO", "files cannot be cut here");
  };
  return withFiles(disk, () => ({ truncate }));
}

/** A disk whose files do some things in another way. */
function withFiles(disk: FileSystem, change: (file: OpenFile) => Partial<OpenFile>): FileSystem {
  const open: FileSystem["open"] = (path, mode) => {
    const file = disk.open(path, mode);
    return {
      write: (bytes) => file.write(bytes),
      read: (position, length) => file.read(position, length),
      size: () => file.size(),
      endsAt: (position) => file.endsAt(position),
      sync: () => file.sync(),
      close: () => file.close(),
      truncate: (size) => file.truncate(size),
      ...change(file),
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

/** By default every eleventh operation; how many fail says which is the first. */
const STEP = bySize({ usual: 11, long: 3, soak: 1 });

/** One run per operation that fails; returns how many operations there are. */
async function sweep(
  error: FileFault,
  { failCount, attempts, under = (disk) => disk }: SweepOptions,
  check: (run: Run) => Promise<void>,
): Promise<number> {
  for (let failAtCall = 1 + (failCount % STEP); ; failAtCall += STEP) {
    const disk = new InMemoryFileSystem();
    const fs = faultyFileSystem(under(disk), { failAtCall, error, failCount });
    const promised = await runWorkload(fileStore(fs), { attempts });
    if (!fs.didFail()) return failAtCall - 1;
    await check({ failAtCall, disk, promised });
  }
}

describe("a disk that fails for a while", () => {
  it.each([
    { error: "ENOSPC", failCount: 1 },
    { error: "ENOSPC", failCount: 2 },
    { error: "ENOSPC", failCount: 3 },
    { error: "ENOSPC", failCount: 6 },
    { error: "EDQUOT", failCount: 1 },
    { error: "EIO", failCount: 1 },
    { error: "EIO", failCount: 2 },
    { error: "EIO", failCount: 3 },
    { error: "EIO", failCount: 4 },
    { error: "short", failCount: 1 },
    { error: "short", failCount: 4 },
  ] as const)("costs no entry and needs no reopening, whichever $failCount operations fail with $error", async ({
    error,
    failCount,
  }) => {
    const runs = await sweep(error, { failCount, attempts: 12 }, async ({ failAtCall, disk, promised }) => {
      const why = `${error} × ${failCount} at operation ${failAtCall}`;
      expect(promised.foreignErrors, why).toEqual([]);
      expect(promised.acknowledged, why).toEqual(ALL_SEQS);
      const found = await readSession(fileStore(disk), promised.blobs);
      expect(found.seqs, why).toEqual(ALL_SEQS);
      expect(
        found.damage.filter(({ reason }) => reason !== "torn-tail"),
        why,
      ).toEqual([]);
      // A sync that failed and then succeeded has done everything the failed one left.
      const afterPowerCut = await readSession(fileStore(disk.crashedCopy("power")), promised.durableBlobs);
      expect(promised.durable, why).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(afterPowerCut.seqs, why).toEqual(promised.durable);
    });
    expect(runs).toBeGreaterThan(50);
  });

  it("knows what a failed write left, whatever another session of the process wrote since", async () => {
    const disk = new InMemoryFileSystem();
    let failing: "write" | "size" | undefined;
    const fail = (): never => {
      throw new FakeFileSystemError("EIO", "the disk is not well");
    };
    const fs = withFiles(disk, (file) => ({
      size: () => (failing === "size" ? fail() : file.size()),
      write(bytes) {
        const written = file.write(bytes);
        if (failing !== "write") return written;
        failing = "size";
        return fail();
      },
    }));
    const store = fileStore(fs);
    const [log, other] = [await store.create("one"), await store.create("other")];
    await log.append([message(1)]);
    await other.append([message(1)]);
    failing = "write";
    await expect(log.append([message(2)])).rejects.toMatchObject({ code: "STORE_FAILED" });
    failing = undefined;
    await other.append([message(2)]);
    await log.append([message(2)]);
    for (const each of [log, other])
      expect((await each.readFrom(0, 2)).entries.map(({ entry }) => entry.seq)).toEqual([1, 2]);
  });

  it.each([
    { error: "ENOSPC", failCount: 1 },
    { error: "EIO", failCount: 3 },
    { error: "short", failCount: 1 },
  ] as const)("makes half-written lines void where they cannot be cut off again: $error × $failCount", async ({
    error,
    failCount,
  }) => {
    let voided = 0;
    const options = { failCount, attempts: 12, under: withoutTruncate };
    await sweep(error, options, async ({ failAtCall, disk, promised }) => {
      const found = await readSession(fileStore(disk), promised.blobs);
      expect(found.seqs, `${error} × ${failCount} at operation ${failAtCall}`).toEqual(ALL_SEQS);
      expect(found.damage.every(({ reason }) => reason === "torn-tail")).toBe(true);
      voided += found.damage.length;
    });
    expect(voided).toBeGreaterThan(0);
  });

  it("takes an append as done whose bytes are all there, although the disk refused it and cannot take it back", async () => {
    const disk = new InMemoryFileSystem();
    let isRefusing = false;
    const uncut = withoutTruncate(disk);
    const open: FileSystem["open"] = (path, mode) => {
      const file = uncut.open(path, mode);
      const write = (bytes: Uint8Array) => {
        const written = file.write(bytes);
        if (isRefusing) throw new FakeFileSystemError("EIO", "after the bytes were taken");
        return written;
      };
      return { ...file, write };
    };
    const log = await fileStore({ ...uncut, open }).create(SESSION);
    await log.append([message(1)]);
    isRefusing = true;
    await log.append([message(2)]);
    isRefusing = false;
    await log.append([message(3)]);
    expect(await readSession(fileStore(disk))).toMatchObject({ seqs: [1, 2, 3], damage: [] });
  });

  it("is not mistaken for another writer when it refused an append and kept its bytes", async () => {
    const disk = new InMemoryFileSystem();
    let isRefusing = false;
    const uncut = withoutTruncate(disk);
    const refuse = () => {
      if (isRefusing) throw new FakeFileSystemError("EIO", "nothing works");
    };
    const open: FileSystem["open"] = (path, mode) => {
      const file = uncut.open(path, mode);
      const write = (bytes: Uint8Array) => {
        const written = file.write(bytes);
        refuse();
        return written;
      };
      const size = () => {
        refuse();
        return file.size();
      };
      return { ...file, write, size };
    };
    const log = await fileStore({ ...uncut, open }).create(SESSION);
    await log.append([message(1)]);
    isRefusing = true;
    await expect(log.append([message(2, "as it was refused")])).rejects.toMatchObject({
      code: "STORE_FAILED",
    });
    isRefusing = false;
    await expect(log.append([message(2, "another in its place")])).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("are there nevertheless, and cannot be taken back"),
    });
  });

  it("is reported in the same call: no step that failed is taken as done", async () => {
    const runs = await sweep(
      "ENOSPC",
      { failCount: 10_000, attempts: 1 },
      async ({ failAtCall, disk, promised }) => {
        expect(promised.failures, `from operation ${failAtCall} on`).toBe(1);
        expect(promised.foreignErrors).toEqual([]);
        const found = await readSession(fileStore(disk), promised.blobs);
        expect(found.seqs, `from operation ${failAtCall} on`).toEqual(promised.acknowledged);
      },
    );
    expect(runs).toBeGreaterThan(50);
  });

  it("names the file, the bytes and what to do", async () => {
    const disk = new InMemoryFileSystem();
    const log = await fileStore(disk).create(SESSION);
    await log.append([message(1)]);
    await log.close();
    const fs = faultyFileSystem(disk, { failAtCall: 7, error: "ENOSPC" });
    const again = await fileStore(fs).open(SESSION);
    const failure = await again.append([message(2)]).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "STORE_FAILED",
      message:
        "134 bytes could not be appended to /home/user/sessions/session.jsonl at 134: ENOSPC: injected into write",
      hint: "Free some disk space; the session goes on with the next append.",
    });
  });
});

describe("a process that is killed", () => {
  it.each([
    "kill",
    "torn",
  ] as const)("loses nothing acknowledged (%s), at whichever operation", async (error) => {
    const runs = await sweep(error, { failCount: 1, attempts: 1 }, async ({ failAtCall, disk, promised }) => {
      const why = `${error} at operation ${failAtCall}`;
      const found = await readSession(fileStore(disk), promised.blobs);
      expect([promised.acknowledged, [...promised.acknowledged, ...promised.inFlight]], why).toContainEqual(
        found.seqs,
      );

      const next = (found.seqs.at(-1) ?? 0) + 1;
      const again = await goOn(disk, next);
      expect(again.seqs, why).toEqual([...found.seqs, next]);
      expect(litter(disk), why).toEqual([]);
    });
    expect(runs).toBeGreaterThan(50);
  });
});

describe("a power cut", () => {
  it.each([
    "power",
    "power-torn",
  ] as const)("loses nothing durable (%s), at whichever operation", async (crash: Crash) => {
    for (const error of ["kill", "torn"] as const)
      await sweep(error, { failCount: 1, attempts: 1 }, async ({ failAtCall, disk, promised }) => {
        const why = `${crash}, ${error} at operation ${failAtCall}`;
        const rest = disk.crashedCopy(crash);
        const found = await readSession(fileStore(rest), promised.durableBlobs);
        const line = [...promised.acknowledged, ...promised.inFlight];
        expect(found.seqs.length, why).toBeGreaterThanOrEqual(promised.durable.length);
        expect(found.seqs, why).toEqual(line.slice(0, found.seqs.length));
        const next = (found.seqs.at(-1) ?? 0) + 1;
        expect((await goOn(rest, next)).seqs, why).toEqual([...found.seqs, next]);
      });
  });

  it("would take what was never synced: the model does cut", async () => {
    const disk = new InMemoryFileSystem();
    const log = await fileStore(disk).create(SESSION);
    await log.append([message(1)]);
    await log.sync();
    await log.append([message(2)]);
    expect((await readSession(fileStore(disk.crashedCopy("process")))).seqs).toEqual([1, 2]);
    expect((await readSession(fileStore(disk.crashedCopy("power")))).seqs).toEqual([1]);
  });

  it("does not take a blob that was begun while a sync was under way, once the next sync is done", async () => {
    const disk = new InMemoryFileSystem();
    const log = await fileStore(disk).create(SESSION);
    await log.append([message(1)]);
    for (let round = 0; round < 24; round++) {
      // The first rounds have new folders to sync, the later ones only the blobs' own.
      const delay = round % 8;
      const text = `blob ${round}`;
      const syncing = log.sync();
      for (let tick = 0; tick < delay; tick++) await Promise.resolve();
      await Promise.all([syncing, log.putBlob(nodeHasher.sha256(text), text)]);
      await log.sync();
      const found = await readSession(fileStore(disk.crashedCopy("power")), [text]);
      expect(found.seqs).toEqual([1]);
    }
  });

  it("does not take what an earlier, killed process left, once the next one has synced", async () => {
    const disk = new InMemoryFileSystem();
    await (await fileStore(disk).create(SESSION)).append([message(1)]);
    const log = await fileStore(disk).open(SESSION);
    await log.sync();
    await disk.syncDirectory("/home/user");
    await disk.syncDirectory("/home");
    await disk.syncDirectory("/");
    expect((await readSession(fileStore(disk.crashedCopy("power")))).seqs).toEqual([1]);
  });
});

/** Opens what a crash left, stores a blob and an entry more, and reads everything. */
async function goOn(disk: InMemoryFileSystem, seq: number) {
  const store = fileStore(disk);
  const isThere = (await store.list()).includes(SESSION);
  const log = isThere ? await store.open(SESSION) : await store.create(SESSION);
  await log.putBlob("6f2b0a5c1b1f6b5d2c1f2d3f4e5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6", "any text");
  await log.append([message(seq)]);
  await log.close();
  return readSession(store);
}

function litter(disk: InMemoryFileSystem): readonly string[] {
  return disk.list("/home/user/sessions/session/blobs").filter((name) => name.endsWith(".tmp"));
}
