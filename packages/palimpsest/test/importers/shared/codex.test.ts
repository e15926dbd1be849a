/** Rollouts of Codex as a whole: every record has its place, and withdrawn ones are beside it. */
import { describe, expect, it } from "vitest";
import type { ImportedSession } from "#importers/registry.ts";
import {
  CODEX_ENVIRONMENT,
  CODEX_META,
  CODEX_SESSION,
  CODEX_TURN,
  codexEvent,
  codexItem,
  codexLines,
  codexMessage,
  codexText,
  jsonl,
} from "../../../../../test/helpers/agent-samples.ts";
import { reported, sessionOf } from "./imported-texts.ts";

type Records = Parameters<typeof codexLines>[0];

/** The session of these records after the header and the settings of a turn. */
const importAll = (records: Records): ImportedSession =>
  sessionOf("codex", jsonl(codexLines([CODEX_META, CODEX_TURN, ...records])));

describe("a Codex rollout", () => {
  it("is read with everything it holds", () => {
    const session = sessionOf("codex", CODEX_SESSION);
    expect(session).toMatchObject({
      format: "codex",
      sessionId: "s1",
      workingCopy: "/home/dev/project",
      system: "You are an agent.",
      leftOut: [],
      repairs: [],
      recordCount: 24,
    });
    expect(session.items).toEqual([
      {
        type: "message",
        message: {
          role: "system",
          origin: "host",
          hostId: "line-3",
          at: Date.parse("2026-01-01T00:00:02.000Z"),
          content: [
            {
              type: "text",
              text: "<permissions instructions>all</permissions instructions>",
              openai: { extra: { role: "developer" } },
            },
          ],
        },
        isAttachment: true,
        line: 3,
      },
      {
        type: "message",
        message: {
          role: "user",
          origin: "host",
          hostId: "line-4",
          at: Date.parse("2026-01-01T00:00:03.000Z"),
          content: [{ type: "text", text: CODEX_ENVIRONMENT }],
        },
        isAttachment: true,
        line: 4,
      },
      {
        type: "message",
        message: {
          role: "user",
          origin: "user",
          hostId: "line-6",
          at: Date.parse("2026-01-01T00:00:05.000Z"),
          content: [{ type: "text", text: "hé😀" }],
        },
        line: 6,
      },
      {
        type: "message",
        message: {
          role: "assistant",
          origin: "assistant",
          hostId: "line-8",
          model: "gpt-5.5",
          at: Date.parse("2026-01-01T00:00:07.000Z"),
          content: [
            {
              type: "opaque",
              provider: "openai-responses",
              value: { type: "reasoning", summary: [], encrypted_content: "sealed" },
            },
            { type: "text", text: "I look.", openai: { extra: { phase: "commentary" } } },
            {
              type: "tool_use",
              id: "c1",
              name: "exec_command",
              input: { cmd: "ls" },
              openai: { arguments: '{ "cmd": "ls" }' },
            },
            {
              type: "tool_use",
              id: "c2",
              name: "apply_patch",
              input: "*** Begin Patch",
              openai: { extra: { type: "custom_tool_call" } },
            },
          ],
        },
        usage: { inputTokens: 600, cacheReadTokens: 400, cacheWriteTokens: 0, outputTokens: 20 },
        line: 8,
      },
      {
        type: "message",
        message: {
          role: "user",
          origin: "tool",
          hostId: "line-12",
          at: Date.parse("2026-01-01T00:00:11.000Z"),
          content: [{ type: "tool_result", tool_use_id: "c1", content: "a.txt" }],
        },
        line: 12,
      },
      {
        type: "message",
        message: {
          role: "user",
          origin: "tool",
          hostId: "line-13",
          at: Date.parse("2026-01-01T00:00:12.000Z"),
          content: [
            {
              type: "tool_result",
              tool_use_id: "c2",
              content: "done",
              openai: { extra: { type: "custom_tool_call_output" } },
            },
          ],
        },
        line: 13,
      },
      {
        type: "message",
        message: {
          role: "assistant",
          origin: "assistant",
          hostId: "line-15",
          model: "gpt-5.5",
          at: Date.parse("2026-01-01T00:00:14.000Z"),
          content: [
            {
              type: "opaque",
              provider: "openai-responses",
              value: {
                type: "web_search_call",
                status: "completed",
                action: { type: "search", query: "x" },
              },
            },
            { type: "text", text: "Found." },
          ],
        },
        usage: { inputTokens: 200, cacheReadTokens: 900, cacheWriteTokens: 0, outputTokens: 10 },
        line: 15,
      },
      {
        type: "boundary",
        trigger: "auto",
        preTokens: 1_110,
        postTokens: 300,
        preserved: ["line-6", "line-4"],
        opaqueSummary: {
          type: "opaque",
          provider: "openai-responses",
          value: { type: "compaction", encrypted_content: "sealed" },
        },
        hostId: "line-18",
        at: Date.parse("2026-01-01T00:00:17.000Z"),
        line: 18,
      },
      {
        type: "message",
        message: {
          role: "user",
          origin: "user",
          hostId: "line-21",
          at: Date.parse("2026-01-01T00:00:20.000Z"),
          content: [{ type: "text", text: "and now?" }],
        },
        line: 21,
      },
      {
        type: "message",
        message: {
          role: "assistant",
          origin: "assistant",
          hostId: "line-22",
          model: "gpt-5.5",
          at: Date.parse("2026-01-01T00:00:21.000Z"),
          content: [{ type: "text", text: "Done." }],
        },
        usage: { inputTokens: 320, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 5 },
        line: 22,
      },
      { type: "metadata", key: "git-branch", value: "main", line: 1 },
      { type: "metadata", key: "model", value: "gpt-5.5", line: 5 },
      { type: "metadata", key: "reasoning-effort", value: "high", line: 5 },
      { type: "metadata", key: "approval-policy", value: "never", line: 5 },
    ]);
    expect(session.skipped).toEqual([
      { recordType: "event_msg/task_started", count: 1 },
      { recordType: "event_msg/user_message", count: 1 },
      { recordType: "event_msg/context_compacted", count: 1 },
      { recordType: "event_msg/task_complete", count: 1 },
    ]);
  });
});

describe("a session of Codex", () => {
  it("that was rolled back goes on without the turns that were taken back", () => {
    const session = importAll([
      codexMessage("user", "one"),
      codexMessage("assistant", "1"),
      codexMessage("user", "two"),
      codexMessage("assistant", "2"),
      ["compacted", { message: "so far" }],
      codexMessage("user", CODEX_ENVIRONMENT),
      codexMessage("user", "three"),
      codexEvent("thread_rolled_back", { num_turns: 2 }),
      codexMessage("user", "other"),
      codexEvent("thread_rolled_back", { num_turns: 0 }),
      codexMessage("assistant", "well"),
    ]);
    expect(reported(session)).toEqual(["user: one", "assistant: 1", "user: other", "assistant: well"]);
    expect(session.leftOut.map(({ reason, item }) => [reason, item.line])).toEqual([
      ["abandoned-branch", 5],
      ["abandoned-branch", 6],
      ["abandoned-branch", 8],
      ["abandoned-branch", 9],
    ]);
    expect(session.skipped).toContainEqual({ recordType: "compacted (taken back)", count: 1 });
  });

  it("that is a fork has its own id, one of a sub-agent is a side chain", () => {
    const meta = (id: string, more: object = {}): readonly [string, object] => [
      "session_meta",
      { id, ...more },
    ];
    const records = [
      meta("own", { source: { subagent: { thread_spawn: {} } }, dynamic_tools: [{ name: "f" }] }),
      meta("parent"),
      codexItem({ type: "additional_tools", tools: [{ name: "g" }] }),
      codexMessage("user", "a"),
      codexEvent("thread_name_updated", { thread_name: "A name" }),
    ] as Records;
    expect(sessionOf("codex", jsonl(codexLines(records)))).toMatchObject({
      sessionId: "own",
      isSidechain: true,
      title: "A name",
      tools: [{ name: "f" }, { name: "g" }],
      items: [
        { isSidechain: true, message: { role: "user" } },
        { key: "title", value: "A name" },
      ],
    });
  });

  it("of the first versions has its items bare in the file", () => {
    const at = "2025-06-01T00:00:00.000Z";
    const session = sessionOf(
      "codex",
      jsonl([
        { id: "old", timestamp: at, instructions: "Be brief.", git: { branch: "main" } },
        { record_type: "state" },
        codexText("user", "go"),
        { type: "function_call", id: "fc_1", name: "shell", arguments: "{}", call_id: "c1" },
        { type: "function_call_output", call_id: "c1", output: { content: "no", success: false } },
        codexText("assistant", "well"),
      ]),
    );
    expect(session).toMatchObject({
      sessionId: "old",
      repairs: [],
      skipped: [{ recordType: "state", count: 1 }],
    });
    expect(reported(session)).toEqual([
      "user: go",
      "assistant: tool_use",
      "user: tool_result",
      "assistant: well",
    ]);
    // Instructions of the user are in the conversation; these are not a system prompt.
    expect(session.system).toBeUndefined();
  });

  it("that begins in another file says so", () => {
    const meta = ["session_meta", { id: "s", history_base: { thread_id: "t0" } }] as const;
    const session = sessionOf("codex", jsonl(codexLines([meta, codexMessage("user", "a")])));
    expect(session.repairs).toEqual([
      { kind: "missing-parent", line: 1, detail: "the conversation goes on from one in another file (t0)" },
    ]);
  });

  it.each([
    { why: "a type of the future", record: ["brand_new", {}] as const, kind: "unknown-record" },
    { why: "an item without a type", record: codexItem({}), kind: "bad-record" },
    { why: "an event without a type", record: ["event_msg", {}] as const, kind: "bad-record" },
    { why: "a message by nobody", record: codexItem({ type: "message", content: "x" }), kind: "bad-record" },
    { why: "a message that says nothing", record: codexItem(codexText("user", "")), kind: "empty-message" },
  ])("reports $why", ({ record, kind }) => {
    const session = importAll([record, codexMessage("user", "x")]);
    expect(session.repairs.map((repair) => [repair.kind, repair.line])).toEqual([[kind, 3]]);
    expect(reported(session)).toEqual(["user: x"]);
  });
});
