/** Requests and their fate at the OpenAI Chat Completions API. */
import { describe, expect, it } from "vitest";
import { judgeOpenAIChatRequest } from "#wire-oracle/wire-oracle.ts";
import { ask, rulesOf, text } from "./bodies.ts";

const chatCall = (id: string) => ({ id, type: "function", function: { name: "read", arguments: "{}" } });
const calls = (...ids: string[]) => ({ role: "assistant", content: null, tool_calls: ids.map(chatCall) });
const answer = (id: string, content: unknown = "ok") => ({ role: "tool", tool_call_id: id, content });

describe("judgeOpenAIChatRequest", () => {
  it.each([
    {
      why: "a plain question",
      messages: [{ role: "system", content: "x" }, { role: "developer", content: "y" }, ask],
    },
    {
      why: "calls and answers in any order",
      messages: [ask, calls("a", "b"), answer("b"), answer("a"), ask],
    },
    { why: "a refusal instead of content", messages: [ask, { role: "assistant", refusal: "no" }] },
    {
      why: "an id that comes again in a later message",
      messages: [ask, calls("a"), answer("a"), calls("a"), answer("a")],
    },
    { why: "an empty answer", messages: [ask, calls("a"), answer("a", "")] },
    {
      why: "an image",
      messages: [
        { role: "user", content: [text("x"), { type: "image_url", image_url: { url: "https://x/y.png" } }] },
      ],
    },
  ])("accepts $why", ({ messages }) => {
    expect(judgeOpenAIChatRequest({ messages })).toEqual([]);
  });

  it.each([
    { rules: ["field-missing"], why: "no messages", body: {} },
    { rules: ["empty-list"], why: "no message", body: { messages: [] } },
    { rules: ["role"], why: "an unknown role", body: { messages: [{ role: "model", content: "x" }] } },
    {
      rules: ["missing-content"],
      why: "a user who says nothing",
      body: { messages: [{ role: "user", content: null }] },
    },
    {
      rules: ["missing-content"],
      why: "an assistant with neither content nor calls",
      body: { messages: [ask, { role: "assistant", content: null }] },
    },
    {
      rules: ["field-type"],
      why: "content that is an object",
      body: { messages: [{ role: "user", content: {} }] },
    },
    {
      rules: ["empty-list"],
      why: "an empty list of parts",
      body: { messages: [{ role: "user", content: [] }] },
    },
    {
      rules: ["empty-list"],
      why: "an empty list of calls",
      body: { messages: [ask, { role: "assistant", content: "x", tool_calls: [] }] },
    },
    {
      rules: ["part-type"],
      why: "an image in a tool's answer",
      body: { messages: [ask, calls("a"), answer("a", [{ type: "image_url", image_url: { url: "x" } }])] },
    },
    {
      rules: ["part-type"],
      why: "a block of another vendor",
      body: { messages: [{ role: "user", content: [{ type: "tool_result" }] }] },
    },
    {
      rules: ["extra-field"],
      why: "another vendor's cache mark",
      body: { messages: [{ role: "user", content: [{ ...text("x"), cache_control: {} }] }] },
    },
    {
      rules: ["extra-field"],
      why: "a field that is not OpenAI's",
      body: { messages: [ask, { role: "assistant", content: "x", reasoning_content: "y" }] },
    },
    { rules: ["name"], why: "a name with a space", body: { messages: [{ ...ask, name: "a b" }] } },
    {
      rules: ["unanswered-call"],
      why: "a call that is not answered",
      body: { messages: [ask, calls("a"), ask] },
    },
    {
      rules: ["unanswered-call"],
      why: "one of two calls at the end",
      body: { messages: [ask, calls("a", "b"), answer("a")] },
    },
    {
      rules: ["unanswered-call", "orphan-result"],
      why: "an answer behind the next user message",
      body: { messages: [ask, calls("a"), ask, answer("a")] },
    },
    { rules: ["orphan-result"], why: "an answer to nothing", body: { messages: [ask, answer("a")] } },
    {
      rules: ["orphan-result"],
      why: "an answer to another id",
      body: { messages: [ask, calls("a"), answer("a"), answer("b")] },
    },
    {
      rules: ["duplicate-result"],
      why: "two answers",
      body: { messages: [ask, calls("a"), answer("a"), answer("a")] },
    },
    {
      rules: ["duplicate-call-id"],
      why: "an id twice in one message",
      body: { messages: [ask, calls("a", "a"), answer("a")] },
    },
    {
      rules: ["call-id"],
      why: "an id of 41 characters",
      body: { messages: [ask, calls("x".repeat(41)), answer("x".repeat(41))] },
    },
    {
      rules: ["field-type"],
      why: "arguments in an object",
      body: {
        messages: [
          ask,
          { ...calls("a"), tool_calls: [{ ...chatCall("a"), function: { name: "read", arguments: {} } }] },
          answer("a"),
        ],
      },
    },
    {
      rules: ["name"],
      why: "a function name with a dot",
      body: {
        messages: [
          ask,
          {
            ...calls("a"),
            tool_calls: [{ ...chatCall("a"), function: { name: "fs.read", arguments: "{}" } }],
          },
          answer("a"),
        ],
      },
    },
    {
      rules: ["lone-surrogate"],
      why: "half an emoji",
      body: { messages: [{ role: "user", content: "\ud83d" }] },
    },
  ])("refuses $why", ({ rules, body }) => {
    expect(rulesOf(judgeOpenAIChatRequest(body))).toEqual(rules);
  });
});
