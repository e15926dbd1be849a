/** The store in PostgreSQL keeps the contract of every store, on either server. */
import { afterAll, beforeAll, describe, it } from "vitest";
import { nodeHasher } from "../../../src/adapters/node/node-hasher.ts";
import { sessionStoreContract } from "../../../src/testing/session-store-contract.ts";
import {
  embeddedDatabase,
  freshStore,
  SERVER_URL,
  serverDatabase,
  type TestDatabase,
} from "../../helpers/postgres.ts";

const servers: readonly { readonly name: string; readonly start: () => Promise<TestDatabase> }[] = [
  { name: "in this process", start: embeddedDatabase },
  ...(SERVER_URL === undefined ? [] : [{ name: "on a server", start: async () => serverDatabase() }]),
];

describe.each(servers)("the store in PostgreSQL $name", ({ start }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await start();
  });
  afterAll(() => database.end());

  for (const { name, run } of sessionStoreContract)
    it(name, async () => {
      const { store, again } = await freshStore(database);
      await run({ store, reopen: () => again(), hasher: nodeHasher });
    });
});
