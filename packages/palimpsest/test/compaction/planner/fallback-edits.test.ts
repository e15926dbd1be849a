import { expect, it } from "vitest";
import { stripMedia } from "#compaction/planner/fallback-edits.ts";
import { aWindowState } from "#test/compaction/layers/collapse/window-states.ts";
import type { ContentBlock, Message } from "#transcript/blocks.ts";
import { asWindow } from "../../../../../test/helpers/recorded.ts";
import { user } from "../../../../../test/helpers/windows.ts";

it("removes refused media where the request then fits by the estimate, and else leaves it to a summary", () => {
  const image: ContentBlock = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "A".repeat(4_000) },
  };
  const shows: Message = { role: "user", content: [image] };
  const visible = asWindow([shows, user("What is in this picture?"), shows]);
  const state = aWindowState(visible);
  const stripped = stripMedia(state);
  expect(stripped?.edits.map(({ reason }) => reason)).toEqual(["media"]);
  const small = (blockingTokens: number) => ({ ...state, budget: { ...state.budget, blockingTokens } });
  expect(stripMedia(small(stripped!.usedTokens))).toBeUndefined();
  expect(stripMedia(small(stripped!.usedTokens + 1))).toEqual(stripped);
});
