/** Responses and items of Codex: the extent of one answer, its bill, and how each item is read. */
import { describe, expect, it } from "vitest";
import type { ImportedSession } from "#importers/registry.ts";
import {
  CODEX_META,
  CODEX_TURN,
  codexBill,
  codexCall,
  codexEvent,
  codexItem,
  codexLines,
  codexMessage,
  codexOutput,
  jsonl,
} from "../../../../../test/helpers/agent-samples.ts";
import { messagesIn, reported, sessionOf } from "./imported-texts.ts";

type Records = Parameters<typeof codexLines>[0];

/** The session of these records after the header and the settings of a turn. */
const importAll = (records: Records): ImportedSession =>
  sessionOf("codex", jsonl(codexLines([CODEX_META, CODEX_TURN, ...records])));

describe("responses of Codex", () => {
  it("begin with the first item of the model and end with a result, a word to the model or a count", () => {
    const session = importAll([
      codexMessage("user", "go"),
      codexMessage("assistant", "one"),
      codexCall("c1"),
      codexCall("c2"),
      codexOutput("c1"),
      codexOutput("c2"),
      codexMessage("assistant", "two"),
      codexBill(20, 0, 2),
      codexMessage("assistant", "three"),
      codexMessage("user", "and?"),
      codexMessage("assistant", "four"),
    ]);
    expect(reported(session)).toEqual([
      "user: go",
      "assistant: one + tool_use + tool_use",
      "user: tool_result",
      "user: tool_result",
      "assistant: two",
      "assistant: three",
      "user: and?",
      "assistant: four",
    ]);
  });

  it.each([
    { why: "the count comes after the results", order: [codexOutput("c1"), codexBill(10, 0, 1)] },
    { why: "the count comes before the results", order: [codexBill(10, 0, 1), codexOutput("c1")] },
    {
      why: "the same count is written again because limits changed",
      order: [codexBill(10, 0, 1), codexBill(10, 0, 1), codexOutput("c1"), codexBill(10, 0, 1)],
    },
    {
      why: "newer versions write it twice",
      order: [
        ["token_usage_record", { thread_id: "s1", usage: { input_tokens: 10, output_tokens: 1 } }] as const,
        codexOutput("c1"),
        codexBill(10, 0, 1),
      ],
    },
    {
      why: "another thread was billed in between",
      order: [
        [
          "token_usage_record",
          { thread_id: "other", usage: { input_tokens: 99, output_tokens: 9 } },
        ] as const,
        codexBill(10, 0, 1),
        codexOutput("c1"),
      ],
    },
  ])("are billed once: $why", ({ order }) => {
    const session = importAll([
      codexMessage("user", "go"),
      codexCall("c1"),
      ...order,
      codexMessage("assistant", "so"),
      codexBill(30, 10, 3, 40),
    ]);
    expect(messagesIn(session).map(({ usage }) => usage)).toEqual([
      undefined,
      { inputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 },
      undefined,
      { inputTokens: 20, cacheReadTokens: 10, cacheWriteTokens: 0, outputTokens: 3 },
    ]);
  });

  it("know the id of the response where it is recorded", () => {
    const usage = {
      input_tokens: 10,
      cached_input_tokens: 3,
      cache_write_input_tokens: 4,
      output_tokens: 1,
    };
    const session = importAll([
      codexMessage("assistant", "so"),
      ["token_usage_record", { response_id: "resp_1", usage }],
    ]);
    expect(messagesIn(session)).toMatchObject([
      {
        message: { responseId: "resp_1" },
        usage: { inputTokens: 3, cacheReadTokens: 3, cacheWriteTokens: 4, outputTokens: 1 },
      },
    ]);
  });

  it("that the user stopped are marked, and keep what was finished", () => {
    const session = importAll([
      codexMessage("user", "go"),
      codexItem({ type: "reasoning", summary: [], encrypted_content: "sealed" }),
      codexMessage("assistant", "I beg"),
      codexMessage("user", "<turn_aborted>\nstopped\n</turn_aborted>"),
      codexEvent("turn_aborted", { reason: "interrupted" }),
      codexMessage("user", "go on"),
      codexMessage("assistant", "I be"),
      codexEvent("turn_aborted", { reason: "interrupted" }),
      codexMessage("assistant", "anew"),
    ]);
    expect(messagesIn(session).map(({ message }) => [message.origin, message.interrupted])).toEqual([
      ["user", undefined],
      ["assistant", undefined],
      ["host", undefined],
      ["user", undefined],
      ["assistant", true],
      ["assistant", undefined],
    ]);
  });
});

describe("items of Codex", () => {
  const one = (item: Readonly<Record<string, unknown>>): unknown => {
    const [message] = messagesIn(importAll([codexItem(item), codexMessage("user", "x")]));
    return message?.message.content;
  };

  it.each([
    {
      why: "a shell call of an older model",
      item: {
        type: "local_shell_call",
        call_id: "c1",
        status: "completed",
        action: { type: "exec", command: ["ls"] },
      },
      content: [
        { type: "tool_use", id: "c1", name: "local_shell", input: { type: "exec", command: ["ls"] } },
      ],
    },
    {
      why: "a search for tools that the client answers",
      item: { type: "tool_search_call", call_id: "c1", execution: "client", arguments: { query: "x" } },
      content: [{ type: "tool_use", id: "c1", name: "tool_search", input: { query: "x" } }],
    },
    {
      why: "a search for tools that OpenAI answers",
      item: { type: "tool_search_call", id: "ts_1", execution: "server", arguments: {} },
      content: [
        {
          type: "opaque",
          provider: "openai-responses",
          value: { type: "tool_search_call", execution: "server", arguments: {} },
        },
      ],
    },
    {
      why: "what a search for tools found",
      item: { type: "tool_search_output", call_id: "c1", execution: "client", tools: [{ name: "f" }] },
      content: [{ type: "tool_result", tool_use_id: "c1", content: '[{"name":"f"}]' }],
    },
    {
      why: "a result with a picture",
      item: {
        type: "function_call_output",
        call_id: "c1",
        output: [
          { type: "input_text", text: "seen" },
          { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "high" },
        ],
      },
      content: [
        {
          type: "tool_result",
          tool_use_id: "c1",
          content: [
            { type: "text", text: "seen" },
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "AAAA" },
              openai: { extra: { detail: "high" } },
            },
          ],
        },
      ],
    },
    {
      why: "a failure as older versions wrote it",
      item: { type: "function_call_output", call_id: "c1", output: { content: "no", success: false } },
      content: [{ type: "tool_result", tool_use_id: "c1", content: "no", is_error: true }],
    },
    {
      why: "a call of a tool in a namespace",
      item: { type: "function_call", call_id: "c1", namespace: "mcp__x", name: "f", arguments: "{}" },
      content: [
        { type: "tool_use", id: "c1", name: "f", input: {}, openai: { extra: { namespace: "mcp__x" } } },
      ],
    },
    {
      why: "reasoning that may be read",
      item: {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "a" }],
        content: [{ type: "reasoning_text", text: "b" }],
      },
      content: [{ type: "thinking", thinking: "a\n\nb" }],
    },
    {
      why: "a picture that the model made",
      item: { type: "image_generation_call", id: "ig_1", revised_prompt: "a cat", result: "/9j/AAAA" },
      content: [
        {
          type: "image",
          source: { type: "base64", media_type: "image/jpeg", data: "/9j/AAAA" },
          openai: { extra: { revised_prompt: "a cat" } },
        },
      ],
    },
    {
      why: "a picture of the user",
      item: {
        type: "message",
        role: "user",
        content: [{ type: "input_image", image_url: "https://example.com/a.png" }],
      },
      content: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }],
    },
    {
      why: "a word from another agent",
      item: {
        type: "agent_message",
        author: "a",
        recipient: "b",
        content: [{ type: "input_text", text: "done" }],
      },
      content: [{ type: "text", text: "done", agents: { author: "a", recipient: "b" } }],
    },
  ])("are read: $why", ({ item, content }) => {
    expect(one(item)).toEqual(content);
  });

  it.each([
    { why: "reasoning that nobody can read", item: { type: "reasoning", id: "rs_1", summary: [] } },
    { why: "a mark in the working copy", item: { type: "ghost_snapshot", ghost_commit: { id: "x" } } },
  ])("without anything to show are counted: $why", ({ item }) => {
    const session = importAll([codexItem(item), codexMessage("user", "x")]);
    expect([reported(session), session.repairs]).toEqual([["user: x"], []]);
    expect(session.skipped).toEqual([{ recordType: `response_item/${item.type}`, count: 1 }]);
  });

  it("of an unknown type are kept, told, and sent to nobody", () => {
    const item = { type: "text", text: "not a block of ours" };
    const session = importAll([codexItem(item), codexMessage("user", "x")]);
    expect(session.leftOut).toMatchObject([
      {
        reason: "empty",
        item: { message: { content: [{ type: "opaque", provider: "unknown", value: item }] } },
      },
    ]);
    expect(session.repairs.map(({ kind }) => kind)).toEqual(["bad-record", "empty-message"]);
  });

  it.each([
    { text: "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>", origin: "host" },
    { text: "<user_instructions>\nx\n</user_instructions>", origin: "host" },
    { text: "<ENVIRONMENT_CONTEXT>x</ENVIRONMENT_CONTEXT>", origin: "host" },
    { text: "<skill>\n<name>x</name>\n</skill>", origin: "host" },
    { text: '<hook_prompt hook_run_id="1">x</hook_prompt>', origin: "host" },
    { text: "<external_ide>x</external_ide>", origin: "host" },
    { text: "<environment_context> is a tag", origin: "user" },
    { text: "<skills>x</skills>", origin: "user" },
    { text: "What does # AGENTS.md instructions mean?", origin: "user" },
  ])("in the user's role are the $origin's: $text", ({ text, origin }) => {
    const [item] = messagesIn(importAll([codexMessage("user", text)]));
    expect([item?.message.origin, item?.isAttachment]).toEqual([
      origin,
      origin === "host" ? true : undefined,
    ]);
  });
});
