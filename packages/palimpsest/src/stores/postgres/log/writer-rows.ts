/**
 * The statements of a writer. Each is one transaction: it changes the session's row under conditions
 * (the last number, the lease), and only where that went well anything else.
 */
import type { Hasher } from "../../../ports/runtime.ts";
import type { Database } from "../database/database.ts";
import { CHECKSUM_VERSION, type Tables } from "../database/tables.ts";
import type { Batch } from "./entry-rows.ts";
import type { RowOrder } from "./row-order.ts";
import { type SessionName, type SessionState, stateColumns, stateOf } from "./session-row.ts";

/** The terms of a lease; `undefined` without leases. */
export interface LeaseTerms {
  readonly owner: string;
  readonly holder: string;
  readonly ttlMs: number;
}

/** The lease that an append rests on, and that it renews. */
interface LeaseRow {
  readonly token: number | undefined;
  readonly ttlMs: number;
}

const MS = "* interval '1 millisecond'";
const NOW_MS = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

export class WriterRows {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #hasher: Hasher;
  readonly #name: SessionName;

  constructor(database: Database, tables: Tables, hasher: Hasher, name: SessionName) {
    this.#database = database;
    this.#tables = tables;
    this.#hasher = hasher;
    this.#name = name;
  }

  /** The session as it is now: by its key where it is known, in the trash too; else the live one. */
  async load(key?: number): Promise<SessionState | undefined> {
    const { sessionId, scopeKey } = this.#name;
    const { rows } = await this.#database.run({
      what: `Session ${sessionId} could not be looked up`,
      text: `SELECT ${stateColumns(this.#tables)} FROM ${this.#tables.sessions} s WHERE s.scope = $1::text AND s.session_id = $2::text
        AND CASE WHEN $3::bigint IS NULL THEN s.trashed_at IS NULL ELSE s.key = $3::bigint END`,
      values: [scopeKey, sessionId, key ?? null],
    });
    return rows[0] === undefined ? undefined : stateOf(rows[0]);
  }

  /** Makes the row of a session without entries, which no list shows; or finds the one that is there. */
  async reserve(): Promise<SessionState> {
    const { sessionId, scopeKey } = this.#name;
    const { rows } = await this.#database.run({
      what: `Session ${sessionId} could not be begun`,
      isWrite: true,
      text: `INSERT INTO ${this.#tables.sessions} AS s (scope, session_id) VALUES ($1::text, $2::text)
        ON CONFLICT (scope, session_id) WHERE trashed_at IS NULL DO UPDATE SET session_id = excluded.session_id
        RETURNING ${stateColumns(this.#tables)}`,
      values: [scopeKey, sessionId],
    });
    return stateOf(rows[0]!);
  }

  /** Takes the lease if it is free. Renewing keeps the token, taking over raises it. */
  async lease(key: number, { owner, holder, ttlMs }: LeaseTerms): Promise<SessionState | undefined> {
    const { sessionId, scopeKey } = this.#name;
    const { rows } = await this.#database.run({
      what: `The lease of session ${sessionId} could not be taken`,
      isWrite: true,
      text: `UPDATE ${this.#tables.sessions} s SET lease_owner = $3::text, lease_holder = $4::text,
        lease_until = clock_timestamp() + $5::float8 ${MS},
        lease_token = s.lease_token + CASE WHEN s.lease_owner = $3::text THEN 0 ELSE 1 END
        WHERE s.key = $1::bigint AND s.scope = $2::text AND s.trashed_at IS NULL
        AND (s.lease_owner IS NULL OR s.lease_owner = $3::text OR s.lease_until <= clock_timestamp())
        RETURNING ${stateColumns(this.#tables)}`,
      values: [key, scopeKey, owner, holder, ttlMs],
    });
    return rows[0] === undefined ? undefined : stateOf(rows[0]);
  }

  /** Lets go of the lease, if it is still that one. */
  async release(key: number, token: number): Promise<void> {
    const { sessionId, scopeKey } = this.#name;
    await this.#database.run({
      what: `The lease of session ${sessionId} could not be given back`,
      text: `UPDATE ${this.#tables.sessions} SET lease_owner = NULL, lease_holder = NULL, lease_until = NULL
        WHERE key = $1::bigint AND scope = $2::text AND lease_token = $3::bigint`,
      values: [key, scopeKey, token],
    });
  }

  /**
   * Appends if the session ends just before the batch and no other lease is valid; `after` is the session's row after it.
   * Returns false if it did not append; an earlier try may have.
   */
  async append(
    before: SessionState,
    after: SessionState,
    batch: Batch,
    held: LeaseRow | undefined,
  ): Promise<boolean> {
    const { sessions, entries } = this.#tables;
    const { rows } = await this.#database.run({
      what: `${batch.bodies.length} entries could not be appended to session ${this.#name.sessionId}`,
      isWrite: true,
      text: (version) => `WITH head AS (
          UPDATE ${sessions} SET last_seq = $4::bigint, bytes = $5::bigint, header = $6::text,
            metadata = $7::text, first_prompt = $8::text,
            last_activity = GREATEST(last_activity, $9::bigint, ${NOW_MS}),
            lease_until = CASE WHEN $10::float8 IS NULL THEN lease_until ELSE clock_timestamp() + $10::float8 ${MS} END
          WHERE key = $1::bigint AND scope = $2::text AND last_seq = $3::bigint AND trashed_at IS NULL
            AND CASE WHEN $10::float8 IS NULL THEN lease_until IS NULL OR lease_until <= clock_timestamp()
              ELSE lease_token = $11::bigint END
          RETURNING key),
        added AS (
          INSERT INTO ${entries} (session_key, seq, is_checkpoint, bytes, body${version < CHECKSUM_VERSION ? "" : ", checksum"})
          SELECT head.key, $3::bigint + e.place, e.is_checkpoint, octet_length(e.body), e.body${version < CHECKSUM_VERSION ? "" : ", e.checksum"}
          FROM head, unnest($12::boolean[], $13::text[], $14::bigint[]) WITH ORDINALITY AS e (is_checkpoint, body, checksum, place))
        SELECT key FROM head`,
      values: [
        ...[before.key, this.#name.scopeKey, before.lastSeq],
        ...[after.lastSeq, after.bytes, after.header, after.metadata, after.firstPrompt],
        ...[wholeMs(batch.info.lastActivityAt), held?.ttlMs ?? null, held?.token ?? null],
        ...[batch.checkpointFlags, batch.bodies, batch.checksums],
      ],
    });
    return rows.length > 0;
  }

  /** True if the log has exactly these entries at their numbers. */
  async holds(key: number, batch: Batch): Promise<boolean> {
    const { rows } = await this.#database.run({
      what: `Session ${this.#name.sessionId} could not be compared with what was appended`,
      text: `SELECT count(*)::int AS "count" FROM unnest($3::text[]) WITH ORDINALITY AS wanted (hash, place)
        JOIN ${this.#tables.entries} e ON e.session_key = $1::bigint AND e.seq = $2::bigint - 1 + wanted.place
        WHERE encode(sha256(convert_to(e.body, 'UTF8')), 'hex') = wanted.hash`,
      values: [key, batch.firstSeq, batch.bodies.map((body) => this.#hasher.sha256(body))],
    });
    return Number(rows[0]?.["count"]) === batch.bodies.length;
  }

  /** Takes back the last entries of the log, whose append was never acknowledged. `before` is the session without them. */
  async takeBack(before: SessionState, batch: Batch): Promise<void> {
    const { sessions, entries } = this.#tables;
    await this.#database.run({
      what: `An append to session ${this.#name.sessionId} that failed could not be taken back`,
      isWrite: true,
      text: `WITH head AS (
          UPDATE ${sessions} SET last_seq = $4::bigint, bytes = $5::bigint, header = $6::text,
            metadata = $7::text, first_prompt = $8::text
          WHERE key = $1::bigint AND scope = $2::text AND last_seq = $3::bigint AND lease_token = $9::bigint RETURNING key)
        DELETE FROM ${entries} e USING head WHERE e.session_key = head.key AND e.seq > $4::bigint`,
      values: [
        ...[before.key, this.#name.scopeKey, batch.lastSeq],
        ...[before.lastSeq, before.bytes, before.header, before.metadata, before.firstPrompt],
        before.leaseToken,
      ],
    });
  }

  /**
   * Puts the rows of a damaged log in order: misplaced entries where they belong, and the end at the last
   * entry that counts. Rows behind the end, and those in whose place an entry is put, go to the table of
   * damage, and so does a note of a missing tail: nothing is deleted. Does nothing where the session is not
   * as it is in `before`.
   */
  async putInOrder(
    before: SessionState,
    { endSeq, misplaced }: Pick<RowOrder, "endSeq" | "misplaced">,
    token: number | undefined,
  ): Promise<void> {
    const { sessions, entries, damage } = this.#tables;
    await this.#database.run({
      what: `The rows of session ${this.#name.sessionId} could not be put in order`,
      isWrite: true,
      text: `WITH head AS (
          UPDATE ${sessions} SET last_seq = $4::bigint
          WHERE key = $1::bigint AND scope = $2::text AND last_seq = $3::bigint AND trashed_at IS NULL
            AND CASE WHEN $5::bigint IS NULL THEN lease_until IS NULL OR lease_until <= clock_timestamp()
              ELSE lease_token = $5::bigint END
          RETURNING key),
        moves AS (SELECT * FROM unnest($7::bigint[], $8::bigint[]) AS m (place, seq)),
        gone AS (DELETE FROM ${entries} e USING head WHERE e.session_key = head.key
          AND (e.seq > $4::bigint OR e.seq = ANY($7::bigint[]) OR e.seq = ANY($8::bigint[]))
          RETURNING e.session_key, e.seq, e.bytes, e.body, e.checksum),
        kept AS (INSERT INTO ${damage} (session_key, seq, to_seq, reason, is_moved, body)
          SELECT session_key, seq, seq, CASE WHEN seq > $4::bigint THEN 'behind-the-end' ELSE 'replaced' END, true, body
          FROM gone WHERE seq <> ALL($7::bigint[])),
        lost AS (INSERT INTO ${damage} (session_key, seq, to_seq, reason, is_moved)
          SELECT key, GREATEST($4::bigint, $6::bigint) + 1, $3::bigint, 'missing-tail', false
          FROM head WHERE $3::bigint > GREATEST($4::bigint, $6::bigint))
        -- Sorted, so that every row is gone before the first is put in its place.
        INSERT INTO ${entries} (session_key, seq, is_checkpoint, bytes, body, checksum)
        SELECT g.session_key, m.seq, g.body LIKE '{"type":"checkpoint"%', g.bytes, g.body, g.checksum
        FROM gone g JOIN moves m ON m.place = g.seq ORDER BY m.seq`,
      values: [
        ...[before.key, this.#name.scopeKey, before.lastSeq, endSeq, token ?? null, before.lastPlace],
        ...[misplaced.map(({ place }) => place), misplaced.map(({ seq }) => seq)],
      ],
    });
  }

  /** Stores a blob unless it is there, whole; returns whether it was written, `undefined` where the session is gone. */
  async putBlob(key: number, hash: string, content: Uint8Array): Promise<boolean | undefined> {
    const { sessions, blobs } = this.#tables;
    const { rows } = await this.#database.run({
      what: `A blob of ${content.length} bytes could not be stored in session ${this.#name.sessionId}`,
      isWrite: true,
      text: `WITH head AS (SELECT key FROM ${sessions} WHERE key = $1::bigint AND scope = $2::text),
        added AS (INSERT INTO ${blobs} AS b (session_key, hash, content) SELECT key, $3::text, $4::bytea FROM head
          ON CONFLICT (session_key, hash) DO UPDATE SET content = excluded.content
            WHERE b.content <> excluded.content RETURNING hash)
        SELECT EXISTS (SELECT FROM head) AS "isThere", EXISTS (SELECT FROM added) AS "isNew"`,
      values: [key, this.#name.scopeKey, hash, content],
    });
    return rows[0]?.["isThere"] === true ? rows[0]["isNew"] === true : undefined;
  }
}

/** A time as the table holds it, whatever an entry says. */
function wholeMs(ms: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(ms) || 0));
}
