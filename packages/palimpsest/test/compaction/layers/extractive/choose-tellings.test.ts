/** The sentences that tell most: what most of them are about comes first, and nothing twice. */
import { expect, it } from "vitest";
import { chooseTellings } from "#compaction/layers/extractive/choose-tellings.ts";

const telling = (seq: number, text: string, weight = 2) => ({ seq, pointer: `m${seq}.0`, text, weight });
const order = (...texts: readonly string[]) =>
  chooseTellings(
    texts.map((text, index) => telling(index + 1, text)),
    1_000,
  ).map(({ seq }) => seq);

it("prefers what many sentences are about", () => {
  expect(
    order(
      "A colour was chosen for it once.",
      "The scheduler drops retries.",
      "The scheduler counts retries.",
      "A scheduler without retries is fine.",
    )[0],
  ).toBeGreaterThan(1);
});

it("then takes what is not said yet", () => {
  const sentence = "The scheduler forgets its retries.";
  expect(order(sentence, sentence, "A parser reads the configuration.").slice(0, 2)).toContain(3);
});

it("prefers the newer of two that tell as much", () => {
  const sentence = "The scheduler forgets its retries.";
  const [first] = chooseTellings([telling(1, sentence), telling(900, sentence)], 900);
  expect(first?.seq).toBe(900);
});

it("needs no words that it knows", () => {
  expect(order("重试由调度器负责。", "なぜなら遅いから。")).toHaveLength(2);
  expect(chooseTellings([], 1)).toEqual([]);
});
