/** Lines that fit a budget: no more of them are written than are looked at. */

import { expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { fitPrefix, linesOf } from "#compaction/shared/measure.ts";
import { blockText, type ContentBlock } from "#transcript/blocks.ts";

const measure = (block: ContentBlock): number => blockText(block).length;
const items = Array.from({ length: 1_000 }, (_, index) => index);
const lineOf = (item: number): string => `line ${item}`;

it("takes as many lines as fit, whether they are written before or when they are looked at", () => {
  const texts = items.map(lineOf);
  for (const budget of [0, 3, 7, 40, 4_000, 100_000])
    expect(finish(fitPrefix(linesOf(items, lineOf), budget, measure))).toEqual(
      finish(fitPrefix(texts, budget, measure)),
    );
});

it("writes each line once, and hardly more than fit", () => {
  const written: number[] = [];
  const lines = linesOf(items, (item) => {
    written.push(item);
    return lineOf(item);
  });
  const taken = finish(fitPrefix(lines, 70, measure));
  expect(taken).toHaveLength(10);
  expect(written).toEqual(items.slice(0, 16));
});
