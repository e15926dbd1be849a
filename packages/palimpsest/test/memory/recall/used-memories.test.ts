/** Which of the memories that were shown an answer uses. */
import { describe, expect, it } from "vitest";
import { usedMemories } from "#memory/recall/used-memories.ts";
import { aMemory } from "#test/memory/consolidation/a-memory.ts";

const DEPLOY = aMemory({ path: "deploy.md", name: "Deploy days", body: "We deploy on Tuesdays only." });
const OFFICE = aMemory({ path: "office.md", name: "Office", body: "The office is in Ghent." });

const used = (text: string, answer: string, shown = [DEPLOY, OFFICE]) =>
  usedMemories(shown, { userText: text, answer }).map(({ path }) => path);

describe("a memory that was shown", () => {
  it.each([
    { text: "When can I deploy?", answer: "On Tuesday.", paths: ["deploy.md"], why: "it told the day" },
    { text: "When can I deploy?", answer: "You can deploy now.", paths: [], why: "the user said that word" },
    { text: "Is it Tuesday today?", answer: "It is Tuesday.", paths: [], why: "the user said the day, too" },
    { text: "Where are we?", answer: "", paths: [], why: "nothing was answered" },
    {
      text: "Plan my trip.",
      answer: "Go to Ghent on a Tuesday.",
      paths: ["deploy.md", "office.md"],
      why: "both told something",
    },
  ])("was used by “$answer”: $paths, for $why", ({ text, answer, paths }) => {
    expect(used(text, answer)).toEqual(paths);
  });

  it("was not used where it says nothing that had not been said", () => {
    expect(used("We deploy on Tuesdays only, on deploy days.", "We deploy on Tuesdays only.")).toEqual([]);
  });

  it("and is long was used where four of its words are, and not where three are", () => {
    const words = Array.from({ length: 40 }, (_, index) => `word${index}x`);
    const long = aMemory({ path: "long.md", name: "Long", body: words.join(" ") });
    expect(used("", words.slice(0, 2).join(" "), [long])).toEqual([]);
    expect(used("", words.slice(0, 4).join(" "), [long])).toEqual(["long.md"]);
  });
});
