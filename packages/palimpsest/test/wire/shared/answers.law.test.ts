/** Laws of answers: what a format can say is the same after it was written and read, whole or streamed. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelAnswer, ModelEvent } from "#ports/model-client.ts";
import { classifyModelError } from "#wire/errors/model-failure.ts";
import { SseReader } from "#wire/shared/sse.ts";
import { bySize, usualFew } from "../../../../../test/helpers/size-of-run.ts";
import { answersOf, FORMATS, type Format, framesOf } from "./formats.ts";

const RUNS = { numRuns: bySize({ usual: 12, long: 300 }) };

/** Reads a stream in chunks that end at these places. */
function readBytes(format: Format, bytes: Uint8Array, ends: readonly number[]): ModelAnswer {
  const reader = new SseReader();
  const assembly = format.assembly();
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    for (const event of reader.take(bytes.subarray(start, end))) assembly.take(event);
    start = end;
  }
  for (const event of reader.end()) assembly.take(event);
  return assembly.answer();
}

const bytesOf = (frames: readonly string[]): Uint8Array => new TextEncoder().encode(frames.join(""));

describe.each(FORMATS)("an answer in the format $name", (format) => {
  it("is the same after it was written and read", () => {
    fc.assert(
      fc.property(answersOf(format), (answer) => {
        const written = JSON.parse(JSON.stringify(format.writeAnswer(answer))) as unknown;
        const read = format.readAnswer(written);
        expect(read).toEqual(answer);
        // What returns is sent again: its bytes are those of before.
        expect(JSON.stringify(format.writeAnswer(read))).toBe(JSON.stringify(written));
      }),
      RUNS,
    );
  });

  it("is the same from its stream, wherever the bytes are cut", () => {
    fc.assert(
      fc.property(
        answersOf(format),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        (answer, cuts, length) => {
          const bytes = bytesOf(framesOf(format, answer, length));
          const ends = cuts.map((cut) => cut % (bytes.length + 1)).sort((one, other) => one - other);
          expect(readBytes(format, bytes, ends)).toEqual(answer);
        },
      ),
      RUNS,
    );
  });

  it("is the same from its stream, cut at every byte in turn", () => {
    const [answer] = fc.sample(answersOf(format), { numRuns: 1, seed: 20_261_123 });
    const bytes = bytesOf(framesOf(format, answer!));
    const ends = [...usualFew(Array.from(bytes.keys()), 16), bytes.length];
    for (const end of ends) expect(readBytes(format, bytes, [end]), `cut at ${end}`).toEqual(answer);
    expect(readBytes(format, bytes, Array.from(bytes.keys()))).toEqual(answer);
  });

  it("is, where its stream stops early, an interrupted one that begins with whole blocks", () => {
    fc.assert(
      fc.property(answersOf(format), fc.nat(), (answer, cut) => {
        const frames = framesOf(format, answer);
        const partial = readBytes(format, bytesOf(frames.slice(0, cut % frames.length)), []);
        const whole = answer.messages[0]!.content;
        const content = partial.messages.flatMap((message) => message.content);
        if (partial.messages[0]?.interrupted === true) {
          expect(partial.stopReason).toBe("other");
          expect(content.length).toBeGreaterThan(0);
        }
        expect(content).toEqual(whole.slice(0, content.length));
      }),
      RUNS,
    );
  });

  it("grows in a stream with the pieces of a model", () => {
    fc.assert(
      fc.property(answersOf(format), (answer) => {
        const events: ModelEvent[] = [];
        const source = format.assembly((event) => events.push(event));
        const reader = new SseReader();
        for (const event of reader.take(bytesOf(framesOf(format, answer)))) source.take(event);
        const writer = format.writer(Number.POSITIVE_INFINITY);
        const body = format.writeAnswer(answer);
        const frames = [
          ...writer.begin(format.writeAnswer({ messages: [], stopReason: "end", model: answer.model })),
          ...events.flatMap((event) => [...writer.take(event)]),
          ...writer.end(body),
        ];
        const texts = events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("");
        const read = readBytes(format, bytesOf(frames), []);
        expect(spoken(read)).toBe(spoken(answer));
        expect(spoken(read)).toBe(texts);
        expect(read.messages[0]?.content.map(({ type }) => type)).toEqual(
          answer.messages[0]!.content.map(({ type }) => type),
        );
        expect(read.usage).toEqual(answer.usage);
      }),
      RUNS,
    );
  });

  it("fails in the middle of its stream with the kind of the failure, and keeps its finished blocks", () => {
    const [answer] = fc.sample(answersOf(format), { numRuns: 1, seed: 3 });
    const frames = framesOf(format, answer!);
    const failure = { kind: "overloaded" as const, message: "Overloaded" };
    const reader = new SseReader();
    const assembly = format.assembly();
    for (const event of reader.take(bytesOf(frames.slice(0, -4)))) assembly.take(event);
    const [event] = reader.take(bytesOf([format.errorEvent(format.writeError(failure))]));
    let thrown: unknown;
    try {
      assembly.take(event);
    } catch (error) {
      thrown = error;
    }
    expect(classifyModelError(thrown).kind).toBe("overloaded");
    expect(assembly.isComplete).toBe(false);
    expect(assembly.answer().messages.every(({ interrupted }) => interrupted === true)).toBe(true);
  });
});

function spoken({ messages }: ModelAnswer): string {
  return messages
    .flatMap(({ content }) => content)
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("");
}
