import { describe, expect, it } from "vitest";
import { hidingEffect } from "#compaction/shared/hiding.ts";
import type { VisibleMessage } from "#transcript/window.ts";

const entry = (seq: number): VisibleMessage => ({
  seq,
  role: "user",
  origin: "user",
  at: 0,
  blocks: [{ index: 0, block: { type: "text", text: `m${seq}` }, form: "original" }],
});
const inserted = (afterSeq: number, insertedBy: number): VisibleMessage => ({
  ...entry(afterSeq),
  insertedBy,
});

/** The effect of hiding the messages at `places`. */
function hide(visible: readonly VisibleMessage[], places: readonly number[]) {
  return hidingEffect(visible, new Set(places.map((place) => visible[place]!)));
}

describe("hiding a stretch of the window", () => {
  it.each([
    { seqs: [1, 2, 3, 4], places: [0, 1], hide: [{ from: 1, to: 2 }], why: "neighbours make one range" },
    { seqs: [1, 5, 9], places: [0, 1], hide: [{ from: 1, to: 5 }], why: "what lies between is not shown" },
    {
      seqs: [1, 2, 3],
      places: [0, 2],
      hide: [
        { from: 1, to: 1 },
        { from: 3, to: 3 },
      ],
      why: "what stays parts them",
    },
    {
      seqs: [1, 4, 2, 3],
      places: [0, 1],
      hide: [
        { from: 1, to: 1 },
        { from: 4, to: 4 },
      ],
      why: "an answer stands before lower numbers that stay",
    },
    { seqs: [1, 4, 2, 3], places: [0, 1, 2, 3], hide: [{ from: 1, to: 4 }], why: "all of them go" },
  ])("of $seqs at $places: $why", ({ seqs, places, hide: ranges }) => {
    expect(hide(seqs.map(entry), places).hide).toEqual(ranges);
  });

  it("takes what edits inserted there, and says again what they inserted elsewhere", () => {
    const visible = [entry(1), inserted(1, 9), entry(2), inserted(2, 9), inserted(2, 10)];
    expect(hide(visible, [0, 1])).toEqual({
      hide: [{ from: 1, to: 1 }],
      hideInserted: [9],
      insert: [
        {
          afterSeq: 2,
          messages: [{ role: "user", origin: "user", at: 0, content: [{ type: "text", text: "m2" }] }],
        },
      ],
    });
  });
});
