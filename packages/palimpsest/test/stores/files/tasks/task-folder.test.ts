import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { taskFilesContract } from "palimpsest-testing/internal";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import { TaskFolder } from "#stores/files/tasks/task-folder.ts";
import { confinedFileSystem } from "#stores/platform/confined-file-system.ts";
import { freeBytesAt } from "#stores/platform/node-ports.ts";

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "palimpsest-tasks-"));
  folder = join(root, "session", "tasks");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (fs: FileSystem = confinedFileSystem(root)) =>
  new TaskFolder({ fs, folder: "session/tasks", shownFolder: folder, freeBytes: () => freeBytesAt(root) });
const makeFolder = () => mkdirSync(folder, { recursive: true });

describe("the files of tasks on a disk", () => {
  for (const { name, run } of taskFilesContract)
    it(name, () =>
      run({
        files: open(),
        reopen: () => open(),
        tear: (file, bytes) => {
          const path = join(folder, `${file}.jsonl`);
          truncateSync(path, statSync(path).size - bytes);
        },
      }),
    );

  it("are made with the first write, for their owner only", () => {
    const files = open();
    files.readJournal();
    files.readInbox(0);
    files.totalBytes();
    expect(existsSync(folder)).toBe(false);
    files.appendJournal("{}");
    files.appendInbox("{}");
    files.openOutput("t1").close();
    const modes = [folder, ...["journal.jsonl", "inbox.jsonl", "t1.log"].map((name) => join(folder, name))];
    expect(modes.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600, 0o600, 0o600]);
    expect(files.outputPath("t1")).toBe(join(folder, "t1.log"));
  });

  it("name the free space of the disk", () => {
    expect(open().freeBytes()).toBeGreaterThan(0);
    expect(freeBytesAt(join(root, "missing"))).toBeUndefined();
  });

  it("have a journal that is read around damage", () => {
    makeFolder();
    const lines = ['{"a":1}', "", "null", "[1]", "{", "\u0000\u0000", '{"a":2}', '{"torn'];
    writeFileSync(join(folder, "journal.jsonl"), lines.join("\n"));
    appendFileSync(join(folder, "journal.jsonl"), Uint8Array.of(0xff, 0xfe));
    const files = open();
    expect(files.readJournal()).toEqual({ lines: ['{"a":1}', '{"a":2}'], damagedLines: 5 });
    files.appendJournal('{"a":3}');
    expect(files.readJournal()).toEqual({ lines: ['{"a":1}', '{"a":2}', '{"a":3}'], damagedLines: 5 });
  });

  it("have an inbox that a line without end does not stop", () => {
    makeFolder();
    writeFileSync(join(folder, "inbox.jsonl"), "x".repeat(3_000_000));
    const files = open();
    files.appendInbox('{"a":1}');
    const found: string[] = [];
    for (let position = 0, reads = 0; reads < 10; reads++) {
      const { lines, next } = files.readInbox(position);
      found.push(...lines);
      position = next;
    }
    expect(found).toEqual(['{"a":1}']);
  });
});

describe("an increment of an output of 1 GB", () => {
  it("costs the increment, and the sizes cost no reading", () => {
    makeFolder();
    const path = join(folder, "t1.log");
    writeFileSync(path, "");
    truncateSync(path, 1_000_000_000);
    const { fs, read } = counting(confinedFileSystem(root));
    const files = open(fs);
    const output = files.openOutput("t1");
    output.write(Buffer.from("the end\n"));
    output.close();
    expect([files.outputBytes("t1"), files.totalBytes(), read.bytes]).toEqual([
      1_000_000_008, 1_000_000_008, 0,
    ]);
    expect(Buffer.from(files.readOutput("t1", 1_000_000_000, 32_768)).toString()).toBe("the end\n");
    expect(read).toEqual({ bytes: 8, calls: 1 });
  });
});

/** Counts the bytes that are read. */
function counting(fs: FileSystem): {
  readonly fs: FileSystem;
  readonly read: { bytes: number; calls: number };
} {
  const read = { bytes: 0, calls: 0 };
  const openFile = fs.open.bind(fs);
  fs.open = (path, mode) => {
    const file = openFile(path, mode);
    const readFile = file.read.bind(file);
    file.read = (position, length) => {
      read.calls++;
      read.bytes += length;
      return readFile(position, length);
    };
    return file;
  };
  return { fs, read };
}

describe.skipIf(process.platform === "win32")("a link in the place of the files", () => {
  let secret: string;
  beforeEach(() => {
    secret = join(root, "secret");
    writeFileSync(secret, "{}\n");
  });

  it("is refused as the folder", () => {
    mkdirSync(join(root, "session"));
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), folder);
    const files = open();
    const refused = { message: expect.stringContaining("ECONFINED") };
    for (const use of [
      () => files.appendJournal("{}"),
      () => files.readJournal(),
      () => files.appendInbox("{}"),
      () => files.openOutput("t1"),
      () => files.totalBytes(),
    ])
      expect(use).toThrow(expect.objectContaining(refused));
    expect(existsSync(join(root, "elsewhere", "journal.jsonl"))).toBe(false);
  });

  it.each(["journal.jsonl", "inbox.jsonl", "t1.log"])("is refused as %s, a second name included", (name) => {
    makeFolder();
    const path = join(folder, name);
    for (const make of [symlinkSync, linkSync]) {
      make(secret, path);
      const files = open();
      const write = () =>
        name === "t1.log"
          ? files.openOutput("t1")
          : name === "inbox.jsonl"
            ? files.appendInbox("{}")
            : files.appendJournal("{}");
      expect(write).toThrow(expect.objectContaining({ code: "STORE_FAILED" }));
      rmSync(path);
    }
    expect(readFileSync(secret, "utf8")).toBe("{}\n");
    symlinkSync(secret, path);
    const files = open();
    expect(() => [files.readJournal(), files.readInbox(0), files.readOutput("t1", 0, 9)]).toThrow(
      expect.objectContaining({ code: "SESSION_UNREADABLE" }),
    );
    expect(files.outputBytes("t1") + files.totalBytes()).toBe(0);
  });
});
