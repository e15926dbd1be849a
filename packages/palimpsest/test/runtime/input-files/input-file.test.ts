/** Files as they lie on people's disks: compressed, in odd encodings, damaged, far too large. */
import { execFileSync } from "node:child_process";
import { closeSync, createWriteStream, openSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importSessions } from "#importers/registry.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";
import { readLines } from "./read-lines.ts";

const TEXT = '{"role":"user","content":"hé😀"}\n{"role":"assistant","content":"hi"}\n';
const LINES = [
  { number: 1, text: '{"role":"user","content":"hé😀"}' },
  { number: 2, text: '{"role":"assistant","content":"hi"}' },
];

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-input-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

let fileCount = 0;
async function file(bytes: Uint8Array | string): Promise<string> {
  const path = join(folder, `input-${++fileCount}.jsonl`);
  await writeFile(path, bytes);
  return path;
}

function utf16be(text: string): Buffer {
  return Buffer.from(text, "utf16le").swap16();
}

describe("text", () => {
  it.each([
    { why: "plain", bytes: Buffer.from(TEXT), repairs: [] },
    { why: "without a line feed at the end", bytes: Buffer.from(TEXT.trimEnd()), repairs: [] },
    { why: "with Windows line ends", bytes: Buffer.from(TEXT.replaceAll("\n", "\r\n")), repairs: [] },
    { why: "with a byte order mark", bytes: Buffer.from(`\uFEFF${TEXT}`), repairs: [] },
    { why: "gzip, whatever its name says", bytes: gzipSync(TEXT), repairs: [] },
    {
      why: "gzip of several parts",
      bytes: Buffer.concat([gzipSync(TEXT.slice(0, 20)), gzipSync(TEXT.slice(20))]),
      repairs: [],
    },
    {
      why: "UTF-16 with its mark",
      bytes: Buffer.from(`\uFEFF${TEXT}`, "utf16le"),
      repairs: ["bad-encoding"],
    },
    { why: "UTF-16, big endian, with its mark", bytes: utf16be(`\uFEFF${TEXT}`), repairs: ["bad-encoding"] },
    { why: "UTF-16 without a mark", bytes: Buffer.from(TEXT, "utf16le"), repairs: ["bad-encoding"] },
    { why: "UTF-16, big endian, without a mark", bytes: utf16be(TEXT), repairs: ["bad-encoding"] },
    {
      why: "compressed UTF-16",
      bytes: gzipSync(Buffer.from(`\uFEFF${TEXT}`, "utf16le")),
      repairs: ["bad-encoding"],
    },
  ])("is read: $why", async ({ bytes, repairs }) => {
    const input = await readLines(await file(bytes));
    expect(input.lines).toEqual(LINES);
    expect(input.repairs.map(({ kind }) => kind)).toEqual(repairs);
  });

  it("with bytes that are not UTF-8 is read with replacements, and the line is named", async () => {
    const bytes = Buffer.concat([
      Buffer.from(TEXT),
      Buffer.from('{"role":"user","content":"a'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('b"}\n'),
    ]);
    const result = importSessions(await readLines(await file(bytes)));
    expect(result.repairs).toEqual([
      { kind: "bad-encoding", line: 3, detail: "bytes that are not UTF-8 are replaced by U+FFFD" },
    ]);
    expect(result.sessions[0]!.items[2]).toMatchObject({
      message: { content: [{ text: "a\ufffd\ufffdb" }] },
    });
  });

  it("is cut into lines in the same way wherever a piece ends", async () => {
    const long = Array.from({ length: 3_000 }, (_, index) =>
      JSON.stringify({ role: "user", content: "é😀".repeat(index % 50) + index }),
    );
    const input = await readLines(await file(long.join("\n")));
    expect(input.lines.map(({ text }) => text)).toEqual(long);
    expect(input.lines.at(-1)?.number).toBe(3_000);
  });
});

describe("damage", () => {
  it("of a gzip file cut at any byte is an error or a reported repair, with the text before it", async () => {
    const whole = gzipSync(TEXT.repeat(50));
    for (const length of [...usualFew([...whole.keys()], 4), whole.length - 1]) {
      const path = await file(whole.subarray(0, length));
      const result = await readLines(path).then(
        (input) => ({ code: "", kinds: input.repairs.map(({ kind }) => kind) }),
        (error: { code: string }) => ({ code: error.code, kinds: [] as string[] }),
      );
      if (result.code === "") expect(result.kinds).toContain("truncated-file");
      else expect(["INPUT_EMPTY", "INPUT_UNREADABLE"]).toContain(result.code);
    }
  });

  it("in the middle of a gzip file leaves what comes before it", async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) =>
      JSON.stringify({ role: "user", content: `message ${index} ${Math.sin(index)}` }),
    );
    const bytes = gzipSync(lines.join("\n"));
    bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 50);
    const input = await readLines(await file(bytes));
    expect(input.repairs.map(({ kind }) => kind)).toContain("truncated-file");
    expect(input.lines.length).toBeGreaterThan(5_000);
    expect(input.lines[4_999]?.text).toBe(lines[4_999]);
  });

  it.each([
    { why: "an empty file", bytes: Buffer.alloc(0), code: "INPUT_EMPTY" },
    { why: "an empty gzip file", bytes: gzipSync(""), code: "INPUT_EMPTY" },
    {
      why: "an image",
      bytes: Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
      code: "INPUT_UNREADABLE",
    },
    { why: "zeros", bytes: Buffer.alloc(10_000), code: "INPUT_UNREADABLE" },
    {
      why: "compressed binary data",
      bytes: gzipSync(Buffer.from([0, 1, 2, 3, 0, 0, 9])),
      code: "INPUT_UNREADABLE",
    },
    {
      why: "noise",
      bytes: Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 73 + 1) % 32)),
      code: "INPUT_UNREADABLE",
    },
  ])("beyond use is an error: $why", async ({ bytes, code }) => {
    await expect(readLines(await file(bytes))).rejects.toMatchObject({
      code,
      hint: expect.stringMatching(/\w/),
    });
  });

  it.each([
    { why: "a file that is not there", path: () => join(folder, "none.jsonl"), code: "INPUT_NOT_FOUND" },
    { why: "a path through a file", path: async () => join(await file(TEXT), "x"), code: "INPUT_NOT_FOUND" },
    { why: "a folder", path: () => folder, code: "INPUT_UNREADABLE" },
  ])("of the path is an error: $why", async ({ path, code }) => {
    await expect(readLines(await path())).rejects.toMatchObject({ code });
  });
});

describe("size", () => {
  it("of one line is bounded: a line of 60 MB is skipped and reported, without holding it", async () => {
    const path = join(folder, "long-line.jsonl");
    await new Promise<void>((resolve, reject) => {
      const stream = createWriteStream(path).on("error", reject).on("finish", resolve);
      stream.write(`${LINES[0]!.text}\n{"role":"user","content":"`);
      for (let count = 0; count < 60; count++) stream.write("x".repeat(1_000_000));
      stream.end(`"}\n${LINES[1]!.text}\n`);
    });
    let peakBytes = 0;
    const before = process.memoryUsage().rss;
    const input = await readLines(path, {
      onProgress: () => {
        peakBytes = Math.max(peakBytes, process.memoryUsage().rss - before);
      },
    });
    expect(input.lines).toEqual([LINES[0], { ...LINES[1], number: 3 }]);
    expect(input.repairs).toEqual([
      {
        kind: "oversized-line",
        line: 2,
        detail: "the line has 60000028 bytes, at most 33554432 are read; skipped",
      },
    ]);
    expect(peakBytes).toBeLessThan(55_000_000);
  });

  it("after decompression is bounded: a bomb ends with a clear error", async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000, "x"));
    expect(bomb.length).toBeLessThan(10_000);
    await expect(
      readLines(await file(bomb), { limits: { maxDecodedBytes: 1_000_000 } }),
    ).rejects.toMatchObject({
      code: "INPUT_TOO_LARGE",
    });
  });
});

describe("a long reading", () => {
  it("tells its progress", async () => {
    const path = await file(TEXT.repeat(5_000));
    const seen: number[] = [];
    await readLines(path, {
      onProgress: ({ bytesRead, totalBytes }) => seen.push(bytesRead / totalBytes),
    });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toBe(1);
  });

  it("can be stopped", async () => {
    const controller = new AbortController();
    const reading = readLines(await file(TEXT.repeat(5_000)), {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(reading).rejects.toMatchObject({ code: "ABORTED" });
  });
});

describe("zero bytes", () => {
  const record = (text: string): string => `${JSON.stringify({ role: "user", content: text })}\n`;

  it.each([
    {
      why: "a line of nothing else",
      text: `${record("a")}${"\0".repeat(500)}\n${record("b")}`,
      recordCount: 2,
      notRead: { records: 1, bytes: 500, isCutOff: false },
    },
    {
      why: "before a whole record on the same line",
      text: `${record("a")}${"\0".repeat(500)}${record("b")}`,
      recordCount: 2,
      notRead: { records: 0, bytes: 0, isCutOff: false },
    },
    {
      why: "inside a record",
      text: `${record("a")}{"role":"us${"\0".repeat(20)}\n${record("b")}`,
      recordCount: 2,
      notRead: { records: 1, bytes: 31, isCutOff: false },
    },
    {
      why: "more than everything else",
      text: `${record("a")}${"\0".repeat(3_900)}\n${record("b")}`,
      recordCount: 2,
      notRead: { records: 1, bytes: 3_900, isCutOff: false },
    },
  ])("of a power loss cost no more than the record they are in: $why", async ({
    text,
    recordCount,
    notRead,
  }) => {
    const result = importSessions(await readLines(await file(text)));
    expect(result.sessions[0]!.items.length).toBe(recordCount);
    expect(result.notRead).toEqual(notRead);
    expect(result.repairs.length).toBe(1);
  });

  const records = Array.from({ length: 60 }, (_, i) => record(`${i}`.padEnd(400, "x"))).join("");
  const damaged = (bytes: Buffer, length: number): Buffer => bytes.fill(0, 0, length);
  const noise = Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 73 + 7) % 256));

  it.each([
    { why: "the first page of a text", bytes: damaged(Buffer.from(records), 4_096), recordCount: 50 },
    { why: "all but the last lines", bytes: damaged(Buffer.from(records), 25_000), recordCount: 1 },
    {
      why: "more than is read at once, before the text",
      bytes: Buffer.concat([Buffer.alloc(200_000), Buffer.from(records)]),
      recordCount: 60,
    },
    { why: "an odd number, before the text", bytes: Buffer.from(`\0${records}`), recordCount: 60 },
    { why: "a compressed text", bytes: gzipSync(damaged(Buffer.from(records), 4_096)), recordCount: 50 },
    { why: "UTF-16", bytes: damaged(Buffer.from(records, "utf16le"), 4_096), recordCount: 55 },
    { why: "UTF-16, big endian", bytes: damaged(utf16be(records), 4_096), recordCount: 55 },
    { why: "noise", bytes: Buffer.concat([noise, Buffer.from(records).subarray(4_096)]), recordCount: 50 },
  ])("instead of the beginning cost no more than the records in it: $why", async ({ bytes, recordCount }) => {
    const { sessions, repairs } = importSessions(await readLines(await file(bytes)));
    expect(sessions[0]!.items.length).toBe(recordCount);
    expect(repairs.map(({ kind }) => kind)).toContainEqual(expect.stringMatching(/^bad-/));
  });

  it.each([
    {
      why: "a database with rows of JSON",
      bytes: Buffer.from(`SQLite format 3\0${"\0\x01\x02".repeat(900)}{"role":"user","content":"a"}\0`),
    },
    { why: "zeros before data", bytes: Buffer.concat([Buffer.alloc(32_768), noise]) },
    { why: "a picture", bytes: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]) },
    {
      why: "almost nothing else",
      bytes: Buffer.concat([Buffer.from("name.of.a.file.in.tar"), Buffer.alloc(400)]),
    },
  ])("are binary data at the beginning or almost everywhere: $why", async ({ bytes }) => {
    await expect(readLines(await file(bytes))).rejects.toMatchObject({ code: "INPUT_UNREADABLE" });
  });
});

describe.skipIf(process.platform === "win32")("a pipe", () => {
  function pipe(): string {
    const path = join(folder, `pipe-${++fileCount}`);
    execFileSync("mkfifo", [path]);
    return path;
  }

  it("is read to its end, compressed or not", async () => {
    for (const bytes of [Buffer.from(TEXT), gzipSync(TEXT)]) {
      const path = pipe();
      const written = writeFile(path, bytes);
      expect((await readLines(path)).lines).toEqual(LINES);
      await written;
    }
  });

  it("that nobody writes to, or that never ends, can be stopped", async () => {
    for (const flags of ["r", "r+"]) {
      const path = pipe();
      const writer = flags === "r+" ? openSync(path, "r+") : undefined;
      const stop = new AbortController();
      const reading = readLines(path, { signal: stop.signal });
      setImmediate(() => stop.abort());
      await expect(reading).rejects.toMatchObject({ code: "ABORTED" });
      if (writer !== undefined) closeSync(writer);
    }
  });
});

it("a device is refused", async () => {
  await expect(readLines("/dev/zero")).rejects.toMatchObject({
    code: expect.stringMatching(/^INPUT_/),
  });
});
