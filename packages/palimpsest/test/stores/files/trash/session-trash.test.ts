import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds, systemClock, systemTimer } from "#stores/platform/node-ports.ts";
import { nodeProcess } from "#stores/platform/node-process.ts";
import { message } from "#test/fault/workload.ts";
import type { MessageEntry } from "#transcript/entries.ts";

const TRASHING = { at: 1_767_225_600_000, reason: "by hand" };
let folder: string;
let root: string;
let store: FileSessionStore;

function aStore(fs: FileSystem = nodeFileSystem): FileSessionStore {
  return new FileSessionStore({
    root,
    fs,
    hasher: nodeHasher,
    ids: randomIds,
    lease: { clock: systemClock, process: nodeProcess, timer: systemTimer },
  });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-trash-"));
  root = join(folder, "sessions");
  store = aStore();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function stored(id: string): Promise<void> {
  const log = await store.create(id);
  await log.putBlob(nodeHasher.sha256("a blob"), "a blob");
  await log.append([message(1) as MessageEntry]);
  await log.close();
}

function put(...parts: readonly string[]): string {
  const path = join(root, ...parts);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, parts.join("/"));
  return path;
}

/** Every path below a folder, links not followed. */
function below(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => {
      const inner = join(path, entry.name);
      return entry.isDirectory() ? [inner, ...below(inner)] : [inner];
    })
    .sort();
}

describe("who moves sessions", () => {
  it("lets go of the trash where it could not be looked at", async () => {
    await stored("s");
    await stored("t");
    await store.trash("s", TRASHING);
    let isFull = true;
    const fs: FileSystem = {
      ...nodeFileSystem,
      list: (path) => {
        if (isFull && path.endsWith(".busy"))
          throw Object.assign(new Error("too many files"), { code: "EMFILE" });
        return nodeFileSystem.list(path);
      },
    };
    const narrow = aStore(fs);
    await expect(narrow.trash("t", TRASHING)).rejects.toMatchObject({ code: "STORE_FAILED" });
    isFull = false;
    await narrow.trash("t", TRASHING);
    expect((await store.listTrash()).map(({ sessionId }) => sessionId)).toEqual(["s", "t"]);
  });

  it("is told that another process does, and not that the session is written", async () => {
    await stored("s");
    await stored("t");
    await store.trash("s", TRASHING);
    put(".trash", ".holder", "lease.1");
    await expect(store.trash("t", TRASHING)).rejects.toMatchObject({
      code: "SESSION_IN_USE",
      message: `Session t cannot be moved now: another process moves sessions into ${join(root, ".trash")} or out of it.`,
    });
  });
});

describe("the mark of a session that is moved", () => {
  /** The kind of each mark: a hard link to the audit, or a separate file. */
  async function marks(change: Partial<FileSystem>): Promise<readonly string[]> {
    const audit = join(root, ".trash", "audit.jsonl");
    const found: string[] = [];
    const look = (): void => {
      for (const name of readdirSync(join(root, ".trash", ".busy"))) {
        const { ino } = statSync(join(root, ".trash", ".busy", name));
        found.push(existsSync(audit) && statSync(audit).ino === ino ? "audit" : "its own");
      }
    };
    const rename: FileSystem["rename"] = (from, to) => {
      look();
      nodeFileSystem.rename(from, to);
    };
    const { link: linked, ...others } = { ...nodeFileSystem, rename, ...change };
    const moving = aStore(linked === undefined ? others : { ...others, link: linked });
    await stored("s");
    await stored("t");
    await moving.trash("s", TRASHING);
    await moving.trash("t", TRASHING);
    await moving.restore("s");
    await moving.purge("t");
    expect((await store.list()).join()).toBe("s");
    expect(readdirSync(join(root, ".trash", ".busy"))).toEqual([]);
    return [...new Set(found)].sort();
  }

  const refused = (): never => {
    throw Object.assign(new Error("files have one name here"), { code: "EPERM" });
  };

  it("is a second name of the audit, once there is one", async () => {
    expect(await marks({})).toEqual(["audit", "its own"]);
  });

  it.each([
    { why: "a disk without links", change: { link: undefined } },
    { why: "a disk that refuses them", change: { link: refused } },
  ])("is a file of its own on $why", async ({ change }) => {
    expect(await marks(change as Partial<FileSystem>)).toEqual(["its own"]);
  });

  it("is no second name of what the audit leads to, where it is a link", async () => {
    const elsewhere = put("elsewhere", "audit.jsonl");
    mkdirSync(join(root, ".trash"), { recursive: true });
    symlinkSync(elsewhere, join(root, ".trash", "audit.jsonl"));
    expect(await marks({})).toEqual(["its own"]);
  });
});

describe("what is deleted for good", () => {
  it("is all that a session has, and nothing else", async () => {
    await stored("s");
    for (const name of ["notes.md", "tasks/a/output.log", "damage/10.bad", `blobs/${"0".repeat(64)}.1f.tmp`])
      put("s", name);
    await store.trash("s", TRASHING);
    await store.purge("s");
    expect(below(root)).toEqual([
      join(root, ".trash"),
      join(root, ".trash", ".busy"),
      join(root, ".trash", "audit.jsonl"),
    ]);
  });

  it("is nothing that somebody else put there, which is reported and stays", async () => {
    await stored("s");
    const foreign = ["photo.jpg", "memory/MEMORY.md", "blobs/readme.txt", "blobs/deeper/x", "notes.md.bak"];
    for (const name of foreign) put("s", ...name.split("/"));
    await store.trash("s", TRASHING);
    await store.purge("s");
    const left = join(root, ".trash", "s", "left-1");
    for (const name of foreign) expect(readFileSync(join(left, name), "utf8")).toBe(`s/${name}`);
    expect(below(left).filter((path) => statSync(path).isFile())).toHaveLength(foreign.length);
    const audit = readFileSync(join(root, ".trash", "audit.jsonl"), "utf8")
      .trim()
      .split("\n");
    const line = JSON.parse(audit.at(-1)!) as { readonly action: string; readonly paths: readonly string[] };
    expect(line.action).toBe("left");
    expect(line.paths.join()).toContain("photo.jpg");
    expect(await store.listTrash()).toEqual([]);

    await stored("s");
    await store.trash("s", TRASHING);
    await store.restore("s");
    expect(await store.list()).toEqual(["s"]);
    expect(existsSync(join(left, "photo.jpg"))).toBe(true);
  });

  it("is nothing behind a link", async () => {
    const outside = join(folder, "outside");
    mkdirSync(join(outside, "blobs"), { recursive: true });
    for (const name of ["notes.md", join("blobs", "0".repeat(64))])
      writeFileSync(join(outside, name), "mine");
    await stored("s");
    mkdirSync(join(root, "s", "tasks"), { recursive: true });
    symlinkSync(outside, join(root, "s", "damage"));
    symlinkSync(join(outside, "notes.md"), join(root, "s", "notes.md"));
    symlinkSync(outside, join(root, "s", "tasks", "deeper"));
    await store.trash("s", TRASHING);
    await store.purge("s");
    expect(below(outside)).toHaveLength(3);
    expect(readFileSync(join(outside, "notes.md"), "utf8")).toBe("mine");
  });
});

describe("a link in the place of", () => {
  it.each(["the session's folder", "its log"])("%s is refused, and nothing is touched", async (what) => {
    const outside = join(folder, "outside");
    mkdirSync(outside);
    await stored("s");
    if (what === "its log") {
      writeFileSync(join(outside, "log"), readFileSync(join(root, "s.jsonl")));
      rmSync(join(root, "s.jsonl"));
      symlinkSync(join(outside, "log"), join(root, "s.jsonl"));
    } else {
      rmSync(join(root, "s"), { recursive: true });
      writeFileSync(join(outside, "notes.md"), "mine");
      symlinkSync(outside, join(root, "s"));
    }
    const before = below(folder);
    await expect(store.trash("s", TRASHING)).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("symbolic link"),
    });
    expect(below(folder).filter((path) => !path.includes(".trash"))).toEqual(before);
  });

  it("a session in the trash is not one", async () => {
    const outside = join(folder, "outside");
    mkdirSync(outside);
    for (const name of ["log.jsonl", "trashed.json"]) writeFileSync(join(outside, name), "{}");
    mkdirSync(join(root, ".trash"), { recursive: true });
    symlinkSync(outside, join(root, ".trash", "s"));
    expect(await store.listTrash()).toEqual([]);
    await expect(store.purge("s")).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(below(outside)).toHaveLength(2);
  });
});

describe("a session in use", () => {
  it("is not moved, and can be once it was closed", async () => {
    const log = await store.create("s");
    await log.append([message(1)]);
    await expect(aStore().trash("s", TRASHING)).rejects.toMatchObject({ code: "SESSION_IN_USE" });
    await log.append([message(2)]);
    await log.close();
    await aStore().trash("s", TRASHING);
    expect(await store.listTrash()).toHaveLength(1);
  });

  it("cannot be written by who had opened it before it was moved", async () => {
    await stored("s");
    const log = await store.open("s");
    await aStore().trash("s", TRASHING);
    await expect(log.append([message(2)])).rejects.toMatchObject({
      code: expect.stringMatching(/^SESSION_(NOT_FOUND|TAKEN)$/),
    });
    await log.close();
    expect(await store.list()).toEqual([]);
    await store.restore("s");
    expect(await store.list()).toEqual(["s"]);
  });

  it("is moved by one of many who try, and brought back by one", async () => {
    await stored("s");
    const stores = [aStore(), aStore(), aStore(), aStore()];
    for (const act of [
      (each: FileSessionStore) => each.trash("s", TRASHING),
      (each: FileSessionStore) => each.restore("s"),
    ]) {
      const results = await Promise.allSettled(stores.map(act));
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const result of results)
        if (result.status === "rejected")
          expect((result.reason as { code: string }).code).toMatch(/^SESSION_(IN_USE|NOT_FOUND|EXISTS)$/);
    }
    const log = await store.open("s");
    expect(await log.getBlob(nodeHasher.sha256("a blob"))).toBe("a blob");
    await log.close();
  });
});

describe("the trash", () => {
  it("may lie elsewhere, one folder for each scope", async () => {
    const trashFolder = join(folder, "trash");
    const options = { root, trashFolder, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds };
    const other = new FileSessionStore(options);
    await stored("s");
    await other.trash("s", TRASHING);
    expect(readdirSync(root)).toEqual([]);
    expect(readdirSync(join(trashFolder, "s")).sort()).toEqual(["files", "log.jsonl", "trashed.json"]);
    await other.restore("s");
    expect(await other.list()).toEqual(["s"]);
  });

  it.each([
    "",
    "{",
    "[]",
    '{"trashedAt":"yesterday"}',
    "\0\0",
  ])("lists without a date what has a damaged record: %j", async (text) => {
    await stored("s");
    await store.trash("s", TRASHING);
    writeFileSync(join(root, ".trash", "s", "trashed.json"), text);
    expect(await store.listTrash()).toEqual([{ sessionId: "s" }]);
    await store.restore("s");
    expect(await store.list()).toEqual(["s"]);
  });

  it("makes bringing back an activity", async () => {
    await stored("s");
    utimesSync(join(root, "s.jsonl"), 1_700_000_000, 1_700_000_000);
    await store.trash("s", TRASHING);
    const before = Date.now() - 1_000;
    await store.restore("s");
    expect((await store.find("s")).lastActivityAt).toBeGreaterThanOrEqual(before);
  });

  it("tells the index what goes and what comes back", async () => {
    const options = { root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds, isIndexed: true };
    const indexed = new FileSessionStore(options);
    for (const id of ["s", "t"]) {
      const log = await indexed.create(id);
      await log.append([message(1)]);
      await log.close();
    }
    await indexed.describe();
    const listed = async () =>
      (await new FileSessionStore(options).overview()).map(({ sessionId }) => sessionId);
    await indexed.trash("s", TRASHING);
    expect(await listed()).toEqual(["t"]);
    await indexed.restore("s");
    expect((await listed()).sort()).toEqual(["s", "t"]);
  });

  it("is readable by its owner only", async () => {
    await stored("s");
    await store.trash("s", TRASHING);
    for (const path of below(join(root, ".trash")))
      expect(statSync(path).mode & 0o777, path).toBe(statSync(path).isDirectory() ? 0o700 : 0o600);
  });
});

describe("many sessions that are deleted at a time", () => {
  it("share their syncs, and let the process have its turns", async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `old-${index}`);
    let syncsCount = 0;
    const counting = aStore({
      ...nodeFileSystem,
      syncDirectory: (path) => {
        syncsCount++;
        return nodeFileSystem.syncDirectory(path);
      },
    });
    for (const id of ids) await stored(id);
    for (const id of ids) await counting.trash(id, TRASHING);
    syncsCount = 0;
    let turnsCount = 0;
    const turn = () => {
      turnsCount++;
      turns = setImmediate(turn);
    };
    let turns = setImmediate(turn);
    await Promise.all(ids.map((id) => counting.purge(id)));
    clearImmediate(turns);
    // Once when the audit announces them, and once when they are gone.
    expect(syncsCount).toBe(2);
    expect(turnsCount).toBeGreaterThan(10);
    expect(await counting.listTrash()).toEqual([]);
    expect(readdirSync(join(root, ".trash")).filter((name) => name.startsWith("old-"))).toEqual([]);
  });
});
