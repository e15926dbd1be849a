/** Long edits and checkpoints are packed in their lines and read unchanged; damage costs its line only. */
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import fc from "fast-check";
import { InMemoryFileSystem } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { formatBatch, parseLine } from "#stores/files/log/log-line.ts";
import { decodeBase85, encodeBase85 } from "#stores/files/log/packed-entry.ts";
import { frame } from "#test/fault/damaged-session/kind.ts";
import { checkpoint, fileStore, message, ROOT, SESSION } from "#test/fault/workload.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import type { CheckpointEntry, EditEntry, Entry, MetadataEntry } from "#transcript/entries.ts";

const SUMMARY = Array.from(
  { length: 60 },
  (_, line) => `m${line}.0 read src/file-${line}.ts and found ${line * 37}.`,
).join("\n");
const base = (seq: number) => ({
  seq,
  id: `e${seq}`,
  parentId: `e${seq - 1}`,
  v: 1,
  at: 1_767_225_600_000 + seq,
});

function edit(seq: number, text = SUMMARY): EditEntry {
  const messages = [{ role: "user", origin: "summary", content: [{ type: "text", text }] }] as const;
  const effect = { hide: [{ from: 1, to: seq - 1 }], insert: [{ afterSeq: 0, messages }] };
  return {
    type: "edit",
    ...base(seq),
    edit: { kind: "extractive", effect, reason: "usage", freedTokens: 9 },
  };
}

function lineOf(entry: Entry): Buffer {
  return Buffer.from(formatBatch([entry]).bytes).subarray(0, -1);
}

function parsed(line: Buffer): Entry | string {
  const found = parseLine(line);
  return found.ok ? found.entry : found.reason;
}

describe("a packed line", () => {
  it("gives back any edit to the letter", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.integer({ min: 1, max: 300 }), (piece, times) => {
        const entry = edit(7, `${SUMMARY}${piece.repeat(times)}`);
        expect(parsed(lineOf(entry))).toEqual(entry);
      }),
    );
  });

  it("is JSON with the fields that every entry has, and what it packs is JSON of the others", () => {
    const line = lineOf(edit(7));
    const { packed, crc, ...fields } = JSON.parse(line.toString("utf8")) as Record<string, string>;
    const { v: _, ...place } = base(7);
    expect(fields).toEqual({ type: "edit", ...place });
    expect(crc).toMatch(/^[0-9a-f]{8}$/);
    const unpacked = brotliDecompressSync(decodeBase85(Buffer.from(packed!))!).toString("utf8");
    expect(JSON.parse(unpacked)).toEqual({ edit: edit(7).edit });
    expect(line.length).toBeLessThan(JSON.stringify(edit(7)).length / 2);
  });

  it("is that of a long checkpoint and of long metadata that is no text, too", () => {
    const runs = Array.from({ length: 90 }, (_, run) => ({
      from: run * 9 + 1,
      to: run * 9 + 3,
      position: run * 911,
    }));
    const index: CheckpointEntry = { ...checkpoint(900), runs };
    const note: MetadataEntry = { type: "metadata", ...base(9), key: "recorded-boundary.1", value: runs };
    for (const entry of [index, note]) {
      expect(lineOf(entry).toString("utf8")).toContain('"packed":"');
      expect(parsed(lineOf(entry))).toEqual(entry);
    }
  });

  it.each<{ readonly why: string; readonly entry: Entry }>([
    { why: "of a message: people look for words in it", entry: message(7, SUMMARY) },
    {
      why: "of a title: a search looks for it",
      entry: { type: "metadata", ...base(7), key: "title", value: SUMMARY },
    },
    { why: "of a short edit: nothing is saved", entry: edit(7, "short") },
    { why: "of what unpacks to more than a reader believes", entry: edit(7, "a".repeat(200_000)) },
    { why: "of an id that is not ours", entry: { ...edit(7), id: 'e "7"' } },
  ])("is not that $why", ({ entry }) => {
    expect(lineOf(entry).toString("utf8")).not.toContain('"packed"');
    expect(parsed(lineOf(entry))).toEqual(entry);
  });

  const packedAs = (packed: string) => Buffer.from(frame({ type: "edit", ...base(7), packed }));
  const pack = (json: string) => encodeBase85(brotliCompressSync(Buffer.from(json)));
  it.each([
    { why: "its text has other characters", line: packedAs("é and blanks") },
    {
      why: "its text ends in the middle",
      line: packedAs(pack(JSON.stringify({ edit: edit(7).edit })).slice(0, 300)),
    },
    { why: "nothing is packed in it", line: packedAs("") },
    { why: "it is packed in another way", line: packedAs(encodeBase85(Buffer.from("PK something else"))) },
    { why: "it packs what is no edit", line: packedAs(pack('{"edit":"rewind"}')) },
    { why: "it unpacks to more than is believed", line: packedAs(pack(`{"edit":${" ".repeat(1_000_000)}}`)) },
  ])("is no entry where $why", ({ line }) => {
    expect(parsed(line)).toBe("not-an-entry");
  });

  it("tells where what it packs is no JSON", () => {
    expect(parsed(packedAs(pack("{edit}")))).toBe("not-json");
  });

  it("of a later version that packs in its own way is carried along", () => {
    const entry = parsed(Buffer.from(frame({ type: "edit", ...base(7), v: 2, packed: { as: "zstd" } })));
    expect(entry).toMatchObject({ type: "unknown", seq: 7, original: { packed: { as: "zstd" } } });
  });

  it("costs nothing but itself where it is damaged", async () => {
    const disk = new InMemoryFileSystem();
    const log = await fileStore(disk).create(SESSION);
    await log.append([message(1)]);
    for (const seq of [2, 3, 4]) await log.append([edit(seq)]);
    await log.close();
    const bytes = Buffer.from(disk.readFile(`${ROOT}/${SESSION}.jsonl`));
    const third = bytes.indexOf('"seq":3');
    bytes[third + 400]! ^= 1;
    disk.writeFile(`${ROOT}/${SESSION}.jsonl`, bytes);

    const again = await fileStore(disk).open(SESSION);
    const seen: number[] = [];
    const reported: string[] = [];
    for await (const { entries, damage } of again.readAll()) {
      seen.push(...entries.map(({ entry }) => entry.seq));
      reported.push(...damage.map(({ reason }) => reason));
    }
    expect({ seen, expected: reported }).toEqual({ seen: [1, 2, 4], expected: ["bad-checksum"] });
  });

  it("of a checkpoint is found from the end", async () => {
    const disk = new InMemoryFileSystem();
    const log = await fileStore(disk).create(SESSION);
    await log.append([message(1)]);
    const usageAnchor = {
      ratios: Array.from({ length: 80 }, (_, at) => ({ ratio: 1 + at / 7, weight: 4_000 })),
    };
    await log.append([{ ...checkpoint(2), usageAnchor }]);
    await log.append([message(3)]);
    expect(Buffer.from(disk.readFile(`${ROOT}/${SESSION}.jsonl`)).toString("utf8")).toContain('"packed":"');
    const { entries, damage } = await log.readTail();
    expect(entries.map(({ entry }) => entry)).toEqual([{ ...checkpoint(2), usageAnchor }, message(3)]);
    expect(damage).toEqual([]);
  });
});

describe("Base85", () => {
  it("gives back any bytes, in characters that JSON takes as they are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = encodeBase85(bytes);
        expect(JSON.stringify(text)).toBe(`"${text}"`);
        expect(decodeBase85(Buffer.from(text))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  // As Python's `base64.b85encode` has them.
  it.each([
    { bytes: "", text: "" },
    { bytes: "\u0000", text: "00" },
    { bytes: "\u00ff\u00ff\u00ff\u00ff", text: "|NsC0" },
    { bytes: "hello", text: "Xk~0{Zv" },
    { bytes: "a log only grows", text: "VIXX8XCQBGY<VDOa&LEY" },
  ])("writes $bytes as others do: $text", ({ bytes, text }) => {
    expect(encodeBase85(Buffer.from(bytes, "latin1"))).toBe(text);
  });

  it.each([
    { text: '"', why: "a character that is none" },
    { text: "0", why: "one character, which is less than a byte" },
    { text: "~~~~~", why: "more than four bytes" },
  ])("refuses $why", ({ text }) => {
    expect(decodeBase85(Buffer.from(text))).toBeUndefined();
  });
});
