/** Memories of one session are found together where they are pieces of a conversation. */
import { expect, it } from "vitest";
import { aPersistentMemory } from "#test/agent/memory/a-persistent-memory.ts";

const CONVERSATION = [
  "Where did you spend your holiday in Norway?",
  "With my sister, it rained all week.",
  "What a pity that is!",
];

async function remembered(isConversation: boolean) {
  const { memory } = aPersistentMemory();
  let before: string | undefined;
  for (const text of CONVERSATION) {
    const follows = isConversation && before !== undefined ? { follows: before } : {};
    before = (await memory.remember(text, { source: "user", sessionId: "s1", ...follows })).path;
  }
  await memory.remember("The build runs on every push.", { source: "user", sessionId: "s2" });
  return async (query: string) => (await memory.search(query)).map(({ path }) => path);
}

it("finds a piece of a conversation by what was said right before it", async () => {
  const search = await remembered(true);
  expect(await search("holiday in Norway")).toEqual([
    "where-did-you-spend-your-holiday-in-norway.md",
    "with-my-sister-it-rained-all-week.md",
    "what-a-pity-that-is.md",
  ]);
});

it("finds a fact by its own words only, whatever else its session left", async () => {
  const search = await remembered(false);
  expect(await search("holiday in Norway")).toEqual(["where-did-you-spend-your-holiday-in-norway.md"]);
});

it("weighs the whole conversation, its beginning as well, as long as it is one", async () => {
  const { memory } = aPersistentMemory();
  const message = { source: "user", sessionId: "s1" } as const;
  const first = await memory.remember("We saw a lighthouse.", message);
  const next = await memory.remember("It rained in Norway.", { ...message, follows: first.path! });
  const groupOf = async () => (await memory.search("lighthouse"))[0]!.why.groupScore > 0;
  expect(await groupOf()).toBe(true);
  await memory.forget(next.path!);
  expect(await groupOf()).toBe(false);
});

it("finds what a session left by the day on which it was said", async () => {
  const { memory } = aPersistentMemory();
  const createdAtMs = Date.UTC(2024, 4, 7, 12);
  await memory.remember("I went to the museum.", { source: "user", sessionId: "s1", createdAtMs });
  await memory.remember("I went to the theatre.", { source: "user", sessionId: "s2" });
  const [first] = await memory.search("Where did I say that I went on 7 May 2024?");
  expect(first!.path).toBe("i-went-to-the-museum.md");
});
