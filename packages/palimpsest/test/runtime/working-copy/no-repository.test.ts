/** Outside of a repository, git is not started: its two processes would be most of the time of a start. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readGitStatus } from "#runtime/working-copy/git-status.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-git-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** True if git was started: the only `git` on the path leaves a mark. */
async function isGitStarted(workingCopy: string): Promise<boolean> {
  const mark = join(folder, "mark");
  const script = join(folder, "git");
  writeFileSync(script, `#!/bin/sh\necho ran > '${mark}'\nexit 1\n`);
  chmodSync(script, 0o700);
  await readGitStatus(workingCopy, { PATH: folder }, 100_000);
  return existsSync(mark);
}

it("starts no git in a folder without a repository at it or above", async () => {
  const inner = join(folder, "a", "b");
  mkdirSync(inner, { recursive: true });
  expect(await readGitStatus(inner, { PATH: folder })).toEqual({});
  expect(await isGitStarted(inner)).toBe(false);
});

it.each([
  { entry: "a folder", make: (path: string) => mkdirSync(path) },
  {
    entry: "a file, as in a linked working copy",
    make: (path: string) => writeFileSync(path, "gitdir: elsewhere\n"),
  },
])("starts git where .git is $entry of a folder above", async ({ make }) => {
  const inner = join(folder, "a", "b");
  mkdirSync(inner, { recursive: true });
  make(join(folder, "a", ".git"));
  expect(await isGitStarted(inner)).toBe(true);
});

it("starts git where a link leads into a repository", async () => {
  mkdirSync(join(folder, "a", "b"), { recursive: true });
  mkdirSync(join(folder, "a", ".git"));
  symlinkSync(join(folder, "a", "b"), join(folder, "link"), "junction");
  expect(await isGitStarted(join(folder, "link"))).toBe(true);
});

it("starts git where the folder cannot be read, to hear why", async () => {
  expect(await isGitStarted(join(folder, "gone"))).toBe(true);
});
