/** The output of `codex exec --json`: events of a run. */
import { describe, expect, it } from "vitest";
import { importSessions } from "#importers/registry.ts";
import { importAs, importOneAs, reported } from "./imported.ts";

const thread = (id: string) => ({ type: "thread.started", thread_id: id });
const started = { type: "turn.started" };
const ended = {
  type: "turn.completed",
  usage: { input_tokens: 900, cached_input_tokens: 800, output_tokens: 10 },
};
const item = (event: string, id: number, fields: object) => ({
  type: `item.${event}`,
  item: { id: `item_${id}`, ...fields },
});
const spoken = (id: number, text: string) => item("completed", id, { type: "agent_message", text });
const command = (id: number, fields: object) =>
  item("completed", id, { type: "command_execution", status: "completed", exit_code: 0, ...fields });

describe("the output of a run", () => {
  it("is imported in order, a call and its result apart, without what it bills for a whole turn", () => {
    const session = importOneAs(
      "codex",
      thread("t-1"),
      started,
      item("completed", 0, { type: "reasoning", text: "I look first." }),
      spoken(1, "Looking."),
      item("started", 2, {
        type: "command_execution",
        command: "bash -lc 'cat a.ts'",
        status: "in_progress",
      }),
      command(2, { command: "bash -lc 'cat a.ts'", aggregated_output: "one\n" }),
      item("completed", 3, {
        ...{ type: "mcp_tool_call", server: "github", tool: "fetch_file", arguments: { path: "b.ts" } },
        ...{ result: { content: [{ type: "text", text: "two" }] }, error: null, status: "completed" },
      }),
      item("completed", 4, {
        ...{ type: "file_change", changes: [{ path: "/p/a.ts", kind: "update" }], status: "completed" },
      }),
      spoken(5, "Done."),
      ended,
    );
    expect(session.sessionId).toBe("t-1");
    expect(reported(session.items)).toEqual([
      "assistant: (I look first.) | Looking. | shell#item_2",
      "tool: #item_2=one\n",
      "assistant: mcp__github__fetch_file#item_3",
      "tool: #item_3=two",
      "assistant: file_change#item_4",
      "tool: #item_4=completed",
      "assistant: Done.",
    ]);
    expect(session.items[0]).toMatchObject({
      message: { content: [{}, {}, { input: { command: ["bash", "-lc", "cat a.ts"] } }] },
    });
    expect(session.skipped).toEqual([
      { recordType: "item.started/command_execution", count: 1 },
      { recordType: "turn.completed", count: 1 },
    ]);
    expect(session.repairs).toEqual([]);
  });

  it("has failures as such, and the error of a call without an answer", () => {
    const session = importOneAs(
      "codex",
      thread("t-1"),
      started,
      command(0, { command: "make", aggregated_output: "no rule", exit_code: 2, status: "failed" }),
      item("completed", 1, {
        ...{ type: "mcp_tool_call", server: "s", tool: "t", arguments: null },
        ...{ result: null, error: { message: "no such server" }, status: "failed" },
      }),
    );
    expect(session.items.flatMap((one) => (one.type === "message" ? one.message.content : []))).toMatchObject(
      [
        { type: "tool_use", name: "shell", input: { command: "make" } },
        { type: "tool_result", content: "Exit code: 2\nno rule", is_error: true },
        { type: "tool_use", name: "mcp__s__t", input: {} },
        { type: "tool_result", content: "no such server", is_error: true },
      ],
    );
  });

  it("keeps a call that was cut off, ids of later turns apart, and each state of a plan", () => {
    const plan = (isDone: boolean) => ({ type: "todo_list", items: [{ text: "look", completed: isDone }] });
    const session = importOneAs(
      "codex",
      thread("t-1"),
      started,
      item("started", 0, plan(false)),
      item("updated", 0, plan(true)),
      item("completed", 0, plan(true)),
      ended,
      thread("t-1"),
      started,
      item("started", 0, { type: "command_execution", command: "sleep 9", status: "in_progress" }),
    );
    const content = session.items.flatMap((one) => (one.type === "message" ? one.message.content : []));
    expect(content).toMatchObject([
      {
        type: "tool_use",
        id: "plan_1",
        name: "update_plan",
        input: { plan: [{ step: "look", status: "pending" }] },
      },
      { type: "tool_result", tool_use_id: "plan_1" },
      { type: "tool_use", id: "plan_2", input: { plan: [{ step: "look", status: "completed" }] } },
      { type: "tool_result", tool_use_id: "plan_2" },
      { type: "tool_use", id: "turn_2_item_0", name: "shell", input: { command: "sleep 9" } },
    ]);
  });

  it("is a session for each thread, and reports items of an unknown kind", () => {
    const odd = item("completed", 1, { type: "hologram" });
    const [first, second, ...others] = importAs(
      "codex",
      thread("a"),
      spoken(0, "one"),
      thread("b"),
      spoken(0, "two"),
      odd,
    );
    expect([first?.sessionId, second?.sessionId, others.length]).toEqual(["a", "b", 0]);
    expect(second?.repairs.map(({ kind }) => kind)).toEqual(["unknown-record"]);
  });

  it("is found below the lines of a program that ran it, which are reported", () => {
    const lines = [
      "[health-check] codex: ok",
      "Reading additional input from stdin...",
      thread("a"),
      spoken(0, "one"),
    ];
    const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
    const { format, sessions, repairs, notRead } = importSessions({ name: "run.log", text });
    expect(format).toBe("codex");
    expect(reported(sessions[0]!.items)).toEqual(["assistant: one"]);
    expect(repairs.map(({ kind, line }) => [kind, line])).toEqual([
      ["bad-json", 1],
      ["bad-json", 2],
    ]);
    expect(notRead.records).toBe(2);
  });
});
