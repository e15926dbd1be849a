/** Hostile texts from processes and providers: reading them takes steps in proportion to their length. */
import { describe, expect, it } from "vitest";
import { findPrompt } from "#tasks/prompt-patterns.ts";
import { estimateText } from "#tokens/estimate/character-automaton.ts";
import { classifyModelError, FAILURE_ROWS } from "#wire/errors/model-failure.ts";
import { growth, LINEAR_LIMIT } from "../../../../test/helpers/counted-steps.ts";

describe("the end of an output", () => {
  it.each([
    "a ",
    "[y/",
    "(",
    "? ",
    "press any key ",
    "password ",
    "enter ",
    "ˑ",
    "1:",
    "a@a:",
    "❯ a\n",
    "? a\n  b\n",
  ])("is looked for in linear time behind %j", (piece) => {
    const find = (length: number) => () => {
      for (const end of ["", ":", "?", ">", "x", "\n"]) findPrompt(piece.repeat(length / piece.length) + end);
    };
    expect(growth(find(250), find(2_000))).toBeLessThan(LINEAR_LIMIT);
  });
});

it.each([
  ...FAILURE_ROWS.map(({ sample }) => `${sample.slice(0, Math.ceil(sample.length * 0.8))} `),
  "maximum context length is 1 tokens requested 1 tokens (",
  "request too large ",
  "1,",
  "a",
  '{"a":{',
])("what a provider says is read in linear time where it repeats %j", (piece) => {
  const classify = (length: number) => () =>
    classifyModelError(new Error(piece.repeat(Math.ceil(length / piece.length))));
  expect(growth(classify(500), classify(4_000))).toBeLessThan(LINEAR_LIMIT);
});

it.each([
  { unit: "a", why: "one letter" },
  { unit: " ", why: "spaces" },
  { unit: "中", why: "one ideograph" },
  { unit: "中文字符", why: "Chinese" },
  { unit: "😀", why: "emoji" },
  { unit: "QUJDREVGR0hJSktMTU5P", why: "base64" },
  { unit: "\ud800", why: "lone surrogates" },
  { unit: "e\u0301", why: "combining marks" },
])("the tokens of $why are estimated in linear time", ({ unit }) => {
  const estimate = (length: number) => () => estimateText(unit.repeat(Math.ceil(length / unit.length)));
  expect(growth(estimate(2_000), estimate(16_000))).toBeLessThan(LINEAR_LIMIT);
});
