/** Requests and their fate at the OpenAI Responses API. */
import { describe, expect, it } from "vitest";
import { judgeOpenAIResponsesRequest } from "#wire-oracle/wire-oracle.ts";
import { ask, rulesOf } from "./bodies.ts";

const fn = (call_id: string) => ({ type: "function_call", call_id, name: "read", arguments: "{}" });
const out = (call_id: string, output: unknown = "ok") => ({ type: "function_call_output", call_id, output });
const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
const search = (call_id: string | null, execution = "client") => ({
  type: "tool_search_call",
  call_id,
  execution,
  arguments: { goal: "mail" },
});
const found = (call_id: string | null, execution = "client") => ({
  type: "tool_search_output",
  call_id,
  execution,
  tools: [],
});
const approval = {
  type: "mcp_approval_request",
  id: "mcpr_1",
  server_label: "s",
  name: "n",
  arguments: "{}",
};
const approved = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true };
const program = { type: "program", id: "prog_1", call_id: "p", code: "1", fingerprint: "f" };
const ran = { type: "program_output", id: "po_1", call_id: "p", result: "1", status: "completed" };
const messageOf = (words: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: words }],
});

describe("judgeOpenAIResponsesRequest", () => {
  it.each([
    { why: "a string", body: { input: "hi" } },
    { why: "messages with and without a type", body: { input: [ask, messageOf("ok")] } },
    { why: "calls and outputs", body: { input: [ask, fn("a"), fn("b"), out("b"), out("a")] } },
    { why: "reasoning before its call", body: { input: [ask, reasoning, fn("a"), out("a")] } },
    { why: "an output whose call is stored", body: { previous_response_id: "resp_1", input: [out("a")] } },
    {
      why: "an output in parts",
      body: { input: [ask, fn("a"), out("a", [{ type: "input_text", text: "x" }])] },
    },
    { why: "a search of the client's, answered", body: { input: [ask, search("s"), found("s")] } },
    {
      why: "a search of the server's",
      body: { input: [ask, search(null, "server"), found(null, "server")] },
    },
    { why: "a search of the server's alone", body: { input: [ask, search("s", "server")] } },
    { why: "an approval, answered", body: { input: [ask, approval, approved] } },
    {
      why: "an approval of what the server has",
      body: { input: [ask, { type: "item_reference", id: "mcpr_1" }, approved] },
    },
    { why: "a program that waits for its calls", body: { input: [ask, program, fn("a"), out("a")] } },
    { why: "a program that ran", body: { input: [ask, program, ran] } },
  ])("accepts $why", ({ body }) => {
    expect(judgeOpenAIResponsesRequest(body)).toEqual([]);
  });

  it.each([
    { rules: ["field-missing"], why: "no input", body: {} },
    { rules: ["empty-list"], why: "an empty input", body: { input: [] } },
    { rules: ["field-type"], why: "an item that is no object", body: { input: [5] } },
    { rules: ["item-type"], why: "an item of another vendor", body: { input: [{ type: "tool_use" }] } },
    { rules: ["role"], why: "a message of a tool", body: { input: [{ role: "tool", content: "x" }] } },
    {
      rules: ["part-type"],
      why: "an assistant with input text",
      body: { input: [ask, { role: "assistant", content: [{ type: "input_text", text: "x" }] }] },
    },
    {
      rules: ["missing-content"],
      why: "a message without content",
      body: { input: [{ role: "user", content: null }] },
    },
    { rules: ["unanswered-call"], why: "a call without its output", body: { input: [ask, fn("a"), ask] } },
    { rules: ["orphan-result"], why: "an output without its call", body: { input: [ask, out("a")] } },
    {
      rules: ["orphan-result", "unanswered-call"],
      why: "an output before its call",
      body: { input: [ask, out("a"), fn("a")] },
    },
    { rules: ["unanswered-call"], why: "an open search", body: { input: [ask, search("s"), ask] } },
    { rules: ["orphan-result"], why: "what a search found, alone", body: { input: [ask, found("s")] } },
    {
      rules: ["field-type"],
      why: "a search with a text of arguments",
      body: { input: [ask, { ...search("s"), arguments: "{}" }, found("s")] },
    },
    { rules: ["unanswered-call"], why: "an open approval", body: { input: [ask, approval, ask] } },
    { rules: ["orphan-result"], why: "an answer to no approval", body: { input: [ask, approved] } },
    { rules: ["orphan-result"], why: "the output of no program", body: { input: [ask, ran] } },
    { rules: ["duplicate-result"], why: "two outputs", body: { input: [ask, fn("a"), out("a"), out("a")] } },
    {
      rules: ["duplicate-call-id"],
      why: "two calls of one id",
      body: { input: [ask, fn("a"), fn("a"), out("a")] },
    },
    {
      rules: ["duplicate-item-id"],
      why: "one item twice",
      body: { input: [ask, reasoning, messageOf("x"), reasoning, messageOf("y")] },
    },
    {
      rules: ["item-id"],
      why: "a call id where an item id belongs",
      body: { input: [ask, { ...fn("a"), id: "call_a" }, out("a")] },
    },
    {
      rules: ["call-id", "call-id"],
      why: "an id of 65 characters",
      body: { input: [ask, fn("x".repeat(65)), out("x".repeat(65))] },
    },
    {
      rules: ["field-type"],
      why: "arguments in an object",
      body: { input: [ask, { ...fn("a"), arguments: {} }, out("a")] },
    },
    {
      rules: ["field-missing"],
      why: "an output that holds nothing",
      body: { input: [ask, fn("a"), { type: "function_call_output", call_id: "a" }] },
    },
    { rules: ["reasoning-alone"], why: "reasoning at the end", body: { input: [ask, reasoning] } },
    { rules: ["reasoning-alone"], why: "reasoning before a user message", body: { input: [reasoning, ask] } },
    {
      rules: ["lone-surrogate"],
      why: "half an emoji",
      body: { input: [{ role: "user", content: "\ud83d" }] },
    },
  ])("refuses $why", ({ rules, body }) => {
    expect(rulesOf(judgeOpenAIResponsesRequest(body))).toEqual(rules);
  });
});
