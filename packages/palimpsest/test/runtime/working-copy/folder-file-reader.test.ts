import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { folderFileReader } from "#runtime/working-copy/folder-file-reader.ts";

const top = mkdtempSync(join(tmpdir(), "palimpsest-reader-"));
const folder = join(top, "repo");
const { signal } = new AbortController();

beforeAll(() => {
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "src", "a.ts"), "export const a = 1;\n");
  writeFileSync(join(folder, "picture.png"), new Uint8Array([137, 80, 78, 71, 0, 1]));
  writeFileSync(join(folder, "latin.txt"), new Uint8Array([0xe4, 0xf6]));
  writeFileSync(join(folder, "large.txt"), "x".repeat(4_000_001));
  writeFileSync(join(top, "secret.txt"), "key");
  symlinkSync(join(top, "secret.txt"), join(folder, "link.txt"));
  symlinkSync(join(folder, "src", "a.ts"), join(folder, "inside.ts"));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

it.each([
  { path: "src/a.ts", is: { state: "present", text: "export const a = 1;\n" }, why: "it lies in the folder" },
  {
    path: join(folder, "src/a.ts"),
    is: { state: "present", text: "export const a = 1;\n" },
    why: "so does its whole path",
  },
  {
    path: "inside.ts",
    is: { state: "present", text: "export const a = 1;\n" },
    why: "the link stays inside",
  },
  { path: "src/gone.ts", is: { state: "gone" }, why: "there is no such file" },
  { path: "../secret.txt", is: { state: "unreadable" }, why: "it lies outside" },
  { path: join(top, "secret.txt"), is: { state: "unreadable" }, why: "it lies outside" },
  { path: "../nothing.txt", is: { state: "unreadable" }, why: "nobody is told what is outside" },
  { path: "link.txt", is: { state: "unreadable" }, why: "the link leads outside" },
  { path: "src", is: { state: "unreadable" }, why: "it is a folder" },
  { path: "picture.png", is: { state: "unreadable" }, why: "it is no text" },
  { path: "latin.txt", is: { state: "unreadable" }, why: "it is not UTF-8" },
  { path: "large.txt", is: { state: "unreadable" }, why: "it is too large" },
  { path: "a\0b", is: { state: "unreadable" }, why: "it is no path" },
])("$path is $is.state: $why", async ({ path, is }) => {
  expect(await folderFileReader(folder).read(path, { signal })).toEqual(is);
});
