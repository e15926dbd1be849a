/** The label of an edit says in words what made it: a threshold, the price, or something else. */
import { expect, it } from "vitest";
import { pageEdit } from "#replay/page/page-edits.ts";
import { reasonWords } from "#terminal/edit-reasons.ts";

it.each([
  { reason: "threshold", words: "auto-compact threshold" },
  { reason: "rent", words: "cost policy: cheaper than carrying on" },
  { reason: "payback", words: "cost policy, at the threshold: cheaper than clearing" },
  { reason: "cache-cold", words: "cost policy: the cache had expired" },
  { reason: "of a later version", words: "of a later version" },
  { reason: "constructor", words: "constructor" },
])("the label of an edit for $reason is in words, also on the page", ({ reason, words }) => {
  expect(reasonWords(reason)).toBe(words);
  const edit = { kind: "extractive", reason, freedTokens: 7, effect: {} } as const;
  expect(pageEdit({ type: "layer", seq: 3, layer: "extractive", edit }, 2)).toEqual({
    call: 2,
    layer: "extractive",
    reason: words,
    freedTokens: 7,
    seq: 3,
  });
});
