/**
 * Looks at sessions in PostgreSQL and repairs them.
 *
 * DESIGN. Looking changes nothing. Repairing takes the session's lease, puts its rows in order (see
 * `putInOrder`), and copies what is damaged to the table of damage, where it counts as known from then on.
 * Nothing is deleted, and a session of which no entry can be read is left alone. Each step is one
 * statement, so a crash between two costs nothing: the next repair goes on.
 */

import { randomUUID } from "node:crypto";
import { POSTGRES_DEFAULTS } from "../../../base/defaults/postgres.ts";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { addAll } from "../../../base/lists.ts";
import type { Hasher } from "../../../ports/runtime.ts";
import type { LogDamage } from "../../../ports/session-store.ts";
import { Database, durabilityCheck, migrate } from "../database/database.ts";
import type { PostgresPool, PostgresQueryable } from "../database/postgres-pool.ts";
import { TABLES_VERSION, type Tables, tablesIn } from "../database/tables.ts";
import { LogRows } from "../log/log-rows.ts";
import { ReaderRows } from "../log/reader-rows.ts";
import { WriterRows } from "../log/writer-rows.ts";
import { DoctorRows, type DoctorSessionRow, damageKey } from "./doctor-rows.ts";

interface PostgresDoctorOptions {
  readonly pool: PostgresPool | PostgresQueryable;
  readonly hasher: Hasher;
  readonly schema: string;
}

export interface FoundDamage extends LogDamage {
  /** It was recorded before, and is as it was then. */
  readonly isRecorded: boolean;
}

/** The findings of one session. */
export interface PostgresCheckup {
  readonly entryCount: number;
  readonly blobBytes: number;
  readonly damage: readonly FoundDamage[];
  readonly damagedBlobs: readonly { readonly hash: string; readonly bytes: number }[];
  /** Blobs that an entry names and the table does not have, with the number of the first such entry. */
  readonly missingBlobs: readonly { readonly hash: string; readonly seq: number }[];
}

export class PostgresDoctor {
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #hasher: Hasher;
  readonly #rows: DoctorRows;

  constructor({ pool, hasher, schema }: PostgresDoctorOptions) {
    this.#tables = tablesIn(schema);
    this.#hasher = hasher;
    // Sessions on a database with weak durability can be checked, too.
    const durability = durabilityCheck(this.#tables, true);
    this.#database = new Database({ pool, durability, retryForMs: POSTGRES_DEFAULTS.retryForMs });
    this.#rows = new DoctorRows(this.#database, this.#tables);
  }

  /** The version of the tables, 0 where there are none. */
  version(): Promise<number> {
    return this.#rows.version();
  }

  migrate(): Promise<void> {
    return migrate(this.#database, this.#tables);
  }

  sessions(): AsyncIterable<DoctorSessionRow> {
    return this.#rows.sessions();
  }

  /** Rows without a checksum, which earlier versions wrote. */
  uncheckedCount(): Promise<number> {
    return this.#rows.uncheckedCount();
  }

  /** Reads a session through. */
  async inspect(session: DoctorSessionRow): Promise<PostgresCheckup> {
    const { key } = session;
    const damage: LogDamage[] = [];
    const named = new Map<string, number>();
    let entryCount = 0;
    for await (const page of this.#log(session).all(key)) {
      addAll(damage, page.damage);
      entryCount += page.entries.length;
      for (const { entry } of page.entries)
        for (const block of entry.type === "message" ? entry.content : [])
          if (block.type === "blob" && !named.has(block.blob.hash)) named.set(block.blob.hash, entry.seq);
    }
    const recorded = (await this.#hasRecords()) ? await this.#rows.recorded(key) : new Set();
    const blobs = await this.#rows.blobs(key);
    const there = new Set(blobs.map(({ hash }) => hash));
    return {
      entryCount,
      blobBytes: blobs.reduce((sum, { bytes }) => sum + bytes, 0),
      damage: damage.map((one) => ({ ...one, isRecorded: recorded.has(damageKey(one)) })),
      damagedBlobs: blobs.filter(({ isSound }) => !isSound),
      missingBlobs: Array.from(named, ([hash, seq]) => ({ hash, seq })).filter(
        ({ hash }) => !there.has(hash),
      ),
    };
  }

  /** Puts the session's rows in order and records what is damaged. Returns false where it is in use, or nothing of it can be read. */
  async repair(session: DoctorSessionRow): Promise<boolean> {
    const { key } = session;
    const writer = new WriterRows(this.#database, this.#tables, this.#hasher, session);
    const state = await writer.lease(key, {
      owner: randomUUID(),
      holder: JSON.stringify(`palimpsest doctor, process ${process.pid}`),
      ttlMs: STORE_DEFAULTS.leaseTtlMs,
    });
    if (state === undefined) return false;
    try {
      const log = this.#log(session);
      const order = await log.order(key);
      if (order.endSeq === 0) return false;
      const isSettled = order.endSeq === state.lastSeq && order.endSeq === state.lastPlace;
      if (!isSettled || order.misplaced.length > 0) await writer.putInOrder(state, order, state.leaseToken);
      const left: LogDamage[] = [];
      for await (const { damage } of log.all(key)) addAll(left, damage);
      if (left.length > 0) await this.#rows.record(key, left);
      return true;
    } finally {
      await writer.release(key, state.leaseToken);
    }
  }

  #log(session: DoctorSessionRow): LogRows {
    return new LogRows(session.sessionId, new ReaderRows(this.#database, this.#tables, session));
  }

  async #hasRecords(): Promise<boolean> {
    return (await this.version()) >= TABLES_VERSION;
  }
}
