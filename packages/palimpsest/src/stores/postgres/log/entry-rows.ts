/** Rows of entries: formatted for one append with the changes to the session's row, and read back without trust. */

import { crc32 } from "node:zlib";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { maxOf } from "../../../base/lists.ts";
import type { LogDamage } from "../../../ports/session-store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import { formatEntry, parseEntry } from "../../../transcript/entry-line.ts";
import { SessionInfoBuilder } from "../../shared/session-info.ts";
import { storeFailure } from "../../shared/store-failure.ts";
import { parseMetadata, type SessionState } from "./session-row.ts";

/**
 * Most bytes of one append, which is one statement. Source: a value of the server ends at 1 GB, and quoting at the
 * most doubles it.
 */
const APPEND_LIMIT_BYTES = 268_435_456;

export interface Batch {
  readonly entries: readonly Pick<Entry, "seq" | "id">[];
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bodies: readonly string[];
  readonly checksums: readonly number[];
  readonly checkpointFlags: readonly boolean[];
  readonly bytes: number;
  readonly info: ReturnType<SessionInfoBuilder["info"]>;
}

/** Formats at once, so that later changes by the caller have no effect. Needs at least one entry. */
export function batchOf(entries: readonly Entry[]): Batch {
  const what = `${entries.length} entries could not be written`;
  let bodies: readonly string[];
  try {
    bodies = entries.map(formatEntry);
  } catch (error) {
    throw storeFailure(what, error);
  }
  const sizes = bodies.map((body) => Buffer.byteLength(body));
  const longest = maxOf(sizes);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (longest > STORE_DEFAULTS.lineLimitBytes || bytes > APPEND_LIMIT_BYTES)
    throw storeFailure(
      what,
      `they have ${bytes} bytes, the longest ${longest}; an append holds ${APPEND_LIMIT_BYTES}, an entry ${STORE_DEFAULTS.lineLimitBytes}`,
    );
  const builder = new SessionInfoBuilder();
  for (const entry of entries) builder.add(entry);
  return {
    entries: entries.map(({ seq, id }) => ({ seq, id })),
    firstSeq: entries[0]!.seq,
    lastSeq: entries.at(-1)!.seq,
    bodies,
    checksums: bodies.map((body) => crc32(body)),
    checkpointFlags: entries.map(({ type }) => type === "checkpoint"),
    bytes,
    info: builder.info({ sessionId: "", bytes, isInUse: false }),
  };
}

/** The session's row after the batch. */
export function stateAfter(state: SessionState, { info, lastSeq, bytes }: Batch): SessionState {
  const { header, metadata, firstPrompt } = info;
  return {
    ...state,
    lastSeq,
    lastPlace: lastSeq,
    bytes: state.bytes + bytes,
    header: state.header ?? (header === undefined ? null : formatEntry(header)),
    metadata:
      Object.keys(metadata).length === 0
        ? state.metadata
        : JSON.stringify({ ...parseMetadata(state.metadata), ...metadata }),
    firstPrompt: state.firstPrompt ?? (firstPrompt === undefined ? null : JSON.stringify(firstPrompt)),
  };
}

/** A row as read: a whole entry, or the reason for its damage. */
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

/** Parses a row. Numbers arrive as strings, numbers or bigints, depending on the client's configuration. */
export function readRow(row: Readonly<Record<string, unknown>>): ReadRow {
  const body = String(row["body"]);
  const { checksum } = row;
  const isVerified = checksum !== null && checksum !== undefined;
  const read = { place: Number(row["seq"]), bytes: Buffer.byteLength(body), isVerified };
  if (isVerified && Number(checksum) !== crc32(body)) return { ...read, reason: "bad-checksum" };
  const parsed = parseEntry(body);
  return parsed.ok ? { ...read, entry: parsed.entry } : { ...read, reason: parsed.reason };
}
