/** Requests and their fate at the OpenAI Responses API. */
import { describe, expect, it } from "vitest";
import { judgeOpenAIResponsesRequest } from "#wire-oracle/wire-oracle.ts";
import { ask, rulesOf } from "./bodies.ts";

const fn = (call_id: string) => ({ type: "function_call", call_id, name: "read", arguments: "{}" });
const out = (call_id: string, output: unknown = "ok") => ({ type: "function_call_output", call_id, output });
const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
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
