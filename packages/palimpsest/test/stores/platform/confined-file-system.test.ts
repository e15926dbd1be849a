/** The files below one folder: what they do that plain files do, who may read what they make, and what they refuse. */
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { confinedFileSystem } from "#stores/platform/confined-file-system.ts";
import type { Confinement } from "#stores/platform/confined-folder.ts";
import { compiledLibrary, testFolder } from "../../../../../test/helpers/compiled-once.ts";

const CONFINEMENTS: readonly Confinement[] = ["handles", "looks"];
const refused = expect.objectContaining({ code: "ECONFINED" });

describe.each(CONFINEMENTS)("files that are confined by %s", (confinement) => {
  const place = () => {
    const folder = testFolder();
    mkdirSync(join(folder, "inside"));
    return {
      folder,
      inside: join(folder, "inside"),
      fs: confinedFileSystem(join(folder, "inside"), { confinement }),
    };
  };

  it("do what files do", async () => {
    const { inside, fs } = place();
    fs.makeDirectory("a/b");
    fs.makeDirectory("a/b");
    const file = fs.open("a/b/one", "create");
    file.write(Buffer.from("text"));
    await file.sync();
    file.close();
    fs.link?.("a/b/one", "two");
    expect(fs.stat("two")).toMatchObject({ size: 4, linkCount: 2, isDirectory: false });
    fs.rename("a/b/one", "three");
    fs.touch("three", 5_000);
    expect(fs.stat("three")?.modifiedMs).toBe(5_000);
    expect([...fs.list("")].sort()).toEqual(["a", "three", "two"]);
    const stats = fs.listStats?.("");
    expect([...(stats?.keys() ?? [])].sort()).toEqual(["a", "three", "two"]);
    expect(stats?.get("three")).toEqual(fs.stat("three"));
    await fs.syncDirectory("a");
    fs.remove("two");
    fs.removeDirectory("a/b");
    expect(fs.stat("a/b")).toBe(undefined);
    expect(fs.stat("no/such/file")).toBe(undefined);
    expect(fs.stat("")).toMatchObject({ isDirectory: true });
    expect(readdirSync(inside).sort()).toEqual(["a", "three"]);
  });

  it("are made where the folder itself is missing", () => {
    const root = join(testFolder(), "not/there/yet");
    const fs = confinedFileSystem(root, { confinement });
    expect(() => fs.list("")).toThrow(expect.objectContaining({ code: "ENOENT" }));
    fs.makeDirectory("a");
    expect(readdirSync(root)).toEqual(["a"]);
  });

  it("may lie behind a link, if that is where the folder was said to be", () => {
    const { folder } = place();
    symlinkSync(join(folder, "inside"), join(folder, "link"));
    const fs = confinedFileSystem(join(folder, "link"), { confinement });
    fs.makeDirectory("a/b");
    fs.open("a/b/one", "create").close();
    expect(readdirSync(join(folder, "inside/a/b"))).toEqual(["one"]);
  });

  it.each(["..", "../x", "a/../../x", "./x", "/x", "a\0b"])("have no path %j", (path) => {
    const { fs } = place();
    for (const use of [() => fs.open(path, "create"), () => fs.stat(path), () => fs.makeDirectory(path)])
      expect(use).toThrow(refused);
  });

  it("are not those behind links, and not appended to where they have a second name", () => {
    const { folder, inside, fs } = place();
    writeFileSync(join(folder, "outside"), "theirs");
    symlinkSync(folder, join(inside, "up"));
    symlinkSync(join(folder, "outside"), join(inside, "link"));
    linkSync(join(folder, "outside"), join(inside, "second"));
    expect(() => fs.open("up/outside", "read")).toThrow(refused);
    expect(() => fs.open("link", "read")).toThrow(refused);
    expect(() => fs.open("link", "append")).toThrow(refused);
    expect(() => fs.open("second", "append")).toThrow(refused);
    expect(() => fs.list("up")).toThrow(refused);
    expect(() => fs.makeDirectory("up")).toThrow(refused);
    expect(fs.stat("link")).toMatchObject({ isLink: true });
    expect(fs.open("second", "read").stat?.()).toMatchObject({ linkCount: 2 });
  });
});

const SCRIPT = `
  process.umask(0);
  const load = (file) => import(process.argv[1] + "/" + file);
  const { fileMemoryStore } = await load("palimpsest/dist/stores/files/memory/file-memory-store.js");
  const { confinedFileSystem } = await load("palimpsest/dist/stores/platform/confined-file-system.js");
  const { nodeHasher: hasher } = await load("palimpsest/dist/stores/platform/node-ports.js");
  const { randomIds: ids } = await load("palimpsest/dist/stores/platform/node-ports.js");
  const { systemClock: clock } = await load("palimpsest/dist/stores/platform/node-ports.js");
  const { systemTimer: timer } = await load("palimpsest/dist/stores/platform/node-ports.js");
  const { nodeProcess } = await load("palimpsest/dist/stores/platform/node-process.js");
  const folder = process.argv[2];
  const lease = { clock, process: nodeProcess, timer };
  const store = fileMemoryStore({ folder, fs: confinedFileSystem(folder), hasher, ids, clock, lease });
  await store.apply([{ path: "a.md", base: undefined, text: "1" }, { path: "sub/b.md", base: undefined, text: "1" }]);
  const { version: base } = await store.read("a.md");
  await store.apply([{ path: "a.md", base, text: undefined }]);
  await store.apply([{ path: "sub/b.md", base, text: "2" }]);
  await store.writeRecord("dreams/1", "x");
  await store.appendRecord("log", "x");
  await store.tryLock("dream");
  process.exit(0);
`;

describe.runIf(process.platform !== "win32")("what the memory store makes", () => {
  it("is nobody else's to read, whatever the process lets others do", () => {
    const folder = join(testFolder(), "home/memory");
    const library = pathToFileURL(compiledLibrary()).href;
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", SCRIPT, library, folder], {
      encoding: "utf8",
    });
    expect(run.stderr).toBe("");
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    expect(entries.length).toBeGreaterThan(15);
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      const mode = (statSync(path).mode & 0o777).toString(8);
      expect(`${path} ${mode}`).toBe(`${path} ${entry.isDirectory() ? "700" : "600"}`);
    }
    for (const path of [folder, join(folder, "..")]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });
});
