/**
 * Runs statements, one at a time each on a connection of its own, and tries again what failed for a
 * passing reason.
 *
 * DESIGN. Every change is one statement and so one transaction: there is nothing half done, and nothing
 * of a transaction is left over on a connection that goes back to the pool. A statement whose answer was
 * lost may have been carried out, so whoever runs one has to be ready to find it done (`isRepeated`).
 * Waiting is bounded everywhere: for a connection, for an answer, and for all tries together.
 */
import { setTimeout as pause } from "node:timers/promises";
import { POSTGRES_DEFAULTS } from "../../../base/defaults/postgres.ts";
import { OptionError } from "../../../base/errors.ts";
import { databaseFailure, isBroken, isPassing, NoAnswer } from "./database-failure.ts";
import type { DurabilityCheck } from "./durability-check.ts";
import {
  guard,
  guardPool,
  type PostgresClient,
  type PostgresPool,
  type PostgresQueryable,
} from "./postgres-pool.ts";

interface Statement {
  /** What a write says may depend on the version of the tables that it finds. */
  readonly text: string | ((tablesVersion: number) => string);
  readonly values?: readonly unknown[];
  /** For the error: what could not be done. */
  readonly what: string;
  /** What it changes has to survive a power loss. */
  readonly isWrite?: boolean;
  /** Tried once: somebody will come again anyway. */
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
  /** So long something is tried again; 0 tries once. */
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
    const { firstPauseMs, longestPauseMs } = POSTGRES_DEFAULTS;
    const lastTryAt = performance.now() + this.#retryForMs;
    for (let pauseMs: number = firstPauseMs, tries = 1; ; tries++) {
      try {
        return { rows: await this.#once(statement), isRepeated: tries > 1 };
      } catch (error) {
        const isOver = statement.isOnce === true || performance.now() + pauseMs > lastTryAt;
        if (isOver || !isPassing(error) || this.#isEnding()) throw databaseFailure(statement.what, error);
      }
      await pause(pauseMs);
      pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
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

/** A pool without a free connection waits for ever; one that comes too late goes back. */
async function connect(pool: PostgresPool): Promise<PostgresClient> {
  const lent = pool.connect();
  const client = await within(lent, POSTGRES_DEFAULTS.connectLimitMs, "no connection became free").catch(
    (error: unknown) => {
      lent.then(
        (late) => late.release(),
        () => {}, // Why it never came was not waited for.
      );
      throw error;
    },
  );
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
  const { rows } = await within(asked, POSTGRES_DEFAULTS.statementLimitMs, "the server did not answer");
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
