/** Gates of a live session whose provider reports usage: which layer acts first, and how full the window is then. */

import { describe, expect, it } from "vitest";
import type { WindowOptions } from "#session/options/session-options.ts";
import { internalsOf } from "#session/session.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { ContentBlock } from "#transcript/blocks.ts";

const lines = (count: number, tag: string): string =>
  Array.from({ length: count }, (_, line) => `${tag}, row ${line}: value ${(line * 7919) % 9973}\n`).join("");

/** The first layer that acts, and the size of the request before it as a share of the effective window. */
async function firstLayer(
  window: WindowOptions & { readonly windowTokens: number },
  answerOf: (index: number) => readonly ContentBlock[],
): Promise<{ readonly kind: string; readonly share: number }> {
  const { session } = await aSession({ policy: "faithful", editSafety: "permissive", ...window });
  await session.append({ role: "user", content: [{ type: "text", text: "Begin." }] });
  for (let index = 0; index < 400; index++) {
    const before = session.tokens.padded;
    const { edits, messages } = await session.prepare({ model: "claude-sonnet-4-5", system: "Be brief." });
    const { effectiveTokens } = internalsOf(session).budgets.budget;
    if (edits[0] !== undefined) return { kind: edits[0].edit.kind, share: before / effectiveTokens };
    const content = answerOf(index);
    const inputTokens = Math.ceil(JSON.stringify(messages).length / 3.6);
    const usage = { inputTokens, outputTokens: 250, cacheReadTokens: 0, cacheWriteTokens: 0 };
    await session.record({ messages: [{ role: "assistant", responseId: `r${index}`, content }], usage });
    const call = content.find((block) => block.type === "tool_use");
    await session.append({
      role: "user",
      content:
        call === undefined
          ? [{ type: "text", text: `And ${index}?` }]
          : [{ type: "tool_result", tool_use_id: call.id, content: lines(24, `file ${index}`) }],
    });
  }
  return { kind: "none", share: 1 };
}

describe("in a window of 64,000 tokens", () => {
  it("small results are cleared at the gate of microcompact, although nothing was to be done at the one before", async () => {
    const { kind, share } = await firstLayer({ windowTokens: 64_000 }, (index) => [
      { type: "tool_use", id: `c${index}`, name: "Read", input: { file_path: `/src/${index}.ts` } },
    ]);
    expect(kind).toBe("microcompact");
    expect(share).toBeGreaterThanOrEqual(0.8);
    expect(share).toBeLessThan(0.82);
  });

  it("old rounds become lines at the auto-compact gate, where no other layer may act", async () => {
    const disabledLayers = ["offload", "microcompact", "extractive"] as const;
    const { kind, share } = await firstLayer({ windowTokens: 64_000, disabledLayers }, (index) => [
      { type: "text", text: lines(30, `answer ${index}`) },
    ]);
    expect(kind).toBe("collapse");
    expect(share).toBeGreaterThanOrEqual(0.9);
    expect(share).toBeLessThan(0.93);
  });
});
