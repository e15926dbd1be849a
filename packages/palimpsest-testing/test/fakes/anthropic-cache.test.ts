/** The emulated prompt cache of Anthropic, counted in characters so that every figure can be checked by hand. */
import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { FakeClock } from "#fakes/fake-time.ts";
import { countCharacters, withProvider } from "./kit.ts";

/** Each block costs three tokens more than its characters. */
const MODEL = "claude-sonnet-4-6";
const mark = { type: "ephemeral" } as const;
const hour = { type: "ephemeral", ttl: "1h" } as const;
type Text = Anthropic.TextBlockParam;
const text = (length: number, cache_control?: Text["cache_control"]): Text => ({
  type: "text",
  text: "x".repeat(length - 3),
  cache_control,
});

interface Call {
  readonly why: string;
  readonly body?: Partial<Anthropic.MessageCreateParamsNonStreaming>;
  readonly content: readonly Text[];
  readonly afterMs?: number;
  /** Tokens read, written for five minutes, written for an hour, and neither. */
  readonly usage: readonly [read: number, written5m: number, written1h: number, plain: number];
}

const story: readonly (readonly [string, readonly Call[]])[] = [
  [
    "a prefix is written at its mark, read from there on, and what is new is written behind it",
    [
      { why: "nothing is marked", content: [text(2_000)], usage: [0, 0, 0, 2_000] },
      { why: "nothing was written", content: [text(2_000, mark)], usage: [0, 2_000, 0, 0] },
      { why: "all of it is read", content: [text(2_000, mark)], usage: [2_000, 0, 0, 0] },
      {
        why: "the mark moved on",
        content: [text(2_000), text(100, mark), text(7)],
        usage: [2_000, 100, 0, 7],
      },
      {
        why: "the old mark is found from the new",
        content: [text(2_000), text(100), text(50, mark)],
        usage: [2_100, 50, 0, 0],
      },
      {
        why: "one character changed",
        content: [text(2_001), text(100), text(50, mark)],
        usage: [0, 2_151, 0, 0],
      },
    ],
  ],
  [
    "what is shorter than the minimum is not cached, and nobody says so",
    [
      { why: "too short", content: [text(1_020, mark)], usage: [0, 0, 0, 1_020] },
      { why: "still not written", content: [text(1_020, mark), text(4, mark)], usage: [0, 1_024, 0, 0] },
      { why: "read", content: [text(1_020, mark), text(4, mark)], usage: [1_024, 0, 0, 0] },
    ],
  ],
  [
    "each prefix lives as long as its mark says, counted from its last use",
    [
      {
        why: "both are written",
        body: { system: [text(1_500, hour)] },
        content: [text(500, mark)],
        usage: [0, 500, 1_500, 0],
      },
      {
        why: "five minutes are not over",
        afterMs: 300_000,
        body: { system: [text(1_500, hour)] },
        content: [text(500, mark)],
        usage: [2_000, 0, 0, 0],
      },
      {
        why: "nor are they after that use",
        afterMs: 300_000,
        body: { system: [text(1_500, hour)] },
        content: [text(500, mark)],
        usage: [2_000, 0, 0, 0],
      },
      {
        why: "five minutes are over, an hour is not",
        afterMs: 300_001,
        body: { system: [text(1_500, hour)] },
        content: [text(500, mark)],
        usage: [1_500, 500, 0, 0],
      },
      {
        why: "the hour is over",
        afterMs: 3_600_001,
        body: { system: [text(1_500, hour)] },
        content: [text(500, mark)],
        usage: [0, 500, 1_500, 0],
      },
    ],
  ],
  [
    "a change of the tools is a change of everything, of the tool choice or the thinking one of the messages",
    [
      {
        why: "written",
        body: { system: [text(1_500, mark)] },
        content: [text(500, mark)],
        usage: [0, 2_000, 0, 0],
      },
      {
        why: "another tool choice",
        body: { system: [text(1_500, mark)], tool_choice: { type: "none" } },
        content: [text(500, mark)],
        usage: [1_500, 500, 0, 0],
      },
      {
        why: "another thinking",
        body: { system: [text(1_500, mark)], thinking: { type: "adaptive" } },
        content: [text(500, mark)],
        usage: [1_500, 500, 0, 0],
      },
      {
        why: "another model",
        body: { model: "claude-sonnet-5", system: [text(1_500, mark)] },
        content: [text(500, mark)],
        usage: [0, 2_000, 0, 0],
      },
      {
        why: "the first again",
        body: { system: [text(1_500, mark)] },
        content: [text(500, mark)],
        usage: [2_000, 0, 0, 0],
      },
      {
        why: "a tool",
        body: { tools: [{ name: "t", input_schema: { type: "object" } }], system: [text(1_500, mark)] },
        content: [text(500, mark)],
        usage: [0, 2_048, 0, 0],
      },
    ],
  ],
  [
    "a mark looks back over twenty positions",
    [
      { why: "written", content: [text(2_000, mark)], usage: [0, 2_000, 0, 0] },
      {
        why: "nineteen behind",
        content: [text(2_000), ...Array.from({ length: 18 }, () => text(10)), text(10, mark)],
        usage: [2_000, 190, 0, 0],
      },
      { why: "written elsewhere", content: [text(3_000, mark)], usage: [0, 3_000, 0, 0] },
      {
        why: "twenty behind",
        content: [text(3_000), ...Array.from({ length: 19 }, () => text(10)), text(10, mark)],
        usage: [0, 3_200, 0, 0],
      },
    ],
  ],
  [
    "a mark on the request stands at its end",
    [
      {
        why: "written",
        body: { cache_control: mark },
        content: [text(2_000), text(10)],
        usage: [0, 2_010, 0, 0],
      },
      {
        why: "read",
        body: { cache_control: mark },
        content: [text(2_000), text(10), text(20)],
        usage: [2_010, 20, 0, 0],
      },
    ],
  ],
];

describe("the cache by marks", () => {
  it.each(story)("%s", async (_, calls) => {
    const clock = new FakeClock();
    await withProvider({ countTokens: countCharacters, clock }, async ({ anthropic, provider }) => {
      for (const { why, body, content, afterMs = 0, usage } of calls) {
        clock.advance(afterMs);
        const message = await anthropic.messages.create({
          model: MODEL,
          max_tokens: 100,
          messages: [{ role: "user", content: [...content] }],
          ...body,
        });
        const { cache_read_input_tokens, cache_creation, cache_creation_input_tokens, input_tokens } =
          message.usage;
        expect(
          [
            cache_read_input_tokens,
            cache_creation?.ephemeral_5m_input_tokens,
            cache_creation?.ephemeral_1h_input_tokens,
            input_tokens,
          ],
          why,
        ).toEqual(usage);
        expect(cache_creation_input_tokens).toBe(usage[1] + usage[2]);
        const { readTokens, writtenTokens, plainTokens } = provider.requests.at(-1)!.cache;
        expect([readTokens, writtenTokens, plainTokens]).toEqual([usage[0], usage[1] + usage[2], usage[3]]);
      }
    });
  });

  it("counts a run of calls, or of results, as one position", async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `toolu_${index}`);
    const exchange: Anthropic.MessageParam[] = [
      { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "read", input: {} })) },
      {
        role: "user",
        content: ids.map((tool_use_id) => ({ type: "tool_result", tool_use_id, content: "ok" })),
      },
    ];
    await withProvider({ countTokens: countCharacters }, async ({ anthropic, provider }) => {
      const ask = { model: MODEL, max_tokens: 100 };
      const first: Anthropic.MessageParam = { role: "user", content: [text(2_000, mark)] };
      await anthropic.messages.create({ ...ask, messages: [first] });
      await anthropic.messages.create({
        ...ask,
        messages: [first, ...exchange, { role: "user", content: [text(10, mark)] }],
      });
      expect(provider.requests.map(({ cache }) => cache.readTokens)).toEqual([0, 2_000]);
    });
  });

  it("does not keep what was never answered, and forgets when it is told to", async () => {
    const ask = {
      model: MODEL,
      max_tokens: 100,
      messages: [{ role: "user" as const, content: [text(2_000, mark)] }],
    };
    await withProvider(
      { countTokens: countCharacters, script: [{ fault: "overloaded" }] },
      async ({ post, provider }) => {
        for (const forgets of [false, false, false, true, false]) {
          if (forgets) provider.forgetCache();
          await post("/v1/messages", ask);
        }
        expect(provider.requests.map(({ cache }) => cache.readTokens)).toEqual([0, 0, 2_000, 0, 2_000]);
      },
    );
  });
});
