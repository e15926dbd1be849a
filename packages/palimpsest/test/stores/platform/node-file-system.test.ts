/** The machine's file system says of an open file what the one in memory says. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryFileSystem } from "palimpsest-testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileSystem, OpenFile } from "#ports/file-system.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-node-files-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  { where: "on the disk", aFileSystem: (): FileSystem => nodeFileSystem, folderOf: () => folder },
  { where: "in memory", aFileSystem: (): FileSystem => new InMemoryFileSystem(), folderOf: () => "/" },
])("an open file $where", ({ aFileSystem, folderOf }) => {
  it.each([
    { bytes: 0, endsAt: [true, false, false, false, false] },
    { bytes: 1, endsAt: [false, true, false, false, false] },
    { bytes: 2, endsAt: [false, false, true, false, false] },
    { bytes: 3, endsAt: [false, false, false, true, false] },
  ])("of $bytes bytes ends there and nowhere else", ({ bytes, endsAt }) => {
    const file = aFileSystem().open(join(folderOf(), `of-${bytes}`), "append");
    if (bytes > 0) file.write(Buffer.alloc(bytes, "x"));
    expect([0, 1, 2, 3, 4].map((position) => file.endsAt(position))).toEqual(endsAt);
    file.close();
  });

  it("ends where another left it who has it open, too", () => {
    const fs = aFileSystem();
    const [file, other] = [1, 2].map(() => fs.open(join(folderOf(), "shared"), "append")) as [
      OpenFile,
      OpenFile,
    ];
    file.write(Buffer.alloc(4_096, "x"));
    expect([4_095, 4_096, 4_097].map((position) => file.endsAt(position))).toEqual([false, true, false]);
    other.write(Buffer.from("y"));
    expect([4_096, 4_097].map((position) => file.endsAt(position))).toEqual([false, true]);
    other.truncate(4_095);
    expect([4_095, 4_096, 4_097].map((position) => file.endsAt(position))).toEqual([true, false, false]);
    file.close();
    other.close();
  });
});
