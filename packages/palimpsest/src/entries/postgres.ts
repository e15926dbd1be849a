/** `palimpsest/postgres`: sessions in PostgreSQL, through `pg` or a pool like it. */
export type { PostgresClient, PostgresPool } from "../stores/postgres/database/postgres-pool.ts";
export type { PostgresSessionStoreOptions } from "../stores/postgres/postgres-options.ts";
export { PostgresSessionStore } from "../stores/postgres/postgres-session-store.ts";
