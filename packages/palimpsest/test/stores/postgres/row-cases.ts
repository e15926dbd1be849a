/** The content of the tables: leases, settings, changed rows, and migration. */

import { all, checkpoint, FakeTimer, CONTRACT_ID as ID, message, seqs } from "palimpsest-testing/internal";
import { expect } from "vitest";
import type { SessionLog } from "#ports/session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import type { PostgresClient } from "#stores/postgres/database/postgres-pool.ts";
import { PostgresSessionStore } from "#stores/postgres/postgres-session-store.ts";
import { emptyStore, expireLeases, freshSchema, freshStore } from "../../../../../test/helpers/postgres.ts";
import type { Case } from "./engine-cases.ts";

export const rowCases: readonly Case[] = [
  {
    name: "a beat renews the leases of all open writers, and no other",
    run: async (database) => {
      const timer = new FakeTimer();
      const { store, schema } = await emptyStore(database, { lease: { timer } });
      const logs = await Promise.all(["a", "b", "c"].map((id) => store.create(id)));
      for (const log of logs) await log.append([message(1, "one")]);
      expect(timer.runningCount).toBe(1);
      await logs[2]!.close();
      await expireLeases(database, schema);
      const inUse = async () =>
        (await store.describe()).sessions.filter((info) => info.isInUse).map((info) => info.sessionId);
      expect(await inUse()).toEqual([]);
      timer.tick();
      await expect.poll(async () => (await inUse()).sort(), { interval: 5 }).toEqual(["a", "b"]);
      await Promise.all(logs.map((log) => log.close()));
      expect(await inUse()).toEqual([]);
      expect(timer.runningCount).toBe(0);
    },
  },
  {
    name: "a lease that ends at once, or before it is renewed, or never, is refused",
    run: async (database) => {
      const { again } = await emptyStore(database);
      for (const lease of [0, -1, Number.NaN, Number.POSITIVE_INFINITY].map((ttlMs) => ({ ttlMs })))
        expect(() => again({ lease }), String(lease.ttlMs)).toThrow(
          expect.objectContaining({ code: "OPTION_INVALID" }),
        );
      expect(() => again({ lease: { ttlMs: 100, beatMs: 100 } })).toThrow(/cannot be kept/);
    },
  },
  {
    name: "without leases the first of two writers goes on, and the other is told",
    run: async (database) => {
      const { store, again } = await emptyStore(database, { lease: false });
      const first = await store.create(ID);
      await first.append([message(1, "one")]);
      const other = await again().open(ID);
      await first.append([message(2, "two")]);
      const late = { ...message(2, "late"), id: "x" };
      await expect(other.append([late])).rejects.toMatchObject({ code: "SESSION_TAKEN" });
      await other.append([message(3, "three")]);
      await expect(first.append([message(3, "late")])).rejects.toMatchObject({ code: "SESSION_TAKEN" });
      expect(seqs(await all(first))).toEqual([1, 2, 3]);
    },
  },
  {
    name: "a writer without leases stays away from one that keeps one",
    run: async (database) => {
      const { store, again } = await emptyStore(database);
      const log = await store.create(ID);
      await log.append([message(1, "one")]);
      const other = await again({ lease: false }).open(ID);
      await expect(other.append([message(2, "two")])).rejects.toMatchObject({ code: "SESSION_IN_USE" });
      await log.close();
      await other.append([message(2, "two")]);
    },
  },
  {
    name: "a writer of a session in the trash is refused, and its session comes back whole",
    run: async (database) => {
      const { store, schema } = await emptyStore(database);
      const log = await store.create(ID);
      await log.append([message(1, "one")]);
      await expect(store.trash(ID, { at: 1, reason: "test" })).rejects.toMatchObject({
        code: "SESSION_IN_USE",
      });
      await expireLeases(database, schema);
      await store.trash(ID, { at: 1, reason: "test" });
      await expect(log.append([message(2, "two")])).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
      await store.restore(ID);
      await expect(log.append([message(2, "two")])).rejects.toMatchObject({ code: "SESSION_TAKEN" });
      expect(seqs(await all(await store.open(ID)))).toEqual([1]);
    },
  },
  {
    name: "what was purged is gone from every table, and its open log says so",
    run: async (database) => {
      const { store, schema } = await emptyStore(database);
      const log = await store.create(ID);
      await log.append([message(1, "one")]);
      await log.putBlob(nodeHasher.sha256("x"), "x");
      await log.close();
      const reader = await store.open(ID);
      await store.trash(ID, { at: 1, reason: "test" });
      await store.purge(ID);
      for (const table of ["sessions", "entries", "blobs"])
        expect(await database.run(`SELECT * FROM "${schema}".${table}`)).toEqual([]);
      await expect(all(reader)).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
      await expect(reader.append([message(2, "two")])).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    },
  },
  {
    name: "a log of more than a batch holds is read in batches, and goes on while it is read",
    run: async (database) => {
      const { store } = await emptyStore(database);
      const log = await store.create(ID);
      const stored = Array.from({ length: 1_100 }, (_, index) => index + 1);
      await log.append(stored.map((seq) => message(seq, "one")));
      const batches: (readonly number[])[] = [];
      for await (const part of log.readAll()) {
        batches.push(seqs(part));
        if (batches.length === 1) await log.append([message(1_101, "more")]);
      }
      expect(batches.length).toBeGreaterThan(1);
      expect(batches.flat().slice(0, 1_100)).toEqual(stored);
      expect(seqs(await all(log))).toEqual([...stored, 1_101]);
    },
  },
  {
    name: "a row that somebody changed is damage, and everything around it is read",
    run: async (database) => {
      const { store, schema } = await emptyStore(database);
      const log = await store.create(ID);
      await log.append([
        message(1, "one"),
        checkpoint(2),
        message(3, "three"),
        checkpoint(4),
        message(5, "five"),
      ]);
      const change = (seq: number, body: string) =>
        database.run(`UPDATE "${schema}".entries SET body = $2 WHERE seq = $1`, [seq, body]);
      await change(3, "no json");
      await change(4, JSON.stringify(checkpoint(9)));
      const contents = await all(log);
      expect(seqs(contents)).toEqual([1, 2, 5]);
      expect(contents.damage).toEqual([
        { position: 3, bytes: 7, reason: "bad-checksum" },
        { position: 4, bytes: expect.any(Number), reason: "bad-checksum" },
      ]);
      expect(seqs(await log.readTail())).toEqual([2, 5]);
      const hash = nodeHasher.sha256("text");
      await log.putBlob(hash, "text");
      await log.close();
      await database.run(`UPDATE "${schema}".blobs SET content = 'other'`);
      const again = await store.open(ID);
      await expect(again.getBlob(hash)).rejects.toMatchObject({ code: "BLOB_MISSING" });
      await again.putBlob(hash, "text");
      expect(await again.getBlob(hash)).toBe("text");
    },
  },
  {
    name: "metadata that is written by turns is listed from both writers",
    run: async (database) => {
      const { store } = await emptyStore(database, { lease: false });
      const metadata = (seq: number, key: string) =>
        ({ type: "metadata", seq, id: `e${seq}`, v: 1, at: 1, key, value: seq }) as const;
      const one = await store.create(ID);
      await one.append([metadata(1, "a")]);
      const two = await store.open(ID);
      await one.append([metadata(2, "b")]);
      await two.append([metadata(3, "c")]);
      await one.append([metadata(4, "a")]);
      expect((await store.find(ID)).metadata).toEqual({ a: 4, b: 2, c: 3 });
    },
  },
  {
    name: "refuses to store where a power loss could take what is acknowledged",
    run: async (database) => {
      const { again } = await emptyStore(database);
      const weak = {
        query: async (text: string, values?: unknown[]) =>
          text.includes("synchronous_commit")
            ? { rows: [{ synchronousCommit: "off", fsync: "on", version: 2 }] }
            : { rows: await database.run(text, values) },
      };
      const log = await again({ pool: weak, allowWeakDurability: false }).create(ID);
      await expect(log.append([message(1, "one")])).rejects.toMatchObject({
        code: "STORE_FAILED",
        message: expect.stringContaining("synchronous_commit = off"),
      });
      expect(await again().list()).toEqual([]);
      await (await again({ pool: weak }).create(ID)).append([message(1, "one")]);
      // Whatever another store of the same connections was content with.
      const strict = await again({ pool: weak, allowWeakDurability: false }).create("another");
      await expect(strict.append([message(1, "one")])).rejects.toMatchObject({ code: "STORE_FAILED" });
    },
  },
  {
    name: "says so where the tables were never made",
    run: async ({ pool }) => {
      const options = { pool, hasher: nodeHasher, schema: freshSchema(), allowWeakDurability: true };
      const store = new PostgresSessionStore(options);
      for (const use of [() => store.list(), () => store.create(ID), () => store.open(ID)])
        await expect(use()).rejects.toMatchObject({
          code: "STORE_FAILED",
          hint: expect.stringContaining("migrate()"),
        });
    },
  },
  {
    name: "is made once by many at the same time, and clears away what a dead writer left",
    run: async (database) => {
      const schema = freshSchema();
      await Promise.all(Array.from({ length: 6 }, () => freshStore(database, { schema })));
      const { store } = await freshStore(database, { schema });
      expect(await database.run(`SELECT version FROM "${schema}".versions`)).toEqual([
        { version: 1 },
        { version: 2 },
        { version: 3 },
      ]);
      const begun = await store.create(ID);
      await begun.putBlob(nodeHasher.sha256("x"), "x");
      expect(await store.list()).toEqual([]);
      await store.migrate();
      expect(await database.run(`SELECT session_id FROM "${schema}".sessions`)).toEqual([{ session_id: ID }]);
      await database.run(`UPDATE "${schema}".sessions SET created_at = now() - interval '2 days'`);
      await store.migrate();
      expect(await database.run(`SELECT session_id FROM "${schema}".sessions`)).toEqual([]);
    },
  },
  {
    name: "is used, and asked to migrate again, by a role that may change rows and make no tables",
    run: async (database) => {
      const { store, schema } = await freshStore(database);
      const client = "connect" in database.pool ? await database.pool.connect() : database.pool;
      const role = `${schema}_role`;
      await database.run(`CREATE ROLE "${role}"`);
      await database.run(`GRANT USAGE ON SCHEMA "${schema}" TO "${role}"`);
      await database.run(`GRANT SELECT ON "${schema}".versions TO "${role}"`);
      for (const table of ["sessions", "entries", "blobs", "notes", "damage"])
        await database.run(`GRANT SELECT, INSERT, UPDATE, DELETE ON "${schema}".${table} TO "${role}"`);
      try {
        await client.query(`SET ROLE "${role}"`);
        const options = { pool: { query: client.query.bind(client) }, hasher: nodeHasher };
        const limited = new PostgresSessionStore({ ...options, schema, allowWeakDurability: true });
        await limited.migrate();
        const log = await limited.create(ID);
        await log.putBlob(nodeHasher.sha256("x"), "x");
        await log.append([message(1, "one")]);
        expect(await log.notes?.replace(undefined, "# Notes")).toBe(true);
        await log.close();
        await limited.trash(ID, { at: 1, reason: "r" });
        await limited.purge(ID);
        const elsewhere = new PostgresSessionStore({ ...options, schema: freshSchema() });
        await expect(elsewhere.migrate()).rejects.toMatchObject({
          code: "STORE_FAILED",
          hint: expect.stringContaining("the owner of the schema"),
        });
      } finally {
        await client.query("RESET ROLE");
        if ("release" in client) (client as PostgresClient).release();
        await database.run(`DROP OWNED BY "${role}"`);
        await database.run(`DROP ROLE "${role}"`);
      }
      expect(await store.list()).toEqual([]);
    },
  },
  {
    name: "brings tables of the first version up to date, with what is in them",
    run: async (database) => {
      const { store, schema } = await freshStore(database);
      const log = await store.create(ID);
      await log.append([message(1, "one")]);
      await database.run(`DROP TABLE "${schema}".notes, "${schema}".damage`);
      await database.run(`ALTER TABLE "${schema}".entries DROP COLUMN checksum`);
      await database.run(`DELETE FROM "${schema}".versions WHERE version > 1`);
      const options = { pool: database.pool, hasher: nodeHasher, schema, allowWeakDurability: true };
      const behind = await new PostgresSessionStore(options).open(ID);
      await expect(behind.notes?.read()).rejects.toMatchObject({
        code: "STORE_FAILED",
        hint: expect.stringContaining("migrate()"),
      });
      await store.migrate();
      expect(await behind.notes?.replace(undefined, "# Notes")).toBe(true);
      expect(await log.notes?.read()).toBe("# Notes");
      expect(seqs(await all(behind))).toEqual([1]);
    },
  },
  {
    name: "tells of notes that are no text or too large, and replaces none of them",
    run: async (database) => {
      const { store, schema } = await emptyStore(database);
      const { notes } = await stored(store);
      await notes?.replace(undefined, "# Notes");
      for (const [content, reported] of [
        [`decode('ff', 'hex')`, "1 bytes that are not UTF-8"],
        [`decode(repeat('61', 2000000), 'hex')`, "2000000 bytes; they may have 1048576"],
      ]) {
        await database.run(`UPDATE "${schema}".notes SET content = ${content}`);
        await expect(notes?.read()).rejects.toMatchObject({
          code: "NOTES_UNREADABLE",
          message: expect.stringContaining(reported!),
        });
        expect(await notes?.replace("# Notes", "# New")).toBe(false);
      }
      await database.run(`UPDATE "${schema}".notes SET content = convert_to('# By hand', 'UTF8')`);
      expect(await notes?.replace("# Notes", "# New")).toBe(false);
      expect(await notes?.replace("# By hand", "# New")).toBe(true);
      expect(await notes?.read()).toBe("# New");
    },
  },
  {
    name: "puts no notes into a session that was trashed or purged meanwhile",
    run: async (database) => {
      const { store, again } = await emptyStore(database, { lease: false });
      const { notes } = await stored(store);
      await notes?.replace(undefined, "# Notes");
      await again().trash(ID, { at: 1, reason: "by hand" });
      await expect(notes?.replace("# Notes", "# New")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
      await again().purge(ID);
      await expect(notes?.replace("# Notes", "# New")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
      expect(await notes?.read()).toBe(undefined);
    },
  },
  {
    name: "a long blob in parts lets the event loop run between them",
    run: async (database) => {
      const { store } = await emptyStore(database);
      const log = await stored(store);
      const parts = Array.from({ length: 40 }, (_, index) => `${index} `.repeat(40_000));
      let passes = 0;
      let isDone = false;
      const count = (): void => {
        passes++;
        if (!isDone) setImmediate(count);
      };
      setImmediate(count);
      const hash = nodeHasher.sha256(parts.join(""));
      await log.putBlobInParts!(hash, parts);
      isDone = true;
      expect(passes).toBeGreaterThanOrEqual(parts.length);
      expect((await log.getBlob(hash)) === parts.join("")).toBe(true);
      await log.close();
    },
  },
];

async function stored(store: PostgresSessionStore): Promise<SessionLog> {
  const log = await store.create(ID);
  await log.append([message(1, "one")]);
  return log;
}
