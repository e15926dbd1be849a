/** The statements of a reader. They take the scope with the key: no key alone opens a session. */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { Database } from "../database/database.ts";
import type { Tables } from "../database/tables.ts";
import { type ReadRow, readRow } from "./entry-rows.ts";
import type { SessionName } from "./session-row.ts";

/** The end of a log, and its last checkpoint before a given number. */
export interface LogEnds {
  /** The last number as the session's row says it. */
  readonly lastSeq: number;
  /** The number of the last row; 0 where there is none. */
  readonly lastPlace: number;
  readonly checkpointSeq: number | undefined;
}

/** Entries of ours begin like this. */
const SEQ_OF_BODY = `substring(left(e.body, 200) from '^\\{"type":"[^"]*","seq":([0-9]{1,15})[,}]')`;

export class ReaderRows {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #name: SessionName;

  constructor(database: Database, tables: Tables, name: SessionName) {
    this.#database = database;
    this.#tables = tables;
    this.#name = name;
  }

  /** `undefined` where the session is gone. */
  async ends(key: number, beforeSeq: number): Promise<LogEnds | undefined> {
    const { sessions, entries } = this.#tables;
    const { rows } = await this.#run(
      `SELECT s.last_seq AS "lastSeq",
          (SELECT coalesce(max(e.seq), 0) FROM ${entries} e WHERE e.session_key = s.key) AS "lastPlace",
          (SELECT max(e.seq) FROM ${entries} e
          WHERE e.session_key = s.key AND e.is_checkpoint AND e.seq < $3::bigint) AS "checkpointSeq"
        FROM ${sessions} s WHERE s.key = $1::bigint AND s.scope = $2::text`,
      [key, this.#name.scopeKey, beforeSeq],
    );
    if (rows[0] === undefined) return undefined;
    const { lastSeq, lastPlace, checkpointSeq } = rows[0];
    return {
      lastSeq: Number(lastSeq),
      lastPlace: Number(lastPlace),
      checkpointSeq: checkpointSeq === null ? undefined : Number(checkpointSeq),
    };
  }

  /** Rows `fromSeq` … `toSeq`, a page of bounded size at a time. */
  async *pages(key: number, fromSeq: number, toSeq: number): AsyncGenerator<readonly ReadRow[]> {
    const { sessions, entries } = this.#tables;
    const { readBatchEntries, readChunkBytes } = STORE_DEFAULTS;
    for (let from = fromSeq; from <= toSeq; ) {
      // Tables of an earlier version have no checksums: then the name means the one outside.
      const { rows } = await this.#run(
        `SELECT seq AS "seq", body AS "body", page.checksum AS "checksum"
          FROM (SELECT NULL::bigint AS checksum) AS absent, LATERAL (
            SELECT e.seq, e.body, e.bytes, checksum, sum(e.bytes) OVER (ORDER BY e.seq) AS total
            FROM ${entries} e JOIN ${sessions} s ON s.key = e.session_key
            WHERE s.key = $1::bigint AND s.scope = $2::text AND e.seq BETWEEN $3::bigint AND $4::bigint ORDER BY e.seq LIMIT $5::bigint) page
          WHERE total - bytes < $6::bigint ORDER BY seq`,
        [key, this.#name.scopeKey, from, toSeq, readBatchEntries, readChunkBytes],
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map(readRow);
      from = Number(last["seq"]) + 1;
    }
  }

  /** True if a row holds the entry of another number, as far as its first bytes tell. */
  async hasMisplaced(key: number): Promise<boolean> {
    const { sessions, entries } = this.#tables;
    const { rows } = await this.#run(
      `SELECT EXISTS (SELECT FROM ${entries} e JOIN ${sessions} s ON s.key = e.session_key
        WHERE s.key = $1::bigint AND s.scope = $2::text AND ${SEQ_OF_BODY} <> e.seq::text) AS "isSo"`,
      [key, this.#name.scopeKey],
    );
    return rows[0]?.["isSo"] === true;
  }

  async blob(key: number, hash: string): Promise<Uint8Array | undefined> {
    const { sessions, blobs } = this.#tables;
    const { rows } = await this.#run(
      `SELECT b.content AS "content" FROM ${blobs} b JOIN ${sessions} s ON s.key = b.session_key
        WHERE s.key = $1::bigint AND s.scope = $2::text AND b.hash = $3::text`,
      [key, this.#name.scopeKey, hash],
    );
    const content = rows[0]?.["content"];
    return content instanceof Uint8Array ? content : undefined;
  }

  #run(text: string, values: readonly unknown[]): ReturnType<Database["run"]> {
    return this.#database.run({ what: `Session ${this.#name.sessionId} could not be read`, text, values });
  }
}
