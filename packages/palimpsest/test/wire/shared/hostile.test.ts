/** Values from outside that are not what they should be: a typed error, or blocks that survive; never a crash. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FORMATS, type Format, framesOf } from "./formats.ts";

/** Runs what may fail; anything but an error of ours is a crash. */
function survives<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    expect(error).toMatchObject({ code: "MODEL_FAILED" });
    return undefined;
  }
}

const odd = fc.anything({ maxDepth: 3, withNullPrototype: true });
/** Objects with the fields that readers look for, and anything in them. */
const shaped = (fields: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...fields), fc.oneof(odd, fc.constantFrom("user", "text", "tool_use", "a")));

const ANSWER_FIELDS = [
  ...["id", "model", "content", "output", "choices", "usage", "status", "error", "stop_reason"],
  ...["incomplete_details", "finish_reason", "message"],
];
const EVENT_TYPES = [
  ...["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta"],
  ...["message_stop", "error", "response.created", "response.output_item.added", "response.completed"],
  ...["response.output_item.done", "response.output_text.delta", "response.failed", "unheard_of"],
];
const event = fc
  .tuple(
    fc.constantFrom(...EVENT_TYPES),
    shaped([
      ...["index", "message", "content_block", "delta", "usage", "error", "response", "item", "output_index"],
      ...["choices", "id", "model"],
    ]),
  )
  .map(([type, fields]) => ({ ...fields, type }));

describe.each(FORMATS)("the format $name", (format: Format) => {
  it("reads any answer", () => {
    fc.assert(
      fc.property(
        fc.oneof(odd, shaped(ANSWER_FIELDS)),
        (body) => void survives(() => format.readAnswer(body)),
      ),
    );
  });

  it("reads any request", () => {
    const body = shaped(["model", "messages", "input", "system", "tools", "max_tokens", "stream", "include"]);
    fc.assert(
      fc.property(fc.oneof(odd, body), (sent) => {
        const read = survives(() => format.readRequest(sent));
        if (read !== undefined) survives(() => format.writeRequest(read.request));
      }),
    );
  });

  it("reads any events, and has an answer at every moment", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(event, odd), { maxLength: 12 }), (events) => {
        const assembly = format.assembly();
        for (const one of events) {
          survives(() => assembly.take(one));
          survives(() => assembly.answer());
        }
      }),
    );
  });

  it("writes any answer of ours that holds what other formats say", () => {
    const content = fc.sample(fc.oneof(...FORMATS.map((one) => one.content)), { numRuns: 60, seed: 5 });
    for (const blocks of content) {
      const answer = {
        messages: [{ role: "assistant" as const, content: blocks }],
        stopReason: "end" as const,
      };
      const written = JSON.parse(JSON.stringify(format.writeAnswer(answer))) as unknown;
      expect(format.readAnswer(written).messages.length).toBeLessThanOrEqual(1);
      expect(framesOf(format, answer).length).toBeGreaterThan(2);
      expect(JSON.stringify(written)).not.toContain('"openai":');
    }
  });
});

describe("blocks of a type that is new", () => {
  it("become opaque, are written again as they came, and survive a stream", () => {
    const block = { type: "hologram", depth: 3, parts: [{ x: 1 }] };
    const message = { id: "msg_1", model: "m", content: [block], stop_reason: "end_turn" };
    const [anthropic] = FORMATS;
    const answer = anthropic!.readAnswer(message);
    expect(answer.messages[0]?.content).toEqual([{ type: "opaque", provider: "anthropic", value: block }]);
    expect(anthropic!.writeAnswer(answer)).toMatchObject({ id: "msg_1", content: [block] });
  });

  it("are kept in requests", () => {
    const block = { type: "hologram", depth: 3 };
    const request = FORMATS[0]!.readRequest({ messages: [{ role: "user", content: [block] }] }).request;
    expect(request.messages[0]?.content).toEqual([{ type: "opaque", provider: "anthropic", value: block }]);
    const item = FORMATS[2]!.readRequest({ input: [{ ...block, role: undefined }] }).request;
    expect(item.messages[0]?.content).toMatchObject([{ type: "opaque", value: block }]);
  });
});
