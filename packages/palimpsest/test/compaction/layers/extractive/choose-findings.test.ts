/** The sentences that tell most: what most of them are about comes first, and nothing twice. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { chooseFindings } from "#compaction/layers/extractive/choose-findings.ts";

const finding = (seq: number, text: string, weight = 2) => ({ seq, pointer: `m${seq}.0`, text, weight });
const order = (...texts: readonly string[]) =>
  chooseFindings(
    texts.map((text, index) => finding(index + 1, text)),
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
  const [first] = chooseFindings([finding(1, sentence), finding(900, sentence)], 900);
  expect(first?.seq).toBe(900);
});

it.each([
  {
    why: "Chinese has words of two characters",
    texts: ["调度器会丢弃重试", "调度器统计了重试", "颜色换成红的"],
  },
  {
    why: "Japanese has words of Kanji and Katakana",
    texts: ["スケジューラが再試行を捨てる", "スケジューラは再試行を数える", "色はあとで選んだ"],
  },
  {
    why: "Korean words are short",
    texts: ["스케줄러가 재시도를 버린다", "스케줄러가 재시도를 센다", "색은 나중에 골랐다"],
  },
  {
    why: "a name within Japanese is a word",
    texts: ["今はschedulerを直す", "今はschedulerが遅い", "色はあとで選ぶ"],
  },
])("prefers what many sentences are about: $why", ({ texts }) => {
  expect(order(...texts)[0]).toBeLessThan(3);
});

it("needs no words that it knows", () => {
  expect(order("重试由调度器负责。", "なぜなら遅いから。")).toHaveLength(2);
  expect(chooseFindings([], 1)).toEqual([]);
});

/** Reckons every value again for every choice. */
function chooseSlowly(findings: readonly ReturnType<typeof finding>[], newestSeq: number): readonly number[] {
  const left = findings.map((one) => ({
    ...one,
    words: new Set(one.text.toLowerCase().match(/\p{L}{6,}/gu) ?? []),
  }));
  const all = left.flatMap(({ words }) => [...words]);
  const covered = new Set<string>();
  const chosen: number[] = [];
  while (left.length > 0 && chosen.length < 80) {
    const values = left.map(({ weight, seq, text, words }) => {
      const fresh = [...words].filter((word) => !covered.has(word));
      const sum = fresh.reduce((sum, word) => sum + all.filter((other) => other === word).length, weight);
      return sum * ((1 + seq / newestSeq) / Math.sqrt(20 + text.length));
    });
    const [best] = left.splice(values.indexOf(Math.max(...values)), 1);
    for (const word of best!.words) covered.add(word);
    chosen.push(best!.seq);
  }
  return chosen;
}

it("chooses as if every value were reckoned again for every choice", () => {
  const word = fc.constantFrom("scheduler", "retries", "parser", "window", "it", "configuration");
  const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.integer({ min: 0, max: 3 })), { maxLength: 90 }), (given) => {
      const findings = given.map(([text, weight], index) => finding(index + 1, text, weight));
      expect(chooseFindings(findings, 100).map(({ seq }) => seq)).toEqual(chooseSlowly(findings, 100));
    }),
  );
});
