/** The output of a Claude Code run: records in order, without links. */
import { describe, expect, it } from "vitest";
import {
  call,
  importRecords,
  messagesOf,
  result,
  type SomeRecord,
  text,
} from "#test/helpers/claude-records.ts";

describe("the output of a run (stream-json)", () => {
  const RUN = { session_id: "run-1" };
  const streamed = (type: "user" | "assistant", message: SomeRecord, more: SomeRecord = {}): SomeRecord => ({
    type,
    message: { role: type, ...message },
    parent_tool_use_id: null,
    ...RUN,
    ...more,
  });
  const answered = (id: string, block: SomeRecord, more: SomeRecord = {}): SomeRecord =>
    streamed("assistant", { id, model: "claude-opus-4-6", content: [block] }, more);
  const init = { type: "system", subtype: "init", cwd: "/w", tools: ["Read"], ...RUN };
  const end = { type: "result", subtype: "success", is_error: false, result: "done", ...RUN };
  const withIds = (records: readonly SomeRecord[]): readonly SomeRecord[] =>
    records.map((record, index) => ({ ...record, uuid: `id-${index}` }));

  it.each([
    { why: "with ids", form: withIds },
    { why: "of earlier versions, without ids", form: (records: readonly SomeRecord[]) => records },
  ])("is imported whole, in order: $why", ({ form }) => {
    const session = importRecords(
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
    expect(messagesOf(session)).toEqual([
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
    const session = importRecords(
      withIds([
        init,
        answered("m1", call("t1")),
        answered("s1", text("inner"), { parent_tool_use_id: "t1" }),
        streamed("user", { content: [result("t1")] }),
        answered("m2", text("done")),
      ]),
    );
    expect(messagesOf(session)).toEqual(["assistant: call t1", "user: result t1", "assistant: done"]);
    expect(session.leftOut.map(({ reason }) => reason)).toEqual(["side-chain"]);
  });

  it("has the boundary of a compaction with its summary", () => {
    const session = importRecords(
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
    expect(messagesOf(session)).toEqual(["assistant: long", "== auto 9 It said much.", "assistant: on"]);
  });
});
