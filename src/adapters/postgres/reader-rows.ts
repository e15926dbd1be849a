/** The statements of a reader. They take the scope with the key: no key alone opens a session. */
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import type { LogContents, LogDamage, StoredEntry } from "../../ports/session-store.ts";
import { parseEntry } from "../../transcript/entry-line.ts";
import type { Database } from "./database.ts";
import type { Tables } from "./tables.ts";
import type { SessionName } from "./writer-rows.ts";

/** Where a log ends, and its last checkpoint before a place. */
export interface LogEnds {
  readonly lastSeq: number;
  readonly checkpointSeq: number | undefined;
}

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
      `SELECT s.last_seq AS "lastSeq", (SELECT max(e.seq) FROM ${entries} e
          WHERE e.session_key = s.key AND e.is_checkpoint AND e.seq < $3::bigint) AS "checkpointSeq"
        FROM ${sessions} s WHERE s.key = $1::bigint AND s.scope = $2::text`,
      [key, this.#name.scopeKey, beforeSeq],
    );
    if (rows[0] === undefined) return undefined;
    const { lastSeq, checkpointSeq } = rows[0];
    return {
      lastSeq: Number(lastSeq),
      checkpointSeq: checkpointSeq === null ? undefined : Number(checkpointSeq),
    };
  }

  /** Entries `fromSeq` … `toSeq`, a page of bounded size at a time. */
  async *pages(key: number, fromSeq: number, toSeq: number): AsyncGenerator<LogContents> {
    const { sessions, entries } = this.#tables;
    const { readBatchEntries, readChunkBytes } = STORE_DEFAULTS;
    for (let from = fromSeq; from <= toSeq; ) {
      const { rows } = await this.#run(
        `SELECT seq AS "seq", body AS "body" FROM (
            SELECT e.seq, e.body, e.bytes, sum(e.bytes) OVER (ORDER BY e.seq) AS total
            FROM ${entries} e JOIN ${sessions} s ON s.key = e.session_key
            WHERE s.key = $1::bigint AND s.scope = $2::text AND e.seq BETWEEN $3::bigint AND $4::bigint ORDER BY e.seq LIMIT $5::bigint) page
          WHERE total - bytes < $6::bigint ORDER BY seq`,
        [key, this.#name.scopeKey, from, toSeq, readBatchEntries, readChunkBytes],
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      yield contentsOf(rows);
      from = Number(last["seq"]) + 1;
    }
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

function contentsOf(rows: readonly Readonly<Record<string, unknown>>[]): LogContents {
  const entries: StoredEntry[] = [];
  const damage: LogDamage[] = [];
  for (const row of rows) {
    const position = Number(row["seq"]);
    const body = String(row["body"]);
    const parsed = parseEntry(body);
    // A row that somebody changed by hand may hold another entry than its key says.
    if (parsed.ok && parsed.entry.seq === position) entries.push({ entry: parsed.entry, position });
    else {
      const reason = parsed.ok ? "not-an-entry" : parsed.reason;
      damage.push({ position, bytes: Buffer.byteLength(body), reason });
    }
  }
  return { entries, damage };
}
