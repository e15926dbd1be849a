/** A user's own template and prompt: used as they are, or reported and left alone. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { readNotesConfig } from "#host/home/notes-config.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { testFolder } from "../../../../../test/helpers/compiled-once.ts";

let home: string;
let folder: string;
const read = () => readNotesConfig(home, nodeFileSystem);

beforeEach(() => {
  home = testFolder();
  folder = join(home, "config/session-memory");
});

describe("template and prompt of session notes in a home", () => {
  it("are none where there are none", () => {
    expect(read()).toEqual({ problems: [] });
  });

  it("are read as text, without a byte order mark", () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "template.md"), "\uFEFF# State\n_What is open_\n");
    writeFileSync(join(folder, "prompt.md"), "Keep it short. {{currentNotes}}");
    expect(read()).toEqual({
      template: "# State\n_What is open_\n",
      prompt: "Keep it short. {{currentNotes}}",
      problems: [],
    });
  });

  it.each<readonly [string, (path: string) => void, string]>([
    ["a link", (path) => symlinkSync("/etc/hostname", path), "It is a symbolic link, which is not followed"],
    [
      "a folder",
      (path) => mkdirSync(path),
      "It cannot be read (EISDIR: illegal operation on a directory, read)",
    ],
    ["a pipe", (path) => execFileSync("mkfifo", [path]), "not a regular file"],
    [
      "too large",
      (path) => writeFileSync(path, "# A\n".repeat(20_000)),
      "It has 80000 bytes, more than 65536",
    ],
    ["no UTF-8", (path) => writeFileSync(path, Buffer.from([0x23, 0xff])), "It is not UTF-8 text"],
    ["empty", (path) => writeFileSync(path, ""), "It has no headings"],
    [
      "with a title twice",
      (path) => writeFileSync(path, "# A\n_a_\n# A\n_b_\n"),
      "It has two sections of one title",
    ],
  ])("are reported and left out: %s", (_, make, text) => {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, "template.md");
    make(path);
    writeFileSync(join(folder, "prompt.md"), "  \n");
    const { template, prompt, problems } = read();
    expect([template, prompt]).toEqual([undefined, undefined]);
    expect(problems.map((one) => one.path)).toEqual([path, join(folder, "prompt.md")]);
    expect(problems[0]!.detail.replace("Is a directory", "")).toContain(text.split(" (")[0]);
    expect(problems[0]!.detail).toMatch(/; the usual one is used\.$/);
    expect(problems[1]!.detail).toBe("It is empty; the usual one is used.");
  });
});
