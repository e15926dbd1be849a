/** What the store needs of a PostgreSQL client: the part that a `Pool` of `pg` and others have in common. */

/** What a statement gave. */
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
 * `pg` throws what nobody listens for. A pool tells of idle connections that are lost; one that is in
 * use tells by itself, and may do so between the moment when it was made and the one when whoever asked
 * for it hears of it: both in one packet. So it is listened to from its making on, for good.
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
