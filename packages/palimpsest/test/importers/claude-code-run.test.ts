/** The output of a Claude Code run: records in order, without links. */
import { describe, expect, it } from "vitest";
import { type ImportedSession, importSessions } from "#importers/registry.ts";

type Record_ = Readonly<Record<string, unknown>>;

const text = (value: string): Record_ => ({ type: "text", text: value });
const call = (id: string): Record_ => ({ type: "tool_use", id, name: "Read", input: { path: id } });
const result = (id: string): Record_ => ({
  type: "tool_result",
  tool_use_id: id,
  content: `content of ${id}`,
});

function importAll(records: readonly unknown[]): ImportedSession {
  const { format, sessions } = importSessions({
    name: "run.jsonl",
    text: records.map((record) => JSON.stringify(record)).join("\n"),
  });
  expect(format).toBe("claude-code");
  return sessions[0]!;
}

/** Author and text, in one line per message. */
function messageOf(session: ImportedSession): readonly string[] {
  return session.items.flatMap((item) => {
    if (item.type === "boundary") return [`== ${item.trigger} ${item.preTokens ?? ""} ${item.summary ?? ""}`];
    if (item.type !== "message") return [];
    const blocks = item.message.content.map((block) => {
      if (block.type === "text") return block.text;
      if (block.type === "tool_use") return `call ${block.id}`;
      return block.type === "tool_result" ? `result ${block.tool_use_id}` : block.type;
    });
    return [`${item.message.role}: ${blocks.join(" | ")}`];
  });
}

describe("the output of a run (stream-json)", () => {
  const RUN = { session_id: "run-1" };
  const streamed = (type: "user" | "assistant", message: Record_, more: Record_ = {}): Record_ => ({
    type,
    message: { role: type, ...message },
    parent_tool_use_id: null,
    ...RUN,
    ...more,
  });
  const answered = (id: string, block: Record_, more: Record_ = {}): Record_ =>
    streamed("assistant", { id, model: "claude-opus-4-6", content: [block] }, more);
  const init = { type: "system", subtype: "init", cwd: "/w", tools: ["Read"], ...RUN };
  const end = { type: "result", subtype: "success", is_error: false, result: "done", ...RUN };
  const withIds = (records: readonly Record_[]): readonly Record_[] =>
    records.map((record, index) => ({ ...record, uuid: `id-${index}` }));

  it.each([
    { why: "with ids", form: withIds },
    { why: "of earlier versions, without ids", form: (records: readonly Record_[]) => records },
  ])("is imported whole, in order: $why", ({ form }) => {
    const session = importAll(
      form([
        init,
        answered("m1", call("t1")),
        streamed("user", { content: [result("t1")] }),
        answered("m2", text("half way")),
        answered("m2", call("t2")),
        streamed("user", { content: [result("t2")] }),
        answered("m3", text("done")),
        end,
      ]),
    );
    expect(messageOf(session)).toEqual([
      "assistant: call t1",
      "user: result t1",
      "assistant: half way | call t2",
      "user: result t2",
      "assistant: done",
    ]);
    expect(session).toMatchObject({ sessionId: "run-1", workingCopy: "/w", leftOut: [] });
    expect(session.repairs).toEqual([]);
  });

  it("leaves out what a sub-agent said", () => {
    const session = importAll(
      withIds([
        init,
        answered("m1", call("t1")),
        answered("s1", text("inner"), { parent_tool_use_id: "t1" }),
        streamed("user", { content: [result("t1")] }),
        answered("m2", text("done")),
      ]),
    );
    expect(messageOf(session)).toEqual(["assistant: call t1", "user: result t1", "assistant: done"]);
    expect(session.leftOut.map(({ reason }) => reason)).toEqual(["side-chain"]);
  });

  it("has the boundary of a compaction with its summary", () => {
    const session = importAll(
      withIds([
        init,
        answered("m1", text("long")),
        {
          type: "system",
          subtype: "compact_boundary",
          compact_metadata: { trigger: "auto", pre_tokens: 9 },
          ...RUN,
        },
        streamed("user", { content: "It said much." }, { isSynthetic: true }),
        answered("m2", text("on")),
      ]),
    );
    expect(messageOf(session)).toEqual(["assistant: long", "== auto 9 It said much.", "assistant: on"]);
  });
});
