/** The edits that a request asks Anthropic for, and what an answer says of them. */
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "#ports/model-client.ts";
import { anthropicAnswer } from "#wire/anthropic/answer.ts";
import { contextManagement } from "#wire/anthropic/context-management.ts";
import { anthropicBody } from "#wire/anthropic/request.ts";

const hello: ModelRequest["messages"][number] = { role: "user", content: [{ type: "text", text: "Hello." }] };
const request: ModelRequest = { model: "claude-opus-5-5", messages: [hello] };
const withBlock = (fields: object): ModelRequest["messages"] => [
  { role: "assistant", content: [{ type: "compaction", content: "All of it.", ...fields }] },
  hello,
];

describe("a request", () => {
  it("asks for nothing where nothing is planned", () => {
    expect(contextManagement(request)).toEqual({ fields: {}, betas: [] });
    expect(anthropicBody(request, 10)).not.toHaveProperty("context_management");
  });

  it("names thinking first, and each beta feature once", () => {
    const planned = contextManagement({
      ...request,
      providerEdits: {
        clearResults: { keptCount: 4, clearedCount: 9, keptTools: ["Task"] },
        clearThinking: { keptTurns: 2 },
        compactAtTokens: 144_000,
      },
    });
    expect(planned).toEqual({
      fields: {
        context_management: {
          edits: [
            { type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 2 } },
            {
              type: "clear_tool_uses_20250919",
              trigger: { type: "tool_uses", value: 9 },
              keep: { type: "tool_uses", value: 4 },
              exclude_tools: ["Task"],
            },
            { type: "compact_20260112", trigger: { type: "input_tokens", value: 144_000 } },
          ],
        },
      },
      betas: ["context-management-2025-06-27", "compact-2026-01-12"],
    });
  });

  it("declares the strategy of a block that it carries, and makes no further summary", () => {
    expect(contextManagement({ ...request, messages: withBlock({ encrypted_content: "Eu.x" }) })).toEqual({
      fields: {
        context_management: {
          edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 10_000_000 } }],
        },
      },
      betas: ["compact-2026-01-12"],
    });
    expect(contextManagement({ ...request, messages: withBlock({ signature: "Eu.x" }) })).toEqual({
      fields: {},
      betas: ["compact-2026-09-04"],
    });
  });

  it("leaves the host's own context management as it is", () => {
    const own = { edits: [{ type: "clear_tool_uses_20250919" }] };
    const body = anthropicBody(
      { ...request, parameters: { context_management: own }, providerEdits: { compactAtTokens: 60_000 } },
      10,
    );
    expect(body["context_management"]).toEqual(own);
  });
});

describe("an answer", () => {
  const message = {
    id: "msg_1",
    content: [{ type: "text", text: "Ok." }],
    stop_reason: "end_turn",
    usage: { input_tokens: 30, output_tokens: 2 },
  };

  it("has what was cleared, and the figures of a summary apart from its own", () => {
    const applied = [
      { type: "clear_thinking_20251015", cleared_thinking_turns: 2, cleared_input_tokens: 100 },
      { type: "clear_tool_uses_20250919", cleared_tool_uses: 7, cleared_input_tokens: 4_000 },
    ];
    const iterations = [
      { type: "compaction", input_tokens: 150_000, cache_read_input_tokens: 9, output_tokens: 3_500 },
      { type: "message", input_tokens: 30, output_tokens: 2 },
    ];
    const answer = anthropicAnswer({
      ...message,
      context_management: { applied_edits: applied },
      usage: { ...message.usage, iterations },
    });
    expect(answer.providerEdits).toEqual({
      clearedResults: 7,
      clearedThinkingTurns: 2,
      clearedTokens: 4_100,
      compactionUsage: {
        inputTokens: 150_000,
        cacheReadTokens: 9,
        cacheWriteTokens: 0,
        outputTokens: 3_500,
      },
      reported: applied,
    });
    expect(answer.usage).toMatchObject({ inputTokens: 30, outputTokens: 2 });
  });

  it.each([
    { context_management: null },
    { context_management: { applied_edits: [] } },
    { context_management: { applied_edits: [null, 3] } },
    { context_management: "no" },
  ])("has none where it reports none: %j", (fields) => {
    expect(anthropicAnswer({ ...message, ...fields })).not.toHaveProperty("providerEdits");
  });
});
