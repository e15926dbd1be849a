/** Indexes as other people keep them: in folders, and under a name in small letters. */
import { describe, expect, it } from "vitest";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { aPersistentMemory, put } from "#test/agent/memory/a-persistent-memory.ts";

describe("an index in a folder", () => {
  it("is a memory like any other, since nobody is shown it as an index", async () => {
    const { memory, store } = aPersistentMemory();
    await put(store, "architect/MEMORY.md", "# Architect\n\nThe gateway terminates TLS.\n");
    expect((await memory.list()).memories.map(({ path }) => path)).toEqual(["architect/MEMORY.md"]);
    expect((await memory.recall("Who terminates TLS?")).memories.map(({ path }) => path)).toEqual([
      "architect/MEMORY.md",
    ]);
    expect((await memory.index()).text).toBe("");
  });
});

describe("an index in small letters", () => {
  const line = "- [Hand](hand.md) — written by hand\n";

  it("is the index: it is shown, and what is remembered gets its line there", async () => {
    const { memory, store } = aPersistentMemory();
    await put(store, "memory.md", line);
    await put(store, "hand.md", "The office is in Oslo.\n");
    expect((await memory.index()).text).toContain("written by hand");
    const { status } = await memory.remember("We deploy on Tuesdays only.");
    expect(status).toBe("written");
    const { text } = (await store.read("memory.md"))!;
    expect(text).toContain(line);
    expect(text).toContain("(we-deploy-on-tuesdays-only.md)");
    expect(await store.read("MEMORY.md")).toBeUndefined();
    expect((await memory.list()).memories).toHaveLength(2);
  });

  it("is mended by a dream, and reverted", async () => {
    const { memory, store } = aPersistentMemory();
    await put(store, "hand.md", "The office is in Oslo.\n");
    await put(store, "memory.md", `${line}- [Gone](gone.md) — leads nowhere\n`);
    expect((await memory.dream({ force: true })).status).toBe("applied");
    expect((await store.read("memory.md"))?.text).not.toContain("gone.md");
    await memory.revertDream();
    expect((await store.read("memory.md"))?.text).toContain("gone.md");
  });
});

it("a team's index names its files as from the project, however it spells them", async () => {
  const team = inMemoryMemoryStore();
  const { memory } = aPersistentMemory({ team });
  const lines = ["[a](./a.md)", "[b](on%20call.md)", "[c](<on call.md>)", "[[d]]", "[e](e.md) — [x](e.md)"];
  await put(team, "MEMORY.md", lines.map((line) => `- ${line}\n`).join(""));
  expect((await memory.index()).text.split("\n")).toEqual([
    "- [a](team/a.md)",
    "- [b](team/on%20call.md)",
    "- [c](<team/on call.md>)",
    "- [[team/d]]",
    "- [e](team/e.md) — [x](e.md)",
  ]);
});
