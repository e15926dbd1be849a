/** Any number of files may say that they revise a memory: a search looks at a few. */
import { expect, it } from "vitest";
import { MemoryCache } from "#agent/memory/store/memory-cache.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";

it("a memory that hundreds of files revise is found with a few of them", async () => {
  const store = inMemoryMemoryStore();
  const written = Array.from({ length: 200 }, (_, at) => ({
    path: `claim-${at}.md`,
    base: undefined,
    text: `---\nname: claim ${at}\nsource: user\nrevises: [home.md]\n---\nI moved from Lisbon to Oslo in ${at}.\n`,
  }));
  const home = {
    path: "home.md",
    base: undefined,
    text: "---\nname: flat\nsource: user\n---\nI live in Lisbon.\n",
  };
  await store.apply([home, ...written]);
  const cache = new MemoryCache(store);
  await cache.look();
  const found = cache.searchCurrent("flat", { limit: 500 });
  expect(found).toHaveLength(41);
  expect(found.some(({ id }) => id === "home.md")).toBe(true);
});
