/** The files that a call touches, whatever the tool calls its arguments. */
import { expect, it } from "vitest";
import { touchedFiles } from "#compaction/digest/touched-files.ts";

const PATCH = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-one\n+two\n*** End Patch";

it.each([
  { agent: "Codex", input: PATCH },
  { agent: "Codex in a shell", input: { cmd: `apply_patch <<'EOF'\n${PATCH}\nEOF` } },
  { agent: "Copilot CLI", input: { input: PATCH } },
  { agent: "opencode", input: { patchText: PATCH } },
])("finds the files of a patch of $agent", ({ input }) => {
  expect(touchedFiles("edit", input)).toMatchObject([{ path: "src/a.ts", how: "edited" }]);
});

it.each([
  { agent: "Claude Code", input: { file_path: "a.ts", old_string: "one", new_string: "two" } },
  { agent: "opencode", input: { filePath: "a.ts", oldString: "one", newString: "two" } },
  { agent: "Copilot CLI", input: { path: "a.ts", old_str: "one", new_str: "two" } },
  { agent: "pi", input: { path: "a.ts", oldText: "one", newText: "two" } },
])("knows what an edit of $agent inserts", ({ input }) => {
  expect(touchedFiles("edit", input)).toEqual([{ path: "a.ts", how: "edited", snippet: "two" }]);
});

it("does not take a file about patches for a patch", () => {
  expect(touchedFiles("write", { file_path: "a.md", content: PATCH })).toMatchObject([
    { path: "a.md", how: "written" },
  ]);
});
