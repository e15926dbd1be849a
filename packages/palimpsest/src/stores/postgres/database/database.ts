/**
 * Runs the store's statements, each on a separate connection, and retries after a passing failure.
 *
 * DESIGN. Every change is one statement and so one transaction: nothing is left half done, and no transaction stays
 * open on a connection that goes back to the pool. The server may have carried out a statement although its answer was
 * lost, so a caller has to expect that (`isRepeated`). Every wait is bounded: for a connection, for an answer, and for
 * all tries together.
 */
import { setTimeout as pause } from "node:timers/promises";
import { OptionError, StoreError } from "../../../base/errors.ts";
import { databaseFailure, isBroken, isPassing, NoAnswer } from "./database-failure.ts";
import {
  guard,
  guardPool,
  type PostgresClient,
  type PostgresPool,
  type PostgresQueryable,
} from "./postgres-pool.ts";
import { leftovers, migration, OLDEST_TABLES_VERSION, TABLES_VERSION, type Tables } from "./tables.ts";

/** Pause before the second try, in milliseconds; each pause is twice the one before. Source: our choice. */
const FIRST_PAUSE_MS = 20;
/** Longest pause between two tries, in milliseconds. Source: our choice: a server that is back is found within it. */
const LONGEST_PAUSE_MS = 500;
/**
 * So long a try waits for a connection, in milliseconds: a pool without a free one waits for ever by itself. Source:
 * our choice, the time of all tries.
 */
const CONNECT_LIMIT_MS = 5_000;
/**
 * So long a statement may take before its connection is given up, in milliseconds. Source: our choice: the largest
 * append of a slow link.
 */
const STATEMENT_LIMIT_MS = 30_000;

interface Statement {
  /** A function if the text of a write depends on the version of the tables. */
  readonly text: string | ((tablesVersion: number) => string);
  readonly values?: readonly unknown[];
  /** The failed operation, for the error. */
  readonly what: string;
  /** The change has to survive a power loss. */
  readonly isWrite?: boolean;
  /** Tried once: a later statement does the same anyway. */
  readonly isOnce?: boolean;
}

export interface StatementOutcome {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** An earlier try failed, and may have been carried out all the same. */
  readonly isRepeated: boolean;
}

interface DatabaseOptions {
  readonly pool: PostgresPool | PostgresQueryable;
  readonly durability: DurabilityCheck;
  /** Time for retries; 0 tries once. */
  readonly retryForMs: number;
}

export class Database {
  readonly #pool: PostgresPool | PostgresQueryable;
  readonly #durability: DurabilityCheck;

  readonly #retryForMs: number;

  constructor({ pool, durability, retryForMs }: DatabaseOptions) {
    this.#pool = pool;
    this.#durability = durability;
    this.#retryForMs = retryForMs;
    guardPool(pool);
  }

  /** Runs a statement. @throws `STORE_FAILED` when it cannot be done, or not in time. */
  async run(statement: Statement): Promise<StatementOutcome> {
    const lastTryAt = performance.now() + this.#retryForMs;
    for (let pauseMs: number = FIRST_PAUSE_MS, tries = 1; ; tries++) {
      try {
        return { rows: await this.#once(statement), isRepeated: tries > 1 };
      } catch (error) {
        const isOver = statement.isOnce === true || performance.now() + pauseMs > lastTryAt;
        if (isOver || !isPassing(error) || this.#isEnding()) throw databaseFailure(statement.what, error);
      }
      await pause(pauseMs);
      pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    }
  }

  async #once(statement: Statement): Promise<StatementOutcome["rows"]> {
    const { client, release } = await this.#lend();
    try {
      const version =
        statement.isWrite === true ? await this.#durability(client, (text) => ask(client, text)) : 0;
      const text = typeof statement.text === "string" ? statement.text : statement.text(version);
      const rows = await ask(client, text, statement.values);
      release(false);
      return rows;
    } catch (error) {
      release(isBroken(error));
      throw error;
    }
  }

  async #lend(): Promise<{
    readonly client: PostgresQueryable;
    readonly release: (isBroken: boolean) => void;
  }> {
    const pool = this.#pool;
    const client = isPool(pool) ? await connect(pool) : pool;
    guard(client);
    const release = (isClientBroken: boolean): void => {
      if (isPool(pool)) (client as PostgresClient).release(isClientBroken);
    };
    return { client, release };
  }

  #isEnding(): boolean {
    return (this.#pool as { readonly ending?: unknown }).ending === true;
  }
}

function isPool(pool: PostgresPool | PostgresQueryable): pool is PostgresPool {
  return typeof (pool as Partial<PostgresPool>).connect === "function";
}

/** A pool without a free connection waits forever; a connection that arrives too late goes back. */
async function connect(pool: PostgresPool): Promise<PostgresClient> {
  const lent = pool.connect();
  const client = await within(lent, CONNECT_LIMIT_MS, "no connection became free").catch((error: unknown) => {
    lent.then(
      (late) => late.release(),
      () => {}, // The caller has its error already.
    );
    throw error;
  });
  if (typeof (client as Partial<PostgresClient> | undefined)?.query === "function") return client;
  throw new OptionError({
    message: "`pool.connect()` gave no connection.",
    hint: "Give a pool, such as `new Pool()` of `pg`; a single client of `pg` is none.",
  });
}

async function ask(
  client: PostgresQueryable,
  text: string,
  values: readonly unknown[] = [],
): Promise<StatementOutcome["rows"]> {
  const asked = client.query(text, [...values]);
  const { rows } = await within(asked, STATEMENT_LIMIT_MS, "the server did not answer");
  return rows as StatementOutcome["rows"];
}

async function within<T>(promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`${what} within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the version of the tables for a connection that may write; asks once per connection. */
type DurabilityCheck = (
  client: object,
  ask: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
) => Promise<number>;

const STRONG: ReadonlySet<unknown> = new Set(["on", "remote_apply"]);

/**
 * Makes the check that a connection's commits survive a power loss, once before its first write: the settings may differ
 * between roles, databases and connections. It also reads the version, so that a missing migration is the first error.
 */
export function durabilityCheck(tables: Tables, isWeakAllowed: boolean): DurabilityCheck {
  const text = `SELECT current_setting('synchronous_commit') AS "synchronousCommit", current_setting('fsync') AS "fsync",
    (SELECT max(version) FROM ${tables.versions}) AS "version"`;
  // Per store: another store on the same pool may have other tables or other rules.
  const checked = new WeakMap<object, number>();
  return async (client, ask) => {
    const known = checked.get(client);
    if (known !== undefined) return known;
    const [row] = await ask(text);
    const version = Number(row?.["version"] ?? 0);
    if (version < OLDEST_TABLES_VERSION) throw outdated(version);
    const { synchronousCommit, fsync } = row ?? {};
    if (!isWeakAllowed && !STRONG.has(synchronousCommit)) throw weak("synchronous_commit", synchronousCommit);
    if (!isWeakAllowed && fsync !== "on") throw weak("fsync", fsync);
    // Tables of an earlier version may be brought up to date while the connection lives.
    if (version >= TABLES_VERSION) checked.set(client, version);
    return version;
  };
}

function weak(name: string, value: unknown): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `The server commits with ${name} = ${String(value)}: what it acknowledges could be lost with its power.`,
    hint: `Set ${name} to on for this role or in the options of the connection, or pass allowWeakDurability.`,
  });
}

function outdated(version: number): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `The tables are of version ${version}; this library writes version ${OLDEST_TABLES_VERSION} to ${TABLES_VERSION}.`,
    hint: "Bring them up to date with `migrate()`.",
  });
}

/** Makes the tables and removes leftovers. @throws `STORE_FAILED`, among others if the encoding is not UTF-8. */
export async function migrate(database: Database, tables: Tables): Promise<void> {
  const { rows } = await database.run({
    what: "The tables could not be made",
    text: `SELECT current_setting('server_encoding') AS "encoding"`,
  });
  const encoding = rows[0]?.["encoding"];
  if (encoding !== "UTF8")
    throw new StoreError("STORE_FAILED", {
      message: `The database is encoded in ${String(encoding)}, which cannot hold every character.`,
      hint: "Make a database with ENCODING 'UTF8' for the sessions.",
    });
  await database.run({ what: "The tables could not be made", text: migration(tables) });
  await database.run({ what: "Leftovers could not be removed", text: leftovers(tables) });
}
