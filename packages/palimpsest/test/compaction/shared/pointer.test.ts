import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatPointer, formatReadCall, parsePointer } from "#compaction/shared/pointer.ts";

describe("pointers", () => {
  it("reads back what it wrote", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 9_999 }), (seq, block) => {
        expect(parsePointer(formatPointer({ seq, block }))).toEqual({ seq, block });
      }),
    );
  });

  it.each([
    { written: "m12", pointer: { seq: 12, block: 0 }, why: "a message means its first block" },
    { written: ' "m3.2" ', pointer: { seq: 3, block: 2 }, why: "models copy the quotes along" },
    { written: "M7.0", pointer: { seq: 7, block: 0 }, why: "case says nothing" },
    { written: "12.0", pointer: undefined, why: "the letter is missing" },
    { written: "m-1.0", pointer: undefined, why: "there are no negative numbers" },
    { written: `m${"9".repeat(80)}`, pointer: undefined, why: "no log is that long" },
    { written: "", pointer: undefined, why: "nothing was written" },
  ])("takes $written: $why", ({ written, pointer }) => {
    expect(parsePointer(written)).toEqual(pointer);
  });

  it("names the tool and, where it is not the start, the offset", () => {
    expect(formatReadCall("m4.1")).toBe('history_read({ pointer: "m4.1" })');
    expect(formatReadCall("m4.1", 900)).toBe('history_read({ pointer: "m4.1", offset: 900 })');
  });
});
