/** Arguments of another kind are refused in words, with the name of what was called. */
import { describe, expect, it } from "vitest";
import { aPersistentMemory } from "#test/agent/memory/a-persistent-memory.ts";

type Memory = ReturnType<typeof aPersistentMemory>["memory"];

const CALLS: Readonly<Record<string, (memory: Memory, value: never) => Promise<unknown>>> = {
  recall: (memory, value) => memory.recall(value),
  search: (memory, value) => memory.search(value),
  show: (memory, value) => memory.show(value),
  forget: (memory, value) => memory.forget(value),
  confirm: (memory, value) => memory.confirm(value),
  supersede: (memory, value) => memory.supersede(value, "We deploy on Thursdays."),
  "supersede by": (memory, value) => memory.supersede("we-deploy-on-tuesdays.md", value),
  answered: (memory, value) => memory.answered(value, { shown: [] }),
  import: (memory, value) => memory.import(value),
  "import of files": (memory, value) => memory.import([value]),
  corrects: (memory, value) => memory.remember("We deploy on Fridays.", { corrects: [value] }),
};

describe.each(Object.entries(CALLS))("%s", (_, call) => {
  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a number", 5],
    ["an object", {}],
    ["blocks of a message", [{ type: "text", text: "When do we deploy?" }]],
  ])("refuses %s", async (_name, value) => {
    const { memory } = aPersistentMemory();
    await memory.remember("We deploy on Tuesdays.", { source: "user" });
    await expect(call(memory, value as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect((await memory.list()).memories).toHaveLength(1);
  });
});

it("says what is wrong", async () => {
  const { memory } = aPersistentMemory();
  await expect(memory.recall([{ type: "text" }] as never)).rejects.toThrow(
    "The message of `recall` is a list; it is a string.",
  );
  await expect(memory.recall("x", { shown: 5 as never })).rejects.toMatchObject({ code: "OPTION_INVALID" });
});
