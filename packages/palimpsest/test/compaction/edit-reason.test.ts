/** Why an edit was made: in a few words for tables, and in a sentence with the figures of the moment for events. */
import { describe, expect, it } from "vitest";
import { explainEdit, reasonWords } from "#compaction/shared/edit-reason.ts";
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

  it("is in the event of every edit of a layer", async () => {
    const { session, events } = await aSession({ windowTokens: 16_000, policy: "faithful" });
    for (let round = 1; round <= 12; round++) {
      await session.append(user(`Read file ${round}, please.`));
      await session.prepare({ model: "claude-opus-4-5" });
      const text = Array.from({ length: 150 }, (_, line) => `${round}:${line} const a = ${line * round};`);
      await session.record({ messages: [assistant(`r${round}`, call(`c${round}`))] });
      await session.append(user(result(`c${round}`, text.join("\n"))));
      await session.prepare({ model: "claude-opus-4-5" });
      await session.record({ messages: [assistant(`s${round}`, "Done.")] });
    }
    const layers = events.filter((event) => event.type === "layer");
    expect(layers.length).toBeGreaterThan(0);
    for (const { why } of layers) expect(why).toMatch(/^the request had [\d,]+ tokens, and /);
  });
});
