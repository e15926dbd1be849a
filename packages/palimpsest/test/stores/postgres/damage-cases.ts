/** Rows that were changed, moved, lost or left behind: the entries read, the report, and the next append. */
import { readFileSync } from "node:fs";
import { FakeClock, seededIds } from "palimpsest-testing";
import { all, checkpoint, message, seqs } from "palimpsest-testing/internal";
import { expect } from "vitest";
import type { LogContents, LogDamage } from "#ports/session-store.ts";
import { openSession } from "#session/lifecycle/open-session.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { PostgresSessionStore } from "#stores/postgres/postgres-session-store.ts";
import { freshSchema, freshStore, type TestDatabase } from "../../../../../test/helpers/postgres.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";
import type { Case } from "./engine-cases.ts";

const VERSION_2 = readFileSync(new URL("tables-version-2.sql", import.meta.url), "utf8");

interface Damaged {
  readonly name: string;
  /** Statements; `E` is the table of entries, `S` that of sessions. */
  readonly change: readonly string[];
  /** Numbers that are read of `1` … `8`, where 4 is a checkpoint. */
  readonly seqs: readonly number[];
  /** Place and reason of what is reported. */
  readonly damage: readonly string[];
  /** The number that the next entry has. */
  readonly next: number;
  /** Rows that lie in the table of damage once the session went on. */
  readonly kept?: readonly string[];
}

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, at) => at + 1);
const without = (...left: readonly number[]) => upTo(8).filter((seq) => !left.includes(seq));
const swapped = (one: number, other: number) =>
  `UPDATE E e SET body = o.body, checksum = o.checksum FROM E o
    WHERE e.session_key = K AND o.session_key = K AND (e.seq, o.seq) IN ((${one}, ${other}), (${other}, ${one}))`;
const copied = (from: number, to: number) =>
  `INSERT INTO E SELECT session_key, ${to}, is_checkpoint, bytes, body, checksum FROM E WHERE session_key = K AND seq = ${from}`;

const DAMAGED: readonly Damaged[] = [
  {
    name: "a changed text",
    change: ["UPDATE E SET body = replace(body, 'text 3', 'TEXT 3') WHERE session_key = K AND seq = 3"],
    seqs: without(3),
    damage: ["3 bad-checksum"],
    next: 9,
  },
  {
    name: "a changed checksum",
    change: ["UPDATE E SET checksum = checksum # 1 WHERE session_key = K AND seq = 8"],
    seqs: without(8),
    damage: ["8 bad-checksum"],
    next: 8,
    kept: ["8 behind-the-end"],
  },
  {
    name: "rows missing in the middle",
    change: ["DELETE FROM E WHERE session_key = K AND seq IN (3, 5, 6)"],
    seqs: without(3, 5, 6),
    damage: ["3 missing", "5 missing"],
    next: 9,
  },
  {
    name: "the first rows missing",
    change: ["DELETE FROM E WHERE session_key = K AND seq < 3"],
    seqs: without(1, 2),
    damage: ["1 missing"],
    next: 9,
  },
  {
    name: "the last rows missing",
    change: ["DELETE FROM E WHERE session_key = K AND seq > 6"],
    seqs: without(7, 8),
    damage: ["7 missing-tail"],
    next: 7,
    kept: ["7 missing-tail"],
  },
  {
    name: "a last number that is behind",
    change: ["UPDATE S SET last_seq = 5 WHERE key = K"],
    seqs: upTo(8),
    damage: ["5 wrong-end"],
    next: 9,
  },
  {
    name: "a last number of 0",
    change: ["UPDATE S SET last_seq = 0 WHERE key = K"],
    seqs: upTo(8),
    damage: ["0 wrong-end"],
    next: 9,
  },
  {
    name: "a last number that is ahead",
    change: ["UPDATE S SET last_seq = 4000000000000 WHERE key = K"],
    seqs: upTo(8),
    damage: ["9 missing-tail"],
    next: 9,
    kept: ["9 missing-tail"],
  },
  {
    name: "two rows that hold each other's entry",
    change: [swapped(3, 7)],
    seqs: upTo(8),
    damage: ["3 out-of-order", "7 out-of-order"],
    next: 9,
  },
  {
    name: "rows that were all moved by one",
    change: [
      "UPDATE E SET seq = -seq WHERE session_key = K",
      "UPDATE E SET seq = 1 - seq WHERE session_key = K",
    ],
    seqs: upTo(8),
    damage: [2, 3, 4, 5, 6, 7, 8, 9].map((place) => `${place} out-of-order`),
    next: 9,
  },
  {
    name: "a tail that is there twice",
    change: [copied(6, 9), copied(7, 10), copied(8, 11), "UPDATE S SET last_seq = 11 WHERE key = K"],
    seqs: upTo(8),
    damage: ["9 duplicate-seq", "10 duplicate-seq", "11 duplicate-seq"],
    next: 9,
    kept: ["9 behind-the-end", "10 behind-the-end", "11 behind-the-end"],
  },
  {
    name: "a copy behind the end",
    change: [copied(2, 9)],
    seqs: upTo(8),
    damage: ["9 duplicate-seq"],
    next: 9,
    kept: ["9 behind-the-end"],
  },
  {
    name: "a copy in the place of another row",
    change: ["DELETE FROM E WHERE session_key = K AND seq = 6", copied(2, 6)],
    seqs: without(6),
    damage: ["6 duplicate-seq"],
    next: 9,
  },
  {
    name: "a checkpoint that is not marked as one, and a row that is",
    change: ["UPDATE E SET is_checkpoint = (seq = 6) WHERE session_key = K"],
    seqs: upTo(8),
    damage: [],
    next: 9,
  },
  {
    name: "no row at all",
    change: ["DELETE FROM E WHERE session_key = K"],
    seqs: [],
    damage: ["1 missing-tail"],
    next: 1,
    kept: ["1 missing-tail"],
  },
];

/** One schema for all the cases of a database: making one takes longer than a case. */
const shared = new WeakMap<TestDatabase, ReturnType<typeof freshStore>>();
let sessionCount = 0;

async function storedEight(database: TestDatabase, change: readonly string[]) {
  const made = shared.get(database) ?? freshStore(database);
  shared.set(database, made);
  const { store, schema } = await made;
  const id = `damaged-${++sessionCount}`;
  const log = await store.create(id);
  await log.append(upTo(8).map((seq) => (seq === 4 ? checkpoint(seq) : message(seq, `text ${seq}`))));
  await log.close();
  const [row] = await database.run(`SELECT key FROM "${schema}".sessions WHERE session_id = $1`, [id]);
  const names: Readonly<Record<string, string>> = {
    E: `"${schema}".entries`,
    S: `"${schema}".sessions`,
    D: `"${schema}".damage`,
    K: String(row?.["key"]),
  };
  const run = (text: string, values?: unknown[]) =>
    database.run(
      text.replace(/\b[ESDK]\b(?!\.)/g, (name) => names[name]!),
      values,
    );
  for (const text of change) await run(text);
  return { store, id, run };
}

type Run = Awaited<ReturnType<typeof storedEight>>["run"];

const reported = ({ damage }: Pick<LogContents, "damage">): readonly string[] =>
  damage.map(({ position, reason }) => `${position} ${reason}`);

/** Everything that the tables hold of the session, to see that reading changes nothing. */
async function tables(run: Run): Promise<string> {
  const rows = [
    await run("SELECT * FROM S WHERE key = K"),
    await run("SELECT * FROM E WHERE session_key = K ORDER BY seq"),
    await run("SELECT * FROM D WHERE session_key = K ORDER BY key"),
  ];
  return JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

interface GoingOn {
  readonly store: PostgresSessionStore;
  readonly id: string;
  readonly next: number;
  readonly before: readonly number[];
}

async function expectGoesOn({ store, id, next, before }: GoingOn) {
  const log = await store.open(id);
  const parent = (await all(log)).entries.at(-1)?.entry.id;
  const { parentId: _, ...first } = { ...message(next, "more"), id: "more" };
  await log.append([parent === undefined ? first : { ...first, parentId: parent }]);
  await log.append([{ ...message(next + 1, "and more"), parentId: "more" }]);
  await log.close();
  expect(seqs(await all(await store.open(id)))).toEqual([...before, next, next + 1]);
}

export const damageCases: readonly Case[] = [
  // Every second one has each kind of damage.
  ...usualFew(DAMAGED, 2).map(
    ({ name, change, seqs: expected, damage, next, kept = [] }): Case => ({
      name: `${name}: it is reported, nothing whole is hidden, and the session goes on`,
      run: async (database) => {
        const { store, id, run } = await storedEight(database, change);
        const before = await tables(run);
        const log = await store.open(id);
        const contents = await all(log);
        expect(seqs(contents)).toEqual(expected);
        expect(reported(contents)).toEqual(damage);
        const tail = await log.readTail();
        if (tail.entries.length > 0) expect(seqs(tail)).toEqual(expected.filter((seq) => seq >= 4));
        for (const seq of expected) expect(seqs(await log.readFrom(seq, seq))).toEqual([seq]);
        await log.close();
        expect(await tables(run)).toBe(before);

        await expectGoesOn({ store, id, next, before: expected });
        const moved = await run("SELECT seq, reason FROM D WHERE session_key = K ORDER BY seq");
        expect(moved.map(({ seq, reason }) => `${seq} ${reason}`)).toEqual(kept);
      },
    }),
  ),
  {
    name: "rows of a foreign log in the place of some of this one are passed over",
    run: async (database) => {
      const { store, id, run } = await storedEight(database, []);
      const other = await store.create(`${id}-other`);
      await other.append(
        upTo(9).map((seq) => ({ ...message(seq, "foreign"), id: `f${seq}`, parentId: `f${seq - 1}` })),
      );
      const replace = (...places: readonly number[]) =>
        run(
          `UPDATE E e SET body = o.body, checksum = o.checksum FROM E o JOIN S s ON s.key = o.session_key
            WHERE e.session_key = K AND s.session_id = $1 AND e.seq = o.seq AND e.seq = ANY($2::bigint[])`,
          [`${id}-other`, places],
        );
      await replace(6);
      const one = await all(await store.open(id));
      expect(seqs(one)).toEqual(without(6));
      expect(reported(one)).toEqual(["6 forked"]);
      await replace(7, 8);
      const tail = await all(await store.open(id));
      expect(seqs(tail)).toEqual(upTo(5));
      expect(reported(tail)).toEqual(["6 forked", "7 forked", "8 forked"]);
      await expectGoesOn({ store, id, next: 6, before: upTo(5) });
    },
  },
  {
    name: "a broken chain hides nothing where a row has no checksum, and is reported",
    run: async (database) => {
      const { store, id } = await storedEight(database, [
        'UPDATE E SET checksum = NULL, body = replace(body, \'"id":"e6"\', \'"id":"e9"\') WHERE session_key = K AND seq = 6',
      ]);
      const contents = await all(await store.open(id));
      expect(seqs(contents)).toEqual(upTo(8));
      expect(reported(contents)).toEqual(["7 missing"]);
    },
  },
  {
    name: "a row that took the next number is moved aside by the append that needs it",
    run: async (database) => {
      const { store, id, run } = await storedEight(database, []);
      const log = await store.open(id);
      await log.append([message(9, "nine")]);
      await run(copied(3, 10));
      await log.append([message(10, "ten")]);
      expect(seqs(await all(log))).toEqual(upTo(10));
      expect(await run("SELECT reason, is_moved FROM D WHERE session_key = K")).toEqual([
        { reason: "behind-the-end", is_moved: true },
      ]);
    },
  },
  {
    name: "a session whose last number is 0 is not begun again, and nothing of it is cleared away",
    run: async (database) => {
      const { store, id, run } = await storedEight(database, [
        "UPDATE S SET last_seq = 0, created_at = now() - interval '9 days' WHERE key = K",
      ]);
      await store.migrate();
      const begun = await store.create(id);
      await expect(begun.append([message(1, "one")])).rejects.toMatchObject({ code: "SESSION_EXISTS" });
      expect(await run("SELECT seq FROM E WHERE session_key = K")).toHaveLength(8);
    },
  },
  {
    name: "a row of an earlier version has no checksum and is believed, as far as it is an entry",
    run: async (database) => {
      const { store, id } = await storedEight(database, [
        "UPDATE E SET checksum = NULL WHERE session_key = K",
        "UPDATE E SET body = replace(body, 'text 3', 'TEXT 3') WHERE session_key = K AND seq = 3",
        "UPDATE E SET body = 'no json' WHERE session_key = K AND seq = 5",
        `UPDATE E SET body = replace(body, '"seq":6', '"seq":60') WHERE session_key = K AND seq = 6`,
      ]);
      const contents = await all(await store.open(id));
      expect(seqs(contents)).toEqual(without(5, 6));
      expect(reported(contents)).toEqual(["5 not-json", "6 out-of-order"]);
    },
  },
  {
    name: "tables of version 2 are read and appended to before they are brought up to date, and after",
    run: async (database) => {
      const schema = freshSchema();
      await makeVersion2(database, schema);
      const store = storeOn(database, schema);
      const damage: string[] = [];
      const onEvent = (event: { type: string }) => {
        if (event.type === "damage")
          damage.push(...reported({ damage: [(event as { damage?: LogDamage }).damage!] }));
      };
      const options = {
        scope: { tenant: "acme" },
        clock: new FakeClock(),
        ids: seededIds(7),
        hasher: nodeHasher,
        observer: { onEvent },
      };
      const messageOf = async (text: string) => {
        const session = await openSession("old-session", { ...options, store });
        await session.append({ role: "user", content: [{ type: "text", text }] });
        const { messages } = await session.prepare({ model: "claude-sonnet-4-5", system: "You answer." });
        await session.close();
        return JSON.stringify(messages);
      };
      expect(await messageOf("Before.")).toMatch(/harbour.*Ships.*How many.*Before/);
      const marked = async () =>
        (await database.run(`SELECT seq FROM "${schema}".entries WHERE checksum IS NOT NULL ORDER BY seq`))
          .length;
      await store.migrate();
      expect(await marked()).toBe(0);
      expect(await messageOf("After.")).toMatch(/harbour.*Ships.*How many.*Before.*After/);
      expect(await marked()).toBeGreaterThan(0);
      expect(damage).toEqual([]);

      await database.run(`DELETE FROM "${schema}".entries WHERE seq = 5`);
      await database.run(`UPDATE "${schema}".sessions SET last_seq = last_seq + 3`);
      expect(await messageOf("Repaired.")).toMatch(/harbour.*How many.*Repaired/);
      expect(damage.sort()).toEqual(["16 wrong-checkpoint", "18 missing-tail", "5 missing"]);
    },
  },
  {
    name: "a damaged end in tables of version 2 needs them brought up to date, and says so",
    run: async (database) => {
      const schema = freshSchema();
      await makeVersion2(database, schema);
      await database.run(`DELETE FROM "${schema}".entries WHERE seq = 9`);
      const store = storeOn(database, schema);
      const log = await store.open("old-session", { tenant: "acme" });
      const more = { ...message(9, "more"), parentId: "old008" };
      await expect(log.append([more])).rejects.toMatchObject({
        code: "STORE_FAILED",
        hint: expect.stringContaining("migrate()"),
      });
      await store.migrate();
      await log.append([more]);
      expect(seqs(await all(log))).toEqual(upTo(9));
    },
  },
];

async function makeVersion2(database: TestDatabase, schema: string): Promise<void> {
  for (const text of VERSION_2.split(";\n"))
    if (text.trim() !== "") await database.run(text.replaceAll('"palimpsest"', `"${schema}"`));
}

function storeOn(database: TestDatabase, schema: string): PostgresSessionStore {
  return new PostgresSessionStore({
    pool: database.pool,
    hasher: nodeHasher,
    schema,
    lease: false,
    allowWeakDurability: true,
  });
}
