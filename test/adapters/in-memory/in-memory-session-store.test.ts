import { describe, it } from "vitest";
import { InMemorySessionStore } from "../../../src/adapters/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "../../../src/adapters/node/node-hasher.ts";
import { sessionStoreContract } from "../../../src/testing/session-store-contract.ts";

describe("the store in memory", () => {
  for (const { name, run } of sessionStoreContract)
    it(name, async () => {
      const store = new InMemorySessionStore();
      await run({ store, reopen: () => store, hasher: nodeHasher });
    });
});
