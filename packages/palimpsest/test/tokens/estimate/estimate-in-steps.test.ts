import { expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { estimateBlock, estimateInSteps } from "#tokens/estimate/estimate-block.ts";
import type { ContentBlock } from "#transcript/blocks.ts";

const TEXT = "Compiled src/module-17/unit_3.ts in 41 ms; Übergröße 数据 😀😀!!\n".repeat(8_000);
const BLOCKS: readonly ContentBlock[] = [
  { type: "text", text: TEXT },
  { type: "tool_result", tool_use_id: "1", content: TEXT },
  { type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: TEXT }] },
  { type: "text", text: "short" },
];

it.each(BLOCKS)("comes to the same tokens as at once: $type", (block) => {
  const atOnce = estimateBlock({ ...block });
  const ofText = estimateBlock({ type: "text", text: TEXT });
  finish(estimateInSteps(block));
  expect(estimateBlock(block)).toBe(atOnce);
  // Its text as another block, as a preview measures it.
  expect(estimateBlock({ type: "text", text: TEXT })).toBe(ofText);
  expect(estimateBlock({ type: "text", text: `${TEXT.slice(0, -1)}.` })).not.toBe(ofText);
});

it("takes a step for each piece of a long text", () => {
  expect([...estimateInSteps({ type: "text", text: TEXT })].length).toBeGreaterThan(4);
});
