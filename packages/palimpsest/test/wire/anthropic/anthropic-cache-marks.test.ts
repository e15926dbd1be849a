import fc from "fast-check";
import { judgeAnthropicRequest } from "palimpsest-testing";
import { anyMessage } from "palimpsest-testing/arbitraries";
import { describe, expect, it } from "vitest";
import { TARIFFS } from "#tokens/price/tariff.ts";
import { planBreakpoints } from "#tokens/prompt-cache/breakpoints.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import type { RequestMessage } from "#transcript/window.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";

const marksOf = (messages: readonly unknown[]): unknown[] =>
  JSON.stringify(messages).match(/cache_control/g) ?? [];

const message = anyMessage().map(({ role, content }): RequestMessage => ({ role, content }));
const conversation = fc.array(message, { maxLength: 12 });
const anyMark = fc.record({
  message: fc.integer({ min: -1, max: 13 }),
  block: fc.integer({ min: -1, max: 5 }),
});

describe("cache marks on the Anthropic wire", () => {
  it("change no other byte", () => {
    fc.assert(
      fc.property(conversation, fc.array(anyMark, { maxLength: 6 }), (messages, cacheMarks) => {
        const plain = JSON.stringify(toAnthropic(messages));
        const marked = JSON.stringify(toAnthropic(messages, { cacheMarks, cacheTtl: "1h" }));
        expect(marked.replaceAll(',"cache_control":{"type":"ephemeral","ttl":"1h"}', "")).toBe(plain);
        // A message that was rendered with marks is rendered without them again.
        expect(JSON.stringify(toAnthropic(messages))).toBe(plain);
      }),
    );
  });

  it("stand on the blocks that were planned, also behind blocks that are left out", () => {
    const content = [
      { type: "thinking", thinking: "unsigned" },
      { type: "text", text: " " },
      { type: "text", text: "a" },
      { type: "tool_use", id: "c", name: "n", input: {} },
    ] as const;
    const messages: RequestMessage[] = [
      { role: "assistant", content: [{ type: "thinking", thinking: "unsigned" }] },
      { role: "assistant", content },
    ];
    const cacheMarks = [
      { message: 0, block: 0 },
      { message: 1, block: 2 },
    ];
    expect(toAnthropic(messages, { cacheMarks })).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "a", cache_control: { type: "ephemeral" } },
          { type: "tool_use", id: "c", name: "n", input: {} },
        ],
      },
    ]);
  });

  it.each([
    { block: { type: "thinking", thinking: "hm", signature: "s" }, why: "refused on thinking" },
    { block: { type: "redacted_thinking", data: "d" }, why: "refused on hidden thinking" },
    { block: { type: "text", text: "" }, why: "there is nothing to carry it" },
    { block: { type: "opaque", provider: "openai-chat", value: {} }, why: "it is not sent" },
  ])("are dropped where they are $why", ({ block }) => {
    const content = [block as ContentBlock, { type: "text", text: "a" } as const];
    const messages: RequestMessage[] = [{ role: "assistant", content }];
    expect(marksOf(toAnthropic(messages, { cacheMarks: [{ message: 0, block: 0 }] }))).toHaveLength(0);
  });

  it("as planned are taken by the provider: as many as planned, and nothing else is judged differently", () => {
    const long = fc.array(message, { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(long, fc.nat({ max: 60 }), (messages, stableThrough) => {
        const cacheMarks = planBreakpoints({ messages, stableThrough }, TARIFFS["anthropic-5m"]);
        const marked = toAnthropic(messages, { cacheMarks });
        expect(marksOf(marked)).toHaveLength(cacheMarks.length);
        const body = { model: "claude-opus-4-5", max_tokens: 100 };
        const judged = judgeAnthropicRequest({ ...body, messages: marked });
        expect(judged).toEqual(judgeAnthropicRequest({ ...body, messages: toAnthropic(messages) }));
      }),
    );
  });
});
