/** The recall threshold: a message recalls what clearly fits it, not what only shares a word with it. */
import { describe, expect, it } from "vitest";
import { aboveRecallThreshold, type WordHit } from "#memory/recall/recall-plan.ts";

/** A memory with these words of the message in its name, and these in its text. */
const hit = (path: string, named: string, inBody = ""): WordHit => ({
  path,
  words: [
    ...named.split(" ").flatMap((word) => (word === "" ? [] : [{ word, fields: ["name", "body"] as const }])),
    ...inBody.split(" ").flatMap((word) => (word === "" ? [] : [{ word, fields: ["body"] as const }])),
  ],
});
/** Others that have the word in their text, so that it is not rare. */
const others = (word: string, count: number): readonly WordHit[] =>
  Array.from({ length: count }, (_, at) => hit(`other-${at}.md`, "", word));

const CASES: readonly {
  readonly name: string;
  readonly query: string;
  readonly found: WordHit;
  readonly common?: string;
  readonly isClear: boolean;
}[] = [
  {
    name: "a rare word",
    query: "Deploy it to staging, please",
    found: hit("a.md", "", "deploy"),
    isClear: true,
  },
  {
    name: "a common word in the text",
    query: "Make the deploy button blue",
    found: hit("a.md", "", "deploy"),
    common: "deploy",
    isClear: false,
  },
  {
    name: "a common word that is half of the message",
    query: "When may I deploy?",
    found: hit("a.md", "deploy"),
    common: "deploy",
    isClear: true,
  },
  {
    name: "one common word of many, in the name",
    query: "Rename this variable in the deploy script, and then run all of the tests again",
    found: hit("a.md", "deploy"),
    common: "deploy",
    isClear: false,
  },
  {
    name: "three words in the name, however long the message is",
    query: `deploy staging friday ${Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ")}`,
    found: hit("a.md", "deploy staging friday"),
    common: "deploy staging friday",
    isClear: true,
  },
  { name: "no word at all", query: "ok", found: hit("a.md", ""), isClear: false },
];

describe("what a message clearly calls for", () => {
  it.each(CASES)("is told by its words: $name", ({ query, found, common = "", isClear }) => {
    const many = common === "" ? [] : common.split(" ").flatMap((word) => others(word, 8));
    expect(aboveRecallThreshold(query, [found, ...many], 100).has(found.path)).toBe(isClear);
  });

  it("is nothing of an empty message, and of no memories", () => {
    expect(aboveRecallThreshold("", [hit("a.md", "")], 0)).toEqual(new Set());
    expect(aboveRecallThreshold("When may I deploy?", [], 0)).toEqual(new Set());
  });
});
