/** `palimpsest/postgres`: sessions in PostgreSQL, through `pg` or what looks like it. */
export type {
  PostgresClient,
  PostgresPool,
  PostgresQueryable,
  PostgresResult,
} from "../adapters/postgres/postgres-pool.ts";
export {
  type PostgresLeaseOptions,
  PostgresSessionStore,
  type PostgresSessionStoreOptions,
} from "../adapters/postgres/postgres-session-store.ts";
