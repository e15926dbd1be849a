import { describe, expect, it } from "vitest";
import { stemEnglish } from "#base/search/english-words.ts";

describe("the stem of an English word", () => {
  it.each([
    { words: ["walk", "walks", "walked", "walking"], stem: "walk", why: "tenses of a regular verb" },
    { words: ["hope", "hoped", "hoping"], stem: "hope", why: "the e that a tense takes away comes back" },
    {
      words: ["hop", "hopped", "hopping"],
      stem: "hop",
      why: "the consonant that a tense doubles goes again",
    },
    { words: ["pony", "ponies"], stem: "poni", why: "a plural in ies" },
    { words: ["tie", "ties"], stem: "tie", why: "a short word in ie keeps it" },
    { words: ["caress", "caresses"], stem: "caress", why: "a double s is no plural" },
    { words: ["relate", "related", "relation", "relational"], stem: "relat", why: "nouns of a verb" },
    { words: ["hope", "hopeful", "hopefulness"], stem: "hope", why: "two suffixes, one after the other" },
    {
      words: ["deploy", "deploys", "deployed", "deployment"],
      stem: "deploy",
      why: "a y behind a vowel stays",
    },
    { words: ["control", "controll", "controlled"], stem: "control", why: "a double l at a long word's end" },
    { words: ["adoption", "adopt", "adopted"], stem: "adopt", why: "ion behind t" },
  ])("of $words is $stem: $why", ({ words, stem }) => {
    expect(words.map(stemEnglish)).toEqual(words.map(() => stem));
  });

  it.each([
    { word: "is", why: "too short" },
    { word: "key", why: "a y behind a vowel" },
    { word: "sing", why: "nothing would be left of it" },
    { word: "feed", why: "nothing would be left of it" },
    { word: "v2.1", why: "no word of letters" },
    { word: "größen", why: "letters of another language" },
    { word: "", why: "nothing" },
  ])("leaves $word as it is: $why", ({ word }) => {
    expect(stemEnglish(word)).toBe(word);
  });
});
