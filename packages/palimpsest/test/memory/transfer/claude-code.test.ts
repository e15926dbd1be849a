/** Directories of Claude Code: files with what their index says of them, and indexes that are all there is. */
import { describe, expect, it } from "vitest";
import { importClaudeCodeMemory } from "#memory/transfer/from-claude-code.ts";

const FILE =
  "---\nname: deploy-days\ndescription: when\nmetadata:\n  node_type: memory\n  type: project\n---\n\nTuesdays.\n";

describe("a directory of Claude Code", () => {
  it("comes over file by file, as an import", () => {
    const { memories, notCarried } = importClaudeCodeMemory([
      { path: "MEMORY.md", text: "# Index\n\n- [Deploy days](deploy.md) — Tuesdays\n" },
      { path: "deploy.md", text: FILE, modifiedMs: 5 },
    ]);
    expect(memories).toEqual([
      {
        origin: "deploy.md",
        memory: {
          name: "deploy-days",
          description: "when",
          type: "project",
          body: "Tuesdays.",
          createdAtMs: undefined,
          updatedAtMs: 5,
          relevance: 1,
          decays: true,
          source: "import",
          isConfirmed: false,
          isQuarantined: false,
          sessionId: undefined,
          messageId: undefined,
        },
      },
    ]);
    expect(notCarried).toEqual([]);
  });

  it("takes name, description and kind from the index where a file has none", () => {
    const { memories } = importClaudeCodeMemory([
      { path: "a/MEMORY.md", text: "## Feedback\n- [Use tabs](style.md) — always\n" },
      { path: "a/style.md", text: "Tabs, never blanks.\n" },
      { path: "alone.md", text: "# Heading\n\n- Only the text says what it is.\n" },
    ]);
    expect(memories.map(({ memory: { name, description, type } }) => [name, description, type])).toEqual([
      ["Use tabs", "always", "feedback"],
      ["alone", "Only the text says what it is.", undefined],
    ]);
  });

  it("believes nothing more than an import, and nothing less than the file says", () => {
    const claims = (source: string, isQuarantined: boolean) =>
      `---\nname: x\nsource: ${source}\nconfirmed: true\nquarantined: ${isQuarantined}\n---\nText\n`;
    const { memories, notCarried } = importClaudeCodeMemory([
      { path: "user.md", text: claims("user", false) },
      { path: "agent.md", text: claims("agent", true) },
      { path: "tool.md", text: claims("tool", false) },
      { path: "web.md", text: claims("web", true) },
    ]);
    expect(memories.map(({ memory }) => [memory.source, memory.isConfirmed, memory.isQuarantined])).toEqual([
      ["import", false, false],
      ["import", false, true],
      ["tool", false, true],
      ["web", false, true],
    ]);
    expect(notCarried).toHaveLength(4);
    expect(notCarried[0]).toEqual({ origin: "user.md", what: "that it is confirmed: confirm it here" });
  });

  it("keeps a memory in quarantine that has the name of an index in a folder", () => {
    const { memories } = importClaudeCodeMemory([
      { path: "x/MEMORY.md", text: "---\nname: x\nquarantined: true\n---\nText\n" },
    ]);
    expect(memories.map(({ memory }) => [memory.body, memory.isQuarantined])).toEqual([["Text", true]]);
  });

  it("does not bring back what is history", () => {
    const { memories, notCarried } = importClaudeCodeMemory([
      { path: "old.md", text: "---\nname: Old\nsupersededBy: new.md\n---\nMondays\n" },
      { path: "new.md", text: "---\nname: New\nsupersedes: [old.md]\n---\nTuesdays\n" },
    ]);
    expect(memories.map(({ memory }) => memory.body)).toEqual(["Tuesdays"]);
    expect(notCarried).toEqual([{ origin: "old.md", what: "it is history: new.md took its place" }]);
  });

  it("tells item by item what does not come over", () => {
    const { memories, notCarried, notCarriedCount } = importClaudeCodeMemory([
      {
        path: "MEMORY.md",
        text: "# Index\n\nRead me first.\n\n- [Gone](gone.md) — x\n- [A](a.md) — a\n- a point\n",
      },
      { path: "a.md", text: "---\nname: A\nlicense: MIT\ntags:\n  - x\n  - y\nbroken\n---\nText\n" },
      { path: "empty.md", text: "---\nname: Empty\n---\n" },
      { path: "run.sh", text: "rm -rf" },
    ]);
    expect(memories.map(({ origin }) => origin)).toEqual(["a.md"]);
    expect(notCarried).toEqual([
      { origin: "MEMORY.md", what: "its line for gone.md: there is no such file" },
      { origin: "MEMORY.md", what: 'text of the index below "Index": Read me first. - a point' },
      { origin: "a.md", what: "line 7 is not a key with a value; it is kept as it is" },
      { origin: "a.md", what: "license: MIT" },
      { origin: "a.md", what: "tags: x, y" },
      { origin: "empty.md", what: "it has no text" },
      { origin: "run.sh", what: "it is not a Markdown file" },
    ]);
    expect(notCarriedCount).toBe(7);
  });

  it("makes a memory of each section of an index that is all there is", () => {
    const text =
      "Above.\n\n# Project X\n\nWhat it is.\n\n## User Preferences\n- tabs\n### Why\nhabit\n\n## Empty\n\n## Style\n- short\n";
    const { memories, notCarried } = importClaudeCodeMemory([{ path: "MEMORY.md", text }]);
    expect(
      memories.map(({ origin, memory: { name, description, type, body } }) => [
        origin,
        name,
        description,
        type,
        body,
      ]),
    ).toEqual([
      ["MEMORY.md", "Above.", "Above.", undefined, "Above."],
      ["MEMORY.md (Project X)", "Project X", "What it is.", undefined, "What it is."],
      ["MEMORY.md (User Preferences)", "User Preferences", "tabs", "user", "- tabs\n### Why\nhabit"],
      ["MEMORY.md (Style)", "Style", "short", undefined, "- short"],
    ]);
    expect(notCarried).toEqual([]);
  });

  it("tells of many things the first ones, and their number", () => {
    const text = `---\nname: A\n${Array.from({ length: 500 }, (_, i) => `k${i}: v\n`).join("")}---\nText\n`;
    const files = Array.from({ length: 5 }, (_, i) => ({ path: `${i}.md`, text }));
    const { notCarried, notCarriedCount } = importClaudeCodeMemory(files);
    expect([notCarried.length, notCarriedCount]).toEqual([1_000, 2_500]);
  });
});
