/** Entries as one append stores them, and what they change in what a list shows of the session. */
import { POSTGRES_DEFAULTS } from "../../../base/defaults/postgres.ts";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import { formatEntry } from "../../../transcript/entry-line.ts";
import { SessionInfoBuilder } from "../../shared/session-info.ts";
import { storeFailure } from "../../shared/store-failure.ts";
import { checksumOf } from "./read-row.ts";
import { parseMetadata, type SessionState } from "./session-row.ts";

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

/** Formatted at once, so that nothing that a caller does later changes it. There is at least one entry. */
export function batchOf(entries: readonly Entry[]): Batch {
  const what = `${entries.length} entries could not be written`;
  let bodies: readonly string[];
  try {
    bodies = entries.map(formatEntry);
  } catch (error) {
    throw storeFailure(what, error);
  }
  const sizes = bodies.map((body) => Buffer.byteLength(body));
  const longest = Math.max(...sizes);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (longest > STORE_DEFAULTS.lineLimitBytes || bytes > POSTGRES_DEFAULTS.appendLimitBytes)
    throw storeFailure(
      what,
      `they have ${bytes} bytes, the longest ${longest}; an append holds ${POSTGRES_DEFAULTS.appendLimitBytes}, an entry ${STORE_DEFAULTS.lineLimitBytes}`,
    );
  const builder = new SessionInfoBuilder();
  for (const entry of entries) builder.add(entry);
  return {
    entries: entries.map(({ seq, id }) => ({ seq, id })),
    firstSeq: entries[0]!.seq,
    lastSeq: entries.at(-1)!.seq,
    bodies,
    checksums: bodies.map(checksumOf),
    checkpointFlags: entries.map(({ type }) => type === "checkpoint"),
    bytes,
    info: builder.info({ sessionId: "", bytes, isInUse: false }),
  };
}

/** The session once the batch is in it. */
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
