/**
 * Requests that the Anthropic API refuses, each with the rule it breaks.
 */
import { describe, expect, it } from "vitest";
import { judgeAnthropicRequest } from "#wire-oracle/wire-oracle.ts";
import {
  assistant,
  call,
  found,
  hi,
  image,
  png,
  result,
  rulesOf,
  search,
  system,
  text,
  thinking,
  user,
} from "./bodies.ts";

describe("judgeAnthropicRequest refuses", () => {
  it.each([
    { rules: ["field-missing"], why: "no messages", body: {} },
    { rules: ["field-type"], why: "messages that are no list", body: { messages: "hi" } },
    { rules: ["message-count"], why: "no message at all", body: { messages: [] } },
    { rules: ["field-type"], why: "a message that is no object", body: { messages: [hi, null] } },
    {
      rules: ["role"],
      why: "a role of another vendor",
      body: { messages: [hi, { role: "tool", content: "x" }] },
    },
    { rules: ["field-type"], why: "a system prompt that is a number", body: { system: 5, messages: [hi] } },
    {
      rules: ["empty-text"],
      why: "an empty block in the system prompt",
      body: { system: [text("")], messages: [hi] },
    },
    {
      rules: ["first-message"],
      why: "an assistant that begins",
      body: { messages: [assistant(text("hi")), hi] },
    },
    {
      rules: ["system-place"],
      why: "a system message that begins",
      body: { messages: [system(text("x")), hi] },
    },
    {
      rules: ["system-place"],
      why: "a system message between two user messages",
      body: { messages: [hi, system(text("x")), hi] },
    },
    {
      rules: ["system-place"],
      why: "two system messages in a row: the first is not followed by an answer, the second follows no user",
      body: { messages: [hi, system(text("x")), assistant(text("ok")), system(text("y"))] },
    },
    {
      rules: ["system-place", "system-in-tool-exchange"],
      why: "a system message between a call and its result",
      body: { messages: [hi, assistant(call("a")), system(text("x")), user(result("a"))] },
    },
    { rules: ["field-missing"], why: "no content", body: { messages: [{ role: "user" }] } },
    {
      rules: ["field-type"],
      why: "content that is an object",
      body: { messages: [{ role: "user", content: {} }] },
    },
    { rules: ["empty-content"], why: "an empty list of blocks", body: { messages: [user()] } },
    { rules: ["empty-content"], why: "an empty string", body: { messages: [{ role: "user", content: "" }] } },
    {
      rules: ["empty-content"],
      why: "an empty assistant message in the middle",
      body: { messages: [hi, assistant(), hi] },
    },
    { rules: ["empty-text"], why: "an empty text block", body: { messages: [user(text(""))] } },
    { rules: ["empty-text"], why: "only white space", body: { messages: [user(text(" \n\t"))] } },
    {
      rules: ["empty-text"],
      why: "white space as a string",
      body: { messages: [{ role: "user", content: "  " }] },
    },
    {
      rules: ["empty-text"],
      why: "an empty text inside a result",
      body: { messages: [hi, assistant(call("a")), user(result("a", [text("")]))] },
    },
    {
      rules: ["block-type"],
      why: "a block that nobody knows",
      body: { messages: [user({ type: "hologram" })] },
    },
    {
      rules: ["block-type"],
      why: "a type that every object inherits",
      body: { messages: [user({ type: "constructor" })] },
    },
    { rules: ["block-type"], why: "a block without a type", body: { messages: [user({ text: "hi" })] } },
    { rules: ["field-type"], why: "a block that is a string", body: { messages: [user("hi")] } },
    {
      rules: ["extra-field"],
      why: "a private note on a block",
      body: { messages: [user({ ...text("hi"), seq: 3 })] },
    },
    { rules: ["extra-field"], why: "a message with an id", body: { messages: [{ ...hi, id: "m1" }] } },
    {
      rules: ["extra-field"],
      why: "a cache mark on thinking",
      body: {
        messages: [hi, assistant({ ...thinking, cache_control: { type: "ephemeral" } }, text("ok")), hi],
      },
    },
    {
      rules: ["block-role", "unanswered-call"],
      why: "a call by the user, which is then no call at all",
      body: { messages: [hi, assistant(call("a")), user(call("b"))] },
    },
    {
      rules: ["block-role"],
      why: "a document by the assistant",
      body: {
        messages: [
          hi,
          assistant({ type: "document", source: { type: "text", media_type: "text/plain", data: "x" } }),
          hi,
        ],
      },
    },
    {
      rules: ["call-id"],
      why: "an id with a colon",
      body: { messages: [hi, assistant(call("functions.read:0")), user(result("functions.read:0"))] },
    },
    {
      rules: ["call-id"],
      why: "a server call without its prefix",
      body: { messages: [hi, assistant({ ...search, id: "x" }, { ...found, tool_use_id: "x" }), hi] },
    },
    {
      rules: ["call-name"],
      why: "a tool name of 129 characters",
      body: { messages: [hi, assistant({ ...call("a"), name: "n".repeat(129) }), user(result("a"))] },
    },
    {
      rules: ["call-input"],
      why: "arguments in a string",
      body: { messages: [hi, assistant(call("a", "{}")), user(result("a"))] },
    },
    {
      rules: ["call-input"],
      why: "arguments in a list",
      body: { messages: [hi, assistant(call("a", [])), user(result("a"))] },
    },
    {
      rules: ["field-missing"],
      why: "no arguments at all",
      body: { messages: [hi, assistant({ type: "tool_use", id: "a", name: "read" }), user(result("a"))] },
    },
    {
      rules: ["duplicate-call-id"],
      why: "an id used again much later",
      body: {
        messages: [hi, assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))],
      },
    },
    { rules: ["unanswered-call"], why: "a call at the end", body: { messages: [hi, assistant(call("a"))] } },
    {
      rules: ["unanswered-call"],
      why: "a call answered by words",
      body: { messages: [hi, assistant(call("a")), hi] },
    },
    {
      rules: ["unanswered-call"],
      why: "one of two calls",
      body: { messages: [hi, assistant(call("a"), call("b")), user(result("a"))] },
    },
    {
      rules: ["unanswered-call", "orphan-result"],
      why: "a result one turn too late",
      body: { messages: [hi, assistant(call("a")), hi, assistant(text("hm")), user(result("a"))] },
    },
    { rules: ["orphan-result"], why: "a result without a call", body: { messages: [user(result("a"))] } },
    {
      rules: ["duplicate-result"],
      why: "two results in one message",
      body: { messages: [hi, assistant(call("a")), user(result("a"), result("a"))] },
    },
    {
      rules: ["duplicate-result"],
      why: "two results in two joined messages",
      body: { messages: [hi, assistant(call("a")), user(result("a")), user(result("a"))] },
    },
    {
      rules: ["late-result"],
      why: "words before the result",
      body: { messages: [hi, assistant(call("a")), user(text("here:"), result("a"))] },
    },
    {
      rules: ["late-result"],
      why: "words between results of joined messages",
      body: {
        messages: [hi, assistant(call("a"), call("b")), user(result("a"), text("and")), user(result("b"))],
      },
    },
    {
      rules: ["result-content"],
      why: "a result that is a number",
      body: { messages: [hi, assistant(call("a")), user(result("a", 5))] },
    },
    {
      rules: ["block-role"],
      why: "a call inside a result",
      body: { messages: [hi, assistant(call("a")), user(result("a", [call("b")]))] },
    },
    {
      rules: ["result-content"],
      why: "an error that says nothing",
      body: { messages: [hi, assistant(call("a")), user({ ...result("a", ""), is_error: true })] },
    },
    {
      rules: ["result-content"],
      why: "an error with an image",
      body: { messages: [hi, assistant(call("a")), user({ ...result("a", [image(png)]), is_error: true })] },
    },
    {
      rules: ["unanswered-server-call"],
      why: "an open server call in the middle",
      body: { messages: [hi, assistant(search, text("hm")), hi] },
    },
    {
      rules: ["unanswered-server-call"],
      why: "words after the results that an open server call waits for",
      body: { messages: [hi, assistant(search, call("a")), user(result("a"), text("so?"))] },
    },
    {
      rules: ["unanswered-server-call"],
      why: "a server call that the answer after the results does not answer",
      body: { messages: [hi, assistant(search, call("a")), user(result("a")), assistant(text("so")), hi] },
    },
    {
      rules: ["orphan-server-result"],
      why: "a server result without its call",
      body: { messages: [hi, assistant(found, text("hm")), hi] },
    },
    {
      rules: ["orphan-server-result", "unanswered-server-call"],
      why: "a server result before its call",
      body: { messages: [hi, assistant(found, search, text("hm")), hi] },
    },
    {
      rules: ["thinking-signature"],
      why: "thinking without a signature",
      body: { messages: [hi, assistant({ type: "thinking", thinking: "hm" }, text("ok")), hi] },
    },
    {
      rules: ["thinking-signature"],
      why: "thinking with an empty signature",
      body: { messages: [hi, assistant({ ...thinking, signature: "" }, text("ok")), hi] },
    },
    {
      rules: ["field-type"],
      why: "redacted thinking without its data",
      body: { messages: [hi, assistant({ type: "redacted_thinking", data: "" }, text("ok")), hi] },
    },
    {
      rules: ["thinking-last"],
      why: "thinking and nothing behind it",
      body: { messages: [hi, assistant(text("ok"), thinking), hi] },
    },
    {
      rules: ["thinking-first"],
      why: "an exchange that did not begin with thinking",
      body: { messages: [hi, assistant(call("a")), user(result("a"))] },
      options: { thinking: true },
    },
    {
      rules: ["media-source"],
      why: "an image of an unknown source",
      body: { messages: [user(image({ type: "disk", path: "/x" }))] },
    },
    {
      rules: ["media-source"],
      why: "an image of a kind that is not taken",
      body: { messages: [user(image({ ...png, media_type: "image/bmp" }))] },
    },
    {
      rules: ["media-source"],
      why: "an image that is not base64",
      body: { messages: [user(image({ ...png, data: "a-b_" }))] },
    },
    {
      rules: ["media-source"],
      why: "an image without data",
      body: { messages: [user(image({ type: "base64", media_type: "image/png" }))] },
    },
    {
      rules: ["compaction-place"],
      why: "a signed compaction in the middle",
      body: { messages: [hi, assistant({ type: "compaction", content: "x", signature: "s" }), hi] },
    },
    {
      rules: ["final-whitespace"],
      why: "a prefill that ends in a space",
      body: { messages: [hi, { role: "assistant", content: "Sure: " }] },
    },
    {
      rules: ["prefill"],
      why: "a prefill where the model takes none",
      body: { messages: [hi, assistant(text("{"))] },
      options: { allowsPrefill: false },
    },
    {
      rules: ["cache-marks"],
      why: "five cache marks",
      body: {
        messages: [
          user(...[1, 2, 3, 4, 5].map((n) => ({ ...text(`${n}`), cache_control: { type: "ephemeral" } }))),
        ],
      },
    },
    {
      rules: ["cache-marks"],
      why: "a cache mark of two hours",
      body: { messages: [user({ ...text("x"), cache_control: { type: "ephemeral", ttl: "2h" } })] },
    },
    {
      rules: ["tool-definition"],
      why: "two tools of one name",
      body: { tools: [1, 2].map(() => ({ name: "read", input_schema: { type: "object" } })), messages: [hi] },
    },
    {
      rules: ["tool-definition"],
      why: "a tool name with a dot",
      body: { tools: [{ name: "fs.read", input_schema: { type: "object" } }], messages: [hi] },
    },
    {
      rules: ["field-missing"],
      why: "a tool without a schema",
      body: { tools: [{ name: "read" }], messages: [hi] },
    },
    {
      rules: ["lone-surrogate"],
      why: "half an emoji in a text",
      body: { messages: [user(text("cut \ud83d"))] },
    },
    {
      rules: ["lone-surrogate"],
      why: "half an emoji deep in a call",
      body: { messages: [hi, assistant(call("a", { b: [{ c: "\ude00" }] })), user(result("a"))] },
    },
    {
      rules: ["lone-surrogate"],
      why: "half an emoji in a field's name",
      body: { messages: [hi, assistant(call("a", { "\ud83d": 1 })), user(result("a"))] },
    },
  ])("$why", ({ rules, body, options }) => {
    expect(rulesOf(judgeAnthropicRequest(body, options))).toEqual(rules);
  });

  it.each([
    {
      body: { messages: [hi, assistant(call("toolu_1")), hi] },
      path: "messages.1",
      message:
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. " +
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    },
    {
      body: { messages: [user(result("toolu_1"))] },
      path: "messages.0.content.0",
      message:
        "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. " +
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    },
    {
      body: { messages: [hi, assistant(call("a.b")), user(result("a.b"))] },
      path: "messages.1.content.0.tool_use.id",
      message: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    },
    {
      body: { messages: [hi, assistant({ type: "thinking", thinking: "x" }, text("y")), hi] },
      path: "messages.1.content.0.thinking.signature",
      message: "messages.1.content.0.thinking.signature: Field required",
    },
  ])("with the API's own words: $message", ({ body, path, message }) => {
    expect(judgeAnthropicRequest(body).map(({ rule: _rule, ...message }) => message)).toEqual([
      { path, message },
    ]);
  });

  it("one message more than the API takes", () => {
    const messages = Array.from({ length: 100_001 }, () => hi);
    expect(rulesOf(judgeAnthropicRequest({ messages }))).toEqual(["message-count"]);
  });
});
