/** `palimpsest/postgres`: sessions in PostgreSQL, through `pg` or what looks like it. */
export type {
  PostgresClient,
  PostgresPool,
  PostgresQueryable,
  PostgresResult,
} from "../stores/postgres/database/postgres-pool.ts";
export {
  type PostgresLeaseOptions,
  PostgresSessionStore,
  type PostgresSessionStoreOptions,
} from "../stores/postgres/postgres-session-store.ts";
