/**
 * Options of the sessions in PostgreSQL, and their check.
 */
import {
  anyString,
  anything,
  checkOptions,
  closed,
  either,
  flag,
  having,
  number,
  type OptionRules,
} from "../../base/options/check-options.ts";
import type { Hasher, Timer } from "../../ports/runtime.ts";
import type { PostgresPool, PostgresQueryable } from "./database/postgres-pool.ts";

/** Settings of a writer's lease. Times are the database's. */
export interface PostgresLeaseOptions {
  /** @defaultValue 15,000 milliseconds */
  readonly ttlMs?: number;
  /** Time between two renewals. @defaultValue 5,000 milliseconds */
  readonly beatMs?: number;
  /** Name of the writer, for people. @defaultValue process and host */
  readonly holder?: string;
  /** @defaultValue the platform's */
  readonly timer?: Timer;
}

/** Ports and settings of a {@link PostgresSessionStore}. */
export interface PostgresSessionStoreOptions {
  /**
   * A `Pool` of `pg`, or something like it; it stays yours to end. PGlite and other single connections
   * do as well.
   */
  readonly pool: PostgresPool | PostgresQueryable;
  /** Checks blobs against their names: `nodeHasher`. */
  readonly hasher: Hasher;
  /** Schema of the tables. @defaultValue `palimpsest` */
  readonly schema?: string;
  /** One writer a session at a time, and who it is; `false` leaves it to the numbers of the entries alone. */
  readonly lease?: PostgresLeaseOptions | false;
  /**
   * Store also where the server acknowledges what a power loss could take (`synchronous_commit` or
   * `fsync` is off). @defaultValue false
   */
  readonly allowWeakDurability?: boolean;
  /** Time for retries after a temporary failure; 0 tries once. @defaultValue 5,000 milliseconds */
  readonly retryForMs?: number;
}

const LEASE_RULES: OptionRules<PostgresLeaseOptions> = {
  ttlMs: number,
  beatMs: number,
  holder: anyString,
  timer: having(["every"], "a timer", "`systemTimer`"),
};

const RULES: OptionRules<PostgresSessionStoreOptions> = {
  pool: either(
    having(["connect"], "a pool", "`new Pool(…)` of `pg`"),
    having(["query"], "a connection", "one of `pg`"),
  ),
  hasher: having(["sha256"], "a hasher", "`nodeHasher`"),
  schema: anything,
  lease: either(flag, closed(LEASE_RULES)),
  allowWeakDurability: flag,
  retryForMs: number,
};

/** @throws `OptionError` */
export function checkPostgres(options: PostgresSessionStoreOptions): void {
  checkOptions("PostgresSessionStore", options, RULES);
}
