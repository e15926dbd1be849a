/** A repeated statement is the current one, whatever its first source was. */
import { expect, it } from "vitest";
import { aPersistentMemory, DAY_MS } from "#test/agent/memory/a-persistent-memory.ts";

const TUESDAY = "The deploy day is Tuesday.";
const FRIDAY = "The deploy day is Friday.";

async function active({ memory }: ReturnType<typeof aPersistentMemory>) {
  const { memories } = await memory.list({ state: "active" });
  return memories.map(({ body, source }) => [body.trim(), source]);
}

it("a user who says what a model had concluded corrects what they said before", async () => {
  const staged = aPersistentMemory();
  const { memory, clock } = staged;
  await memory.remember(TUESDAY, { source: "user" });
  clock.nowMs += DAY_MS;
  await memory.remember(FRIDAY, { source: "agent" });
  expect(await active(staged)).toHaveLength(2);
  clock.nowMs += DAY_MS;
  const receipt = await memory.remember(FRIDAY, { source: "user" });
  expect(receipt).toMatchObject({ status: "merged", superseded: ["the-deploy-day-is-tuesday.md"] });
  expect(await active(staged)).toEqual([[FRIDAY, "user"]]);
  const { text } = await memory.show("the-deploy-day-is-friday.md");
  expect(text).toContain("the-deploy-day-is-tuesday.md");
});

it("a model that repeats itself corrects nothing that a user said", async () => {
  const staged = aPersistentMemory();
  const { memory, clock } = staged;
  await memory.remember(FRIDAY, { source: "agent" });
  clock.nowMs += DAY_MS;
  await memory.remember(TUESDAY, { source: "user" });
  clock.nowMs += DAY_MS;
  await memory.remember(FRIDAY, { source: "agent" });
  expect(await active(staged)).toContainEqual([TUESDAY, "user"]);
});
