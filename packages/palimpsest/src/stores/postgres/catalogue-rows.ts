/**
 * The statements that list, trash, restore and purge sessions.
 *
 * A retried statement may find nothing left to do, because an earlier try did it and its answer was lost. So success means
 * that the wanted state exists.
 */
import { OptionError } from "../../base/errors.ts";
import { shorten } from "../../base/text/text.ts";
import type {
  OverviewLook,
  OverviewRow,
  SeenSession,
  SessionInfo,
  SessionPage,
  TrashedSession,
  Trashing,
} from "../../ports/session-store.ts";
import { overviewRowOf } from "../shared/session-info.ts";
import type { Database, StatementOutcome } from "./database/database.ts";
import type { Tables } from "./database/tables.ts";
import { INFO_COLUMNS, infoOf, parseText, type SessionName } from "./log/session-row.ts";

const CURSOR_PATTERN = /^(\d{1,16}) ([A-Za-z0-9._-]{1,128})$/;
/** Before every session of a list. */
const FIRST = { lastActivityAt: Number.MAX_SAFE_INTEGER, sessionId: "" };
const LIVE = "s.trashed_at IS NULL AND s.last_seq > 0";
const FREE = "(s.lease_until IS NULL OR s.lease_until <= clock_timestamp())";

export class CatalogueRows {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  async ids(scopeKey: string): Promise<readonly string[]> {
    const { rows } = await this.#read(`s.session_id AS "sessionId"`, `${LIVE} ORDER BY s.session_id`, [
      scopeKey,
    ]);
    return rows.map(({ sessionId }) => String(sessionId));
  }

  async page(scopeKey: string, limit: number, after: string | undefined): Promise<SessionPage> {
    const { lastActivityAt, sessionId } = after === undefined ? FIRST : parseCursor(after);
    const { rows } = await this.#read(
      INFO_COLUMNS,
      `${LIVE} AND s.last_activity <= $2::bigint AND NOT (s.last_activity = $2::bigint AND s.session_id <= $3::text)
        ORDER BY s.last_activity DESC, s.session_id LIMIT $4::bigint`,
      [scopeKey, lastActivityAt, sessionId, Number.isFinite(limit) ? limit + 1 : null],
    );
    const sessions = rows.slice(0, limit).map(infoOf);
    const last = sessions.at(-1);
    return rows.length > limit && last !== undefined ? { sessions, next: cursorOf(last) } : { sessions };
  }

  async overview(scopeKey: string, look?: OverviewLook): Promise<readonly OverviewRow[]> {
    const { rows } = await this.#read(INFO_COLUMNS, `${LIVE} ORDER BY s.last_activity DESC, s.session_id`, [
      scopeKey,
    ]);
    return rows.map((row) => {
      const info = infoOf(row);
      return { ...overviewRowOf(info), ...(look !== undefined && { isInUse: info.isInUse }) };
    });
  }

  async info({ scopeKey, sessionId }: SessionName): Promise<SessionInfo | undefined> {
    const { rows } = await this.#read(INFO_COLUMNS, `${LIVE} AND s.session_id = $2::text`, [
      scopeKey,
      sessionId,
    ]);
    return rows[0] === undefined ? undefined : infoOf(rows[0]);
  }

  async trashed(scopeKey: string, sessionId?: string): Promise<readonly TrashedSession[]> {
    const { rows } = await this.#read(
      `s.session_id AS "sessionId", s.trashed_at AS "trashedAt", s.trash_reason AS "reason"`,
      "s.trashed_at IS NOT NULL AND ($2::text IS NULL OR s.session_id = $2::text) ORDER BY s.session_id",
      [scopeKey, sessionId ?? null],
    );
    return rows.map((row) => {
      const reason = parseText(row["reason"]);
      return {
        sessionId: String(row["sessionId"]),
        trashedAt: Number(row["trashedAt"]),
        ...(reason === undefined ? {} : { reason }),
      };
    });
  }

  /**
   * Moves a session to the trash; returns true if it is there now. With `seen` it moves only if it is unchanged. The token
   * fences a writer that still has it open.
   */
  async trash(
    { scopeKey, sessionId }: SessionName,
    { at, reason }: Trashing,
    seen?: SeenSession,
  ): Promise<boolean> {
    const done = await this.#change(
      `UPDATE ${this.#tables.sessions} s SET trashed_at = $3::bigint, trash_reason = $4::text,
        lease_token = s.lease_token + 1, lease_owner = NULL, lease_holder = NULL, lease_until = NULL
        WHERE s.scope = $1::text AND s.session_id = $2::text AND ${LIVE} AND ${FREE}
        AND ($5::bigint IS NULL OR (s.bytes = $5::bigint AND s.last_activity = $6::bigint)) RETURNING s.key`,
      [
        ...[scopeKey, sessionId, Math.max(0, Math.floor(at) || 0), JSON.stringify(reason)],
        ...[seen?.bytes ?? null, seen?.lastActivityAt ?? null],
      ],
    );
    return done.rows.length > 0 || (done.isRepeated && (await this.trashed(scopeKey, sessionId)).length > 0);
  }

  /** Restores a session; returns true if it is listed now. */
  async restore(name: SessionName): Promise<boolean> {
    const done = await this.#change(
      `UPDATE ${this.#tables.sessions} s SET trashed_at = NULL, trash_reason = NULL
        WHERE s.scope = $1::text AND s.session_id = $2::text AND s.trashed_at IS NOT NULL RETURNING s.key`,
      [name.scopeKey, name.sessionId],
    );
    return done.rows.length > 0 || (done.isRepeated && (await this.info(name)) !== undefined);
  }

  /** Deletes a session from the trash; returns false if there was none. */
  async purge({ scopeKey, sessionId }: SessionName): Promise<boolean> {
    const done = await this.#change(
      `DELETE FROM ${this.#tables.sessions} s
        WHERE s.scope = $1::text AND s.session_id = $2::text AND s.trashed_at IS NOT NULL RETURNING s.key`,
      [scopeKey, sessionId],
    );
    return done.rows.length > 0 || done.isRepeated;
  }

  #read(columns: string, condition: string, values: readonly unknown[]): Promise<StatementOutcome> {
    const text = `SELECT ${columns} FROM ${this.#tables.sessions} s WHERE s.scope = $1::text AND ${condition}`;
    return this.#database.run({ what: "The sessions could not be listed", text, values });
  }

  #change(text: string, values: readonly unknown[]): Promise<StatementOutcome> {
    const what = `Session ${String(values[1])} could not be moved`;
    return this.#database.run({ what, text, values, isWrite: true });
  }
}

function cursorOf({ lastActivityAt, sessionId }: SessionInfo): string {
  return `${lastActivityAt} ${sessionId}`;
}

function parseCursor(after: string): { readonly lastActivityAt: number; readonly sessionId: string } {
  const match = CURSOR_PATTERN.exec(after);
  if (match !== null) return { lastActivityAt: Number(match[1]), sessionId: match[2]! };
  throw new OptionError({
    message: `${JSON.stringify(shorten(String(after), 60))} is not where a page of sessions ended.`,
    hint: "Pass `next` of the page before, as it came.",
  });
}
