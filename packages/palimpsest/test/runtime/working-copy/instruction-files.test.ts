import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readInstructionFiles } from "#runtime/working-copy/instruction-files.ts";

let top: string;
let workingCopy: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "palimpsest-context-"));
  workingCopy = join(top, "work", "app");
  mkdirSync(workingCopy, { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const write = (path: string, text: string | Buffer): void => writeFileSync(join(top, path), text);
const read = () => readInstructionFiles({ workingCopy, top });
const texts = (): readonly string[] => read().instructions.map(({ text }) => text);
const reasons = (): readonly string[] => read().problems.map(({ reason }) => reason);

describe("instruction files", () => {
  it("are read from the top down, both names of a folder", () => {
    write("AGENTS.md", "top agents");
    write("CLAUDE.md", "top claude\r\n");
    write("work/CLAUDE.md", "\ufeffwork");
    write("work/app/AGENTS.md", "app");
    write("work/app/README.md", "not this");
    expect(read().problems).toEqual([]);
    expect(texts()).toEqual(["top claude", "top agents", "work", "app"]);
  });

  it("are read up to the root where the working copy lies elsewhere, and none above the top", () => {
    write("CLAUDE.md", "above");
    write("work/app/CLAUDE.md", "app");
    expect(readInstructionFiles({ workingCopy, top: join(top, "work") }).instructions).toHaveLength(1);
    expect(readInstructionFiles({ workingCopy, top: "/nowhere" }).instructions.length).toBeGreaterThanOrEqual(
      2,
    );
  });

  it("are taken once where one name leads to the other, also through another folder", () => {
    write("work/app/CLAUDE.md", "one text");
    symlinkSync("CLAUDE.md", join(workingCopy, "AGENTS.md"));
    symlinkSync(join(workingCopy, "CLAUDE.md"), join(top, "CLAUDE.md"));
    expect(texts()).toEqual(["one text"]);
  });

  it("have what is hidden in them written out", () => {
    write("CLAUDE.md", "a\u200bb\u202ec");
    expect(texts()).toEqual(["a\\u{200B}b\\u{202E}c"]);
  });

  it.each([
    { why: "a folder", make: (path: string) => mkdirSync(path), reason: "not-a-file" },
    { why: "a pipe", make: (path: string) => execFileSync("mkfifo", [path]), reason: "not-a-file" },
    { why: "a link to a device", make: (path: string) => symlinkSync("/dev/zero", path), reason: "foreign" },
    {
      why: "a link to a key",
      make: (path: string) => symlinkSync(join(top, "id_rsa"), path),
      reason: "foreign",
    },
    { why: "a link to itself", make: (path: string) => symlinkSync(path, path), reason: "unreadable" },
    {
      why: "binary data",
      make: (path: string) => writeFileSync(path, Buffer.from([65, 0, 66])),
      reason: "not-text",
    },
  ])("that are $why are left out and reported", ({ make, reason }) => {
    write("id_rsa", "the key");
    write("work/CLAUDE.md", "kept");
    make(join(workingCopy, "CLAUDE.md"));
    expect(reasons()).toEqual([reason]);
    expect(texts()).toEqual(["kept"]);
  });

  it("that lead nowhere are as if they were not there", () => {
    symlinkSync(join(top, "gone.md"), join(workingCopy, "CLAUDE.md"));
    expect(read()).toEqual({ instructions: [], problems: [] });
  });

  it("of a gigabyte are read to their limit and cut at a line, visibly", () => {
    const line = "instruction \u00e9\n";
    write("work/app/CLAUDE.md", line.repeat(10_000));
    truncateSync(join(workingCopy, "CLAUDE.md"), 140_000);
    write("CLAUDE.md", line.repeat(3_000));
    truncateSync(join(top, "CLAUDE.md"), 2 ** 30);
    const { instructions, problems } = read();
    // The rest of the gigabyte is a hole, but within the limit it is text.
    const [outer, inner] = instructions;
    expect(inner?.text.startsWith(line)).toBe(true);
    expect(inner?.text).toMatch(
      /instruction \u00e9\n\[… 140000 bytes in all, cut at 40000: read the file for the rest\]$/,
    );
    expect(outer?.isCut).toBe(true);
    expect(problems.map(({ reason }) => reason)).toEqual(["too-large", "too-large"]);
  });

  it("that are not UTF-8 throughout are mended and reported", () => {
    write("CLAUDE.md", Buffer.from([0x61, 0xff, 0x62]));
    expect(texts()).toEqual(["a\ufffdb"]);
    expect(reasons()).toEqual(["bad-encoding"]);
  });

  it("nearest to the working copy have the first claim to the room", () => {
    write("CLAUDE.md", "outer");
    write("work/CLAUDE.md", "w".repeat(40_000));
    write("work/app/CLAUDE.md", "a".repeat(40_000));
    expect(read().instructions.map(({ text }) => text.at(0))).toEqual(["w", "a"]);
    expect(reasons()).toEqual(["too-large"]);
  });
});
