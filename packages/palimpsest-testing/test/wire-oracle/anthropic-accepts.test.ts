/** Requests that the Anthropic API takes: the oracle must have nothing to say. */
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
  search,
  system,
  text,
  thinking,
  user,
} from "./bodies.ts";

describe("judgeAnthropicRequest accepts", () => {
  it.each([
    { why: "a plain question", messages: [{ role: "user", content: "hi" }] },
    { why: "a system prompt in blocks", system: [text("be brief")], messages: [hi] },
    { why: "a call and its result", messages: [hi, assistant(call("a")), user(result("a"))] },
    {
      why: "parallel calls, answered in any order",
      messages: [hi, assistant(call("a"), call("b")), user(result("b"), result("a"))],
    },
    {
      why: "text behind the results",
      messages: [hi, assistant(call("a")), user(result("a"), text("go on"))],
    },
    {
      why: "neighbours of one role: the API joins them",
      messages: [
        hi,
        hi,
        assistant(text("I look")),
        assistant(call("a")),
        assistant(call("b")),
        user(result("a")),
        user(result("b")),
      ],
    },
    {
      why: "a system message behind a user message",
      messages: [hi, system(text("be brief")), assistant(text("ok")), hi],
    },
    { why: "a system message at the end", messages: [hi, system(text("be brief"))] },
    {
      why: "a system message that only sets the effort",
      messages: [
        hi,
        { role: "system", content: [], output_config: { effort: "low" } },
        assistant(text("ok")),
        hi,
      ],
    },
    { why: "a server tool inside one message", messages: [hi, assistant(search, found, text("found")), hi] },
    {
      why: "a paused turn whose server call is still open",
      messages: [hi, assistant(text("I look"), search)],
    },
    {
      why: "an open server call whose client's results are sent",
      messages: [hi, assistant(search, call("a")), user(result("a"))],
    },
    {
      why: "a server call beside a client's call, answered in the next turn",
      messages: [hi, assistant(search, call("a")), user(result("a")), assistant(found, text("found")), hi],
    },
    {
      why: "a server call that waits for the client's answer",
      messages: [
        hi,
        assistant(
          { ...search, name: "code_execution" },
          { ...call("a"), caller: { type: "code_execution_20250825", tool_id: "srvtoolu_1" } },
        ),
        user(result("a")),
        assistant(
          { type: "code_execution_tool_result", tool_use_id: "srvtoolu_1", content: {} },
          text("done"),
        ),
        hi,
      ],
    },
    {
      why: "thinking before a call",
      thinking: true,
      messages: [hi, assistant(thinking, call("a")), user(result("a"))],
    },
    {
      why: "thinking only at the start of an exchange",
      thinking: true,
      messages: [
        hi,
        assistant(thinking, call("a")),
        user(result("a")),
        assistant(call("b")),
        user(result("b")),
      ],
    },
    {
      why: "thinking whose text is left out",
      messages: [hi, assistant({ ...thinking, thinking: "" }, text("ok")), hi],
    },
    {
      why: "a compaction block first",
      messages: [assistant({ type: "compaction", content: "so far", signature: "s" }), hi],
    },
    { why: "an image in a result", messages: [hi, assistant(call("a")), user(result("a", [image(png)]))] },
    {
      why: "an empty result",
      messages: [hi, assistant(call("a")), user({ type: "tool_result", tool_use_id: "a" })],
    },
    { why: "an empty last assistant message", messages: [hi, assistant()] },
    { why: "a prefill", messages: [hi, { role: "assistant", content: "{" }] },
    { why: "whole surrogate pairs", messages: [user(text("😀"))] },
    {
      why: "four cache marks, and a fifth that is only data",
      messages: [
        user(
          ...[1, 2, 3, 4].map((n) => ({ ...text(`${n}`), cache_control: { type: "ephemeral", ttl: "1h" } })),
        ),
        assistant(call("a", { content: [{ cache_control: { type: "ephemeral" } }] })),
        user(result("a")),
      ],
    },
    {
      why: "a custom and a provider's tool",
      tools: [
        { name: "read", input_schema: { type: "object" } },
        { type: "web_search_20250305", name: "web_search" },
      ],
      messages: [hi],
    },
  ])("$why", ({ thinking, why: _why, ...body }) => {
    expect(judgeAnthropicRequest(body, { thinking: thinking === true })).toEqual([]);
  });
});
