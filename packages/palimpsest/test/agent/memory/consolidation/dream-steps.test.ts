/** A dream of many memories leaves time for everything else, and can be stopped in the middle. */
import { expect, it } from "vitest";
import { MEMORY_DREAM_DEFAULTS } from "#base/defaults/memory/dream.ts";
import { aPersistentMemory, put } from "#test/agent/memory/a-persistent-memory.ts";

const COUNT = 40;

async function many(yieldTurn: () => Promise<void>) {
  const staged = aPersistentMemory({ yieldTurn });
  for (let at = 0; at < COUNT; at++)
    await put(staged.store, `m${at}.md`, `---\nname: m${at}\n---\nRoom ${at} has ${at + 3} chairs.\n`);
  return staged;
}

it("breathes after every few memories", async () => {
  let yieldCount = 0;
  const { memory } = await many(async () => {
    yieldCount++;
  });
  await memory.dream({ force: true, dryRun: true });
  expect(yieldCount).toBeGreaterThanOrEqual(COUNT / MEMORY_DREAM_DEFAULTS.stepsCount);
});

it("ends at an abort in the middle of planning, and has changed nothing", async () => {
  const abort = new AbortController();
  let yieldCount = 0;
  const { memory, store } = await many(async () => {
    if (++yieldCount === 2) abort.abort();
  });
  const before = await store.list();
  await expect(memory.dream({ force: true, signal: abort.signal })).rejects.toMatchObject({
    code: "ABORTED",
  });
  expect(yieldCount).toBe(2);
  expect(await store.list()).toEqual(before);
  expect(await memory.dreams()).toEqual([]);
});
