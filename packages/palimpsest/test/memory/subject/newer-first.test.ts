import { expect, it } from "vitest";
import { putNewerFirst, type RankedText } from "#memory/subject/newer-first.ts";

const OLD = 1_000;
const NEW = 2_000;
const tuesday = { text: "We usually deploy the service on Tuesdays", score: 10, timeMs: OLD, trust: 2 };
const thursday = { text: "We deploy the service on Thursdays", score: 8, timeMs: NEW, trust: 2 };
const tests = { text: "Tests run on every push", score: 9, timeMs: OLD, trust: 2 };

const ordered = (...ranked: RankedText[]) => putNewerFirst(ranked, (found) => found);

it.each([
  { ranked: [tuesday, thursday], expected: [thursday, tuesday], why: "it is newer, and of the same matter" },
  {
    ranked: [tuesday, tests, thursday],
    expected: [thursday, tuesday, tests],
    why: "others stay in their order",
  },
  { ranked: [thursday, tuesday], expected: [thursday, tuesday], why: "it is first already" },
  {
    ranked: [tuesday, { ...thursday, timeMs: OLD }],
    expected: [tuesday, { ...thursday, timeMs: OLD }],
    why: "as old",
  },
  {
    ranked: [tuesday, { ...thursday, score: 4 }],
    expected: [tuesday, { ...thursday, score: 4 }],
    why: "far worse",
  },
  {
    ranked: [tuesday, { ...tests, timeMs: NEW }],
    expected: [tuesday, { ...tests, timeMs: NEW }],
    why: "another matter",
  },
  {
    ranked: [{ ...tuesday, timeMs: undefined }, thursday],
    expected: [thursday, { ...tuesday, timeMs: undefined }],
    why: "what has no time is older than anything",
  },
  {
    ranked: [tuesday, { ...thursday, trust: 1 }],
    expected: [tuesday, { ...thursday, trust: 1 }],
    why: "believed less",
  },
  { ranked: [], expected: [], why: "nothing was found" },
])("puts newer memories of the same matter first: $why", ({ ranked, expected }) => {
  expect(ordered(...ranked)).toEqual(expected);
});

it("looks at the best only, and loses none", () => {
  const many = Array.from({ length: 60 }, (_, index) => ({ ...tuesday, score: 100 - index, timeMs: index }));
  const result = ordered(...many);
  expect(result).toHaveLength(60);
  expect(result.slice(0, 40).map(({ timeMs }) => timeMs)).toEqual([...Array(40).keys()].reverse());
  expect(result.slice(40)).toEqual(many.slice(40));
});

it.each([
  { words: ["rehearsals"], expected: [1, 0], why: "both have the same word of the message" },
  { words: ["day", "rehearsals"], expected: [1, 0], why: "it has more of them" },
  { words: ["day"], expected: [0, 1], why: "it lacks one of them" },
])("puts what answers as much and is newer first, in other words: $why", ({ words, expected }) => {
  const older = {
    text: "Rehearsals are on Tuesdays.",
    score: 10,
    timeMs: OLD,
    trust: 2,
    words: ["rehearsals"],
  };
  const newer = { text: "Rehearsals got shifted to Sundays.", score: 8, timeMs: NEW, trust: 2, words };
  const both = [older, newer];
  expect(ordered(...both).map((one) => both.indexOf(one as typeof older))).toEqual(expected);
});

it("compares the words of the message of the best few, and of short memories only", () => {
  const older = { text: "Rehearsals: Tuesdays.", score: 100, timeMs: OLD, trust: 2, words: ["rehearsals"] };
  const others = Array.from({ length: 12 }, (_, at) => ({ ...tests, score: 99 - at }));
  const newer = { ...older, text: "Rehearsals got shifted to Sundays.", score: 80, timeMs: NEW };
  const words = Array.from({ length: 80 }, (_, at) => `word${at}`).join(" ");
  const long = { ...newer, text: `${newer.text} ${words}` };
  expect(ordered(older, newer)).toEqual([newer, older]);
  expect(ordered(older, ...others, newer)).toEqual([older, ...others, newer]);
  expect(ordered(older, long)).toEqual([older, long]);
});
