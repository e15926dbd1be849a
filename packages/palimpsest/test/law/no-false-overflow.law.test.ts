/**
 * Turns with pictures of random sizes, long answers, and usage that is withheld or odd: as long as the window is far
 * from full, nothing is compacted, and no overflow is seen. 1,000 turns in a soak, 300 in the long run, some dozens by default.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { setTheStage } from "#test/agent/stage.ts";
import { gif, jpeg, pdf, png, webp } from "#test/tokens/estimate/media-files.ts";
import { estimateMessage } from "#tokens/estimate/estimate-block.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const SESSIONS = bySize({ usual: 2, long: 12, soak: 40 });
const TURNS = 25;
const WINDOW_TOKENS = 200_000;

const anEdge = fc.integer({ min: 1, max: 2_000 });
const aPicture = fc
  .tuple(fc.constantFrom(png, gif, jpeg, webp.lossy, webp.lossless, webp.extended), anEdge, anEdge)
  .map(([make, width, height]) => ({ type: "image", data: make(width, height), mediaType: "image/png" }));
const aDocument = fc
  .integer({ min: 1, max: 2 })
  .map((pages) => ({ type: "document", data: pdf(pages), mediaType: "application/pdf" }));
const anAddress = fc.constant({ type: "image", data: undefined, mediaType: "image/png" });

const aTurn = fc.record({
  media: fc.array(fc.oneof({ weight: 4, arbitrary: aPicture }, aDocument, anAddress), { maxLength: 2 }),
  /** Lines of the answer; a hundred thousand characters and more become a preview. */
  lines: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 80 }) }, fc.constant(5_000)),
  reported: fc.constantFrom(
    ...["true", "true", "zero", "missing", "lower", "cached-only", "uncached-only", "huge", "constant"],
  ),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});
type Turn = typeof aTurn extends fc.Arbitrary<infer Value> ? Value : never;

/** Usage that the provider reports for a prompt of `prompt` tokens, of which `known` were in the one before. */
function usageOf({ reported, share }: Turn, prompt: number, known: number, outputTokens: number) {
  const figures = (inputTokens: number, cacheReadTokens = 0) => ({
    usage: { inputTokens: Math.round(inputTokens), cacheReadTokens, cacheWriteTokens: 0, outputTokens },
  });
  switch (reported) {
    case "zero":
      return figures(0);
    case "missing":
      return {};
    case "lower":
      return figures(prompt * share);
    case "cached-only":
      return figures(0, known);
    case "uncached-only":
      return figures(prompt - known);
    case "huge":
      return figures(WINDOW_TOKENS * (2 + share * 100));
    case "constant":
      return figures(2_500);
    default:
      return figures(prompt - known, known);
  }
}

function mediaOf({ media }: Turn): readonly ContentBlock[] {
  return media.map(({ type, data, mediaType }) => {
    const source =
      data === undefined
        ? { type: "url", url: "https://example.com/a.png" }
        : { type: "base64", media_type: mediaType, data };
    return { type, source } as ContentBlock;
  });
}

describe("turns in a window that is far from full", () => {
  it.each([
    "claude-opus-4-6",
    "claude-opus-5-5",
    "gpt-5.5",
  ])("are never compacted, and no overflow is seen: %s", async (model) => {
    await fc.assert(
      fc.asyncProperty(fc.array(aTurn, { minLength: TURNS, maxLength: TURNS }), async (turns) => {
        let largest = 0;
        let known = 0;
        const stage = await setTheStage({
          window: { windowTokens: WINDOW_TOKENS, policy: "faithful", disabledLayers: [] },
          answer: (request, index) => {
            const turn = turns[index]!;
            const prompt = Math.round(
              request.messages.reduce((sum, message) => sum + estimateMessage(message, model), 200),
            );
            largest = Math.max(largest, prompt);
            const text = "It was changed as it was said.\n".repeat(turn.lines);
            const content: readonly ContentBlock[] = [{ type: "text", text }];
            const item = usageOf(turn, prompt, known, Math.round(estimateMessage({ content })));
            known = prompt;
            return { messages: [{ role: "assistant", content }], stopReason: "end", ...item };
          },
        });
        for (const [index, turn] of turns.entries())
          await stage.session.turn(
            { role: "user", content: [{ type: "text", text: `Look at ${index}.` }, ...mediaOf(turn)] },
            { model, system: "You look at pictures. ".repeat(30) },
          );
        expect(largest).toBeLessThan(WINDOW_TOKENS * 0.5);
        // An answer that is too large is a preview from the start, and odd figures are reported as such.
        const expected = ["offloaded", "usage-distrusted", "counter-failed"];
        expect(stage.eventNames().filter((name) => !expected.includes(name))).toEqual([]);
        await stage.palimpsest.close();
      }),
      { numRuns: Math.ceil(SESSIONS / 3), endOnFailure: true },
    );
  });
});
