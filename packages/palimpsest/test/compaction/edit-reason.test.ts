/** Why an edit was made: in a few words for tables, and in a sentence with the figures of the moment for events. */
import { describe, expect, it } from "vitest";
import { explainCompaction, explainEdit, reasonWords } from "#compaction/shared/edit-reason.ts";
import type { WindowOptions } from "#session/options/session-options.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";
import { aSession } from "#test/helpers/sessions.ts";

const occasion = {
  usedTokens: 152_345.4,
  messagesTokens: 140_000,
  budget: { offloadGateTokens: 108_000, microcompactGateTokens: 126_000, autoCompactGateTokens: 150_400 },
};

describe("the reason of an edit", () => {
  it.each([
    ["threshold", "auto-compact threshold"],
    ["rent", "cost policy: cheaper than carrying on"],
    ["payback", "cost policy, at the threshold: cheaper than clearing"],
    ["cache-cold", "cost policy: the cache had expired"],
    ["of a later version", "of a later version"],
    ["constructor", "constructor"],
  ])("%s is %s in words", (reason, words) => expect(reasonWords(reason)).toBe(words));

  it.each([
    ["full", "threshold", "the request had 152,345 tokens, and compaction starts at 150,400"],
    [
      "offload",
      "usage",
      "the request had 152,345 tokens, and from 108,000 on large old blocks become previews",
    ],
    ["microcompact", "usage", "the request had 152,345 tokens, and from 126,000 on old results are cleared"],
    [
      "extractive",
      "rent",
      "carrying 140,000 tokens of messages through every call had cost more than a summary of them",
    ],
    ["full", "manual", "it was asked for"],
    ["full", "of a later version", "of a later version"],
  ] as const)("%s for %s is explained with the figures", (kind, reason, sentence) => {
    expect(explainEdit({ kind, reason }, occasion)).toBe(sentence);
  });

  const moment = { usedTokens: 172_400, windowTokens: 200_000, compactAtTokens: 167_000, callsCount: 14 };

  it.each([
    [
      "rent",
      "compacted at 172K of 200K because the window is full from 167K on, and carrying its messages through 14 calls had cost more than a summary",
    ],
    [
      "threshold",
      "compacted at 172K of 200K because the window is full from 167K on; with `autoCompact: false` only `compact()` does it",
    ],
    [
      "payback",
      'compacted at 172K of 200K because the window is full from 167K on, and a summary pays sooner than clearing results; `policy: "faithful"` clears first',
    ],
    ["manual", "compacted at 172K of 200K because it was asked for"],
    [
      "reactive",
      "compacted at 172K of 200K because the provider refused the request as too long; `windowTokens` tells how much the model takes",
    ],
    [
      "silent-overflow",
      "compacted at 172K of 200K because the provider had cut off the request; `windowTokens` tells how much the model takes",
    ],
    ["media", "compacted at 172K of 200K because the provider refused a picture or document"],
    ["thinking", "compacted at 172K of 200K because the provider refused thinking of earlier answers"],
    ["of a later version", "compacted at 172K of 200K because of a later version"],
  ])("of a compaction for %s is one sentence with its size and the alternative", (reason, sentence) => {
    expect(explainCompaction({ reason }, moment)).toBe(sentence);
  });

  it.each([
    [
      "threshold",
      "compacted at 150K of 200K because the window is full from 167K on, estimates counted with a margin; with `autoCompact: false` only `compact()` does it",
    ],
    [
      "payback",
      'compacted at 150K of 200K because the window is full from 167K on, estimates counted with a margin, and a summary pays sooner than clearing results; `policy: "faithful"` clears first',
    ],
  ])("of a compaction for %s below that size says how it was counted", (reason, sentence) => {
    expect(explainCompaction({ reason }, { ...moment, usedTokens: 150_000 })).toBe(sentence);
  });

  it.each([
    {
      usedTokens: 154_000,
      alternative: '; `policy: "faithful"` waits until 167K',
      why: "waiting is possible",
    },
    { usedTokens: 166_800, alternative: "", why: "the figures would be the same" },
    { usedTokens: 172_400, alternative: "", why: "the window is full" },
  ])("of an early compaction at $usedTokens names the policy that waits: $why", ({
    usedTokens,
    alternative,
  }) => {
    expect(explainCompaction({ reason: "rent" }, { ...moment, usedTokens, callsCount: 1 })).toMatch(
      new RegExp(`through 1 call had cost more than a summary${alternative}$`),
    );
  });

  it("of an early compaction names no number of calls that it does not know", () => {
    const known = { ...moment, usedTokens: 154_000, callsCount: 0 };
    expect(explainCompaction({ reason: "rent" }, known)).toContain(
      "because carrying its messages had cost more than a summary;",
    );
  });

  it.each([
    { usedTokens: 9_940, windowTokens: 16_000, sizes: "9.9K of 16K" },
    { usedTokens: 999_600, windowTokens: 1_000_000, sizes: "1M of 1M" },
    { usedTokens: 1_240_000, windowTokens: 2_000_000, sizes: "1.2M of 2M" },
  ])("of a compaction has sizes that people read: $sizes", ({ sizes, ...size }) => {
    expect(explainCompaction({ reason: "manual" }, { ...moment, ...size })).toContain(`at ${sizes} because`);
  });

  /** Edits of a session of twelve rounds in a window of 16,000 tokens. */
  async function layersOf(window: WindowOptions) {
    const { session, events } = await aSession({ windowTokens: 16_000, ...window });
    for (let round = 1; round <= 12; round++) {
      await session.append(user(`Read file ${round}, please.`));
      await session.prepare({ model: "claude-opus-4-5" });
      const text = Array.from({ length: 150 }, (_, line) => `${round}:${line} const a = ${line * round};`);
      await session.record({ messages: [assistant(`r${round}`, call(`c${round}`))] });
      await session.append(user(result(`c${round}`, text.join("\n"))));
      await session.prepare({ model: "claude-opus-4-5" });
      await session.record({ messages: [assistant(`s${round}`, "Done.")] });
    }
    return { session, layers: events.filter((event) => event.type === "layer") };
  }

  it("is in the event of every edit of a layer", async () => {
    const { session, layers } = await layersOf({ policy: "faithful" });
    expect(layers.length).toBeGreaterThan(0);
    for (const { why } of layers) expect(why).toMatch(/^the request had [\d,]+ tokens, and /);
    expect(session.context().lastCompaction).toBeUndefined();
  });

  it("is one sentence in the event of a compaction, and in the context later on", async () => {
    const { session, layers } = await layersOf({
      policy: "faithful",
      disabledLayers: ["offload", "microcompact", "collapse"],
    });
    const last = layers.at(-1)!;
    expect(last.why).toMatch(
      /^compacted at [\d.]+K of 16K because the window is full from 1[\d.]+K on, estimates counted with a margin; with `autoCompact: false` only `compact\(\)` does it$/,
    );
    const { lastCompaction } = session.context();
    expect(lastCompaction).toMatchObject({ seq: last.seq, layer: "extractive", reason: "threshold" });
    // Later, the size before it is estimated from what it left and what it freed.
    const sizeOf = (why: string): number => Number(/at ([\d.]+)K/.exec(why)![1]);
    expect(sizeOf(lastCompaction!.why) / sizeOf(last.why)).toBeGreaterThan(0.85);
    expect(sizeOf(lastCompaction!.why) / sizeOf(last.why)).toBeLessThan(1.15);
    expect(lastCompaction!.why.replace(/at [\d.]+K/, "")).toBe(last.why.replace(/at [\d.]+K/, ""));
  });

  it("of an early compaction names its calls and the policy that waits", async () => {
    const { session, layers } = await layersOf({ policy: "economy", tariff: "openai-50" });
    const last = layers.findLast(({ edit }) => edit.isBoundary === true)!;
    expect(last.why).toMatch(
      /^compacted at [\d.]+K of 16K because carrying its messages through \d+ calls had cost more than a summary; `policy: "faithful"` waits until 1[\d.]+K$/,
    );
    expect(session.context().lastCompaction).toMatchObject({ seq: last.seq, reason: "rent" });
  });
});
