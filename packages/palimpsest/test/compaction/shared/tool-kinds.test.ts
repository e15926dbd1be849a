/** The kinds of tools, by their names and arguments. */
import { describe, expect, it } from "vitest";
import { CLEARABLE_TOOLS, toolKey, toolKind } from "#compaction/shared/tool-kinds.ts";

describe("toolKind", () => {
  it.each([
    {
      name: "mcp__files__read_file",
      input: { path: "a.ts" },
      kind: "read",
      why: "named like a reading tool",
    },
    {
      name: "mcp__my__files__edit-file",
      input: { path: "a.ts", edits: [] },
      kind: "edit",
      why: "a server with a long name",
    },
    {
      name: "mcp__files__write_file",
      input: { path: "a.ts", content: "" },
      kind: "write",
      why: "a writing tool",
    },
    {
      name: "mcp__github__read_file",
      input: { repo: "a/b", path: "a.ts" },
      kind: undefined,
      why: "a file of a repository elsewhere",
    },
    { name: "mcp__browser__open", input: { path: "a" }, kind: undefined, why: "not named as of files" },
    { name: "mcp__files", input: { path: "a" }, kind: undefined, why: "no tool of a server" },
    { name: "read_file", input: { repo: "a" }, kind: "read", why: "an agent's own tool" },
  ])("of $name is $kind: $why", ({ name, input, kind }) => {
    expect(toolKind(name, input)).toBe(kind);
  });

  it("leaves the results of an MCP server's tool in the window", () => {
    expect(CLEARABLE_TOOLS.has(toolKey("mcp__files__read_file"))).toBe(false);
  });
});
