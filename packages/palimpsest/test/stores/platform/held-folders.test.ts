/** Handles of folders are kept within a turn of the event loop, and give what new ones would give. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { confinedFileSystem } from "#stores/platform/confined-file-system.ts";
import { bestConfinement } from "#stores/platform/confined-folder.ts";
import { testFolder } from "../../../../../test/helpers/compiled-once.ts";

const openCount = (folder: string): number =>
  readdirSync("/proc/self/fd").filter((handle) => targetOf(handle).startsWith(folder)).length;

function targetOf(handle: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${handle}`);
  } catch {
    return "";
  }
}

describe.runIf(bestConfinement() === "handles")("a folder that is used again in one turn", () => {
  const place = () => {
    const folder = testFolder();
    const inside = join(folder, "inside");
    mkdirSync(join(inside, "a"), { recursive: true });
    const fs = confinedFileSystem(inside);
    const write = (path: string, text: string) => {
      const file = fs.open(path, "create");
      file.write(Buffer.from(text));
      file.close();
    };
    return { folder, inside, fs, write };
  };

  it("is opened once, and closed at the end of the turn", async () => {
    const { inside, fs, write } = place();
    for (let at = 0; at < 20; at++) write(`a/${at}`, "text");
    expect(fs.list("a")).toHaveLength(20);
    expect(openCount(inside)).toBe(1);
    await nextTurn();
    expect(openCount(inside)).toBe(0);
  });

  it("is bounded in number, and every handle is closed", async () => {
    const { inside, fs } = place();
    for (let at = 0; at < 30; at++) fs.makeDirectory(`a/${at}/b`);
    for (let at = 0; at < 30; at++) fs.list(`a/${at}/b`);
    expect(openCount(inside)).toBeLessThanOrEqual(8);
    await nextTurn();
    expect(openCount(inside)).toBe(0);
  });

  it("is the one that is at the path now, where it was moved away and made anew", () => {
    const { inside, write } = place();
    write("a/one", "first");
    renameSync(join(inside, "a"), join(inside, "b"));
    mkdirSync(join(inside, "a"));
    write("a/one", "second");
    expect(readFileSync(join(inside, "a/one"), "utf8")).toBe("second");
    expect(readFileSync(join(inside, "b/one"), "utf8")).toBe("first");
    rmSync(join(inside, "a"), { recursive: true });
    mkdirSync(join(inside, "a"));
    write("a/one", "third");
    expect(readFileSync(join(inside, "a/one"), "utf8")).toBe("third");
  });

  it("is refused where a link has taken its place", () => {
    const { folder, inside, fs, write } = place();
    write("a/one", "first");
    renameSync(join(inside, "a"), join(folder, "a"));
    symlinkSync(join(folder, "a"), join(inside, "a"));
    expect(() => write("a/two", "text")).toThrow(expect.objectContaining({ code: "ECONFINED" }));
    expect(() => fs.list("a")).toThrow(expect.objectContaining({ code: "ECONFINED" }));
    expect(readdirSync(join(folder, "a"))).toEqual(["one"]);
  });

  it("is the target of the link that leads to the root at that moment", () => {
    const { folder, inside } = place();
    mkdirSync(join(folder, "other"));
    symlinkSync(inside, join(folder, "root"));
    const fs = confinedFileSystem(join(folder, "root"));
    expect(fs.list("")).toEqual(["a"]);
    rmSync(join(folder, "root"));
    symlinkSync(join(folder, "other"), join(folder, "root"));
    expect(fs.list("")).toEqual([]);
  });
});
