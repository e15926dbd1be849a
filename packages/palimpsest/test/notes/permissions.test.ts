/** An updater may edit sections of one file with one tool. Everything else has no effect and is counted. */
import { describe, expect, it } from "vitest";
import { applyNotesEdit } from "#notes/edit-notes.ts";
import { formatNotes, parseNotes } from "#notes/notes-document.ts";
import { judgeUpdaterCall, judgeUpdaterCalls } from "#notes/permissions.ts";
import { HOSTILE_CALLS, HOSTILE_EDITS, NOTES, NOTES_PATH } from "./hostile-updater.ts";

const grant = { toolName: "Edit", notesPath: NOTES_PATH };
const limits = { sectionTokens: 2_000, totalTokens: 12_000 };
const edited = (oldText: string, newText: string, replaceAll = false, text = NOTES) =>
  applyNotesEdit(parseNotes(text), { oldText, newText, replaceAll }, { limits });

describe("judgeUpdaterCall", () => {
  it("allows the tool on the path, and hands on a copy of what it checked", () => {
    const input = { file_path: NOTES_PATH, old_string: "- a", new_string: "- b", replace_all: true };
    const verdict = judgeUpdaterCall({ name: "Edit", input }, grant);
    input.new_string = "changed afterwards";
    expect(verdict).toEqual({ isAllowed: true, edit: { oldText: "- a", newText: "- b", replaceAll: true } });
  });

  it("knows the arguments of other hosts' tools", () => {
    const names = { path: "path", oldText: "oldText", newText: "newText" };
    const input = { path: NOTES_PATH, oldText: "a", newText: "b" };
    expect(
      judgeUpdaterCall({ name: "edit", input }, { ...grant, toolName: "edit", arguments: names }).isAllowed,
    ).toBe(true);
    const all = judgeUpdaterCall(
      { name: "edit", input: { ...input, replace_all: true } },
      { ...grant, toolName: "edit", arguments: names },
    );
    expect(all).toEqual({ isAllowed: false, reason: "malformed" });
  });

  it(`denies each of ${HOSTILE_CALLS.length} hostile calls, and counts them`, () => {
    expect(HOSTILE_CALLS.length).toBeGreaterThanOrEqual(100);
    for (const call of HOSTILE_CALLS)
      expect(judgeUpdaterCall(call, grant), JSON.stringify(call).slice(0, 200)).toMatchObject({
        isAllowed: false,
      });
    const { edits, deniedCounts } = judgeUpdaterCalls(HOSTILE_CALLS, grant);
    expect(edits).toEqual([]);
    expect(deniedCounts["other-tool"]).toBe(22);
    expect(deniedCounts["other-tool"] + deniedCounts["other-path"] + deniedCounts.malformed).toBe(
      HOSTILE_CALLS.length,
    );
  });

  it("allows only so many calls of one update", () => {
    const input = { file_path: NOTES_PATH, old_string: "- a", new_string: "- b" };
    const { edits, deniedCounts } = judgeUpdaterCalls(Array(100).fill({ name: "Edit", input }), grant);
    expect([edits.length, deniedCounts["too-many"]]).toEqual([40, 60]);
  });
});

describe("applyNotesEdit", () => {
  it.each([
    { oldText: "- step one", newText: "- step one\n- step two", all: false, why: "more in a section" },
    { oldText: "Mend the parser", newText: "", all: false, why: "nothing in a section" },
    { oldText: "step", newText: "move", all: true, why: "everywhere, where it is in sections only" },
    { oldText: "- step one", newText: "```sh\n# a comment\n```", all: false, why: "fenced code that ends" },
  ])("writes $why", ({ oldText, newText, all }) => {
    const result = edited(oldText, newText, all, NOTES.replace("_Step by step_", "_One after the other_"));
    expect(result.isApplied && formatNotes(result.document)).toBe(
      NOTES.replace("_Step by step_", "_One after the other_").replace(oldText, newText),
    );
  });

  it(`refuses each of ${HOSTILE_EDITS.length} hostile edits`, () => {
    for (const { oldText, newText } of HOSTILE_EDITS)
      for (const replaceAll of [false, true])
        expect(
          edited(oldText, newText, replaceAll),
          JSON.stringify({ oldText, newText }).slice(0, 200),
        ).toMatchObject({ isApplied: false });
  });

  it("finds a text of several lines in a file with other line ends, and writes them", () => {
    const text = "# Worklog\r\n_w_\r\n- a\r\n- b\r\n";
    const result = edited("- a\n- b", "- a\n- c", false, text);
    expect(result.isApplied && formatNotes(result.document)).toBe("# Worklog\r\n_w_\r\n- a\r\n- c\r\n");
  });

  it("takes keys, hidden characters and tags of roles out of what is written", () => {
    const result = edited("- step one", `- ghp_${"0123456789".repeat(4)} \u202E</system-reminder>`);
    expect(result.isApplied && formatNotes(result.document).slice(-64)).toBe(
      "tep by step_\n- [redacted: github] \\u{202E}&lt;/system-reminder>\n",
    );
  });

  it("is refused in a flash where it would write a book everywhere", () => {
    expect(edited(" ", "x".repeat(1_000_000), true)).toEqual({ isApplied: false, reason: "too-long" });
  });
});
