/** Blobs that get much smaller are packed; readers get the text in every format of the file. */
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from "node:zlib";
import fc from "fast-check";
import { InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { STORE_DEFAULTS } from "#base/defaults/store.ts";
import { packBlob, unpackBlob } from "#stores/files/blobs/packed-blob.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { anEntry } from "#test/fault/leased-workload.ts";
import { isLong } from "../../../../../../test/helpers/size-of-run.ts";

const TEXT = "You are a careful assistant, and you say what you do. ".repeat(100);
const HASH = nodeHasher.sha256(TEXT);
const FILE = `/s/s/blobs/${HASH}`;

/** Precedes Brotli's output; no UTF-8 text begins with it. */
const HEAD = Buffer.from([0xff, 0x62, 0x72]);

function packedText(text: string | Buffer): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
  return Buffer.concat([HEAD, brotliCompressSync(text, { params })]);
}

const storeOn = (fs: InMemoryFileSystem) =>
  new FileSessionStore({ root: "/s", fs, hasher: nodeHasher, ids: seededIds(1) });

async function openOn(disk: InMemoryFileSystem) {
  const log = await storeOn(disk).create("s");
  await log.append([anEntry("e1", 1, "")]);
  return log;
}

/** Letters without order, as a picture has them. */
function noise(bytes: number): Buffer {
  let state = 1;
  return Buffer.from(
    Array.from({ length: bytes }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".charCodeAt(state >>> 26);
    }),
  );
}

const MEGABYTE = 1_048_576;
const LIMIT_MB = STORE_DEFAULTS.blobLimitBytes / MEGABYTE;

/** Several parts of gzip are one text. */
function repeated(part: Buffer, count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => part));
}

describe("a blob's file", () => {
  it("holds any text so that it comes back", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.nat(400), async (piece, times) => {
        const text = Buffer.from(piece.repeat(times));
        const packed = await packBlob(text);
        expect(packed.length).toBeLessThanOrEqual(text.length);
        expect(unpackBlob(packed).equals(text)).toBe(true);
      }),
    );
  });

  it("is three bytes and what Brotli made of the text, under its hash", async () => {
    const disk = new InMemoryFileSystem();
    const log = await openOn(disk);
    await log.putBlob(HASH, TEXT);
    const bytes = Buffer.from(disk.readFile(FILE));
    expect(bytes.toString("latin1", 0, 3)).toBe("\u00ffbr");
    expect(brotliDecompressSync(bytes.subarray(3)).toString("utf8")).toBe(TEXT);
    expect(log.bytesWritten() - disk.readFile("/s/s.jsonl").length).toBe(disk.readFile(FILE).length);
    expect(await log.getBlob(HASH)).toBe(TEXT);
  });

  it.each([
    { why: "it is short", text: Buffer.from("a".repeat(1_023)) },
    { why: "it is packed already", text: noise(20_000) },
    { why: "its beginning tells that it is", text: noise(200_000) },
  ])("is the text itself where $why", async ({ text }) => {
    expect(await packBlob(text)).toBe(text);
  });

  it.each([
    { why: "plain", bytes: Buffer.from(TEXT) },
    { why: "packed with gzip", bytes: gzipSync(TEXT) },
  ])("of an earlier version, $why, is read, searched, and not written again", async ({ bytes }) => {
    const disk = new InMemoryFileSystem();
    const log = await openOn(disk);
    disk.makeDirectory("/s/s/blobs");
    disk.writeFile(FILE, bytes);
    await log.putBlob(HASH, TEXT);
    expect(bytes.equals(disk.readFile(FILE))).toBe(true);
    expect(await log.getBlob(HASH)).toBe(TEXT);
    await log.close();
    expect(await storeOn(disk).mayHold("s", "Careful")).toBe(true);
    expect(await storeOn(disk).mayHold("s", "careless")).toBe(false);
  });

  it.each([
    { why: "a byte is another", damage: (bytes: Buffer) => bytes.fill(bytes[40]! ^ 1, 40, 41) },
    { why: "its second half is gone", damage: (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1) },
    { why: "it holds another text, packed", damage: () => packedText("another text") },
    { why: "it holds another text, packed with gzip", damage: () => gzipSync("another text") },
    { why: "it holds nothing but the head", damage: () => HEAD },
    { why: "it holds half of the head", damage: () => HEAD.subarray(0, 2) },
    { why: "it holds nothing but the head of gzip", damage: () => Buffer.from([0x1f, 0x8b]) },
  ])("is told as damaged where $why, and is replaced when the text is stored again", async ({ damage }) => {
    const disk = new InMemoryFileSystem();
    const log = await openOn(disk);
    await log.putBlob(HASH, TEXT);
    disk.writeFile(FILE, damage(Buffer.from(disk.readFile(FILE))));
    await expect(log.getBlob(HASH)).rejects.toMatchObject({ code: "BLOB_MISSING" });
    await log.putBlob(HASH, TEXT);
    expect(await log.getBlob(HASH)).toBe(TEXT);
  });

  // Brotli takes long: by default it has a lower limit, and gzip the one of all blobs.
  it.each([
    {
      how: "Brotli",
      limitMb: isLong ? LIMIT_MB : 1,
      pack: (mb: number) => packedText(Buffer.alloc(mb * MEGABYTE + 1)),
    },
    {
      how: "gzip",
      limitMb: LIMIT_MB,
      pack: (mb: number) => repeated(gzipSync(Buffer.alloc(MEGABYTE)), mb + 1),
    },
  ])("that $how unpacks to more than a blob may hold is refused before it is all there", ({
    limitMb,
    pack,
  }) => {
    const bomb = pack(limitMb);
    expect(bomb.length).toBeLessThan(200_000);
    expect(() => (limitMb === LIMIT_MB ? unpackBlob(bomb) : unpackBlob(bomb, limitMb * MEGABYTE))).toThrow(
      RangeError,
    );
  });

  it("is searched by its text", async () => {
    const disk = new InMemoryFileSystem();
    const log = await openOn(disk);
    await log.putBlob(HASH, TEXT);
    await log.close();
    expect(await storeOn(disk).mayHold("s", "Careful")).toBe(true);
    expect(await storeOn(disk).mayHold("s", "careless")).toBe(false);
  });
});
