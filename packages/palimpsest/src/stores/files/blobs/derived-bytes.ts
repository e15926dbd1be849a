/** The bytes of a derived file: the checksum of what follows as a line, and the text packed like a blob. */
import { crc32 } from "node:zlib";
import { packBlob, unpackBlob, unpackBlobAside } from "./packed-blob.ts";

/** Names of derived files: what it is, the number of the first entry that it was made of where that is not 1, and of the last one. */
export const DERIVED_NAME_PATTERN = /^[a-z]+(?:-\d+)?-(\d+)$/;
const CHECKSUM_DIGITS = 8;

export async function packDerived(text: string): Promise<Buffer> {
  const packed = await packBlob(Buffer.from(text, "utf8"));
  return Buffer.concat([checksumLine(packed), packed]);
}

/** `undefined` where the bytes are damaged, or of an earlier version. */
export function unpackDerived(bytes: Buffer): string | undefined {
  const packed = packedPart(bytes);
  return packed && unpackBlob(packed).toString("utf8");
}

/** The same outside the main thread. */
export async function unpackDerivedAside(bytes: Buffer): Promise<string | undefined> {
  const packed = packedPart(bytes);
  return packed && (await unpackBlobAside(packed)).toString("utf8");
}

function packedPart(bytes: Buffer): Buffer | undefined {
  const packed = bytes.subarray(CHECKSUM_DIGITS + 1);
  return checksumLine(packed).equals(bytes.subarray(0, CHECKSUM_DIGITS + 1)) ? packed : undefined;
}

function checksumLine(packed: Buffer): Buffer {
  return Buffer.from(`${crc32(packed).toString(16).padStart(CHECKSUM_DIGITS, "0")}\n`, "latin1");
}
