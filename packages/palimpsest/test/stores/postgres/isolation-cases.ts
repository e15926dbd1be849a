/** Tenants see nothing of each other, and nothing that a caller names becomes SQL. */

import { all, CONTRACT_ID as ID, message, textOf } from "palimpsest-testing/internal";
import { expect } from "vitest";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { PostgresSessionStore } from "#stores/postgres/postgres-session-store.ts";
import type { Scope } from "#transcript/entries.ts";
import { emptyStore } from "../../../../../test/helpers/postgres.ts";
import type { Case } from "./engine-cases.ts";

const HOSTILE = `'); DROP TABLE entries; --\u0000"\\ $1 \ud83d {"a":null} %s`;

/** Scopes that something careless would take for each other. */
const SCOPES: readonly (Scope | undefined)[] = [
  undefined,
  { tenant: "" },
  { project: "" },
  { tenant: "", project: "" },
  { tenant: "a" },
  { project: "a" },
  { tenant: "a", project: "b" },
  { tenant: "b", project: "a" },
  { tenant: 'a","b' },
  { tenant: "A" },
  { tenant: "ａ" },
  { tenant: "a " },
  { tenant: "null" },
  { tenant: "%" },
  { tenant: HOSTILE },
  { tenant: HOSTILE, project: HOSTILE },
  { tenant: "\u0000" },
  { tenant: "\ud83d" },
  { tenant: "\udc00" },
  { tenant: "x".repeat(10_000) },
  { tenant: `${"x".repeat(9_999)}y` },
];

export const isolationCases: readonly Case[] = [
  {
    name: "one id in many scopes is many sessions, also in the trash",
    run: async (database) => {
      const { store, again } = await emptyStore(database);
      const logs = await Promise.all(SCOPES.map((scope) => store.create(ID, scope)));
      for (const [index, log] of logs.entries()) {
        await log.append([message(1, `said in ${index}`)]);
        await log.putBlob(nodeHasher.sha256(`blob ${index}`), `blob ${index}`);
        await log.close();
      }
      const other = again();
      for (const [index, scope] of SCOPES.entries()) {
        expect(await other.list(scope), `scope ${index}`).toEqual([ID]);
        expect((await other.describe({ scope: scope ?? {} })).sessions).toHaveLength(1);
        expect((await other.overview(scope)).map(({ title }) => title)).toEqual([`said in ${index}`]);
        const log = await other.open(ID, scope);
        expect((await all(log)).entries.map(({ entry }) => textOf(entry))).toEqual([`said in ${index}`]);
        const foreign = (index + 1) % SCOPES.length;
        expect(await log.getBlob(nodeHasher.sha256(`blob ${index}`))).toBe(`blob ${index}`);
        expect(await log.getBlob(nodeHasher.sha256(`blob ${foreign}`))).toBeUndefined();
        await log.close();
      }
      await other.trash(ID, { at: 1, reason: HOSTILE }, SCOPES[6]);
      expect(await other.listTrash(SCOPES[6])).toEqual([{ sessionId: ID, trashedAt: 1, reason: HOSTILE }]);
      for (const [index, scope] of SCOPES.entries()) {
        expect(await other.list(scope)).toHaveLength(index === 6 ? 0 : 1);
        expect(await other.listTrash(scope)).toHaveLength(index === 6 ? 1 : 0);
        if (index === 6) continue;
        await expect(other.restore(ID, scope)).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
        await expect(other.purge(ID, scope)).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
      }
    },
  },
  {
    name: "hostile texts come back as they were, wherever they stand",
    run: async (database) => {
      const { store, again } = await emptyStore(database, { lease: { holder: HOSTILE } });
      const scope = { tenant: HOSTILE };
      const log = await store.create(ID, scope);
      const base = { v: 1, at: 5 };
      const entries = [
        {
          type: "header",
          seq: 1,
          id: HOSTILE,
          ...base,
          sessionId: ID,
          createdBy: HOSTILE,
          workingCopy: HOSTILE,
        },
        {
          type: "metadata",
          seq: 2,
          id: "m",
          parentId: HOSTILE,
          ...base,
          key: HOSTILE,
          value: { [HOSTILE]: HOSTILE },
        },
        { type: "metadata", seq: 3, id: "p", parentId: "m", ...base, key: "__proto__", value: "x" },
        { ...message(4, HOSTILE), id: "u", parentId: "p" },
      ] as const;
      await log.append(entries);
      const rival = await again().open(ID, scope);
      await expect(rival.acquire()).rejects.toMatchObject({ code: "SESSION_IN_USE" });
      expect((await all(rival)).entries.map(({ entry }) => entry)).toEqual(entries);
      const info = await again().find(ID, scope);
      expect(info.header).toEqual(entries[0]);
      expect(Object.entries(info.metadata)).toEqual([
        [HOSTILE, { [HOSTILE]: HOSTILE }],
        ["__proto__", "x"],
      ]);
      expect(info.firstPrompt).toContain("DROP TABLE entries");
      await log.close();
    },
  },
  {
    name: "names of schemas and places in a list are refused unless they are plain",
    run: async (database) => {
      const { pool } = database;
      const bad = [
        "",
        "a b",
        'a"',
        "a'b",
        "a;b",
        "a.b",
        "1a",
        "pg_x",
        "é",
        "a\u0000",
        "$palimpsest$",
        "x".repeat(64),
      ];
      for (const schema of bad)
        expect(() => new PostgresSessionStore({ pool, hasher: nodeHasher, schema }), schema).toThrow(
          expect.objectContaining({ code: "OPTION_INVALID" }),
        );
      const { store } = await emptyStore(database);
      for (const after of ["", "x", "1", "1 '; --", "1 a b", "-1 a", "1e3 a", "99999999999999999 a"])
        await expect(store.describe({ after }), after).rejects.toMatchObject({ code: "OPTION_INVALID" });
    },
  },
];
