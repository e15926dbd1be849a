import fc from "fast-check";
import { expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { writeInSteps } from "#session/append/blob-offloader.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const LINE = 'a "line"\twith \\ and \u2028, 😀 and half of one \ud83d\n';

it("writes the letters that JSON.stringify writes, however the text is cut", () => {
  const part = fc.oneof(fc.constant(LINE), fc.string({ unit: anyCharacter, maxLength: 20 }));
  fc.assert(
    fc.property(part, fc.nat({ max: 40 }), fc.boolean(), (text, shift, isError) => {
      const content = `${"x".repeat(shift)}${`${text}😀`.repeat(Math.ceil(500_000 / (text.length + 2)))}`;
      const block: ContentBlock = {
        ...{ type: "tool_result", tool_use_id: 'c"1', content },
        ...(isError ? { is_error: true } : {}),
      };
      expect(finish(writeInSteps(block)) === JSON.stringify(block)).toBe(true);
    }),
    { numRuns: bySize({ usual: 8, long: 20 }) },
  );
});

it.each<ContentBlock>([
  { type: "text", text: "short" },
  { type: "tool_use", id: "1", name: "Read", input: { path: "a" } },
  { type: "text", text: "y".repeat(400_000), cache_control: undefined } as ContentBlock,
])("writes any block like it", (block) => {
  expect(finish(writeInSteps(block))).toBe(JSON.stringify(block));
});

it("takes a step for each piece of a long text", () => {
  expect([...writeInSteps({ type: "text", text: "y".repeat(1_000_000) })].length).toBeGreaterThan(4);
});
