/**
 * The store in PostgreSQL: the contract of every store, and what only a database can get wrong. On a server where
 * PALIMPSEST_POSTGRES_URL names one; in this process where none is named, and in a long run.
 */

import { sessionStoreContract } from "palimpsest-testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import {
  embeddedDatabase,
  emptyStore,
  expireLeases,
  SERVER_URL,
  serverDatabase,
  type TestDatabase,
} from "../../../../../test/helpers/postgres.ts";
import { isLong } from "../../../../../test/helpers/size-of-run.ts";
import { damageCases } from "./damage-cases.ts";
import { type Case, engineCases } from "./engine-cases.ts";
import { faultCases } from "./fault-cases.ts";
import { isolationCases } from "./isolation-cases.ts";
import { rowCases } from "./row-cases.ts";

const servers: readonly { readonly name: string; readonly start: () => Promise<TestDatabase> }[] = [
  ...(SERVER_URL === undefined || isLong ? [{ name: "in this process", start: embeddedDatabase }] : []),
  ...(SERVER_URL === undefined ? [] : [{ name: "on a server", start: async () => serverDatabase() }]),
];
const groups: readonly { readonly group: string; readonly cases: readonly Case[] }[] = [
  { group: "keeps scopes apart and takes no text for SQL", cases: isolationCases },
  { group: "when answers are lost", cases: faultCases },
  { group: "in its rows", cases: rowCases },
  { group: "in damaged rows", cases: damageCases },
  { group: "under the engine", cases: engineCases },
];

/** Thousands of entries and a megabyte of notes. By default there is a smaller log in `rowCases`, and other stores have all. */
const LARGE_CASES = [
  "keeps thousands of entries and reads them in batches",
  "goes on behind what is there while it is read",
  "keeps notes of every size up to its limit",
];
const contract = sessionStoreContract.filter(({ name }) => isLong || !LARGE_CASES.includes(name));

for (const { name: place, start } of servers)
  describe(`the store in PostgreSQL ${place}`, () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await start();
    });
    afterAll(() => database?.end());

    for (const { name, run } of contract)
      it(name, async () => {
        const { store, again, schema } = await emptyStore(database);
        const expireWriters = () => expireLeases(database, schema);
        await run({ store, reopen: () => again(), hasher: nodeHasher, expireWriters });
      });

    for (const { group, cases } of groups)
      describe(group, () => {
        for (const { name, run } of cases) it(name, () => run(database));
      });
  });
