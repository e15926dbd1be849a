/** Items of the OpenAI Agents SDK, there and back. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "#transcript/blocks.ts";
import { fromOpenAIAgents } from "#wire/openai-agents/from-openai-agents.ts";
import { fittingAgentsItems, toOpenAIAgents } from "#wire/openai-agents/to-openai-agents.ts";

const PNG = "iVBORw0KGgo=";
const user = { role: "user", content: "Hello" };
const greeting = {
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Hi" }],
};
const call = {
  type: "function_call",
  callId: "c1",
  name: "read",
  arguments: '{"path":"a"}',
  status: "completed",
};
const result = {
  type: "function_call_result",
  callId: "c1",
  name: "read",
  status: "completed",
  output: "text",
};
const computer = { type: "computer_call", callId: "k1", status: "completed", action: { type: "screenshot" } };
const reasoning = { type: "reasoning", id: "rs_1", content: [], providerData: { encrypted_content: "x" } };

const ITEMS: readonly { readonly why: string; readonly item: object }[] = [
  { why: "a text", item: user },
  { why: "an empty text", item: { role: "user", content: "" } },
  {
    why: "a text in parts",
    item: { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }], id: "m" },
  },
  {
    why: "media",
    item: {
      role: "user",
      content: [
        { type: "input_image", image: `data:image/png;base64,${PNG}`, detail: "low" },
        { type: "input_image", image: { id: "file-1" } },
        { type: "input_image", image: "https://a.example/b.png" },
        { type: "input_file", file: `data:application/pdf;base64,${PNG}`, filename: "a.pdf" },
        { type: "input_file", file: { url: "https://a.example/b.pdf" } },
        { type: "audio", audio: PNG, format: "wav" },
        { type: "input_text", text: "See", promptCacheBreakpoint: { mode: "explicit" } },
      ],
    },
  },
  { why: "a system message", item: { role: "system", content: "Be brief." } },
  { why: "an answer", item: greeting },
  {
    why: "an answer with fields of its provider",
    item: {
      ...greeting,
      id: "msg_1",
      phase: "final_answer",
      content: [
        { type: "output_text", text: "Hi", providerData: { annotations: [] } },
        { type: "refusal", refusal: "No." },
      ],
    },
  },
  { why: "a refusal alone", item: { ...greeting, content: [{ type: "refusal", refusal: "No." }] } },
  { why: "a call", item: call },
  {
    why: "a call whose arguments are spaced",
    item: { ...call, arguments: '{ "path": "a" }', id: "fc_1", namespace: "n" },
  },
  { why: "a call whose arguments are no JSON", item: { ...call, arguments: "{path" } },
  {
    why: "a call without a status",
    item: { type: "function_call", callId: "c9", name: "read", arguments: "{}" },
  },
  { why: "a result", item: result },
  { why: "a result of one text", item: { ...result, output: { type: "text", text: "ran" } } },
  {
    why: "a result of one picture",
    item: { ...result, output: { type: "image", image: { data: PNG, mediaType: "image/png" } } },
  },
  {
    why: "a result of parts",
    item: {
      ...result,
      output: [
        { type: "input_text", text: "ran" },
        { type: "input_image", image: `data:image/png;base64,${PNG}` },
        { type: "input_file", file: { id: "file-1" } },
      ],
    },
  },
  { why: "reasoning", item: reasoning },
  {
    why: "what only OpenAI runs",
    item: { type: "hosted_tool_call", name: "web_search", id: "ws_1", status: "completed" },
  },
  { why: "a computer's call", item: computer },
  {
    why: "a computer's result",
    item: { type: "computer_call_result", callId: "k1", output: { type: "computer_screenshot", data: PNG } },
  },
  { why: "a compaction", item: { type: "compaction", encrypted_content: "x" } },
];

interface Joined {
  readonly role: Message["role"];
  readonly content: Message["content"][number][];
}

describe("items of the OpenAI Agents SDK", () => {
  it.each(ITEMS)("come back as they were: $why", ({ item }) => {
    const own = fromOpenAIAgents([item]);
    expect(JSON.parse(JSON.stringify(own))).toEqual(own);
    expect(toOpenAIAgents(own)).toEqual([item]);
  });

  it("come back as they were in any order, also from the messages of a request", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ITEMS.map(({ item }) => item)), { maxLength: 8 }), (items) => {
        const own = fromOpenAIAgents(items);
        expect(toOpenAIAgents(own)).toEqual(items);
        // A request joins neighbours of one role.
        const joined: Joined[] = [];
        for (const { role, content } of own) {
          const last = joined.at(-1);
          if (last?.role === role) last.content.push(...content);
          else joined.push({ role, content: [...content] });
        }
        expect(toOpenAIAgents(joined)).toEqual(items);
      }),
      { numRuns: 40 },
    );
  });

  it("are one answer of the model where they are neighbours, with its calls as blocks that providers know", () => {
    expect(
      fromOpenAIAgents([user, reasoning, greeting, call, result]).map(({ role, content }) => [
        role,
        content.map(({ type }) => type),
      ]),
    ).toEqual([
      ["user", ["text"]],
      ["assistant", ["opaque", "text", "tool_use"]],
      ["user", ["tool_result"]],
    ]);
  });

  it("are made of messages that came from elsewhere", () => {
    const items = toOpenAIAgents([
      {
        role: "user",
        content: [
          { type: "text", text: "Hello" },
          { type: "image", source: { type: "file", file_id: "f" } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm." },
          { type: "text", text: "Hi" },
          { type: "tool_use", id: "c1", name: "read", input: { path: "a" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "c1",
            content: [
              { type: "text", text: "ran" },
              { type: "tool_reference", tool_name: "x" },
            ],
          },
        ],
      },
      {
        role: "system",
        content: [
          { type: "text", text: "One." },
          { type: "text", text: "Two." },
        ],
      },
    ]);
    expect(items).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "Hello" },
          { type: "input_text", text: "[image]" },
        ],
      },
      { role: "assistant", status: "completed", content: [{ type: "output_text", text: "Hi" }] },
      call,
      {
        ...result,
        output: [
          { type: "input_text", text: "ran" },
          { type: "input_text", text: '{"type":"tool_reference","tool_name":"x"}' },
        ],
      },
      { role: "system", content: "One.\n\nTwo." },
    ]);
  });

  it.each([
    {
      items: [user, reasoning, call, result],
      left: [user, reasoning, call, result],
      why: "everything is whole",
    },
    { items: [user, reasoning, user], left: [user, user], why: "reasoning led to nothing" },
    { items: [reasoning, result, greeting], left: [result, greeting], why: "what it led to is hidden" },
    { items: [computer, greeting], left: [greeting], why: "a result is hidden" },
    { items: [ITEMS.at(-2)!.item, greeting], left: [greeting], why: "a call is hidden" },
    { items: [computer, ITEMS.at(-2)!.item], left: [computer, ITEMS.at(-2)!.item], why: "both are there" },
  ])("are sent without what is refused: $why", ({ items, left }) => {
    expect(fittingAgentsItems(items)).toEqual(left);
  });
});

describe("items whose other half is hidden", () => {
  const search = {
    type: "tool_search_call",
    arguments: {},
    providerData: { call_id: "s1", execution: "client" },
  };
  const found = {
    type: "tool_search_output",
    tools: [],
    providerData: { call_id: "s1", execution: "client" },
  };
  const approval = {
    type: "hosted_tool_call",
    id: "item_1",
    name: "mcp_approval_request",
    providerData: { type: "mcp_approval_request", id: "mcpr_1" },
  };
  const approved = {
    type: "hosted_tool_call",
    name: "mcp_approval_response",
    providerData: { approval_request_id: "mcpr_1", approve: true },
  };
  const program = { type: "program", callId: "p1", code: "1", fingerprint: "f" };
  const inside = { ...call, caller: { type: "program", callerId: "p1" } };
  const byServer = { ...search, providerData: { call_id: "s1", execution: "server" } };

  it.each([
    { why: "an open search", items: [user, search, user], kept: [user, user] },
    { why: "what was found", items: [user, found], kept: [user] },
    { why: "a search of the server's", items: [user, byServer], kept: [user, byServer] },
    { why: "both of a search", items: [search, found], kept: [search, found] },
    { why: "an open approval", items: [user, approval, user], kept: [user, user] },
    { why: "an answer to no approval", items: [user, approved], kept: [user] },
    { why: "both of an approval", items: [approval, approved], kept: [approval, approved] },
    {
      why: "an approval by the id of its item",
      items: [approval, { ...approved, providerData: { approval_request_id: "item_1", approve: true } }],
      kept: [approval, { ...approved, providerData: { approval_request_id: "item_1", approve: true } }],
    },
    { why: "a program that waits for its call", items: [program, inside], kept: [program, inside] },
    { why: "a program that was cut short", items: [user, program], kept: [user] },
  ])("are left out, and whole pairs kept: $why", ({ items, kept }) => {
    expect(fittingAgentsItems<object>(items)).toEqual(kept);
  });
});
