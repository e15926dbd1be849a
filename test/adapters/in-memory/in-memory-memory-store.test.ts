import { describe, it } from "vitest";
import { inMemoryMemoryStore } from "../../../src/adapters/in-memory/in-memory-memory-store.ts";
import { memoryStoreContract } from "../../../src/testing/memory-store-contract.ts";

describe("the memory store in memory", () => {
  for (const { name, run } of memoryStoreContract)
    it(name, async () => {
      const store = inMemoryMemoryStore();
      await run({ store, reopen: () => store });
    });
});
