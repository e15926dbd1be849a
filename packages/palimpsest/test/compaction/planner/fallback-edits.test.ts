import { describe, expect, it } from "vitest";
import { stripMedia, stripThinking } from "#compaction/planner/fallback-edits.ts";
import { aWindowState } from "#test/compaction/layers/collapse/window-states.ts";
import type { ContentBlock, Message } from "#transcript/blocks.ts";
import { asWindow } from "../../../../../test/helpers/recorded.ts";
import { assistant, text, user } from "../../../../../test/helpers/windows.ts";

const image: ContentBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(4_000) },
};
const shows: Message = { role: "user", content: [image] };
const thought: ContentBlock = { type: "thinking", thinking: "It is a ship.", signature: "c2ln" };
const state = aWindowState(
  asWindow([shows, assistant("r1", thought, text("A ship.")), user("And this?"), shows]),
);
/** The same window, with a report far below the estimate, and a limit between the two. */
const reported = { ...state, usedTokens: 1_000, budget: { ...state.budget, blockingTokens: 1_001 } };
const limited = (blockingTokens: number) => ({ ...state, budget: { ...state.budget, blockingTokens } });

describe("media that were refused", () => {
  it("are removed where the request then fits, and else left to a summary", () => {
    const stripped = stripMedia(state);
    expect(stripped?.edits.map(({ reason }) => reason)).toEqual(["media"]);
    expect(stripMedia(limited(stripped!.usedTokens))).toBeUndefined();
    expect(stripMedia(limited(stripped!.usedTokens + 1))).toEqual(stripped);
  });

  it("make a request no larger that fits by its report", () => {
    expect(stripMedia(reported)).toMatchObject({ edits: [{ reason: "media" }], usedTokens: 1_000 });
  });
});

it("thinking that was refused makes a request no larger that fits by its report", () => {
  const made = { edits: [], usedTokens: reported.usedTokens };
  expect(stripThinking(reported, made)).toMatchObject({ edits: [{ kind: "peel" }], usedTokens: 1_000 });
});
