/** The notes of a session in PostgreSQL: a row that is replaced where it still holds what was read. */
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import { StoreError } from "../../base/errors.ts";
import type { NotesFile } from "../../ports/session-store.ts";
import { sessionNotFound } from "../shared/store-failure.ts";
import { decodeNotes, encodeNotes } from "../shared/text-bytes.ts";
import type { Database, StatementOutcome } from "./database/database.ts";
import type { Tables } from "./database/tables.ts";
import type { SessionName } from "./log/session-row.ts";

export interface PostgresNotesOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly name: SessionName;
  /** Key of the session's row; `undefined` until there is one. */
  readonly key: () => number | undefined;
  /** Makes sure that there is one. */
  readonly reserve: () => Promise<number>;
  /** Throws once the log was closed. */
  readonly assertOpen: () => void;
}

export class PostgresNotes implements NotesFile {
  readonly #options: PostgresNotesOptions;

  constructor(options: PostgresNotesOptions) {
    this.#options = options;
  }

  async read(): Promise<string | undefined> {
    this.#options.assertOpen();
    const key = this.#options.key();
    return key === undefined ? undefined : this.#read(key);
  }

  async replace(base: string | undefined, text: string): Promise<boolean> {
    this.#options.assertOpen();
    const bytes = encodeNotes(text);
    const key = await this.#options.reserve();
    const { rows, isRepeated } = await (base === undefined
      ? this.#insert(key, bytes)
      : this.#update(key, Buffer.from(base, "utf8"), bytes));
    if (rows[0]?.["isThere"] !== true) throw sessionNotFound(this.#options.name.sessionId, "the database");
    if (rows[0]["isDone"] === true) return true;
    // An earlier try, whose answer was lost, may have done it.
    return isRepeated && (await this.#read(key)) === bytes.toString("utf8");
  }

  async #read(key: number): Promise<string | undefined> {
    const { sessions, notes } = this.#options.tables;
    const { sessionId, scopeKey } = this.#options.name;
    const { notesFileLimitBytes } = STORE_DEFAULTS;
    const { rows } = await this.#options.database.run({
      what: `The notes of session ${sessionId} could not be read`,
      text: `SELECT octet_length(n.content) AS "bytes",
          CASE WHEN octet_length(n.content) <= $3::bigint THEN n.content END AS "content"
        FROM ${notes} n JOIN ${sessions} s ON s.key = n.session_key WHERE s.key = $1::bigint AND s.scope = $2::text`,
      values: [key, scopeKey, notesFileLimitBytes],
    });
    if (rows[0] === undefined) return undefined;
    const { content, bytes } = rows[0];
    if (content instanceof Uint8Array) return decodeNotes(content, `The row of the notes of ${sessionId}`);
    throw new StoreError("NOTES_UNREADABLE", {
      message: `The notes of session ${sessionId} have ${String(bytes)} bytes; they may have ${notesFileLimitBytes}.`,
      hint: "Shorten them in the table, or delete the row: new notes are begun where there are none.",
    });
  }

  #insert(key: number, bytes: Buffer): Promise<StatementOutcome> {
    const change = `INSERT INTO ${this.#options.tables.notes} (session_key, content)
      SELECT key, $3::bytea FROM head ON CONFLICT (session_key) DO NOTHING`;
    return this.#change(change, [key, this.#options.name.scopeKey, bytes]);
  }

  #update(key: number, base: Buffer, bytes: Buffer): Promise<StatementOutcome> {
    const change = `UPDATE ${this.#options.tables.notes} n SET content = $3::bytea FROM head
      WHERE n.session_key = head.key AND n.content = $4::bytea`;
    return this.#change(change, [key, this.#options.name.scopeKey, bytes, base]);
  }

  #change(change: string, values: readonly unknown[]): Promise<StatementOutcome> {
    const { database, tables, name } = this.#options;
    return database.run({
      what: `The notes of session ${name.sessionId} could not be replaced`,
      isWrite: true,
      text: `WITH head AS (SELECT key FROM ${tables.sessions}
          WHERE key = $1::bigint AND scope = $2::text AND trashed_at IS NULL),
        done AS (${change} RETURNING session_key)
        SELECT EXISTS (SELECT FROM head) AS "isThere", EXISTS (SELECT FROM done) AS "isDone"`,
      values,
    });
  }
}
