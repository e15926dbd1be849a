import { sessionStoreContract } from "palimpsest-testing";
import { describe, it } from "vitest";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";

describe("the store in memory", () => {
  for (const { name, run } of sessionStoreContract)
    it(name, async () => {
      const store = new InMemorySessionStore();
      await run({ store, reopen: () => store, hasher: nodeHasher });
    });
});
