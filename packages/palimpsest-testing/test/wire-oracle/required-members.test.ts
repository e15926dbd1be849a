/** Requests that every provider refuses, whatever the conversation. */
import { describe, expect, it } from "vitest";
import {
  judgeAnthropicRequest,
  judgeOpenAIChatRequest,
  judgeOpenAIResponsesRequest,
} from "#wire-oracle/wire-oracle.ts";
import { ask, hi } from "./bodies.ts";

describe("a request", () => {
  it.each([
    {
      body: { model: "claude-opus-4-5", messages: [hi] },
      findings: [["field-missing", "max_tokens", "max_tokens: Field required"]],
      why: "it has no output limit",
    },
    {
      body: { max_tokens: 10, messages: [hi] },
      findings: [["field-missing", "model", "model: Field required"]],
      why: "it has no model",
    },
    {
      body: { model: "", max_tokens: "10", messages: [hi] },
      findings: [
        ["field-type", "model", "model: Input should be a valid string"],
        ["field-type", "max_tokens", "max_tokens: Input should be a valid integer"],
      ],
      why: "both are of the wrong kind",
    },
    {
      body: { model: "claude-opus-4-5", max_tokens: 10 },
      findings: [["field-missing", "messages", "messages: Field required"]],
      why: "it has no messages",
    },
    {
      body: { stream: true, messages: [hi] },
      findings: [
        ["field-missing", "model", "model: Field required"],
        ["field-missing", "max_tokens", "max_tokens: Field required"],
      ],
      why: "it has neither",
    },
    {
      body: { model: "claude-opus-4-5", max_tokens: 10, messages: [hi] },
      findings: [],
      why: "it is complete",
    },
    {
      body: { anthropic_version: "bedrock-2023-05-31", max_tokens: 10, messages: [hi] },
      findings: [],
      why: "its model is in the address",
    },
    { body: { system: "x", tools: [], messages: [hi] }, findings: [], why: "it is a conversation only" },
  ])("to Anthropic is judged as the API would: $why", ({ body, findings }) => {
    const found = judgeAnthropicRequest(body);
    expect(found.map(({ rule, path, message }) => [rule, path, message])).toEqual(findings);
  });

  it("that a caller names one is judged as one, also where it has nothing but a conversation", () => {
    expect(judgeAnthropicRequest({ messages: [hi] }, { kind: "request" })).toHaveLength(2);
    expect(judgeOpenAIChatRequest({ messages: [ask] }, { kind: "request" })).toHaveLength(1);
    expect(judgeOpenAIResponsesRequest({ input: [ask] }, { kind: "request" })).toHaveLength(1);
  });

  it("that counts tokens needs no output limit", () => {
    expect(judgeAnthropicRequest({ model: "claude-opus-4-5", messages: [hi] }, { kind: "count" })).toEqual(
      [],
    );
    expect(judgeOpenAIResponsesRequest({ input: "hi", reasoning: {} }, { kind: "count" })).toEqual([]);
  });

  it("to OpenAI needs a model", () => {
    expect(judgeOpenAIChatRequest({ stream: true, messages: [ask] })).toEqual([
      { rule: "field-missing", path: "model", message: "you must provide a model parameter" },
    ]);
    expect(judgeOpenAIResponsesRequest({ store: false, input: [ask] })).toEqual([
      { rule: "field-missing", path: "model", message: "Missing required parameter: 'model'." },
    ]);
    expect(judgeOpenAIChatRequest({ model: "gpt-5", messages: [ask] })).toEqual([]);
    expect(judgeOpenAIResponsesRequest({ model: "gpt-5", input: [ask] })).toEqual([]);
    expect(judgeOpenAIResponsesRequest({ prompt: { id: "pmpt_1" } })).toEqual([]);
  });
});
