/**
 * A real server that is restarted, loses connections, has none free, or cannot serialize: nothing
 * acknowledged is lost, nothing is stored twice, no process dies, and every error is one of ours.
 *
 * Runs where PALIMPSEST_POSTGRES_URL names a server; what restarts it, where PALIMPSEST_POSTGRES_RESTART
 * is a command that kills it without notice and starts it again.
 */
import { exec, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { all, message, seqs, textOf } from "palimpsest-testing/internal";
import type pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import type { PostgresSessionStore } from "#stores/postgres/postgres-session-store.ts";
import { compiledLibrary } from "../../../../test/helpers/compiled-once.ts";
import {
  dropSchemas,
  freshSchema,
  freshStore,
  SERVER_URL,
  serverPool,
} from "../../../../test/helpers/postgres.ts";

const RESTART = process.env["PALIMPSEST_POSTGRES_RESTART"] || undefined;
const RESTARTS = 3;
const here = dirname(fileURLToPath(import.meta.url));

const restart = () => promisify(exec)(RESTART ?? "false");

/** The name of this run's connections: another run at the same server keeps its own. */
const UNDER_FIRE = `under fire ${process.pid}`;

/** Longer than any server takes to answer after a disturbance, however busy the machine is. */
const retryForMs = 60_000;

/** Ends every connection of the tests' pools but the one that asks. */
async function terminateAll(): Promise<void> {
  const pool = serverPool({ max: 1, application_name: "terminator" });
  await pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()",
    [UNDER_FIRE],
  );
  await pool.end();
}

const underFire = (config: pg.PoolConfig = {}) => serverPool({ application_name: UNDER_FIRE, ...config });

/** Appends to several sessions until it is stopped; returns the last acknowledged number of each. */
function load(store: PostgresSessionStore, ids: readonly string[]) {
  let isOver = false;
  const done = Promise.all(
    ids.map(async (id) => {
      const log = await store.create(id);
      let seq = 0;
      while (!isOver || seq < 20) await log.append([message(++seq, `${id} says ${seq}`)]);
      await log.close();
      return seq;
    }),
  );
  return {
    stop: () => {
      isOver = true;
      return done;
    },
  };
}

async function expectWhole(store: PostgresSessionStore, ids: readonly string[], counts: readonly number[]) {
  for (const [index, id] of ids.entries()) {
    const log = await store.open(id);
    const texts = (await all(log)).entries.map(({ entry }) => textOf(entry));
    expect(texts).toEqual(Array.from({ length: counts[index]! }, (_, at) => `${id} says ${at + 1}`));
  }
}

const IDS = ["a", "b", "c", "d", "e", "f"];

describe.runIf(SERVER_URL !== undefined)("sessions on a server of PostgreSQL under fire", () => {
  const pools: pg.Pool[] = [];
  const pool = (config?: pg.PoolConfig): pg.Pool => {
    const made = underFire(config);
    pools.push(made);
    return made;
  };
  afterAll(async () => {
    await Promise.all(pools.map((one) => one.end()));
    await dropSchemas();
  });

  it("loses nothing when every connection is cut, again and again", async () => {
    const { store } = await freshStore({ pool: pool() }, { retryForMs });
    const work = load(store, IDS);
    for (let times = 0; times < 8; times++) {
      await pause(40);
      await terminateAll();
    }
    await expectWhole(store, IDS, await work.stop());
  });

  it.runIf(RESTART !== undefined)("loses nothing when the server is killed and started again", async () => {
    const { store } = await freshStore({ pool: pool() }, { retryForMs });
    const work = load(store, IDS);
    for (let times = 0; times < RESTARTS; times++) {
      await pause(150);
      await restart();
    }
    await expectWhole(store, IDS, await work.stop());
  });

  it("waits for a free connection, and says so where none comes", async () => {
    const busy = pool({ max: 1, connectionTimeoutMillis: 100 });
    const { again } = await freshStore({ pool: pool() });
    const store = again({ pool: busy, retryForMs });
    const log = await store.create("a");
    await log.append([message(1, "one")]);
    const held = await busy.connect();
    const hopeless = await again({ retryForMs: 0, pool: busy })
      .create("b")
      .catch((error: unknown) => error);
    expect(hopeless).toMatchObject({
      code: "STORE_FAILED",
      hint: expect.stringContaining("enough connections"),
    });
    const waiting = log.append([message(2, "two")]);
    await pause(300);
    held.release();
    expect(await waiting).toEqual([2]);
  });

  it("tries again what a time limit stopped, and what could not be serialized", async () => {
    const isolation = "-c default_transaction_isolation=serializable";
    const { store, schema, again } = await freshStore({ pool: pool({ options: isolation }) }, { retryForMs });
    const created = await store.create("a");
    await created.append([message(1, "one")]);
    await created.close();
    const hurried = pool({ options: `${isolation} -c statement_timeout=250` });
    const log = await again({ pool: hurried }).open("a");
    const other = serverPool({ max: 2 });
    const blocker = await other.connect();
    await blocker.query("BEGIN");
    await blocker.query(`UPDATE "${schema}".sessions SET bytes = bytes WHERE session_id = 'a'`);
    const waiting = log.append([message(2, "two")]);
    // A statement that waits for the lock, and later another one: the first was stopped.
    const starts = new Set<unknown>();
    while (starts.size < 2) {
      const { rows } = await other.query(
        "SELECT query_start::text AS start FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'",
        [UNDER_FIRE],
      );
      for (const { start } of rows) starts.add(start);
    }
    await blocker.query("COMMIT");
    blocker.release();
    await other.end();
    expect(await waiting).toEqual([2]);
    const work = load(store, IDS.slice(1));
    await pause(200);
    await expectWhole(store, IDS.slice(1), await work.stop());
    expect(seqs(await all(log))).toEqual([1, 2]);
  });

  describe("with two processes on one session", () => {
    it.each(["lease", "none"])("each goes on where the other was (leases: %s)", async (lease) => {
      const schema = freshSchema();
      const { store } = await freshStore({ pool: pool() }, { schema, lease: false, retryForMs });
      const first = await store.create("shared");
      await first.append([{ type: "metadata", seq: 1, id: "first", v: 1, at: 1, key: "last", value: 1 }]);
      const children = Promise.all(
        ["one", "two"].map((name) => child([compiledLibrary(), SERVER_URL!, schema, name, "60", lease])),
      );
      children.catch(() => {}); // It is waited for below.
      for (let times = 0; times < 4; times++) {
        await pause(200);
        await terminateAll();
      }
      if (RESTART !== undefined) await restart();
      const texts = (await children).flat();
      const stored = (await all(await store.open("shared"))).entries.map(
        ({ entry }) => `${entry.seq} ${entry.id}`,
      );
      expect(texts).toHaveLength(120);
      expect(stored.slice(1).sort()).toEqual(texts.sort());
      expect(new Set(stored.map((one) => one.split(" ")[0])).size).toBe(121);
    });
  });
});

/** Returns the entries acknowledged to a child. @throws if it ends without finishing its work. */
function child(args: readonly string[]): Promise<readonly string[]> {
  const running = spawn(process.execPath, [join(here, "fixtures/postgres-writing-child.mjs"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PGAPPNAME: UNDER_FIRE },
  });
  let words = "";
  let complaints = "";
  running.stdout.setEncoding("utf8").on("data", (text: string) => (words += text));
  running.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  return new Promise((done, fail) => {
    running.on("error", fail);
    running.on("close", (code) => {
      if (code !== 0) return fail(new RangeError(`The child ended with ${code}: ${complaints}`));
      const lines = words.split("\n").filter((line) => line.startsWith("acknowledged "));
      done(lines.map((line) => line.slice("acknowledged ".length)));
    });
  });
}
