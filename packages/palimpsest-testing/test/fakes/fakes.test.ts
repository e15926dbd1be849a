import type { FileSystem } from "palimpsest";
import { describe, expect, it } from "vitest";
import { FakeClock } from "#fakes/fake-time.ts";
import { InMemoryFileSystem } from "#fakes/in-memory-file-system.ts";
import { seededIds } from "#fakes/seeded-ids.ts";
import { faultyFileSystem } from "#faults/faulty-file-system.ts";

const bytes = (text: string) => Buffer.from(text);
const textAt = (disk: InMemoryFileSystem, path: string) => Buffer.from(disk.readFile(path)).toString();

describe("the fake clock", () => {
  it("stands still until it is moved, either way", () => {
    const clock = new FakeClock(1_000);
    expect(clock.nowMs()).toBe(1_000);
    clock.advance(500);
    expect(clock.nowMs()).toBe(1_500);
    clock.advance(-1_000);
    expect(clock.nowMs()).toBe(500);
    clock.set(0);
    expect(clock.nowMs()).toBe(0);
    expect(new FakeClock().nowMs()).toBe(1_767_225_600_000);
  });
});

describe("seeded ids", () => {
  it("are the same for one seed and different for another", () => {
    const draw = (seed: number) => {
      const ids = seededIds(seed);
      return [ids.sessionId(), ids.entryId(), ids.entryId(), ids.sessionId()];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it("have the shape of a UUID v4, and never repeat", () => {
    const ids = seededIds(3);
    const sessions = Array.from({ length: 2_000 }, () => ids.sessionId());
    const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(sessions.filter((id) => !uuidV4.test(id))).toEqual([]);
    expect(new Set(sessions).size).toBe(2_000);
    const entries = Array.from({ length: 2_000 }, () => ids.entryId());
    expect(new Set(entries).size).toBe(2_000);
    expect(entries.filter((id) => !/^[0-9a-f]{16}$/.test(id))).toEqual([]);
  });
});

describe("the file system in memory", () => {
  it("appends, reads, cuts, renames, removes and lists as a real one does", () => {
    const disk = new InMemoryFileSystem();
    disk.makeDirectory("/a/b");
    const file = disk.open("/a/b/f", "create");
    expect(file.write(bytes("hello "))).toBe(6);
    file.write(bytes("world"));
    expect(Buffer.from(file.read(3, 5)).toString()).toBe("lo wo");
    expect(file.read(9, 100).length).toBe(2);
    expect(file.read(99, 1).length).toBe(0);
    file.truncate(5);
    expect(file.size()).toBe(5);
    file.write(bytes("!"));
    expect(textAt(disk, "/a/b/f")).toBe("hello!");
    disk.rename("/a/b/f", "/a/g");
    expect(disk.list("/a")).toEqual(["b", "g"]);
    expect(disk.stat("/a/b/f")).toBeUndefined();
    expect(disk.stat("/a/g")).toMatchObject({ size: 6, isDirectory: false });
    disk.remove("/a/g");
    expect(disk.list("/a")).toEqual(["b"]);
  });

  it.each([
    { code: "ENOENT", use: (disk: InMemoryFileSystem) => disk.open("/none/f", "append") },
    { code: "ENOENT", use: (disk: InMemoryFileSystem) => disk.open("/d/none", "read") },
    { code: "EEXIST", use: (disk: InMemoryFileSystem) => disk.open("/d/f", "create") },
    { code: "EISDIR", use: (disk: InMemoryFileSystem) => disk.open("/d", "read") },
    { code: "ENOTDIR", use: (disk: InMemoryFileSystem) => disk.list("/d/f") },
    { code: "ENOENT", use: (disk: InMemoryFileSystem) => disk.rename("/d/none", "/d/g") },
    { code: "ENOENT", use: (disk: InMemoryFileSystem) => disk.remove("/d/none") },
    { code: "EBADF", use: (disk: InMemoryFileSystem) => disk.open("/d/f", "read").write(bytes("x")) },
  ])("fails with the code of the platform: $code", ({ code, use }) => {
    const disk = new InMemoryFileSystem();
    disk.writeFile("/d/f", bytes("x"));
    expect(() => use(disk)).toThrow(expect.objectContaining({ code }));
  });

  it("loses unsynced bytes, names, renames and removals in a power cut, and nothing when a process is killed", async () => {
    const disk = new InMemoryFileSystem();
    disk.writeFile("/d/old", bytes("old"));
    disk.writeFile("/d/gone", bytes("gone"));
    const file = disk.open("/d/old", "append");
    file.write(bytes(" synced"));
    await file.sync();
    file.write(bytes(" not"));
    disk.rename("/d/gone", "/d/renamed");
    await disk.open("/d/new", "create").sync();

    const killed = disk.crashedCopy("process");
    expect([...killed.list("/d")].sort()).toEqual(["new", "old", "renamed"]);
    expect(textAt(killed, "/d/old")).toBe("old synced not");

    const cut = disk.crashedCopy("power");
    expect([...cut.list("/d")].sort()).toEqual(["gone", "old"]);
    expect(textAt(cut, "/d/old")).toBe("old synced");
    expect(textAt(disk.crashedCopy("power-torn"), "/d/old")).toBe("old synced n");

    await disk.syncDirectory("/d");
    expect([...disk.crashedCopy("power").list("/d")].sort()).toEqual(["new", "old", "renamed"]);
    expect(textAt(disk.crashedCopy("power"), "/d/old")).toBe("old synced");
  });

  it("gives copies: a crashed one and the one that goes on share nothing", () => {
    const disk = new InMemoryFileSystem();
    disk.writeFile("/f", bytes("one"));
    const copy = disk.crashedCopy("process");
    copy.open("/f", "append").write(bytes(" two"));
    expect(textAt(disk, "/f")).toBe("one");
  });
});

describe("the faulty file system", () => {
  const prepared = () => {
    const disk = new InMemoryFileSystem();
    disk.writeFile("/f", bytes(""));
    return disk;
  };

  it.each([
    { error: "ENOSPC", code: "ENOSPC", left: "abcd", after: "abcdxy" },
    { error: "EIO", code: "EIO", left: "abcd", after: "abcdxy" },
    { error: "torn", code: "EKILLED", left: "abcd", after: "abcd" },
    { error: "kill", code: "EKILLED", left: "", after: "" },
  ] as const)("fails the write it is told to with $error and leaves $left", ({
    error,
    code,
    left,
    after,
  }) => {
    const disk = prepared();
    const fs = faultyFileSystem(disk, { failAtCall: 2, error });
    const file = fs.open("/f", "append");
    expect(fs.didFail()).toBe(false);
    expect(() => file.write(bytes("abcdefgh"))).toThrow(expect.objectContaining({ code }));
    expect(fs.didFail()).toBe(true);
    expect(textAt(disk, "/f")).toBe(left);
    const write = () => file.write(bytes("xy"));
    if (code === "EKILLED") expect(write).toThrow(expect.objectContaining({ code }));
    else write();
    expect(textAt(disk, "/f")).toBe(after);
    expect(fs.callCount()).toBe(3);
  });

  it("writes short without an error", () => {
    const disk = prepared();
    const file = faultyFileSystem(disk, { failAtCall: 2, error: "short" }).open("/f", "append");
    expect(file.write(bytes("abcdefgh"))).toBe(4);
    expect(textAt(disk, "/f")).toBe("abcd");
  });

  it("fails as many operations as it is told to, of any kind", async () => {
    const fs = faultyFileSystem(prepared(), { failAtCall: 1, error: "EIO", failCount: 3 });
    const eio = expect.objectContaining({ code: "EIO" });
    expect(() => fs.stat("/f")).toThrow(eio);
    await expect(fs.syncDirectory("/")).rejects.toThrow(eio);
    expect(() => fs.list("/")).toThrow(eio);
    expect(fs.list("/")).toEqual(["f"]);
  });

  it("fails what a store may do in another way: reading into its bytes, and listing with what is there", () => {
    const disk = prepared();
    disk.writeFile("/f", bytes("abcdefgh"));
    const into = new Uint8Array(3);
    const ways = [
      { calls: 2, run: (fs: FileSystem) => fs.open("/f", "read").readInto!(6, into) },
      { calls: 1, run: (fs: FileSystem) => [...fs.listStats!("/").keys()] },
      { calls: 1, run: (fs: FileSystem) => [...fs.listInParts!("/")].flatMap((part) => [...part.keys()]) },
    ];
    const results = ways.map(({ calls, run }) => {
      const fs = faultyFileSystem(disk, { failAtCall: calls, error: "EIO" });
      expect(() => run(fs)).toThrow(expect.objectContaining({ code: "EIO" }));
      return run(fs);
    });
    expect(results).toEqual([2, ["f"], ["f"]]);
    expect(new TextDecoder().decode(into)).toBe("gh\0");
  });
});
