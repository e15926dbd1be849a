/** What the store needs of a PostgreSQL client: the part that a `Pool` of `pg` and others have in common. */

/** What a statement gave. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** Something that runs one statement after another on one connection: PGlite, or a single client. */
export interface PostgresQueryable {
  /** Runs one statement with `$1`, `$2` … taken from `values`. Errors have the SQLSTATE as their `code`. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
}

/** A connection that a pool has lent. */
export interface PostgresClient extends PostgresQueryable {
  /** Gives it back; with `true` it is closed, because it is broken. */
  release(isBroken?: boolean): void;
}

/** A pool of connections, such as `Pool` of `pg`. Its owner ends it. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}

/** The part of an event emitter that keeps a lost connection from ending the process. */
interface Emitter {
  on(event: "error", listener: (error: unknown) => void): unknown;
  off(event: "error", listener: (error: unknown) => void): unknown;
}

const guarded = new WeakSet<object>();

/** `pg` throws what nobody listens for, and a pool whose idle connection is lost says so by an event. */
export function guardPool(pool: object): void {
  if (guarded.has(pool) || !isEmitter(pool)) return;
  guarded.add(pool);
  pool.on("error", ignore);
}

/** The same for a connection in use; returns what ends it. */
export function guardClient(client: object): () => void {
  if (!isEmitter(client)) return () => {};
  client.on("error", ignore);
  return () => client.off("error", ignore);
}

/** The next statement on a lost connection fails, and that one is answered with a typed error. */
function ignore(): void {}

function isEmitter(value: object): value is Emitter {
  const { on, off } = value as Partial<Emitter>;
  return typeof on === "function" && typeof off === "function";
}
