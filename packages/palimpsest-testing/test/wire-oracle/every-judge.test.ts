/** Laws of every judge: it answers on anything. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  judgeAnthropicRequest,
  judgeOpenAIChatRequest,
  judgeOpenAIResponsesRequest,
} from "#wire-oracle/wire-oracle.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { assistant, call, hi, rulesOf, user } from "./bodies.ts";

const judges = [judgeAnthropicRequest, judgeOpenAIChatRequest, judgeOpenAIResponsesRequest] as const;
/** Field names and values that lead a random body past the first check. */
const word = fc.constantFrom(
  ...[
    "messages",
    "input",
    "role",
    "content",
    "type",
    "id",
    "tool_use_id",
    "call_id",
    "tool_calls",
    "source",
    "tools",
  ],
  ...[
    "user",
    "assistant",
    "system",
    "tool",
    "text",
    "tool_use",
    "tool_result",
    "function_call",
    "reasoning",
    "image",
  ],
  ...["compaction", "thinking", "server_tool_use", "a", "", "__proto__", "constructor", "toString", "\ud800"],
);
const wireLike = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 6 }, word, fc.constantFrom<unknown>(null, 0, true), tie("list"), tie("record")),
  list: fc.array(tie("value"), { maxLength: 5 }),
  record: fc.dictionary(word, tie("value"), { maxKeys: 6 }),
}));

describe("every judge", () => {
  it("answers on any JSON, and takes no garbage for a request", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), wireLike.value, wireLike.record), (body) => {
        for (const judge of judges) {
          const violations = judge(body);
          expect(Array.isArray(violations)).toBe(true);
          if (typeof body !== "object" || body === null || Array.isArray(body))
            expect(rulesOf(violations)).toEqual(["body-shape"]);
        }
      }),
      { numRuns: bySize({ usual: 300, long: 1_000, soak: 3_000 }) },
    );
  });

  it.each([
    {
      why: "a role that cannot be turned into text",
      message: { role: { toString: 5, valueOf: 5 }, content: "x" },
    },
    {
      why: "an id that cannot be turned into text",
      message: assistant({ ...call("a"), id: { toString: "x" } }),
    },
    { why: "a type that is a list", message: user({ type: [{ toString: 1 }] }) },
    {
      why: "calls that are a list of nulls",
      message: { role: "assistant", content: null, tool_calls: [null] },
    },
  ])("only complains about $why", ({ message }) => {
    for (const judge of judges)
      expect(judge({ messages: [hi, message], input: [hi, message] })).not.toEqual([]);
  });

  it("does not overflow on JSON that is nested a hundred thousand levels deep", () => {
    let deep: unknown = "\ud800";
    for (let level = 0; level < 100_000; level++) deep = [deep];
    for (const judge of judges)
      expect(rulesOf(judge({ deep, messages: [hi], input: "x" }))).toContain("lone-surrogate");
  });
});
