import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LINE_LIMIT_BYTES, plainText, readIncrement } from "#tasks/output-text.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** Reads as an output grows: `sizes` are its lengths at the reads. */
function readInParts(output: Uint8Array, sizes: readonly number[]): string {
  let offset = 0;
  let text = "";
  for (const size of [...sizes, output.length]) {
    const isEnd = size === output.length;
    const increment = readIncrement(output.subarray(offset, size), { offset, isEnd });
    expect(increment.nextOffset).toBeGreaterThanOrEqual(offset);
    expect(increment.nextOffset).toBeLessThanOrEqual(size);
    text += increment.text;
    offset = increment.nextOffset;
    if (isEnd) break;
  }
  expect(offset).toBe(output.length);
  return text;
}

const piece = fc.oneof(
  fc.constantFrom(
    "\n",
    "\r",
    "\r\n",
    "\b",
    "\u001b[31m",
    "\u001b[2K",
    "\u001b[",
    "\u001b]0;title\u0007",
    "\u001b",
  ),
  fc.constantFrom("é", "続", "😀", "a", "progress 12%", "x".repeat(3_000), "\u0000", "\uFEFF"),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
);
const output = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((pieces) => bytes(pieces.join(""))),
  fc.uint8Array({ maxLength: 200 }),
  fc
    .array(fc.constantFrom(0x0a, 0x0d, 0x1b, 0x5b, 0x6d, 0xc3, 0xa9, 0xf0, 0x9f, 0x41), { maxLength: 9_000 })
    .map((values) => Uint8Array.from(values)),
);

describe("the text of an output", () => {
  it("is the same however the reads are cut", () => {
    fc.assert(
      fc.property(output, fc.array(fc.nat({ max: 10_000 })), (all, cuts) => {
        const sizes = cuts.filter((cut) => cut < all.length).sort((a, b) => a - b);
        expect(readInParts(all, sizes)).toBe(readInParts(all, []));
      }),
    );
  });

  it("has no terminal escapes and no controls apart from tabs and line breaks", () => {
    fc.assert(
      fc.property(output, (all) => {
        expect(plainText(all)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      }),
    );
  });

  it.each([
    ["10%\r20%\r100%\ndone\n", "100%\ndone\n"],
    ["a\r\nb\r\r\n", "a\nb\n"],
    ["old\u001b[2K\u001b[1Gnew\n", "new\n"],
    ["|\b/\b-\bok\n", "ok\n"],
    ["B\bBo\bold\n", "Bold\n"],
    ["\u001b]8;;https://a.b\u001b\\link\u001b]8;;\u001b\\\n", "link\n"],
    ["\u001b(B\u001b[m\u001b=x\n", "x\n"],
    ["a\tb\n", "a\tb\n"],
  ])("of %j is %j", (all, text) => {
    expect(plainText(bytes(all))).toBe(text);
  });

  it("shows the unfinished line, and reads it again", () => {
    const first = readIncrement(bytes("one\nContinue? [y/N] "), { offset: 10, isEnd: false });
    expect(first).toEqual({ text: "one\n", pending: "Continue? [y/N] ", nextOffset: 14 });
    const last = readIncrement(bytes("Continue? [y/N] "), { offset: 14, isEnd: true });
    expect(last).toEqual({ text: "Continue? [y/N] ", pending: "", nextOffset: 30 });
  });

  it("waits for the rest of a character, unless there is none", () => {
    const half = bytes("aé").subarray(0, 2);
    expect(readIncrement(half, { offset: 0, isEnd: false }).pending).toBe("a");
    expect(readIncrement(half, { offset: 0, isEnd: true }).text).toBe("a\uFFFD");
  });

  it("moves on within one endless line, invalid bytes and escapes included", () => {
    for (const byte of [0x41, 0x80, 0xff, 0xf0, 0x0d, 0x1b]) {
      const endless = new Uint8Array(LINE_LIMIT_BYTES).fill(byte);
      expect(readIncrement(endless, { offset: 0, isEnd: false }).nextOffset, `byte ${byte}`).toBeGreaterThan(
        0,
      );
    }
  });

  it("keeps only the last form of endless progress", () => {
    const progress = bytes(`${Array.from({ length: 5_000 }, (_, step) => `step ${step}`).join("\r")}\n`);
    expect(readInParts(progress, [1_000, 5_000, 9_000, 20_000])).toBe("step 4999\n");
  });
});
