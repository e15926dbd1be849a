import { memoryStoreContract } from "palimpsest-testing";
import { describe, it } from "vitest";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";

describe("the memory store in memory", () => {
  for (const { name, run } of memoryStoreContract)
    it(name, async () => {
      const store = inMemoryMemoryStore();
      await run({ store, reopen: () => store });
    });
});
