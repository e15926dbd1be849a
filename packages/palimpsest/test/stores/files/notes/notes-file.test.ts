/** The notes of a session on a real disk: other things in their place, and moves together with the session. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { message } from "palimpsest-testing/internal";
import { beforeEach, describe, expect, it } from "vitest";
import type { NotesFile, SessionLog } from "#ports/session-store.ts";
import { inspectSession } from "#stores/files/doctor/session-doctor.ts";
import { repairSession } from "#stores/files/doctor/session-repair.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds, systemClock, systemTimer } from "#stores/platform/node-ports.ts";
import { nodeProcess } from "#stores/platform/node-process.ts";
import { sessionPaths } from "#stores/shared/session-paths.ts";
import { testFolder } from "../../../../../../test/helpers/compiled-once.ts";

const TRASHING = { at: 1_767_225_600_000, reason: "by hand" };
/** The fingerprint is that of `# Base`. */
const TAKEN = "notes.taken.1767225600000-1917f742cd0ae15d-a.md";

let root: string;
let store: FileSessionStore;
let log: SessionLog;
let notes: NotesFile;
let path: string;

beforeEach(async () => {
  root = testFolder();
  store = new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds });
  log = await store.create("s");
  await log.append([message(1, "one")]);
  notes = log.notes!;
  path = join(root, "s/notes.md");
});

const beside = () => readdirSync(join(root, "s")).sort();
const put = (name: string, text: string | Buffer) => {
  mkdirSync(join(root, "s"), { recursive: true });
  writeFileSync(join(root, "s", name), text);
};

describe("the notes of a session", () => {
  it("lie in its folder, for its owner alone, with the version before them", async () => {
    expect(notes.path).toBe(path);
    expect(existsSync(join(root, "s"))).toBe(false);
    await notes.replace(undefined, "# Base");
    await notes.replace("# Base", "# New");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toBe("# New");
    expect(beside()).toEqual([
      "notes.md",
      expect.stringMatching(/^notes\.previous\.\d+-[0-9a-f]{16}-[0-9a-f]{16}\.md$/),
    ]);
    expect(readFileSync(join(root, "s", beside()[1]!), "utf8")).toBe("# Base");
  });

  it("are what a person makes of them, to the byte", async () => {
    put("notes.md", "\uFEFF# By hand\r\n");
    expect(await notes.read()).toBe("\uFEFF# By hand\r\n");
    expect(await notes.replace("# By hand\r\n", "# New")).toBe(false);
    expect(await notes.replace("\uFEFF# By hand\r\n", "# New")).toBe(true);
    rmSync(path);
    expect(await notes.read()).toBe(undefined);
    expect(await notes.replace("# New", "# Newer")).toBe(false);
    expect(await notes.replace(undefined, "# Begun again")).toBe(true);
  });

  it("keep what an editor wrote that still held the old ones open", async () => {
    await notes.replace(undefined, "# Base");
    await notes.replace("# Base", "# New");
    put(beside()[1]!, "# Late");
    expect(await notes.replace("# New", "# Newer")).toBe(true);
    expect(readFileSync(join(root, "s/notes.conflict-1.md"), "utf8")).toBe("# Late");
    expect(await notes.replace("# Newer", "# Newest")).toBe(true);
    expect(beside().filter((name) => name.includes("conflict"))).toEqual(["notes.conflict-1.md"]);
    for (let count = 2; count <= 12; count++) {
      put(TAKEN.replace("-a", `-a${count}`), `# Late ${count}`);
      await notes.read();
    }
    const conflicts = beside().filter((name) => name.includes("conflict"));
    expect(conflicts.length).toBe(9);
    // Nothing is thrown away where there are too many: it waits.
    rmSync(join(root, "s/notes.conflict-4.md"));
    expect(await notes.replace("# Newest", "# Last")).toBe(true);
    const texts = beside().map((name) => readFileSync(join(root, "s", name), "utf8"));
    for (const count of [2, 3, 5, 6, 7, 8, 9, 10, 11, 12].filter((one) => one !== 4))
      expect(texts).toContain(`# Late ${count}`);
  });
});

describe("what is no notes file", () => {
  const outside = () => join(root, "outside.md");
  const CASES: readonly (readonly [string, () => void, string])[] = [
    ["a link to a file outside", () => symlinkSync(outside(), path), "symbolic link"],
    ["a link that leads nowhere", () => symlinkSync(join(root, "nothing"), path), "symbolic link"],
    ["a folder", () => mkdirSync(path), "is a folder"],
    ["a pipe", () => execFileSync("mkfifo", [path]), "not a regular file"],
    [
      "10 MB",
      () => writeFileSync(path, Buffer.alloc(10_485_760, "x")),
      "has 10485760 bytes; the notes of a session may have 1048576",
    ],
    [
      "bytes that are not UTF-8",
      () => writeFileSync(path, Buffer.from([0x23, 0xff, 0xfe])),
      "3 bytes that are not UTF-8",
    ],
  ];
  it.each(CASES)("is told and left alone: %s", async (_, make, text) => {
    writeFileSync(outside(), "# Outside");
    mkdirSync(join(root, "s"));
    make();
    const before = statSync(path, { throwIfNoEntry: false });
    await expect(notes.read()).rejects.toMatchObject({
      code: "NOTES_UNREADABLE",
      message: expect.stringContaining(text),
    });
    for (const base of [undefined, "# Outside"])
      await expect(notes.replace(base, "# New")).rejects.toMatchObject({
        code: "NOTES_UNREADABLE",
      });
    expect(readFileSync(outside(), "utf8")).toBe("# Outside");
    expect(statSync(path, { throwIfNoEntry: false })?.ino).toBe(before?.ino);
    expect(beside()).toEqual(["notes.md"]);
    const options = {
      sessionId: "s",
      paths: sessionPaths(root, "s"),
      fs: nodeFileSystem,
      hasher: nodeHasher,
    };
    const { findings } = await inspectSession(options);
    expect(findings).toMatchObject([
      { kind: "notes-unreadable", path, isMendable: false, advice: expect.stringContaining(text) },
    ]);
    // The session itself continues, and moves to the trash and back with it.
    await log.append([message(2, "two")]);
    await log.close();
    await store.trash("s", TRASHING);
    await store.restore("s");
    expect(beside()).toEqual(["notes.md"]);
  });

  it("is a session's folder that leads elsewhere", async () => {
    mkdirSync(join(root, "elsewhere"));
    writeFileSync(join(root, "elsewhere/notes.md"), "# Outside");
    symlinkSync(join(root, "elsewhere"), join(root, "s"));
    await expect(notes.read()).rejects.toMatchObject({ code: "NOTES_UNREADABLE" });
    await expect(notes.replace("# Outside", "# New")).rejects.toMatchObject({ code: "NOTES_UNREADABLE" });
    expect(readFileSync(join(root, "elsewhere/notes.md"), "utf8")).toBe("# Outside");
  });

  it.runIf(process.getuid?.() !== 0)(
    "is a file that may not be read, or a folder that may not be written",
    async () => {
      await notes.replace(undefined, "# Base");
      chmodSync(path, 0);
      await expect(notes.read()).rejects.toMatchObject({ code: "NOTES_UNREADABLE" });
      chmodSync(path, 0o600);
      chmodSync(join(root, "s"), 0o500);
      await expect(notes.replace("# Base", "# New")).rejects.toMatchObject({ code: "STORE_FAILED" });
      expect(await notes.read()).toBe("# Base");
      chmodSync(join(root, "s"), 0o700);
    },
  );
});

describe("notes and the life of their session", () => {
  it("go with it, and all that lies beside them is deleted with it", async () => {
    await notes.replace(undefined, "# Base");
    await notes.replace("# Base", "# New");
    for (const name of [
      "notes.conflict-1.md",
      TAKEN,
      TAKEN.replace("taken", "copying"),
      "notes.md.0123abcd.tmp",
    ])
      put(name, "# Something");
    await log.close();
    await store.trash("s", TRASHING);
    expect(existsSync(join(root, "s"))).toBe(false);
    await store.restore("s");
    expect(beside().length).toBe(6);
    await store.trash("s", TRASHING);
    await store.purge("s");
    expect(readdirSync(root)).toEqual([".trash"]);
    expect(readdirSync(join(root, ".trash"))).toEqual([".busy", "audit.jsonl"]);
  });

  it("are not begun again where the session has gone to the trash", async () => {
    await notes.replace(undefined, "# Base");
    const other = new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds });
    await other.trash("s", TRASHING);
    expect(await notes.replace("# Base", "# New")).toBe(false);
    await expect(notes.replace(undefined, "# New")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    expect(existsSync(join(root, "s"))).toBe(false);
    await other.restore("s");
    expect(await notes.read()).toBe("# Base");
  });

  it("are put in place by the doctor where a crash came in between", async () => {
    put(TAKEN, "# Base");
    put("notes.md.0123abcd.tmp", "# Ne");
    put("notes.conflict-1.md", "# By hand");
    const options = {
      sessionId: "s",
      paths: sessionPaths(root, "s"),
      fs: nodeFileSystem,
      hasher: nodeHasher,
    };
    const { repaired, failed, left } = await repairSession(options);
    expect(repaired.map(({ kind }) => kind).sort()).toEqual(["litter", "notes-unfinished"]);
    expect([failed, left.map(({ kind }) => kind)]).toEqual([[], ["notes-conflict"]]);
    expect(beside()).toEqual(["notes.conflict-1.md", "notes.md"]);
    expect(readFileSync(path, "utf8")).toBe("# Base");
  });

  it("are free again after the doctor looked, where the program that replaced them was killed", async () => {
    await notes.replace(undefined, "# Base");
    const dead = {
      id: "x",
      pid: 2 ** 22 + 1,
      host: "h",
      space: nodeProcess.space,
      acquiredAt: 1,
      ttlMs: 15_000,
    };
    mkdirSync(join(root, "s/.notes"));
    put(".notes/lease.1", JSON.stringify(dead));
    const lease = { clock: systemClock, process: nodeProcess, timer: systemTimer };
    const options = {
      sessionId: "s",
      paths: sessionPaths(root, "s"),
      fs: nodeFileSystem,
      hasher: nodeHasher,
    };
    const { findings } = await inspectSession({ ...options, lease });
    expect(findings).toMatchObject([{ kind: "stale-lease", path: join(root, "s/.notes/lease.1") }]);
    const { repaired, failed } = await repairSession({ ...options, lease });
    expect([repaired.map(({ kind }) => kind), failed]).toEqual([["stale-lease"], []]);
    expect(beside()).toEqual(["notes.md"]);
  });

  it("are read where a crash came in between and nothing may be written", async () => {
    put(TAKEN, "# Base");
    const refuse = () => {
      throw Object.assign(new RangeError("EROFS"), { code: "EROFS" });
    };
    const fs = { ...nodeFileSystem, link: refuse, rename: refuse, remove: refuse };
    const reading = await new FileSessionStore({ root, fs, hasher: nodeHasher, ids: randomIds }).open("s");
    expect(await reading.notes?.read()).toBe("# Base");
    await expect(reading.notes?.replace("# Base", "# New")).rejects.toMatchObject({
      code: "STORE_FAILED",
      hint: expect.stringContaining("read-only"),
    });
    expect(beside()).toEqual([TAKEN]);
  });
});
