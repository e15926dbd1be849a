import fc from "fast-check";
import { anyMessage } from "palimpsest-testing/arbitraries";
import { describe, expect, it } from "vitest";
import { call, result, text } from "#test/helpers/histories.ts";
import { TARIFFS } from "#tokens/price/tariff.ts";
import { planBreakpoints } from "#tokens/prompt-cache/breakpoints.ts";
import type { CacheMark, RequestMessage } from "#transcript/window.ts";

const tariff = TARIFFS["anthropic-5m"];

/** A user's words and `rounds` of a call and its result: messages 0, 1–2, 3–4 … */
function work(rounds: number): RequestMessage[] {
  const messages: RequestMessage[] = [{ role: "user", content: [text("do it")] }];
  for (let round = 0; round < rounds; round++)
    messages.push(
      { role: "assistant", content: [text("next"), call(`c${round}`)] },
      { role: "user", content: [result(`c${round}`)] },
    );
  return messages;
}

/** `m.b` for each mark. */
const places = (marks: readonly CacheMark[]): readonly string[] =>
  marks.map(({ message, block }) => `${message}.${block}`);
const at = (place: string): CacheMark => {
  const [message, block] = place.split(".").map(Number);
  return { message: message!, block: block! };
};

describe("planBreakpoints", () => {
  it.each([
    { why: "a first request: its end", rounds: 3, marks: ["6.0"] },
    { why: "its end and what will not be rewritten soon", rounds: 20, stable: 10, marks: ["10.0", "40.0"] },
    { why: "the last request is in sight", rounds: 20, earlier: ["38.0"], marks: ["40.0"] },
    {
      why: "18 blocks behind the last request (messages have 1 and 2 by turns): in sight",
      rounds: 20,
      earlier: ["28.0"],
      marks: ["40.0"],
    },
    {
      why: "21 blocks behind it: out of sight",
      rounds: 20,
      earlier: ["26.0"],
      marks: ["26.0", "40.0"],
    },
    {
      why: "only the deepest of the earlier marks matters",
      rounds: 20,
      earlier: ["2.0", "10.0", "26.0"],
      marks: ["26.0", "40.0"],
    },
    {
      why: "all three",
      rounds: 40,
      earlier: ["40.0"],
      stable: 20,
      marks: ["20.0", "40.0", "80.0"],
    },
    {
      why: "after a rewrite the stable boundary lies in front of the earlier mark's sight",
      rounds: 40,
      earlier: ["10.0"],
      stable: 60,
      marks: ["10.0", "60.0", "80.0"],
    },
    {
      why: "one mark serves as both where it can",
      rounds: 40,
      earlier: ["10.0"],
      stable: 18,
      marks: ["18.0", "80.0"],
    },
    { why: "a mark may be sent again as the end", rounds: 3, earlier: ["6.0"], marks: ["6.0"] },
    {
      why: "two marks are left: reading now goes before reading later",
      rounds: 40,
      earlier: ["40.0"],
      stable: 20,
      reserved: 2,
      marks: ["40.0", "80.0"],
    },
    {
      why: "one mark is left: the end",
      rounds: 40,
      earlier: ["40.0"],
      stable: 20,
      reserved: 3,
      marks: ["80.0"],
    },
    { why: "the host uses all of them", rounds: 3, reserved: 4, marks: [] },
    { why: "the host uses more than there are", rounds: 3, reserved: 9, marks: [] },
    { why: "the boundary is the end", rounds: 3, stable: 6, marks: ["6.0"] },
    { why: "the boundary lies beyond the end", rounds: 3, stable: 60, marks: ["6.0"] },
    { why: "marks that are nowhere are passed over", rounds: 3, earlier: ["99.0", "2.7"], marks: ["6.0"] },
    { why: "nothing was said", rounds: -1, marks: [] },
  ])("marks $marks: $why", ({ rounds, stable, earlier = [], reserved, marks }) => {
    const messages = rounds < 0 ? [] : work(rounds);
    const earlierMarks = earlier.map(at);
    const planned = planBreakpoints(
      { messages, stableThrough: stable, earlierMarks, reservedMarks: reserved },
      tariff,
    );
    expect(places(planned)).toEqual(marks);
  });

  it.each([
    { content: [text("a"), { type: "thinking", thinking: "hm", signature: "s" }], block: 0, why: "thinking" },
    { content: [text("a"), { type: "redacted_thinking", data: "x" }], block: 0, why: "hidden thinking" },
    { content: [text("a"), text(" \n")], block: 0, why: "blank text" },
    {
      content: [text("a"), { type: "opaque", provider: "x", value: {} }],
      block: 0,
      why: "what we cannot read",
    },
    { content: [text("a"), { type: "image", source: {} }], block: 0, why: "a drawing of the model's" },
    { content: [text("a"), call("c")], block: 1, why: "not a call" },
  ])("passes over $why", ({ content, block }) => {
    const messages = [{ role: "assistant", content } as unknown as RequestMessage];
    expect(planBreakpoints({ messages }, tariff)).toEqual([{ message: 0, block }]);
  });

  it("has none where the provider looks for common beginnings, or caches nothing so small", () => {
    expect(planBreakpoints({ messages: work(3) }, TARIFFS.openai)).toEqual([]);
    expect(planBreakpoints({ messages: work(3), promptTokens: 1_023 }, tariff)).toEqual([]);
    expect(planBreakpoints({ messages: work(3), promptTokens: 1_024 }, tariff)).toHaveLength(1);
  });

  const message = anyMessage().map(({ role, content }): RequestMessage => ({ role, content }));
  const conversation = fc.array(message, { maxLength: 40 });

  it("keeps to the rules for any conversation", () => {
    const any = fc.record({
      messages: conversation,
      stableThrough: fc.option(fc.integer({ min: -5, max: 50 }), { nil: undefined }),
      reservedMarks: fc.integer({ min: 0, max: 5 }),
      earlierMarks: fc.array(
        fc.record({ message: fc.integer({ min: -2, max: 45 }), block: fc.nat({ max: 4 }) }),
      ),
    });
    fc.assert(
      fc.property(any, (input) => {
        const marks = planBreakpoints(input, tariff);
        expect(marks.length).toBeLessThanOrEqual(Math.max(0, 4 - input.reservedMarks));
        const order = marks.map((mark) => mark.message * 1_000 + mark.block);
        expect(order).toEqual([...new Set(order)].sort((a, b) => a - b));
        for (const mark of marks) {
          const block = input.messages[mark.message]!.content[mark.block]!;
          expect(["text", "image", "document", "tool_use", "tool_result"]).toContain(block.type);
          if (block.type === "text") expect(block.text.trim()).not.toBe("");
        }
      }),
    );
  });

  it("moves marks only forward, and never out of sight of the last request, while messages arrive", () => {
    const growth = fc.array(
      fc.record({ rounds: fc.integer({ min: 0, max: 15 }), settled: fc.integer({ min: 0, max: 6 }) }),
      { minLength: 2, maxLength: 12 },
    );
    fc.assert(
      fc.property(growth, fc.integer({ min: 0, max: 2 }), (steps, reservedMarks) => {
        let rounds = 1;
        let stableThrough = -1;
        const earlierMarks: CacheMark[] = [];
        for (const { rounds: more, settled } of steps) {
          rounds += more;
          const messages = work(rounds);
          stableThrough = Math.min(stableThrough + settled * 2, messages.length - 1);
          const marks = planBreakpoints({ messages, stableThrough, reservedMarks, earlierMarks }, tariff);
          const last = earlierMarks.at(-1);
          const end = marks.at(-1)!;
          expect(end).toEqual({ message: messages.length - 1, block: 0 });
          // Whatever is not the boundary stands at or behind the end of the last request.
          for (const mark of marks)
            if (mark.message !== Math.max(0, stableThrough))
              expect(mark.message).toBeGreaterThanOrEqual(last?.message ?? 0);
          if (last !== undefined) {
            const gaps = marks
              .filter((mark) => mark.message >= last.message)
              .map((mark) => blocksBetween(messages, last, mark));
            expect(Math.min(...gaps)).toBeLessThan(20);
          }
          earlierMarks.push(end);
        }
      }),
    );
  });
});

function blocksBetween(messages: readonly RequestMessage[], from: CacheMark, to: CacheMark): number {
  const place = ({ message, block }: CacheMark): number =>
    messages.slice(0, message).reduce((sum, { content }) => sum + content.length, 0) + block;
  return place(to) - place(from);
}
