/** The interface of a PostgreSQL client: the part that `Pool` of `pg` and others have in common. */

/** The result of a statement. */
interface PostgresResult {
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
  on(event: string, listener: (subject: object) => void): unknown;
}

const guarded = new WeakSet<object>();

/**
 * Listens for errors of a pool and its connections, because `pg` throws errors without a listener. The pool reports lost
 * idle connections. A connection in use reports its loss itself, possibly before its caller has it: both events may come
 * in one packet. So the listener stays on each connection from the start.
 */
export function guardPool(pool: object): void {
  if (guarded.has(pool)) return;
  guard(pool);
  if (isEmitter(pool)) pool.on("connect", guard);
}

/** The same for one connection, which may be older than the store. */
export function guard(subject: object): void {
  if (guarded.has(subject) || !isEmitter(subject)) return;
  guarded.add(subject);
  subject.on("error", ignore);
}

/** The next statement on a lost connection fails, and that one is answered with a typed error. */
function ignore(): void {}

function isEmitter(value: object): value is Emitter {
  return typeof (value as Partial<Emitter>).on === "function";
}
