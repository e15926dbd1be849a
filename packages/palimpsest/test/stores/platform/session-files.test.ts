/** The format of the store's files, and reading of files that other programs changed. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionLog } from "#ports/session-store.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { formatBatch } from "#stores/files/log/log-line.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { checkpoint, message } from "#test/fault/workload.ts";
import { countingStore } from "#test/stores/files/log/counting-store.ts";
import type { Entry } from "#transcript/entries.ts";

let root: string;
let store: FileSessionStore;
let path: string;

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), "palimpsest-files-")), "home", "sessions");
  store = new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds });
  path = join(root, "s.jsonl");
});
afterEach(() => rmSync(join(root, "..", ".."), { recursive: true, force: true }));

async function stored(...batches: readonly (readonly Entry[])[]): Promise<void> {
  const log = await store.create("s");
  for (const batch of batches) await log.append(batch);
  await log.close();
}

async function withLog<Result>(use: (log: SessionLog) => Promise<Result>): Promise<Result> {
  const log = await store.open("s");
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}

async function readAll(log: SessionLog) {
  const parts = [];
  for await (const part of log.readAll()) parts.push(part);
  return {
    seqs: parts.flatMap(({ entries }) => entries.map(({ entry }) => entry.seq)),
    damage: parts.flatMap(({ damage }) => damage),
  };
}

describe("the files of a session", () => {
  it("are one JSON object a line, with the checksum first", async () => {
    await stored([message(1, "é")], [message(2), checkpoint(3)]);
    const lines = readFileSync(path, "utf8").split("\n");
    expect(lines).toEqual([
      '{"crc":"15be33b4","type":"message","seq":1,"id":"e1","at":1767225600001,"role":"user","content":[{"type":"text","text":"é"}]}',
      '{"crc":"6f596bea","batch":"1/2","type":"message","seq":2,"id":"e2","at":1767225600002,"role":"user","content":[{"type":"text","text":"message 2"}]}',
      '{"crc":"d38b75c9","batch":"2/2","type":"checkpoint","seq":3,"id":"e3","at":1767225600003,"runs":[],"line":[{"from":1,"to":3}],"undone":[],"pins":[]}',
      "",
    ]);
  });

  it.skipIf(process.platform === "win32")(
    "can be read by their owner alone, whatever the umask",
    async () => {
      const umask = process.umask(0);
      try {
        const log = await store.create("s");
        await log.append([message(1)]);
        await log.putBlob(nodeHasher.sha256("text"), "text");
        await log.close();
      } finally {
        process.umask(umask);
      }
      const modeOf = (...names: readonly string[]) =>
        (statSync(join(root, ...names)).mode & 0o777).toString(8);
      expect([modeOf(), modeOf(".."), modeOf("s"), modeOf("s", "blobs")]).toEqual([
        "700",
        "700",
        "700",
        "700",
      ]);
      expect([modeOf("s.jsonl"), modeOf("s", "blobs", nodeHasher.sha256("text"))]).toEqual(["600", "600"]);
    },
  );

  it("come into being with the first entry, and the blob folder with the first blob", async () => {
    const log = await store.create("s");
    expect(existsSync(root)).toBe(false);
    await log.append([message(1)]);
    expect(readdirSync(root)).toEqual(["s.jsonl"]);
    await log.putBlob(nodeHasher.sha256("text"), "text");
    expect(readdirSync(join(root, "s", "blobs"))).toEqual([nodeHasher.sha256("text")]);
    await log.close();
  });

  it("are not changed by opening and reading, torn or not", async () => {
    await stored([message(1)], [message(2)]);
    appendFileSync(path, '{"crc":"1234');
    const before = readFileSync(path);
    await withLog(async (log) => {
      await readAll(log);
      await log.readTail();
      await log.readFrom(0, 9);
      await log.sync();
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe("a log that others have been at", () => {
  it.each([
    { name: "a byte order mark", change: (text: string) => `\ufeff${text}`, damaged: [3] },
    {
      name: "line breaks of Windows",
      change: (text: string) => text.replaceAll("\n", "\r\n"),
      damaged: [1, 1, 1],
    },
    { name: "an empty line", change: (text: string) => text.replace("\n", "\n\n\n"), damaged: [] },
    { name: "no last line break", change: (text: string) => text.trimEnd(), damaged: [] },
    { name: "all lines in one", change: (text: string) => text.replaceAll("\n", ""), damaged: [] },
    {
      name: "half a line run into the next",
      change: (text: string) => text.slice(0, 70) + text,
      damaged: [70],
    },
    { name: "a foreign line of JSON", change: (text: string) => `{"type":"x"}\n${text}`, damaged: [13] },
    { name: "a line of text", change: (text: string) => text.replace("\n", "\nhello\n"), damaged: [5] },
    {
      name: "binary noise",
      change: (text: string) => text.replace("\n", "\n\u0000\u0001\ufffd\n"),
      damaged: [5],
    },
  ])("gives back every entry and reports what else there is: $name", async ({ change, damaged }) => {
    await stored([message(1)], [message(2)], [message(3)]);
    writeFileSync(path, change(readFileSync(path, "utf8")));
    const { seqs, damage } = await withLog(readAll);
    expect(seqs).toEqual([1, 2, 3]);
    const sizes = damage.map(({ bytes }) => bytes);
    expect(sizes.map((size, index) => Math.abs(size - damaged[index]!) <= 1)).toEqual(
      damaged.map(() => true),
    );
  });

  it("names what is wrong with each stretch, and where it is", async () => {
    await stored([message(1)]);
    const noEntry = '{"crc":"54542aa2","seq":1}\n';
    appendFileSync(path, `not json\n{"seq":1}\n${noEntry}{"crc":"00000000","typ`);
    expect((await withLog(readAll)).damage).toEqual([
      { position: 134, bytes: 8, reason: "not-json" },
      { position: 143, bytes: 9, reason: "bad-checksum" },
      { position: 153, bytes: 26, reason: "not-an-entry" },
      { position: 180, bytes: 22, reason: "torn-tail" },
    ]);
  });

  it("passes over a line that is too long in bounded memory, and goes on behind it", async () => {
    await stored([message(1)]);
    const megabyte = Buffer.alloc(1_048_576, "[");
    for (let count = 0; count < 65; count++) appendFileSync(path, megabyte);
    appendFileSync(path, "\n");
    appendFileSync(path, formatBatch([message(2)]).bytes);
    const { seqs, damage } = await withLog(readAll);
    expect(seqs).toEqual([1, 2]);
    expect(damage).toEqual([{ position: 134, bytes: 68_157_440, reason: "too-long" }]);
  });

  it("tells very many damaged lines as few, parses none of them, and goes on behind them", async () => {
    await stored([message(1)]);
    const junk = 'x\n{"a":\n\n{}\n'.repeat(2_000);
    appendFileSync(path, junk);
    appendFileSync(path, formatBatch([message(2)]).bytes);
    const parse = vi.spyOn(JSON, "parse");
    const { seqs, damage } = await withLog(readAll);
    expect(parse.mock.calls.length).toBeLessThan(10);
    parse.mockRestore();
    expect(seqs).toEqual([1, 2]);
    expect(damage.length).toBe(1_000);
    expect(damage[0]).toEqual({ position: 134, bytes: 1, reason: "not-json" });
    const last = damage.at(-1)!;
    expect(last.position + last.bytes).toBe(134 + junk.length - 1);
  });

  it("may be empty, or nothing but noise", async () => {
    mkdirSync(root, { recursive: true });
    writeFileSync(path, "");
    expect(await withLog(readAll)).toEqual({ seqs: [], damage: [] });
    writeFileSync(path, Buffer.alloc(3_000_000, 0));
    expect(await withLog(readAll)).toEqual({
      seqs: [],
      damage: [{ position: 0, bytes: 3_000_000, reason: "torn-tail" }],
    });
  });

  it.skipIf(process.platform === "win32")(
    "is refused without waiting where it is a pipe or a folder",
    async () => {
      mkdirSync(root, { recursive: true });
      execFileSync("mkfifo", [path]);
      await expect(store.open("s")).rejects.toMatchObject({ code: "SESSION_UNREADABLE" });
      rmSync(path);
      mkdirSync(path);
      await expect(store.open("s")).rejects.toMatchObject({ code: "SESSION_UNREADABLE" });
      await expect(store.create("s")).rejects.toMatchObject({ code: "SESSION_EXISTS" });
    },
  );

  it("are closed when all that was begun has ended, also for who closes second", async () => {
    const text = "a blob that takes its time".repeat(100_000);
    const log = await store.create("s");
    await log.append([message(1)]);
    const put = log.putBlob(nodeHasher.sha256(text), text);
    const first = log.close();
    await log.close();
    expect(readdirSync(join(root, "s", "blobs"))).toEqual([nodeHasher.sha256(text)]);
    await Promise.all([put, first, log.close()]);
  });

  it("keeps what another process appended meanwhile", async () => {
    await stored([message(1)]);
    await withLog(async (log) => {
      await log.append([message(2)]);
      appendFileSync(path, formatBatch([message(3)]).bytes);
      appendFileSync(path, '{"crc":"half');
      const [position] = await log.append([message(4)]);
      expect((await log.readFrom(position!, 4)).entries.map(({ entry }) => entry.seq)).toEqual([4]);
      expect((await readAll(log)).seqs).toEqual([1, 2, 3, 4]);
    });
  });
});

describe("a log that two writers went on with", () => {
  it("keeps the first entry of each number, and reports the others", async () => {
    await stored([message(1)], [message(2)], [message(3)]);
    const other = [[message(2, "of the other")], [message(3), message(4)]].map((entries) => {
      const { bytes, offsets } = formatBatch(entries);
      appendFileSync(path, bytes);
      return { offsets, length: bytes.length };
    });
    const [position, length] = [134 * 3, other[0]!.length];
    const second = other[1]!.offsets[1]!;
    expect(await withLog(readAll)).toEqual({
      seqs: [1, 2, 3, 4],
      damage: [
        { position, bytes: length - 1, reason: "duplicate-seq" },
        { position: position + length, bytes: second - 1, reason: "duplicate-seq" },
      ],
    });
    await withLog((log) => log.append([message(5)]));
    expect((await withLog(readAll)).seqs).toEqual([1, 2, 3, 4, 5]);
  });

  it("goes on for the one whose append is first in the file", async () => {
    await stored([message(1)]);
    await withLog(async (log) => {
      await log.append([message(2)]);
      appendFileSync(path, formatBatch([message(2, "in the same instant")]).bytes);
      await log.append([message(3)]);
    });
    expect((await withLog(readAll)).seqs).toEqual([1, 2, 3]);
  });

  it("is found out without reading where nobody else has appended", async () => {
    await stored(...Array.from({ length: 50 }, (_, index) => [message(index + 1, "y".repeat(20_000))]));
    const counting = countingStore(root);
    const log = await counting.store.open("s");
    await log.append([message(51)]);
    const opening = counting.readBytes();
    expect(opening).toBeLessThan(140_000);
    for (let seq = 52; seq < 60; seq++) await log.append([message(seq)]);
    expect(counting.readBytes()).toBe(opening);
    await log.close();
  });
});

describe("blobs", () => {
  const text = JSON.stringify("a blob ".repeat(100));
  const hash = nodeHasher.sha256(text);
  const blobPath = () => join(root, "s", "blobs", hash);

  beforeEach(async () => {
    await stored([message(1)]);
    await withLog((log) => log.putBlob(hash, text));
  });

  it.each([
    { name: "another text", damage: () => writeFileSync(blobPath(), "something else") },
    {
      name: "one byte changed",
      damage: () => writeFileSync(blobPath(), readFileSync(blobPath(), "utf8").replace("a", "b")),
    },
    { name: "emptied", damage: () => writeFileSync(blobPath(), "") },
  ])("that are damaged are refused with the figures, and healed by storing them again: $name", async ({
    damage,
  }) => {
    damage();
    await withLog(async (log) => {
      await expect(log.getBlob(hash)).rejects.toMatchObject({
        code: "BLOB_MISSING",
        message: expect.stringContaining(hash),
      });
      await log.putBlob(hash, text);
      expect(await log.getBlob(hash)).toBe(text);
    });
  });

  it("that a crash left half-written are removed by the next writer", async () => {
    writeFileSync(`${blobPath()}.0123456789abcdef.tmp`, "half");
    await withLog((log) => log.putBlob(nodeHasher.sha256("other"), "other"));
    expect(readdirSync(join(root, "s", "blobs")).sort()).toEqual([hash, nodeHasher.sha256("other")].sort());
  });
});

describe("what cannot be kept", () => {
  it.each([
    {
      name: "a circle",
      value: () => {
        const circle: unknown[] = [];
        circle.push(circle);
        return circle;
      },
    },
    { name: "a number without JSON", value: () => 10n },
    { name: "more than a line holds", value: () => "€".repeat(22_369_622) },
  ])("is refused in the same call and leaves nothing: $name", async ({ value }) => {
    const log = await store.create("s");
    const entry = { type: "metadata", seq: 2, id: "e2", v: 1, at: 1, key: "k", value: value() } as Entry;
    await log.append([message(1)]);
    await expect(log.append([message(2), entry])).rejects.toMatchObject({ code: "STORE_FAILED" });
    await log.append([message(2)]);
    expect(await readAll(log)).toEqual({ seqs: [1, 2], damage: [] });
    await log.close();
  });
});
