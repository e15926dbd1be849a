/**
 * The bytes of a derived file of several parts, each packed and read alone.
 *
 * DESIGN. First come a mark, the number of parts and a checksum of the table; then the table with the length and the
 * checksum of each part; then the parts, packed like blobs.
 */
import { crc32 } from "node:zlib";
import type { OpenFile } from "../../../ports/file-system.ts";
import { readBuffer } from "../replace/whole-file.ts";
import { packBlob, unpackBlob, unpackBlobAside } from "./packed-blob.ts";

const MARK = Buffer.from("parts 1\n", "latin1");
const WORD_BYTES = 4;
const HEAD_BYTES = MARK.length + 2 * WORD_BYTES;
/** Length and checksum of a part. */
const ROW_BYTES = 2 * WORD_BYTES;

/** The bytes of the file, in pieces. */
export async function packParts(parts: readonly Uint8Array[]): Promise<readonly Buffer[]> {
  const table = Buffer.alloc(parts.length * ROW_BYTES);
  const packed: Buffer[] = [];
  for (const [index, part] of parts.entries()) {
    const bytes = await packBlob(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
    table.writeUInt32LE(bytes.length, index * ROW_BYTES);
    table.writeUInt32LE(crc32(bytes), index * ROW_BYTES + WORD_BYTES);
    packed.push(bytes);
  }
  const counts = Buffer.alloc(2 * WORD_BYTES);
  counts.writeUInt32LE(parts.length, 0);
  counts.writeUInt32LE(crc32(table), WORD_BYTES);
  return [MARK, counts, table, ...packed];
}

/** True if the file begins as one of several parts does. */
export function hasParts(bytes: Buffer): boolean {
  return bytes.subarray(0, MARK.length).equals(MARK);
}

/** The places of the parts in a file; `undefined` where it is damaged, or of another kind. */
function readTable(file: OpenFile): Buffer | undefined {
  const head = readBuffer(file, 0, HEAD_BYTES);
  if (head.length < HEAD_BYTES || !hasParts(head)) return undefined;
  const count = head.readUInt32LE(MARK.length);
  if (HEAD_BYTES + count * ROW_BYTES > file.size()) return undefined;
  const table = readBuffer(file, HEAD_BYTES, count * ROW_BYTES);
  return crc32(table) === head.readUInt32LE(MARK.length + WORD_BYTES) ? table : undefined;
}

/** Packed bytes of a part from which it is unpacked outside the main thread. Our choice: some tenths of a millisecond. */
const UNPACKED_ASIDE_BYTES = 16_384;

/** One part; `undefined` if there is none, or it is damaged. */
export function readDerivedPart(file: OpenFile, wanted: number): Buffer | Promise<Buffer> | undefined {
  const table = readTable(file);
  if (table === undefined || wanted * ROW_BYTES >= table.length) return undefined;
  let at = HEAD_BYTES + table.length;
  for (let index = 0; index < wanted; index++) at += table.readUInt32LE(index * ROW_BYTES);
  return unpackPart(file, at, table.subarray(wanted * ROW_BYTES, (wanted + 1) * ROW_BYTES));
}

function unpackPart(file: OpenFile, at: number, row: Buffer): Buffer | Promise<Buffer> | undefined {
  const length = row.readUInt32LE(0);
  if (at + length > file.size()) return undefined;
  const packed = readBuffer(file, at, length);
  if (crc32(packed) !== row.readUInt32LE(WORD_BYTES)) return undefined;
  return length < UNPACKED_ASIDE_BYTES ? unpackBlob(packed) : unpackBlobAside(packed);
}

/** True if every part can be read. */
export function arePartsWhole(file: OpenFile): boolean {
  const table = readTable(file);
  if (table === undefined) return false;
  let at = HEAD_BYTES + table.length;
  for (let index = 0; index < table.length; index += ROW_BYTES) {
    const row = table.subarray(index, index + ROW_BYTES);
    const length = row.readUInt32LE(0);
    if (at + length > file.size()) return false;
    const packed = readBuffer(file, at, length);
    if (crc32(packed) !== row.readUInt32LE(WORD_BYTES)) return false;
    at += packed.length;
  }
  return at === file.size();
}
