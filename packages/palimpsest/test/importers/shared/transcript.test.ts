/** Transcripts without links between their records, of three programs. */
import { describe, expect, it } from "vitest";
import { importOneAs, reported } from "./imported.ts";
import { ENTIRE_RECORDS, PLAIN_RECORDS } from "./transcript-samples.ts";

describe("a transcript", () => {
  it("of Entire has calls with their results, without what it counts in tokens", () => {
    const session = importOneAs("transcript", ...ENTIRE_RECORDS);
    expect(reported(session.items)).toEqual([
      "user: Read a.ts",
      "assistant: I read it. | Read#c1",
      "tool: #c1=one",
      "assistant: Bash#c2 | Bash#c3",
      "tool: #c2!=no rule",
      "assistant: It failed.",
    ]);
    expect(session.items.every((item) => item.type === "message" && item.usage === undefined)).toBe(true);
    expect(session.items[0]).toMatchObject({ message: { at: Date.parse("2026-08-14T18:17:58.904Z") } });
    expect(session.repairs).toEqual([]);
  });

  it("of Claude Code pairs results with calls of the same tool", () => {
    const session = importOneAs("transcript", ...PLAIN_RECORDS);
    expect(reported(session.items)).toEqual([
      "user: Look",
      "assistant: bash#call_1 | read#call_2",
      "tool: #call_2=one",
      "tool: #call_1=a.ts",
      "assistant: Done",
    ]);
  });

  it("is recognised without a call", () => {
    const [question, , , , , answer] = PLAIN_RECORDS;
    expect(reported(importOneAs("transcript", question, answer).items)).toEqual([
      "user: Look",
      "assistant: Done",
    ]);
  });

  it("of a run of Gemini CLI is recognised without a call", () => {
    const session = importOneAs(
      "transcript",
      { type: "init", session_id: "s1", model: "gemini-3" },
      { type: "message", role: "user", content: "Hello" },
      { type: "message", role: "assistant", content: "Good ", delta: true },
      { type: "message", role: "assistant", content: "day.", delta: true },
      { type: "result", status: "success" },
    );
    expect(reported(session.items).slice(0, 2)).toEqual(["user: Hello", "assistant: Good day."]);
  });

  it("of a run of Gemini CLI joins the pieces of its words", () => {
    const at = { timestamp: "2026-02-13T19:00:10.729Z" };
    const session = importOneAs(
      "transcript",
      { type: "init", ...at, session_id: "s1", model: "gemini-3" },
      { type: "message", ...at, role: "user", content: "Read it" },
      { type: "message", ...at, role: "assistant", content: "I will ", delta: true },
      { type: "message", ...at, role: "assistant", content: "read.", delta: true },
      { type: "tool_use", ...at, tool_name: "read_file", tool_id: "t1", parameters: { file_path: "a" } },
      { type: "tool_result", ...at, tool_id: "t1", status: "error", error: { message: "no such file" } },
      { type: "message", ...at, role: "assistant", content: "It is gone.", delta: true },
      { type: "result", ...at, status: "success", stats: { total_tokens: 900 } },
      { type: "novelty", ...at },
    );
    expect(reported(session.items)).toEqual([
      "user: Read it",
      "assistant: I will read. | read_file#t1",
      "tool: #t1!=no such file",
      "assistant: It is gone.",
      "model",
    ]);
    expect([session.sessionId, session.skipped]).toEqual(["s1", [{ recordType: "result", count: 1 }]]);
    expect(session.repairs.map(({ kind }) => kind)).toEqual(["unknown-record"]);
  });

  it("keeps a result whose call is not there", () => {
    const result = {
      type: "tool_result",
      timestamp: "2026-01-22T15:06:54.805Z",
      tool_name: "bash",
      tool_output: "late",
    };
    const session = importOneAs("transcript", PLAIN_RECORDS[0], result);
    expect(JSON.stringify(session)).toContain("late");
  });
});
