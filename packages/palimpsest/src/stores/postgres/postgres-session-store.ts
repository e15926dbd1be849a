/** Sessions in PostgreSQL, for programs that run on several machines. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { POSTGRES_DEFAULTS } from "../../base/defaults/postgres.ts";
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import { OptionError, StoreError } from "../../base/errors.ts";
import type { Hasher } from "../../ports/runtime.ts";
import type {
  OverviewLook,
  OverviewRow,
  SeenSession,
  SessionInfo,
  SessionLog,
  SessionPage,
  SessionQuery,
  SessionStore,
  TrashedSession,
  Trashing,
} from "../../ports/session-store.ts";
import type { Scope } from "../../transcript/entries.ts";
import { systemTimer } from "../platform/node-ports.ts";
import { pageLimit } from "../shared/session-info.ts";
import { assertSessionId } from "../shared/session-paths.ts";
import { sessionExists, sessionNotFound, trashHolds } from "../shared/store-failure.ts";
import { CatalogueRows } from "./catalogue-rows.ts";
import { Database, durabilityCheck, migrate } from "./database/database.ts";
import { SQLSTATE, sqlState } from "./database/database-failure.ts";
import { scopeKey, type Tables, tablesIn } from "./database/tables.ts";
import { LeaseRenewal } from "./log/lease-renewal.ts";
import { LogRows } from "./log/log-rows.ts";
import { ReaderRows } from "./log/reader-rows.ts";
import { isEmpty, type SessionName, type SessionState } from "./log/session-row.ts";
import { SessionWriter } from "./log/session-writer.ts";
import { type LeaseTerms, WriterRows } from "./log/writer-rows.ts";
import { PostgresNotes } from "./postgres-notes.ts";
import {
  checkPostgres,
  type PostgresLeaseOptions,
  type PostgresSessionStoreOptions,
} from "./postgres-options.ts";
import { PostgresSessionLog } from "./postgres-session-log.ts";

const PLACE = "the database";

/**
 * Keeps sessions in tables of PostgreSQL (tested on 15 and 18). Call {@link PostgresSessionStore.migrate} once
 * before the first use.
 *
 * Whatever is acknowledged is committed, and so durable. A lost connection, a restart of the server or a
 * conflict is tried again for some seconds, and nothing is stored twice by it.
 */
export class PostgresSessionStore implements SessionStore {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #hasher: Hasher;
  readonly #catalogue: CatalogueRows;
  readonly #lease: { readonly renewal: LeaseRenewal; readonly terms: Omit<LeaseTerms, "owner"> } | undefined;

  /** @throws `OptionError` for an option that does not exist or cannot be used */
  constructor(options: PostgresSessionStoreOptions) {
    checkPostgres(options);
    const { pool, hasher, schema = "palimpsest", lease = {} } = options;
    this.#tables = tablesIn(schema);
    this.#hasher = hasher;
    const { allowWeakDurability = false, retryForMs = POSTGRES_DEFAULTS.retryForMs } = options;
    const durability = durabilityCheck(this.#tables, allowWeakDurability);
    this.#database = new Database({ pool, durability, retryForMs });
    this.#catalogue = new CatalogueRows(this.#database, this.#tables);
    if (lease !== false) this.#lease = this.#leaseOf(lease);
  }

  /** Makes the schema and its tables, or brings them up to date. Calling it again, or from many programs at once, is fine. */
  async migrate(): Promise<void> {
    await migrate(this.#database, this.#tables);
  }

  async create(sessionId: string, scope?: Scope): Promise<SessionLog> {
    const name = this.#name(sessionId, scope);
    if ((await this.#catalogue.info(name)) !== undefined) throw sessionExists(sessionId);
    return this.#log(name, undefined);
  }

  async open(sessionId: string, scope?: Scope): Promise<SessionLog> {
    const name = this.#name(sessionId, scope);
    const state = await this.#writerRows(name).load();
    if (state === undefined || isEmpty(state)) throw sessionNotFound(sessionId, PLACE);
    return this.#log(name, state);
  }

  async list(scope?: Scope): Promise<readonly string[]> {
    return this.#catalogue.ids(scopeKey(scope, this.#hasher));
  }

  async describe(query: SessionQuery = {}): Promise<SessionPage> {
    return this.#catalogue.page(scopeKey(query.scope, this.#hasher), pageLimit(query), query.after);
  }

  async overview(scope?: Scope, look?: OverviewLook): Promise<readonly OverviewRow[]> {
    return this.#catalogue.overview(scopeKey(scope, this.#hasher), look);
  }

  async find(sessionId: string, scope?: Scope): Promise<SessionInfo> {
    const info = await this.#catalogue.info(this.#name(sessionId, scope));
    if (info === undefined) throw sessionNotFound(sessionId, PLACE);
    return info;
  }

  async trash(sessionId: string, trashing: Trashing, scope?: Scope): Promise<void> {
    const name = this.#name(sessionId, scope);
    if (await unlessThere(this.#catalogue.trash(name, trashing), trashHolds(sessionId))) return;
    if (!(await this.find(sessionId, scope)).isInUse) return this.trash(sessionId, trashing, scope);
    throw beingWritten(sessionId);
  }

  async trashUnchanged(seen: SeenSession, trashing: Trashing, scope?: Scope): Promise<boolean> {
    const { sessionId, lastActivityAt, bytes } = seen;
    const name = this.#name(sessionId, scope);
    if (await unlessThere(this.#catalogue.trash(name, trashing, seen), trashHolds(sessionId))) return true;
    const now = await this.find(sessionId, scope);
    if (now.isInUse) throw beingWritten(sessionId);
    // Its writer has closed it in between, and may have written nothing.
    const isAsSeen = now.lastActivityAt === lastActivityAt && now.bytes === bytes;
    return isAsSeen && this.trashUnchanged(seen, trashing, scope);
  }

  async listTrash(scope?: Scope): Promise<readonly TrashedSession[]> {
    return this.#catalogue.trashed(scopeKey(scope, this.#hasher));
  }

  async restore(sessionId: string, scope?: Scope): Promise<void> {
    const restored = this.#catalogue.restore(this.#name(sessionId, scope));
    if (!(await unlessThere(restored, sessionExists(sessionId))))
      throw sessionNotFound(sessionId, "the trash");
  }

  async purge(sessionId: string, scope?: Scope): Promise<void> {
    if (!(await this.#catalogue.purge(this.#name(sessionId, scope))))
      throw sessionNotFound(sessionId, "the trash");
  }

  #name(sessionId: string, scope: Scope | undefined): SessionName {
    assertSessionId(sessionId);
    return { sessionId, scopeKey: scopeKey(scope, this.#hasher) };
  }

  #writerRows(name: SessionName): WriterRows {
    return new WriterRows(this.#database, this.#tables, this.#hasher, name);
  }

  #log(name: SessionName, state: SessionState | undefined): SessionLog {
    const rows = this.#writerRows(name);
    const readerRows = new ReaderRows(this.#database, this.#tables, name);
    const logRows = new LogRows(name.sessionId, readerRows);
    const lease =
      this.#lease === undefined
        ? undefined
        : { renewal: this.#lease.renewal, terms: { ...this.#lease.terms, owner: randomUUID() } };
    return new PostgresSessionLog({
      sessionId: name.sessionId,
      writer: new SessionWriter({ name, rows, state, lease, log: logRows }),
      writerRows: rows,
      readerRows,
      logRows,
      hasher: this.#hasher,
      notesOf: (row) => new PostgresNotes({ database: this.#database, tables: this.#tables, name, ...row }),
    });
  }

  #leaseOf({
    ttlMs = STORE_DEFAULTS.leaseTtlMs,
    beatMs = POSTGRES_DEFAULTS.leaseBeatMs,
    holder = `process ${process.pid} on ${hostname()}`,
    timer = systemTimer,
  }: PostgresLeaseOptions): { readonly renewal: LeaseRenewal; readonly terms: Omit<LeaseTerms, "owner"> } {
    if (!(beatMs > 0 && ttlMs > beatMs && Number.isFinite(ttlMs)))
      throw new OptionError({
        message: `A lease of ${ttlMs} ms that is renewed every ${beatMs} ms cannot be kept.`,
        hint: "Renew it some times within its life: ttlMs 15000 and beatMs 5000.",
      });
    const renewal = new LeaseRenewal({
      database: this.#database,
      tables: this.#tables,
      timer,
      ttlMs,
      beatMs,
    });
    return { renewal, terms: { holder: JSON.stringify(holder), ttlMs } };
  }
}

/** Resolves with the result, or throws `taken` if another row has the place. */
async function unlessThere(done: Promise<boolean>, taken: StoreError): Promise<boolean> {
  try {
    return await done;
  } catch (error) {
    if (error instanceof StoreError && sqlState(error.cause) === SQLSTATE.uniqueViolation) throw taken;
    throw error;
  }
}

function beingWritten(sessionId: string): StoreError {
  return new StoreError("SESSION_IN_USE", {
    message: `Session ${sessionId} is being written.`,
    hint: "Close it there first; the lease of a writer that was killed runs out.",
  });
}
