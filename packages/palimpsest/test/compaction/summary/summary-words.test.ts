/** The user's own words in a summary: which are quoted, which only named, and what is said of each. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { addToDigest, createDigest, type Digest } from "#compaction/digest/digest.ts";
import { composeUserWords } from "#compaction/summary/summary-words.ts";
import { measure, user } from "../../../../../test/helpers/windows.ts";

function digestOf(words: readonly string[]): Digest {
  const digest = createDigest();
  for (const [index, text] of words.entries()) addToDigest(digest, index + 1, user(text));
  return digest;
}

const composed = (words: readonly string[], budgetTokens = 1_000, throughSeq = words.length) =>
  finish(composeUserWords(digestOf(words), { throughSeq, budgetTokens }, measure));

it.each([
  { words: ["One."], lines: ["- m1.0 is quoted above."], why: "one message is the request" },
  { words: ["One.", "Two."], lines: ["- m1.0 and m2.0 are quoted above."], why: "first and latest are" },
  {
    words: ["One.", "Two.", "Three."],
    lines: ["- m1.0 and m3.0 are quoted above.", "- m2.0:\n> Two."],
    why: "what is between them stands here",
  },
])("says where the words of $words.length messages stand: $why", ({ words, lines }) => {
  expect(composed(words).messages).toEqual(lines);
});

it("says nothing is quoted that there was no room for", () => {
  const { request, messages, verbatimSeqs } = composed(["long ".repeat(400), "Two.", "Three."], 60);
  expect(request.join()).not.toContain("First message");
  expect(messages).toEqual([
    "- m3.0 is quoted above.",
    "- 1 older messages are not repeated here; newest of them: m1.0",
    "- m2.0:\n> Two.",
  ]);
  expect([...verbatimSeqs].sort()).toEqual([2, 3]);
});

it("knows nothing of what was said later", () => {
  expect(JSON.stringify(composed(["One.", "Two.", "Three."], 1_000, 2))).not.toContain("Three");
});

it("shortens no message where the room is all there is and all of them fit", () => {
  const words = fc.array(
    fc.nat({ max: 300 }).map((length) => `w${"x y ".repeat(length)}`),
    { minLength: 1, maxLength: 12 },
  );
  fc.assert(
    fc.property(words, (texts) => {
      const digest = digestOf(texts);
      const fits = texts.reduce((sum, text) => sum + Math.ceil((text.trim().length + 2) / 4) + 2, 0);
      const options = { throughSeq: texts.length, budgetTokens: fits, isUnlimited: true };
      expect([...finish(composeUserWords(digest, options, measure)).verbatimSeqs].length).toBe(texts.length);
    }),
  );
});

it("tells of each message once, within its budget", () => {
  const words = fc.array(
    fc.nat({ max: 300 }).map((length) => `w${"x y ".repeat(length)}`),
    { minLength: 1, maxLength: 12 },
  );
  fc.assert(
    fc.property(words, fc.nat({ max: 500 }), (texts, budgetTokens) => {
      const { request, messages, verbatimSeqs } = composed(texts, budgetTokens);
      const named = texts.map((_, index) => messages.filter((line) => names(line, index + 1)).length);
      expect(named).toEqual(texts.map(() => 1));
      for (const seq of verbatimSeqs)
        expect([...request, ...messages].some((text) => text.includes(`> ${texts[seq - 1]!.trim()}`))).toBe(
          true,
        );
      const text = [...request, ...messages].join("\n").replace(/^(?!>).*$/gm, "");
      expect(text.replaceAll("\n", "").length / 4).toBeLessThanOrEqual(budgetTokens + texts.length);
    }),
  );
});

/** True if a line is about the message, and does not quote one of its pointers for further reading. */
const names = (line: string, seq: number): boolean =>
  line
    .split("\n")
    .filter((part) => !part.startsWith(">"))
    .some((part) => new RegExp(`\\bm${seq}\\.0\\b`).test(part));
