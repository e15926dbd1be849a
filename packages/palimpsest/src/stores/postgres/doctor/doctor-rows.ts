/** The statements of the doctor: they list sessions, and read and record damage. */
import type { LogDamage } from "../../../ports/session-store.ts";
import type { Database } from "../database/database.ts";
import type { Tables } from "../database/tables.ts";
import type { SessionName } from "../log/session-row.ts";

/** Sessions that the doctor lists at once. Source: our choice: a page of short rows. */
const DOCTOR_PAGE_SESSIONS = 500;

/** A session as the doctor finds it. */
export interface DoctorSessionRow extends SessionName {
  readonly key: number;
  readonly bytes: number;
  readonly isInUse: boolean;
}

interface FoundBlob {
  readonly hash: string;
  readonly bytes: number;
  readonly isSound: boolean;
}

export class DoctorRows {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  /** 0 where there are no tables. */
  async version(): Promise<number> {
    const there = await this.#read(`SELECT to_regclass($1::text) IS NOT NULL AS "isThere"`, [
      this.#tables.versions,
    ]);
    if (there[0]?.["isThere"] !== true) return 0;
    const rows = await this.#read(
      `SELECT coalesce(max(version), 0) AS "version" FROM ${this.#tables.versions}`,
      [],
    );
    return Number(rows[0]?.["version"] ?? 0);
  }

  /** Sessions of every scope that are not in the trash, a page at a time. */
  async *sessions(): AsyncGenerator<DoctorSessionRow> {
    const { sessions, entries } = this.#tables;
    for (let after = 0; ; ) {
      const rows = await this.#read(
        `SELECT s.key AS "key", s.scope AS "scope", s.session_id AS "sessionId", s.bytes AS "bytes",
            coalesce(s.lease_until > clock_timestamp(), false) AS "isInUse"
          FROM ${sessions} s WHERE s.key > $1::bigint AND s.trashed_at IS NULL
            AND (s.last_seq > 0 OR EXISTS (SELECT FROM ${entries} e WHERE e.session_key = s.key))
          ORDER BY s.key LIMIT $2::bigint`,
        [after, DOCTOR_PAGE_SESSIONS],
      );
      for (const row of rows) {
        after = Number(row["key"]);
        yield {
          key: after,
          scopeKey: String(row["scope"]),
          sessionId: String(row["sessionId"]),
          bytes: Number(row["bytes"]),
          isInUse: row["isInUse"] === true,
        };
      }
      if (rows.length < DOCTOR_PAGE_SESSIONS) return;
    }
  }

  /** Rows of all sessions that have no checksum. */
  async uncheckedCount(): Promise<number> {
    const rows = await this.#read(
      `SELECT count(*) AS "count" FROM ${this.#tables.entries} WHERE checksum IS NULL`,
      [],
    );
    return Number(rows[0]?.["count"] ?? 0);
  }

  async blobs(key: number): Promise<readonly FoundBlob[]> {
    const rows = await this.#read(
      `SELECT b.hash AS "hash", octet_length(b.content) AS "bytes", encode(sha256(b.content), 'hex') = b.hash AS "isSound"
        FROM ${this.#tables.blobs} b WHERE b.session_key = $1::bigint`,
      [key],
    );
    return rows.map((row) => ({
      hash: String(row["hash"]),
      bytes: Number(row["bytes"]),
      isSound: row["isSound"] === true,
    }));
  }

  /** Place and reason of damage that is recorded and is as it was then. */
  async recorded(key: number): Promise<ReadonlySet<string>> {
    const { damage, entries } = this.#tables;
    const rows = await this.#read(
      `SELECT DISTINCT d.seq AS "seq", d.reason AS "reason" FROM ${damage} d
          LEFT JOIN ${entries} e ON e.session_key = d.session_key AND e.seq = d.seq
        WHERE d.session_key = $1::bigint AND NOT d.is_moved AND (d.body IS NULL OR d.body = e.body)`,
      [key],
    );
    return new Set(
      rows.map((row) => damageKey({ position: Number(row["seq"]), reason: String(row["reason"]) })),
    );
  }

  /** Copies damaged rows to the table of damage, and notes which numbers are missing. */
  async record(key: number, found: readonly LogDamage[]): Promise<void> {
    const { damage, entries } = this.#tables;
    await this.#database.run({
      what: "Damage could not be recorded",
      isWrite: true,
      text: `INSERT INTO ${damage} (session_key, seq, to_seq, reason, is_moved, body)
        SELECT $1::bigint, f.seq, CASE WHEN f.bytes > 0 THEN f.seq ELSE coalesce((SELECT min(n.seq) - 1 FROM ${entries} n
            WHERE n.session_key = $1::bigint AND n.seq > f.seq), f.seq) END, f.reason, false, e.body
        FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS f (seq, reason, bytes)
          LEFT JOIN ${entries} e ON f.bytes > 0 AND e.session_key = $1::bigint AND e.seq = f.seq
        WHERE NOT EXISTS (SELECT FROM ${damage} d WHERE d.session_key = $1::bigint AND d.seq = f.seq
          AND d.reason = f.reason AND NOT d.is_moved AND d.body IS NOT DISTINCT FROM e.body)`,
      values: [
        key,
        ...[found.map(({ position }) => position), found.map(({ reason }) => reason)],
        found.map(({ bytes }) => bytes),
      ],
    });
  }

  async #read(text: string, values: readonly unknown[]) {
    return (await this.#database.run({ what: "The sessions could not be looked at", text, values })).rows;
  }
}

/** The key of a damaged stretch. */
export function damageKey({
  position,
  reason,
}: {
  readonly position: number;
  readonly reason: string;
}): string {
  return `${position} ${reason}`;
}
