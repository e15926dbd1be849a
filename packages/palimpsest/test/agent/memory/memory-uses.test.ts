/** A session notices which of the shown memories its answers use. */
import { describe, expect, it } from "vitest";
import type { PersistentMemory } from "#agent/memory/persistent-memory.ts";
import { setTheStage } from "#test/agent/stage.ts";
import { aPersistentMemory } from "./a-persistent-memory.ts";

async function remembering() {
  const { memory, store } = aPersistentMemory();
  await memory.remember("We deploy on Tuesdays only.", { source: "user" });
  const uses = async () => {
    const lines = ((await store.readRecord("uses.jsonl")) ?? "").split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line)).map(({ path, sessionId }) => [path, sessionId]);
  };
  return { memory, uses };
}

const USED = ["we-deploy-on-tuesdays-only.md", "s1"];

async function turnsOf(memory: PersistentMemory, turns: readonly (readonly [string, string])[]) {
  const { session } = await setTheStage({ memory, answer: (_, index) => turns[index]![1] });
  for (const [text] of turns) await session.turn(text);
  await session.memorySettled();
  return session;
}

describe("a session that was shown a memory", () => {
  it.each([
    { turns: [["When can I deploy?", "On Tuesday."]], uses: [USED], why: "the answer has its point" },
    { turns: [["When can I deploy?", "I cannot say."]], uses: [], why: "the answer has nothing of it" },
    {
      turns: [
        ["When can I deploy?", "One moment."],
        ["Yes?", "On Tuesdays only."],
      ],
      uses: [USED],
      why: "it is used in a later turn",
    },
    {
      turns: [
        ["When can I deploy?", "On Tuesday."],
        ["Really?", "On Tuesdays only."],
      ],
      uses: [USED],
      why: "a session counts once",
    },
    {
      turns: [["Can I deploy on Tuesdays only?", "On Tuesdays only."]],
      uses: [],
      why: "the user said it",
    },
  ] as const)("notes $uses.length uses: $why", async ({ turns, uses }) => {
    const { memory, uses: noted } = await remembering();
    await turnsOf(memory, turns);
    expect(await noted()).toEqual(uses);
  });

  it("notes it for hosts with a loop of their own with the next message, and at its end", async () => {
    const { memory, uses } = await remembering();
    const { session } = await setTheStage({ memory });
    await session.append({ role: "user", content: [{ type: "text", text: "When can I deploy?" }] });
    await session.prepare();
    await session.append({ role: "assistant", content: [{ type: "text", text: "On Tuesday." }] });
    await session.close();
    expect(await uses()).toEqual([USED]);
  });

  it("goes on where it cannot be noted, and says so", async () => {
    const { memory, store } = aPersistentMemory();
    await memory.remember("We deploy on Tuesdays only.", { source: "user" });
    const { session, events } = await setTheStage({
      memory,
      answer: async () => {
        await store.close();
        return "On Tuesday.";
      },
    });
    expect((await session.turn("When can I deploy?")).text).toBe("On Tuesday.");
    await session.memorySettled();
    expect(events.filter(({ type }) => type === "memory-failed")).toHaveLength(1);
  });
});
