/**
 * Damaged recordings of Codex and Copilot: messages fit their types and make requests that no provider
 * refuses, OpenAI's Responses among them.
 */
import fc from "fast-check";
import type { ImportedSession } from "palimpsest/formats";
import { importSessions, toOpenAIResponses } from "palimpsest/formats";
import { judgeOpenAIResponsesRequest } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { WireJudge } from "#replay/measure/wire-judge.ts";
import { CODEX_META, codexLines, copilotLines, jsonl } from "../../../../test/helpers/agent-samples.ts";
import { prepareImported } from "../../../../test/helpers/sendable.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

type Fields = Readonly<Record<string, unknown>>;

const value = fc.jsonValue({ maxDepth: 1 });
const id = fc.oneof(fc.constantFrom("c1", "c2", "", "a b", "x".repeat(70)), fc.jsonValue({ maxDepth: 0 }));
const words = fc.oneof(
  fc.constantFrom(
    "go on",
    "",
    " ",
    "half \ud83d",
    "<skill>x</skill>",
    "Another language model started to solve this problem",
  ),
  value,
);
const odd = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Fields> =>
  fc.record(fields, { requiredKeys: ["type"] });

const part = fc.oneof(
  odd({
    type: fc.constantFrom("input_text", "output_text", "input_image", "input_file", "refusal", "novel", 7),
    text: words,
    image_url: fc.oneof(fc.constantFrom("data:image/png;base64,AAAA", "data:,", "", "/x"), value),
    detail: value,
    refusal: words,
  }),
  value,
);
const item = odd({
  type: fc.constantFrom(
    ...["message", "reasoning", "function_call", "function_call_output", "custom_tool_call"],
    ...["custom_tool_call_output", "local_shell_call", "tool_search_call", "tool_search_output"],
    ...["web_search_call", "image_generation_call", "compaction", "agent_message", "ghost_snapshot"],
    ...["additional_tools", "context_compaction", "text", "tool_use", "novel", 7],
  ),
  role: fc.constantFrom("user", "assistant", "developer", "system", "novel", 7),
  content: fc.oneof(fc.array(part, { maxLength: 3 }), words),
  phase: value,
  id,
  call_id: id,
  name: fc.oneof(fc.constantFrom("f", "mcp.f", "x".repeat(90)), value),
  arguments: fc.oneof(fc.constantFrom("{}", "{", '{"a":1}'), value),
  input: words,
  output: fc.oneof(fc.array(part, { maxLength: 3 }), fc.record({ content: words, success: value }), words),
  tools: value,
  execution: fc.constantFrom("client", "server", 7),
  action: value,
  result: fc.constantFrom("AAAA", "!", "", 7),
  summary: fc.oneof(fc.array(part, { maxLength: 2 }), value),
  encrypted_content: fc.oneof(fc.constantFrom("sealed", ""), value),
  namespace: value,
});
const count = fc.oneof(fc.nat(300), value);
const usage = fc.oneof(
  fc.record({ input_tokens: count, cached_input_tokens: count, output_tokens: count, total_tokens: count }),
  value,
);
const codexRecord: fc.Arbitrary<Fields> = fc.oneof(
  { weight: 6, arbitrary: item.map((payload) => ({ type: "response_item", payload })) },
  odd({
    type: fc.constantFrom(
      ...[
        "token_count",
        "turn_aborted",
        "task_started",
        "thread_rolled_back",
        "thread_name_updated",
        "novel",
        7,
      ],
    ),
    info: fc.oneof(fc.record({ last_token_usage: usage, total_token_usage: usage }), value),
    num_turns: count,
    thread_name: value,
  }).map((payload) => ({ type: "event_msg", payload })),
  fc
    .record({
      message: words,
      replacement_history: fc.oneof(fc.array(fc.oneof(item, value), { maxLength: 4 }), value),
    })
    .map((payload) => ({ type: "compacted", payload })),
  fc.record({
    type: fc.constantFrom(
      "session_meta",
      "turn_context",
      "token_usage_record",
      "inter_agent_communication",
      "novel",
    ),
    payload: fc.oneof(
      odd({
        type: value,
        id,
        cwd: value,
        model: value,
        source: value,
        usage,
        response_id: id,
        content: words,
      }),
      value,
    ),
  }),
);

const request = fc.oneof(
  odd({ type: fc.constantFrom("function", "custom", 7), toolCallId: id, name: words, arguments: words }),
  value,
);
const binary = fc.oneof(
  odd({
    type: fc.constantFrom("image", "blob", "file", 7),
    mimeType: fc.constantFrom("image/png", "application/pdf", "text/plain", "", 7),
    data: fc.constantFrom("AAAA", "!", "", 7),
    assetId: fc.constantFrom("sha256:1", "gone", 7),
  }),
  value,
);
const copilotRecord: fc.Arbitrary<Fields> = fc.record(
  {
    type: fc.constantFrom(
      ...[
        "user.message",
        "assistant.message",
        "tool.execution_complete",
        "tool.user_requested",
        "system.message",
      ],
      ...[
        "system.notification",
        "session.compaction_complete",
        "session.truncation",
        "session.context_cleared",
      ],
      ...["session.start", "session.binary_asset", "abort", "assistant.turn_end", "novel.event"],
    ),
    data: fc.oneof(
      fc.record(
        {
          content: words,
          transformedContent: words,
          role: fc.constantFrom("system", "developer", "novel", 7),
          source: value,
          attachments: fc.oneof(fc.array(binary, { maxLength: 2 }), value),
          apiCallId: id,
          model: value,
          toolRequests: fc.oneof(fc.array(request, { maxLength: 3 }), value),
          reasoningText: words,
          encryptedContent: value,
          outputTokens: count,
          toolCallId: id,
          success: value,
          result: fc.oneof(
            fc.record({
              content: words,
              binaryResultsForLlm: fc.oneof(fc.array(binary, { maxLength: 2 }), value),
            }),
            value,
          ),
          error: fc.oneof(fc.record({ message: words }), value),
          assetId: fc.constantFrom("sha256:1", 7),
          data: fc.constantFrom("AAAA", "!", 7),
          summaryContent: words,
          trigger: value,
          preCompactionTokens: count,
          sessionId: value,
          context: value,
        },
        { requiredKeys: [] },
      ),
      value,
    ),
    id: fc.oneof(fc.constantFrom("e1", "e2", "e3", "e4"), value),
    parentId: fc.oneof(fc.constantFrom("e1", "e2", "e3", "gone", null), value),
    agentId: fc.constantFrom("sub", 7),
  },
  { requiredKeys: ["type", "data"] },
);

async function expectSendable({ items }: ImportedSession): Promise<void> {
  const prepared = await prepareImported(items, "gpt-5.5");
  if (prepared === undefined) return;
  const input = toOpenAIResponses(prepared.messages);
  const emptyWords = /^(messages: at least one|Invalid '(messages|input)': empty array)/;
  // What only one provider reads leaves nothing to send to another.
  const broken = [
    ...new WireJudge({ hasAnthropicTools: false }).judge(prepared),
    ...judgeOpenAIResponsesRequest({ model: "gpt-5.5", input }),
  ].filter(({ message }) => !emptyWords.test(message));
  expect(broken).toEqual([]);
}

it("keeps a call and its output where a recorded item of another kind has the same id", async () => {
  for (const type of ["web_search_call", "computer_call", "local_shell_call_output"]) {
    const lines = [
      CODEX_META,
      {
        type: "compacted",
        payload: { message: "go on", replacement_history: [{ type, call_id: "a b", output: {} }] },
      },
      {
        type: "response_item",
        payload: { type: "custom_tool_call", id: "a b", call_id: "a b", name: "f", input: "" },
      },
      { type: "response_item", payload: { type: "custom_tool_call_output", call_id: "a b", output: "done" } },
    ];
    for (const session of importSessions({ name: "x", text: jsonl(lines) }).sessions)
      await expectSendable(session);
  }
});

describe.each([
  {
    format: "codex",
    records: fc
      .array(codexRecord, { minLength: 1, maxLength: 12 })
      .map((list): readonly unknown[] => [...codexLines([CODEX_META]), ...list]),
  },
  {
    format: "copilot",
    records: fc
      .array(copilotRecord, { minLength: 1, maxLength: 12 })
      .map((list): readonly unknown[] => [...copilotLines([["session.start", { sessionId: "s" }]]), ...list]),
  },
])("whatever a $format recording holds", ({ format, records }) => {
  it("becomes blocks that fit their types and requests that no provider refuses", async () => {
    await fc.assert(
      fc.asyncProperty(records, async (list) => {
        let imported: ReturnType<typeof importSessions>;
        try {
          imported = importSessions({ name: "any.jsonl", text: jsonl(list) });
        } catch (error) {
          expect(error).toMatchObject({ code: "NO_MESSAGES" });
          return;
        }
        expect(imported.format).toBe(format);
        for (const session of imported.sessions) {
          await expectSendable(session);
          const ids = session.items.flatMap((entry) =>
            entry.type === "message" ? [entry.message.hostId] : [],
          );
          const named = ids.filter((hostId) => hostId !== undefined);
          expect(new Set(named).size).toBe(named.length);
        }
      }),
      { numRuns: bySize({ usual: 30, long: 150, soak: 500 }) },
    );
  });
});
