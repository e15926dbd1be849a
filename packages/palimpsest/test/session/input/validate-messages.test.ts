/** Messages of hosts in plain JavaScript: normalised, or refused with the place. */
import fc from "fast-check";
import { anyMessage } from "palimpsest-testing/arbitraries";
import { describe, expect, it } from "vitest";
import { OptionError } from "#base/errors.ts";
import { validateJson } from "#session/input/copy-input.ts";
import { validateMessages } from "#session/input/validate-messages.ts";
import { validateAnswer, validateUsage } from "#session/model/validate-answer.ts";

const say = (...content: readonly unknown[]): unknown => ({ role: "user", content });
const text = (value: unknown): unknown => ({ type: "text", text: value });
const call = (input: unknown): unknown => ({ type: "tool_use", id: "c1", name: "Read", input });

function refusalOf(run: () => unknown): OptionError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(OptionError);
    return error as OptionError;
  }
  return expect.unreachable("nothing was refused");
}

/** Lists in lists, `depth` of them, around `core`. */
function nested(depth: number, core: unknown): unknown {
  let value = core;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

describe("receiveMessages", () => {
  it("gives well-formed messages back equal to the byte, and shares no object with them", () => {
    fc.assert(
      fc.property(fc.array(anyMessage(), { maxLength: 5 }), (messages) => {
        const received = validateMessages(messages);
        expect(JSON.stringify(received)).toBe(JSON.stringify(messages));
        expect(JSON.stringify(validateMessages(received))).toBe(JSON.stringify(received));
        for (const [index, message] of received.entries()) {
          expect(message).not.toBe(messages[index]);
          for (const [block, copy] of message.content.entries())
            expect(copy).not.toBe(messages[index]!.content[block]);
        }
      }),
    );
  });

  it("never throws anything but a refusal, whatever it is given", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withNullPrototype: true,
      withBoxedValues: true,
    });
    const block = fc.oneof(
      anything,
      fc.record({
        type: fc.constantFrom("text", "tool_result", "image", "new"),
        text: anything,
        content: anything,
      }),
    );
    fc.assert(
      fc.property(
        fc.oneof(anything, fc.record({ role: fc.constant("user"), content: fc.array(block) })),
        (value) => {
          let received: unknown;
          try {
            received = validateMessages(value);
          } catch (error) {
            expect(error).toBeInstanceOf(OptionError);
            return;
          }
          const stored: unknown = JSON.parse(JSON.stringify(received));
          expect(JSON.stringify(validateMessages(stored))).toBe(JSON.stringify(received));
        },
      ),
    );
  });

  it.each([
    { given: { role: "user", content: "hi" }, content: [text("hi")], why: "a string is one text" },
    { given: "hi", content: [text("hi")], why: "and so is a message of the user" },
    { given: say("hi"), content: [text("hi")], why: "so is a string among blocks" },
    { given: say(), content: [], why: "a model may have said nothing" },
    {
      given: say({ ...(text("a") as object), extra: 1 }),
      content: [{ type: "text", text: "a", extra: 1 }],
      why: "foreign fields are data",
    },
    {
      given: say({ type: "text", text: "a", citations: null }),
      content: [{ type: "text", text: "a", citations: null }],
      why: "a foreign null, too",
    },
    {
      given: say({ type: "text", text: "a", x: undefined }),
      content: [text("a")],
      why: "JSON leaves undefined out",
    },
    {
      given: say(call({ at: new Date(0), n: Object(3), list: [undefined] })),
      content: [call({ at: "1970-01-01T00:00:00.000Z", n: 3, list: [null] })],
      why: "as JSON would",
    },
    {
      given: say(call({ zero: -0, list: [Object(-0)] })),
      content: [call({ zero: 0, list: [0] })],
      why: "JSON has one zero",
    },
    {
      given: say({ type: "tool_use", id: "c1", name: "Read" }),
      content: [call({})],
      why: "a call without arguments",
    },
    {
      given: say({ type: "tool_result", tool_use_id: "c1", content: null, is_error: null }),
      content: [{ type: "tool_result", tool_use_id: "c1" }],
      why: "null is absent",
    },
    {
      given: say({ type: "tool_result", tool_use_id: "c1", content: ["a"] }),
      content: [{ type: "tool_result", tool_use_id: "c1", content: [text("a")] }],
      why: "a string among parts",
    },
    {
      given: say({ type: "thinking", thinking: "hm", signature: null }),
      content: [{ type: "thinking", thinking: "hm" }],
      why: "null is absent",
    },
    {
      given: say({ type: "novel", n: 1 }),
      content: [{ type: "opaque", provider: "unknown", value: { type: "novel", n: 1 } }],
      why: "nobody knows what it is",
    },
    {
      given: say({ type: "opaque", provider: "gemini", value: 1 }),
      content: [{ type: "opaque", provider: "gemini", value: 1 }],
      why: "opaque already",
    },
    {
      given: say({ type: "blob", blob: { hash: "0".repeat(64), bytes: 9 }, view: "whole", shown: text("x") }),
      content: [
        {
          type: "opaque",
          provider: "unknown",
          value: { type: "blob", blob: { hash: "0".repeat(64), bytes: 9 }, view: "whole", shown: text("x") },
        },
      ],
      why: "only the session says what lies beside its log",
    },
  ])("puts into shape: $why", ({ given, content }) => {
    expect(validateMessages(given)).toEqual([{ role: "user", content }]);
  });

  it("takes the fields of a message that it knows, and null as absent", () => {
    const given = {
      role: "assistant",
      content: "a",
      hostId: null,
      at: new Date(5),
      id: "msg_1",
      interrupted: true,
    };
    expect(validateMessages(given)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "a" }], at: 5, interrupted: true },
    ]);
  });

  const looped: Record<string, unknown> = {};
  looped["self"] = looped;
  it.each([
    { given: undefined, at: "message is missing" },
    { given: 5, at: "message is 5" },
    { given: [["hi"]], at: "messages[0] is a list" },
    { given: [say("a"), null], at: "messages[1] is null" },
    { given: { content: "a" }, at: "message.role is missing" },
    { given: { role: "tool", content: "a" }, at: 'message.role is "tool"' },
    { given: { role: "user" }, at: "message.content is missing" },
    { given: { role: "user", content: null }, at: "message.content is null" },
    { given: [say(null)], at: "messages[0].content[0] is null" },
    { given: [say("a"), say("b", text(7))], at: "messages[1].content[1].text is 7" },
    { given: say({ text: "a" }), at: "message.content[0].type is missing" },
    { given: say({ type: "image" }), at: "message.content[0].source is missing" },
    { given: say({ type: "tool_result", tool_use_id: 4 }), at: "message.content[0].tool_use_id is 4" },
    {
      given: say({ type: "tool_result", tool_use_id: "c", content: [{}] }),
      at: "message.content[0].content is a list",
    },
    { given: say({ type: "opaque", value: 1 }), at: "message.content[0].provider is missing" },
    { given: say(call({ n: Number.NaN })), at: "message.content[0].input.n is NaN" },
    { given: say(call([1, 2n])), at: "message.content[0].input[1] is a bigint" },
    { given: say(call({ "a b": () => 1 })), at: 'message.content[0].input["a b"] is a function' },
    { given: say(call(new Map())), at: "message.content[0].input is a Map" },
    { given: say(call(looped)), at: "message.content[0].input.self.self" },
    { given: { role: "user", content: "a", at: Number.NaN }, at: "message.at is NaN" },
    { given: { role: "user", content: "a", origin: "me" }, at: 'message.origin is "me"' },
  ])("refuses: $at", ({ given, at }) => {
    const refusal = refusalOf(() => validateMessages(given));
    expect(refusal.message.slice(0, at.length)).toBe(at);
    expect(refusal.code).toBe("OPTION_INVALID");
    expect(refusal.hint).toMatch(/^Pass \S/);
  });

  it("says of content blocks without a message how to wrap them", () => {
    const refusal = refusalOf(() =>
      validateMessages([text("What is on it?"), { type: "image", source: {} }]),
    );
    expect(`${refusal.message} ${refusal.hint}`).toBe(
      'messages[0].role is missing. Pass `{ role: "user", content: [ … ] }` around content blocks.',
    );
  });

  it("refuses what throws while it is read, with the cause", () => {
    const trap = {
      role: "user",
      content: [
        {
          type: "text",
          get text(): string {
            throw new TypeError("boom");
          },
        },
      ],
    };
    const refusal = refusalOf(() => validateMessages(trap));
    expect(refusal.message).toBe("message could not be read.");
    expect((refusal.cause as Error).message).toBe("boom");
  });

  it("keeps a member named __proto__ as data", () => {
    const input: unknown = JSON.parse('{"__proto__":{"a":1}}');
    expect(JSON.stringify(validateMessages(say(call(input)))[0]?.content[0])).toBe(
      '{"type":"tool_use","id":"c1","name":"Read","input":{"__proto__":{"a":1}}}',
    );
  });

  it("keeps what a model nested too deep as its JSON text, whatever its depth", () => {
    for (const depth of [300, 5_000, 50_000]) {
      const [message] = validateMessages(say(call(nested(depth, { "ke\ny": [1, undefined, "ü\ud800"] }))));
      let levels = 1;
      let value = (message!.content[0] as { readonly input: unknown }).input;
      for (; Array.isArray(value); value = value[0]) levels++;
      expect(levels).toBe(256);
      expect(value).toBe(
        `${"[".repeat(depth - 255)}{"ke\\ny":[1,null,"ü\\ud800"]}${"]".repeat(depth - 255)}`,
      );
    }
  });

  it("ends on a list that holds the same list over and over", () => {
    let many: unknown = "x";
    for (let level = 0; level < 60; level++) many = new Array(500).fill(many);
    expect(refusalOf(() => validateMessages(say(call(many)))).message).toContain("values in one hand-over");
    expect(refusalOf(() => validateMessages(say(call(new Array(4e9))))).message).toContain(
      "values in one hand-over",
    );
  });
});

describe("receiveUsage", () => {
  const none = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
  it.each([
    { given: undefined, usage: undefined, why: "nothing was reported" },
    { given: null, usage: undefined, why: "nothing was reported" },
    { given: { inputTokens: 1, outputTokens: 2 }, usage: none, why: "no cache" },
    {
      given: { inputTokens: 1, outputTokens: 2, cacheReadTokens: null, cacheWriteTokens: null },
      usage: none,
      why: "no cache",
    },
  ])("gives $usage: $why", ({ given, usage }) => {
    expect(validateUsage(given)).toEqual(usage);
  });

  it.each([
    { given: 7, at: "usage is 7" },
    { given: { input_tokens: 1 }, at: "usage.inputTokens is missing" },
    { given: { inputTokens: Number.NaN, outputTokens: 2 }, at: "usage.inputTokens is NaN" },
    { given: { inputTokens: 1, outputTokens: -2 }, at: "usage.outputTokens is -2" },
    { given: { inputTokens: "1", outputTokens: 2 }, at: 'usage.inputTokens is "1"' },
  ])("refuses: $at", ({ given, at }) => {
    const refusal = refusalOf(() => validateUsage(given));
    expect(refusal.message.slice(0, at.length)).toBe(at);
    expect(refusal.hint).toContain("cacheReadTokens");
  });
});

describe("receiveAnswer", () => {
  it("takes messages with usage and stop reason, null as absent", () => {
    expect(
      validateAnswer({ messages: [{ role: "assistant", content: "a" }], usage: null, stopReason: null }),
    ).toEqual({
      messages: [{ role: "assistant", content: [{ type: "text", text: "a" }] }],
    });
    expect(refusalOf(() => validateAnswer({ messages: [], stopReason: 4 })).message).toBe(
      "answer.stopReason is 4.",
    );
    expect(refusalOf(() => validateAnswer(undefined)).message).toBe("answer is missing.");
    expect(refusalOf(() => validateAnswer({})).message).toBe("message is missing, not a message.");
  });
});

describe("receiveJson", () => {
  it("copies plain data and names what is none", () => {
    const given = { a: [{ b: 1 }] };
    const received = validateJson(given, "value") as typeof given;
    expect(received).toEqual({ a: [{ b: 1 }] });
    expect(received.a[0]).not.toBe(given.a[0]);
    expect(refusalOf(() => validateJson({ a: Symbol("s") }, "value")).message).toBe(
      "value.a is a symbol, which JSON cannot hold.",
    );
  });
});
