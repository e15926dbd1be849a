/** Recorded items of the Responses API go back in whole pairs only: half of one has the whole request refused. */
import { judgeOpenAIResponsesRequest } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { fromOpenAIResponses } from "#wire/openai-responses/from-openai-responses.ts";
import { toOpenAIResponses } from "#wire/openai-responses/to-openai-responses.ts";

type Item = Readonly<Record<string, unknown>>;

const ask: Item = { type: "message", role: "user", content: [{ type: "input_text", text: "Mail?" }] };
const reasoning: Item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" };
const search: Item = {
  type: "tool_search_call",
  id: "tsc_1",
  call_id: "call_s",
  execution: "client",
  status: "completed",
  arguments: { goal: "mail" },
};
const found: Item = {
  type: "tool_search_output",
  id: "tso_1",
  call_id: "call_s",
  execution: "client",
  status: "completed",
  tools: [],
};
const byServer = (item: Item): Item => ({ ...item, call_id: null, execution: "server" });
const approval: Item = {
  type: "mcp_approval_request",
  id: "mcpr_1",
  server_label: "mail",
  name: "send",
  arguments: "{}",
};
const approved: Item = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true };
const program: Item = { type: "program", id: "prog_1", call_id: "call_p", code: "1", fingerprint: "f" };
const ran: Item = {
  type: "program_output",
  id: "po_1",
  call_id: "call_p",
  result: "1",
  status: "completed",
};
const inside: Item = { caller: { type: "program", caller_id: "call_p" } };
const call: Item = { type: "function_call", call_id: "call_f", name: "read", arguments: "{}", ...inside };
const output: Item = { type: "function_call_output", call_id: "call_f", output: "ok", ...inside };

function sentBack(items: readonly Item[]): readonly Item[] {
  const { messages, unreadable } = fromOpenAIResponses(items.map((item) => structuredClone(item)));
  expect(unreadable).toEqual([]);
  const input = toOpenAIResponses(messages);
  expect(judgeOpenAIResponsesRequest({ input })).toEqual([]);
  return input;
}

describe("items that go back to the Responses API", () => {
  it.each([
    { why: "a search of the client's, answered", items: [ask, search, found, ask] },
    { why: "a search of the server's", items: [ask, byServer(search), byServer(found), ask] },
    { why: "a search of the server's that found nothing", items: [ask, byServer(search), ask] },
    { why: "an approval, answered", items: [ask, approval, approved] },
    {
      why: "an approval of what the server has",
      items: [ask, { type: "item_reference", id: "mcpr_1" }, approved],
    },
    { why: "a program that waits for its calls", items: [ask, program, call, output] },
    { why: "a program that ran", items: [ask, program, call, output, ran] },
  ])("are all there: $why", ({ items }) => {
    expect(sentBack(items)).toEqual(items);
  });

  it.each([
    { why: "an open search, with its reasoning", items: [ask, reasoning, search, ask], kept: [ask, ask] },
    { why: "what a hidden search found", items: [ask, found, ask], kept: [ask, ask] },
    {
      why: "a second search of one id",
      items: [ask, search, found, search, found],
      kept: [ask, search, found],
    },
    {
      why: "a search whose arguments are text, with what it found",
      items: [ask, { ...search, arguments: "{}" }, found, ask],
      kept: [ask, ask],
    },
    {
      why: "an open approval, with its reasoning",
      items: [ask, reasoning, approval, ask],
      kept: [ask, ask],
    },
    { why: "an answer to a hidden approval", items: [ask, approved, ask], kept: [ask, ask] },
    { why: "an answer to an approval that comes later", items: [ask, approved, approval], kept: [ask] },
    {
      why: "a second answer to an approval",
      items: [ask, approval, approved, approved],
      kept: [ask, approval, approved],
    },
    { why: "the output of a hidden program", items: [ask, ran, ask], kept: [ask, ask] },
    { why: "a program that was cut short", items: [ask, program, ask], kept: [ask, ask] },
  ])("leave out $why", ({ items, kept }) => {
    expect(sentBack(items)).toEqual(kept);
  });
});
