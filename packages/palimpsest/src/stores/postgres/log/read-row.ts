/** One row of the entries, read and never trusted: a whole entry, or the reason why it is none. */
import { crc32 } from "node:zlib";
import type { LogDamage } from "../../../ports/session-store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import { parseEntry } from "../../../transcript/entry-line.ts";

export interface ReadRow {
  /** The number of the row. A row that was changed may hold the entry of another number. */
  readonly place: number;
  readonly bytes: number;
  /** Present where the row is whole. */
  readonly entry?: Entry;
  /** Present where it is not. */
  readonly reason?: LogDamage["reason"];
  /** The row has a checksum; rows of earlier versions have none. */
  readonly isVerified: boolean;
}

/** The CRC-32 of an entry's text in UTF-8, as its row keeps it. */
export function checksumOf(body: string): number {
  return crc32(body);
}

/** Numbers come as texts, numbers or bigints, as the client is set up. */
export function readRow(row: Readonly<Record<string, unknown>>): ReadRow {
  const body = String(row["body"]);
  const { checksum } = row;
  const isVerified = checksum !== null && checksum !== undefined;
  const read = { place: Number(row["seq"]), bytes: Buffer.byteLength(body), isVerified };
  if (isVerified && Number(checksum) !== checksumOf(body)) return { ...read, reason: "bad-checksum" };
  const parsed = parseEntry(body);
  return parsed.ok ? { ...read, entry: parsed.entry } : { ...read, reason: parsed.reason };
}
