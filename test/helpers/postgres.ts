/**
 * Databases for tests: PostgreSQL inside this process (PGlite), started once a process, and the real server
 * at PALIMPSEST_POSTGRES_URL, where there is one. Each test has a separate schema, or an empty one.
 */
import { existsSync, mkdirSync, openAsBlob, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { nodeHasher } from "#palimpsest/stores/platform/node-ports.ts";
import type { PostgresPool, PostgresQueryable } from "#palimpsest/stores/postgres/database/postgres-pool.ts";
import type { PostgresSessionStoreOptions } from "#palimpsest/stores/postgres/postgres-options.ts";
import { PostgresSessionStore } from "#palimpsest/stores/postgres/postgres-session-store.ts";
import { FakeTimer } from "#palimpsest-testing/fakes/fake-time.ts";

export const SERVER_URL = process.env["PALIMPSEST_POSTGRES_URL"] || undefined;

/** Somewhere to keep sessions, and a way to look at what is kept. */
export interface TestDatabase {
  readonly pool: PostgresPool | PostgresQueryable;
  run(text: string, values?: unknown[]): Promise<readonly Record<string, unknown>[]>;
  end(): Promise<void>;
}

let embedded: Promise<PGlite> | undefined;

/** The one of this process, which ends with it: to start takes longer than most tests do. */
export async function embeddedDatabase(): Promise<TestDatabase> {
  embedded ??= startEmbedded();
  const database = await embedded;
  return {
    pool: database,
    run: async (text, values) => (await database.query<Record<string, unknown>>(text, values)).rows,
    end: async () => {},
  };
}

/** The first process that starts one saves it as it is then, which others load in a third of the time. */
async function startEmbedded(): Promise<PGlite> {
  // To compile its hot functions again with optimizations costs more than all queries of a process gain by it.
  setFlagsFromString("--liftoff-only");
  const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));
  const manifest = readFileSync(`${modules}/@electric-sql/pglite/package.json`, "utf8");
  const { version } = JSON.parse(manifest) as { readonly version: string };
  const saved = `${modules}/.cache/palimpsest-tests/pglite-${version}.tar`;
  if (existsSync(saved)) return PGlite.create({ loadDataDir: await openAsBlob(saved) });
  const database = await PGlite.create();
  const empty = await database.dumpDataDir("none");
  const unfinished = `${saved}.${process.pid}`;
  mkdirSync(dirname(saved), { recursive: true });
  writeFileSync(unfinished, Buffer.from(await empty.arrayBuffer()));
  renameSync(unfinished, saved);
  return database;
}

export function serverPool(config: pg.PoolConfig = {}): pg.Pool {
  return new pg.Pool({ connectionString: SERVER_URL, max: 8, ...config });
}

export function serverDatabase(): TestDatabase {
  const pool = serverPool();
  return {
    pool,
    run: async (text, values) => (await pool.query(text, values)).rows,
    end: async () => {
      await pool.end();
      await dropSchemas();
    },
  };
}

const schemas: string[] = [];

/** Removes from the server what this file's tests made there. */
export async function dropSchemas(): Promise<void> {
  const pool = serverPool({ max: 1 });
  for (const schema of schemas.splice(0)) await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await pool.end();
}

/** A name that no other test uses, in this run or another at the same time. */
export function freshSchema(): string {
  const schema = `test_${process.pid}_${Date.now().toString(36)}_${schemas.length + 1}`;
  schemas.push(schema);
  return schema;
}

/** Lets every lease of a schema run out. */
export async function expireLeases(database: TestDatabase, schema: string): Promise<void> {
  await database.run(
    `UPDATE "${schema}".sessions SET lease_until = clock_timestamp() - interval '1 second' WHERE lease_until IS NOT NULL`,
  );
}

/** A store, and what makes others on its tables. */
interface TestStore {
  readonly store: PostgresSessionStore;
  readonly schema: string;
  readonly again: (more?: Partial<PostgresSessionStoreOptions>) => PostgresSessionStore;
}

/** The schemas that tests of a database use one after another. */
const reused = new WeakMap<TestDatabase, Promise<string>>();

/**
 * An empty store in tables that earlier tests of this database used: making tables takes longer than most tests do. Each
 * test has it alone.
 */
export async function emptyStore(
  database: TestDatabase,
  options: Partial<PostgresSessionStoreOptions> = {},
): Promise<TestStore> {
  const made = reused.get(database) ?? freshStore(database).then(({ schema }) => schema);
  reused.set(database, made);
  const schema = await made;
  await database.run(`DELETE FROM "${schema}".sessions`);
  return storeIn(database, schema, options);
}

/** A store in a separate schema, ready to use. */
export async function freshStore(
  { pool }: Pick<TestDatabase, "pool">,
  options: Partial<PostgresSessionStoreOptions> = {},
): Promise<TestStore> {
  const made = storeIn({ pool }, options.schema ?? freshSchema(), options);
  await made.store.migrate();
  return made;
}

function storeIn(
  { pool }: Pick<TestDatabase, "pool">,
  schema: string,
  options: Partial<PostgresSessionStoreOptions>,
): TestStore {
  const again = (more: Partial<PostgresSessionStoreOptions> = {}) =>
    new PostgresSessionStore({
      pool,
      hasher: nodeHasher,
      schema,
      lease: { timer: new FakeTimer() },
      allowWeakDurability: true,
      ...options,
      ...more,
    });
  return { store: again(), schema, again };
}
