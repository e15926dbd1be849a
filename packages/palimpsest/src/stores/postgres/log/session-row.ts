/** Parses a row of the sessions' table, or some of its columns, without trusting it. */
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../../base/json/json.ts";
import type { SessionInfo } from "../../../ports/session-store.ts";
import type { HeaderEntry } from "../../../transcript/entries.ts";
import { parseEntry } from "../../../transcript/entry-line.ts";
import type { Tables } from "../database/tables.ts";

type Row = Readonly<Record<string, unknown>>;

/** Which session, in which scope. */
export interface SessionName {
  readonly sessionId: string;
  readonly scopeKey: string;
}

/** A session as its writer knows it. */
export interface SessionState {
  readonly key: number;
  /** As the session's row says it. */
  readonly lastSeq: number;
  /** The number of the last row of its entries; 0 where there is none. Another than `lastSeq` is damage. */
  readonly lastPlace: number;
  readonly bytes: number;
  /** JSON texts, as they are stored. */
  readonly header: string | null;
  readonly metadata: string;
  readonly firstPrompt: string | null;
  readonly isTrashed: boolean;
  readonly leaseToken: number;
  /** True while a lease is valid; `leaseOwner` has its owner. */
  readonly isLeased: boolean;
  readonly leaseOwner: string | null;
  readonly leaseHolder: string | null;
  readonly leaseLeftMs: number;
}

/** True if nothing was ever appended. */
export function isEmpty({ lastSeq, lastPlace }: SessionState): boolean {
  return lastSeq <= 0 && lastPlace <= 0;
}

/** Columns of {@link SessionState}; `s` is the sessions' table. */
export function stateColumns({ entries }: Pick<Tables, "entries">): string {
  return `s.key AS "key", s.last_seq AS "lastSeq",
  (SELECT coalesce(max(e.seq), 0) FROM ${entries} e WHERE e.session_key = s.key) AS "lastPlace", s.bytes AS "bytes", s.header AS "header",
  s.metadata AS "metadata", s.first_prompt AS "firstPrompt", s.trashed_at IS NOT NULL AS "isTrashed",
  s.lease_token AS "leaseToken", s.lease_owner AS "leaseOwner", s.lease_holder AS "leaseHolder",
  coalesce(s.lease_until > clock_timestamp(), false) AS "isLeased",
  coalesce(extract(epoch FROM s.lease_until - clock_timestamp()) * 1000, 0)::float8 AS "leaseLeftMs"`;
}

/** Columns of {@link infoOf}. */
export const INFO_COLUMNS = `s.session_id AS "sessionId", s.bytes AS "bytes", s.last_activity AS "lastActivityAt",
  s.header AS "header", s.metadata AS "metadata", s.first_prompt AS "firstPrompt",
  coalesce(s.lease_until > clock_timestamp(), false) AS "isInUse"`;

/** Numbers come as texts, numbers or bigints, as the client is set up. */
export function stateOf(row: Row): SessionState {
  const text = (name: string): string | null => (typeof row[name] === "string" ? row[name] : null);
  return {
    key: Number(row["key"]),
    lastSeq: Number(row["lastSeq"]),
    lastPlace: Number(row["lastPlace"]),
    bytes: Number(row["bytes"]),
    header: text("header"),
    metadata: text("metadata") ?? "{}",
    firstPrompt: text("firstPrompt"),
    isTrashed: row["isTrashed"] === true,
    leaseToken: Number(row["leaseToken"]),
    isLeased: row["isLeased"] === true,
    leaseOwner: text("leaseOwner"),
    leaseHolder: text("leaseHolder"),
    leaseLeftMs: Number(row["leaseLeftMs"]),
  };
}

export function infoOf(row: Row): SessionInfo {
  const header = parseHeader(row["header"]);
  const firstPrompt = parseText(row["firstPrompt"]);
  return {
    sessionId: String(row["sessionId"]),
    bytes: Number(row["bytes"]),
    lastActivityAt: Number(row["lastActivityAt"]),
    ...(header === undefined ? {} : { header }),
    metadata: parseMetadata(row["metadata"]),
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    isInUse: row["isInUse"] === true,
  };
}

/** The last value of each key; nothing where it cannot be read. */
export function parseMetadata(text: unknown): JsonObject {
  const parsed = parseJson(String(text));
  return parsed.ok && isObject(parsed.value) ? (parsed.value as Record<string, JsonValue>) : {};
}

/** A text that was kept as JSON. */
export function parseText(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const parsed = parseJson(text);
  return parsed.ok && typeof parsed.value === "string" ? parsed.value : undefined;
}

function parseHeader(text: unknown): HeaderEntry | undefined {
  if (typeof text !== "string") return undefined;
  const parsed = parseEntry(text);
  return parsed.ok && parsed.entry.type === "header" ? parsed.entry : undefined;
}
