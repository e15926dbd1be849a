/**
 * A file of what was derived from the memories, in the hidden folder: pieces of bytes, each with its length and a
 * checksum. Losing it costs time only. It is written to another file and renamed, without a sync: after a power
 * loss the checksums tell.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { OpenFile } from "../../../ports/file-system.ts";
import { writeWhole } from "../replace/whole-file.ts";
import type { MemoryFiles } from "./memory-file-steps.ts";
import { PLACES } from "./memory-places.ts";

/** The pieces are not those that were written. */
class DamagedFileError extends Error {
  override readonly name = "DamagedFileError";
}

const PATH = `${PLACES.derived}/index`;
const UNFINISHED = /^index\.(\d{1,15})-[0-9A-Za-z-]{1,64}\.new$/;
/** Age at which an unfinished file is taken for one of a dead process, in milliseconds. Source: our choice; writing takes a second. */
const UNFINISHED_MS = 3_600_000;
/** Bytes before each piece: its length, and its checksum. */
const HEAD_BYTES = 8;
/** Longest piece that is read. Source: our choice; many times what is written. */
const PIECE_LIMIT_BYTES = 16_777_216;

/**
 * Each piece is of use until the next one is asked for: they share their memory, as new memory costs more than reading.
 * @throws an error where the file is damaged, or is not a plain file; what came before it is not to be used then
 */
export function* readDerived(files: MemoryFiles): Iterable<Uint8Array> {
  if (!files.exists(PATH)) return;
  const file = files.fs.open(PATH, "read");
  try {
    const size = file.size();
    let memory = new Uint8Array(0);
    for (let at = 0; at < size; ) {
      const { length, sum } = headAt(file, at);
      if (at + HEAD_BYTES + length > size) throw new DamagedFileError("It is damaged.");
      if (memory.length < length) memory = new Uint8Array(length);
      const bytes = memory.subarray(0, length);
      const readBytes = readInto(file, at + HEAD_BYTES, bytes);
      if (readBytes < length || checksum(bytes) !== sum) throw new DamagedFileError("It is damaged.");
      yield bytes;
      at += HEAD_BYTES + length;
    }
  } finally {
    file.close();
  }
}

function readInto(file: OpenFile, position: number, into: Uint8Array): number {
  if (file.readInto !== undefined) return file.readInto(position, into);
  const bytes = file.read(position, into.length);
  into.set(bytes);
  return bytes.length;
}

function headAt(file: OpenFile, at: number): { readonly length: number; readonly sum: number } {
  const bytes = file.read(at, HEAD_BYTES);
  if (bytes.length < HEAD_BYTES) throw new DamagedFileError("It ends too early.");
  const head = new DataView(bytes.buffer, bytes.byteOffset, HEAD_BYTES);
  const length = head.getUint32(0, true);
  if (length > PIECE_LIMIT_BYTES) throw new DamagedFileError("It is damaged.");
  return { length, sum: head.getUint32(4, true) };
}

/** Replaces the file; an error leaves the old one. @param id - of a change, used once */
export async function writeDerived(
  files: MemoryFiles,
  id: string,
  pieces: Iterable<Uint8Array>,
): Promise<void> {
  const path = `${PLACES.derived}/index.${id}.new`;
  files.ensureFolder(PLACES.derived);
  for (const name of files.names(PLACES.derived)) {
    const atMs = Number(UNFINISHED.exec(name)?.[1]);
    if (Number(id.split("-")[0]) - atMs > UNFINISHED_MS) files.remove(`${PLACES.derived}/${name}`);
  }
  const file = files.fs.open(path, "create");
  let isWritten = false;
  try {
    for (const piece of pieces) {
      const head = new DataView(new ArrayBuffer(HEAD_BYTES));
      head.setUint32(0, piece.length, true);
      head.setUint32(4, checksum(piece), true);
      writeWhole(file, new Uint8Array(head.buffer));
      writeWhole(file, piece);
      await nextTurn();
    }
    isWritten = true;
  } finally {
    file.close();
    if (!isWritten) files.remove(path);
  }
  files.rename(path, PATH);
}

/** FNV-1a over whole words, then over the bytes that are left: any single changed byte changes it. */
function checksum(bytes: Uint8Array): number {
  const wordsLength = bytes.length - (bytes.length % 4);
  const isAligned = bytes.byteOffset % 4 === 0;
  const copy = isAligned ? bytes : bytes.slice();
  const words = new Uint32Array(copy.buffer, copy.byteOffset, wordsLength / 4);
  let sum = (0x811c9dc5 ^ bytes.length) | 0;
  for (let at = 0; at < words.length; at++) sum = Math.imul(sum ^ words[at]!, 0x01000193);
  for (let at = wordsLength; at < bytes.length; at++) sum = Math.imul(sum ^ bytes[at]!, 0x01000193);
  return sum >>> 0;
}
