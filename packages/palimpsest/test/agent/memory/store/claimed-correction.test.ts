import { expect, it } from "vitest";
import { createMemory } from "#host/create-memory.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";

it.each([
  { text: "Auth tokens are in Postgres.", says: "It may correct the-auth-tokens-live-in-redis.md" },
  { text: "The auth tokens moved from Redis to Postgres.", says: "It takes the place of" },
])("The receipt of a claimed correction says if the old fact stays: $text", async ({ text, says }) => {
  const memory = createMemory({ store: inMemoryMemoryStore() });
  const { path } = await memory.remember("The auth tokens live in Redis.", { source: "agent" });
  const { reason } = await memory.remember(text, { source: "agent", corrects: [path!] });
  expect(reason).toContain(says);
});
