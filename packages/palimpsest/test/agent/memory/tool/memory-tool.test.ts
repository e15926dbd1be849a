import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { describe, expect, it } from "vitest";
import type { MemoryStore } from "#ports/memory-store.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { aPersistentMemory, put } from "#test/agent/memory/a-persistent-memory.ts";

async function aTool(files: Readonly<Record<string, string>> = {}) {
  const { memory, store } = aPersistentMemory();
  for (const [path, text] of Object.entries(files)) await put(store, path, text);
  // What a model sends goes through the vendor's own runner.
  const tool = betaMemoryTool(memory.tool());
  return { run: async (command: object) => tool.run(tool.parse(command)), store, memory };
}

const textOf = async (store: MemoryStore, path: string) => (await store.read(path))?.text;

describe("the memory tool", () => {
  it("shows what there is, two levels deep, with sizes", async () => {
    const { run } = await aTool({ "a.md": "1234567890", "b/c.md": "x".repeat(2_048), "b/d/e.md": "123" });
    expect(await run({ command: "view", path: "/memories" })).toBe(
      [
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:",
        "2.0K\t/memories",
        "10B\t/memories/a.md",
        "2.0K\t/memories/b/",
        "2K\t/memories/b/c.md",
        "3B\t/memories/b/d/",
      ].join("\n"),
    );
    expect(await run({ command: "view", path: "/memories/b/" })).toContain("3B\t/memories/b/d/e.md");
  });

  it("shows an empty directory", async () => {
    const { run } = await aTool();
    expect(await run({ command: "view", path: "/memories" })).toMatch(/\n0B\t\/memories$/);
  });

  it("shows a file with its line numbers, or a part of it", async () => {
    const { run } = await aTool({ "a.md": "one\ntwo\nthree" });
    const head = "Here's the content of /memories/a.md with line numbers:\n";
    expect(await run({ command: "view", path: "/memories/a.md" })).toBe(
      `${head}     1\tone\n     2\ttwo\n     3\tthree`,
    );
    expect(await run({ command: "view", path: "/memories/a.md", view_range: [2, -1] })).toBe(
      `${head}     2\ttwo\n     3\tthree`,
    );
    expect(await run({ command: "view", path: "/memories/a.md", view_range: [1, 1] })).toBe(
      `${head}     1\tone`,
    );
  });

  it("creates a file once, which is recalled at once", async () => {
    const { run, store, memory } = await aTool();
    const command = { command: "create", path: "/memories/deploys.md", file_text: "Deploys are on Tuesday." };
    expect(await run(command)).toBe("File created successfully at: /memories/deploys.md");
    expect(await textOf(store, "deploys.md")).toBe(
      "---\ncreatedAt: 2026-03-02T00:00:00.000Z\nsource: agent\n---\n\nDeploys are on Tuesday.",
    );
    expect((await memory.recall("when are deploys?")).memories.map(({ path }) => path)).toEqual([
      "deploys.md",
    ]);
    await expect(run(command)).rejects.toThrow("File /memories/deploys.md already exists");
  });

  it("shows and edits a file that it made by the lines that the model wrote, and keeps it signed", async () => {
    const { run, store, memory } = await aTool();
    const path = "/memories/steps.md";
    await run({ command: "create", path, file_text: "one\nthree" });
    await run({ command: "insert", path, insert_line: 1, insert_text: "two\n" });
    await run({ command: "str_replace", path, old_str: "three", new_str: "four" });
    expect(await run({ command: "view", path })).toBe(
      "Here's the content of /memories/steps.md with line numbers:\n     1\tone\n     2\ttwo\n     3\tfour",
    );
    expect(await textOf(store, "steps.md")).toBe(
      "---\ncreatedAt: 2026-03-02T00:00:00.000Z\nupdatedAt: 2026-03-02T00:00:00.000Z\nsource: agent\n---\n\none\ntwo\nfour",
    );
    const [kept] = (await memory.list()).memories;
    expect(kept).toMatchObject({ body: "one\ntwo\nfour", source: "agent", decays: true });
  });

  it("replaces a text that stands there once, over several lines, to the letter", async () => {
    const { run, store } = await aTool({ "a.md": "one\ntwo\nthree\nfour" });
    const answer = await run({
      command: "str_replace",
      path: "/memories/a.md",
      old_str: "two\nthree",
      new_str: "$& $1",
    });
    expect(await textOf(store, "a.md")).toBe("one\n$& $1\nfour");
    expect(answer).toBe(
      "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\t$& $1\n     3\tfour",
    );
  });

  it.each([
    {
      old: "five",
      says: "No replacement was performed, old_str `five` did not appear verbatim in /memories/a.md.",
    },
    { old: "", says: "No replacement was performed, old_str `` did not appear verbatim in /memories/a.md." },
    {
      old: "o",
      says: "No replacement was performed. Multiple occurrences of old_str `o` in lines: 1, 2. Please ensure it is unique",
    },
  ])("replaces nothing otherwise: $says", async ({ old, says }) => {
    const { run, store } = await aTool({ "a.md": "one\ntwo\n" });
    await expect(
      run({ command: "str_replace", path: "/memories/a.md", old_str: old, new_str: "x" }),
    ).rejects.toThrow(says);
    expect(await textOf(store, "a.md")).toBe("one\ntwo\n");
  });

  it.each([
    { line: 0, text: "first\none\ntwo" },
    { line: 1, text: "one\nfirst\ntwo" },
    { line: 2, text: "one\ntwo\nfirst" },
  ])("inserts behind line $line", async ({ line, text }) => {
    const { run, store } = await aTool({ "a.md": "one\ntwo" });
    const command = { command: "insert", path: "/memories/a.md", insert_line: line, insert_text: "first\n" };
    expect(await run(command)).toBe("The file /memories/a.md has been edited.");
    expect(await textOf(store, "a.md")).toBe(text);
  });

  it.each([-1, 3, 1.5, Number.NaN])("inserts nowhere else: %s", async (line) => {
    const { run } = await aTool({ "a.md": "one\ntwo" });
    await expect(
      run({ command: "insert", path: "/memories/a.md", insert_line: line, insert_text: "x" }),
    ).rejects.toThrow("It should be within the range of lines of the file: [0, 2]");
  });

  it("deletes a file or a folder, and the directory itself never", async () => {
    const { run, store } = await aTool({ "a.md": "1", "b/c.md": "2", "b/d.md": "3" });
    expect(await run({ command: "delete", path: "/memories/b" })).toBe("Successfully deleted /memories/b");
    expect((await store.list()).files.map(({ path }) => path)).toEqual(["a.md"]);
    await expect(run({ command: "delete", path: "/memories/b" })).rejects.toThrow(
      "The path /memories/b does not exist",
    );
    await expect(run({ command: "delete", path: "/memories" })).rejects.toThrow(
      "Cannot delete the /memories directory itself",
    );
  });

  it("renames a file or a folder, and never over something", async () => {
    const { run, store } = await aTool({ "a.md": "1", "b/c.md": "2" });
    expect(await run({ command: "rename", old_path: "/memories/b", new_path: "/memories/e/f" })).toBe(
      "Successfully renamed /memories/b to /memories/e/f",
    );
    expect(await textOf(store, "e/f/c.md")).toBe("2");
    expect(await textOf(store, "b/c.md")).toBeUndefined();
    await expect(
      run({ command: "rename", old_path: "/memories/a.md", new_path: "/memories/e/f" }),
    ).rejects.toThrow("The destination /memories/e/f already exists");
    await expect(
      run({ command: "rename", old_path: "/memories/e", new_path: "/memories/e/g" }),
    ).rejects.toThrow("Cannot rename /memories/e into itself");
  });

  it("writes no keys and no hidden characters", async () => {
    const { run, store } = await aTool();
    const key = ["AK", "IA", "ABCDEFGHIJKLMNOP"].join("");
    await run({ command: "create", path: "/memories/a.md", file_text: `key ${key}\u202e` });
    const text = await textOf(store, "a.md");
    expect(text).not.toContain(key);
    expect(text).not.toContain("\u202e");
  });

  it.each([
    "/etc/passwd",
    "notes.md",
    "/memories/../x.md",
    "/memories/.git/x.md",
    "/memories-evil/a.md",
    "",
  ])("goes nowhere else: %s", async (path) => {
    const { run, store } = await aTool();
    await expect(run({ command: "create", path, file_text: "x" })).rejects.toThrow();
    await expect(run({ command: "view", path })).rejects.toThrow();
    await expect(run({ command: "delete", path })).rejects.toThrow();
    expect((await store.list()).files).toEqual([]);
  });

  it("makes its change on what somebody else has just left", async () => {
    const store = inMemoryMemoryStore();
    await put(store, "a.md", "one\n");
    const { memory } = aPersistentMemory({ store });
    const tools = Array.from({ length: 4 }, () => memory.tool());
    await Promise.all(
      tools.map((tool, index) =>
        tool.insert({ path: "/memories/a.md", insert_line: 0, insert_text: `line ${index}` }),
      ),
    );
    expect((await store.read("a.md"))!.text.trim().split("\n").toSorted()).toEqual([
      ...["line 0", "line 1", "line 2", "line 3"],
      "one",
    ]);
  });
});
