/** Server-sent events: every line end, every cut, and streams that are none. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { dataEvent, namedEvent, SseReader } from "#wire/shared/sse.ts";
import { bySize, isLong } from "../../../../../test/helpers/size-of-run.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function readAll(chunks: readonly Uint8Array[]): readonly unknown[] {
  const reader = new SseReader();
  return [...chunks.flatMap((chunk) => reader.take(chunk)), ...reader.end()];
}

describe("a stream of events", () => {
  it.each([
    { text: 'data: {"a":1}\n\n', events: [{ a: 1 }], why: "an event" },
    { text: 'data: {"a":1}\r\n\r\ndata: 2\r\rdata:3\n\n', events: [{ a: 1 }, 2, 3], why: "every line end" },
    { text: 'data: {"a":\ndata: 1}\n\n', events: [{ a: 1 }], why: "data of several lines" },
    { text: 'data: {"a":\r\ndata: 1}\r\n\r\n', events: [{ a: 1 }], why: "the same with Windows' line ends" },
    { text: ": keep-alive\n\nid: 7\nretry: 10\ndata: 1\n\n", events: [1], why: "comments and other fields" },
    { text: "event: ping\n\ndata: 1\n\n", events: [1], why: "a name without data" },
    {
      text: 'event: error\ndata: {"message":"no"}\n\n',
      events: [{ message: "no", type: "error" }],
      why: "a type that only the name tells",
    },
    { text: 'event: a\ndata: {"type":"b"}\n\n', events: [{ type: "b" }], why: "a type of its own" },
    { text: "data: 1\n\ndata: [DONE]\n\n", events: [1], why: "OpenAI's end" },
    { text: "\ufeffdata: 1\n\n", events: [1], why: "a byte order mark" },
    { text: "data: 1\n\ndata: 2", events: [1, 2], why: "an end without a line end" },
    { text: 'data: 1\n\ndata: {"a"', events: [1], why: "an end in the middle of an event" },
    { text: "", events: [], why: "nothing" },
  ])("holds $why", ({ text, events }) => {
    expect(readAll([encode(text)])).toEqual(events);
    expect(readAll(Array.from(encode(text), (byte) => Uint8Array.of(byte)))).toEqual(events);
  });

  it("is read as it was written, wherever its bytes are cut", () => {
    const event = fc.record({
      type: fc.string({ minLength: 1, unit: fc.constantFrom("a", "b", ".") }),
      text: fc.string({ unit: anyCharacter }),
    });
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.nat()), fc.boolean(), (events, cuts, isNamed) => {
        const bytes = encode(events.map(isNamed ? namedEvent : dataEvent).join(""));
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        const sent = JSON.parse(JSON.stringify(events)) as unknown;
        expect(JSON.stringify(readAll(chunks))).toBe(JSON.stringify(sent));
      }),
    );
  });

  it.each([
    { text: "data: <html>\n\n", says: "An event of the stream is not JSON" },
    { text: `data: ${"[".repeat(100_000)}\n\n`, says: "An event of the stream is not JSON: nested deeper" },
  ])("that holds something else is a typed error: $says", ({ text, says }) => {
    expect(() => readAll([encode(text)])).toThrow(
      expect.objectContaining({
        kind: "unreadable-answer",
        message: expect.stringContaining(says) as unknown,
      }),
    );
  });

  it("that never ends a line is a typed error before it fills the memory", () => {
    const limit = bySize({ usual: 65_536, long: 64 * 1024 * 1024 });
    const chunk = encode("x".repeat(limit / 2));
    const reader = isLong ? new SseReader() : new SseReader(limit);
    for (let count = 0; count < 2; count++) expect(reader.take(chunk)).toEqual([]);
    expect(() => reader.take(encode("x"))).toThrow(
      expect.objectContaining({
        kind: "unreadable-answer",
        message: expect.stringContaining(`longer than ${limit} characters`) as unknown,
      }),
    );
  });

  it("never throws anything else, whatever its bytes are", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.uint8Array(),
            fc.string().map((text) => encode(`data: ${text}\n\n`)),
          ),
        ),
        (chunks) => {
          try {
            readAll(chunks);
          } catch (error) {
            expect(error).toMatchObject({ code: "MODEL_FAILED", kind: "unreadable-answer" });
          }
        },
      ),
    );
  });
});
