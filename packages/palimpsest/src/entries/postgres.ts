/** `palimpsest/postgres`: sessions in PostgreSQL, through `pg` or a pool like it. */
export type { PostgresClient, PostgresPool } from "../stores/postgres/database/postgres-pool.ts";
export {
  PostgresSessionStore,
  type PostgresSessionStoreOptions,
} from "../stores/postgres/postgres-session-store.ts";
