import { TARIFFS } from "palimpsest/tokens";
import { describe, expect, it } from "vitest";
import { clearingProblem } from "#baselines/clearing-problem.ts";
import {
  assistant,
  aTrajectory,
  type RecordedText,
  result,
  user,
} from "../../../../test/helpers/made-up-trajectories.ts";

const problemOf = (messages: readonly RecordedText[]) =>
  clearingProblem(aTrajectory(messages), TARIFFS["anthropic-5m"]);

describe("clearingProblem", () => {
  it("says what each request carries, and whether the one before it is held", () => {
    const { requests } = problemOf([
      { ...user(2_000), atMs: 0 },
      { ...assistant(100), atMs: 5_000 },
      { ...result(500), atMs: 300_000 },
      { ...assistant(100), atMs: 310_000 },
      { ...user(50), atMs: 600_001 },
      assistant(100),
    ]);
    expect(requests).toEqual([
      { answer: 1, tokens: 3_000, isWarm: false },
      { answer: 3, tokens: 3_600, isWarm: true },
      { answer: 5, tokens: 3_750, isWarm: false },
    ]);
  });

  it.each<{ messages: readonly RecordedText[]; weights: readonly (readonly number[])[]; why: string }>([
    {
      messages: [
        user(10),
        assistant(10),
        result(500, "parse_args"),
        assistant(10),
        assistant(10, "parse_args"),
      ],
      weights: [],
      why: "a result is needed until its last use, and then there is no request left",
    },
    {
      messages: [
        user(10),
        assistant(10),
        result(500, "parse_args"),
        assistant(10, "parse_args"),
        assistant(10),
      ],
      weights: [[2, 470, 2]],
      why: "dead from the request after its last use on; a placeholder stays",
    },
    {
      messages: [assistant(10), result(500), assistant(10)],
      weights: [[1, 470, 1]],
      why: "what is never used is dead from the start",
    },
    {
      messages: [assistant(10), result(120), assistant(10)],
      weights: [],
      why: "a small result is not worth it",
    },
    { messages: [assistant(10), user(500), assistant(10)], weights: [], why: "the user's words stay" },
    {
      messages: [
        user(10),
        { by: "assistant", tokens: 500, text: "x".repeat(2_000), argumentsText: "x".repeat(1_000) },
        assistant(10),
      ],
      weights: [[1, 210, 1]],
      why: "large arguments: their share of the message, but for their beginning",
    },
    {
      messages: [
        user(10),
        { by: "assistant", tokens: 500, text: "x".repeat(2_000), argumentsText: "x".repeat(900) },
        assistant(10),
      ],
      weights: [],
      why: "small arguments stay",
    },
    {
      messages: [
        assistant(10),
        result(300, "parse_args"),
        result(400, "parse_args"),
        assistant(9, "parse_args"),
      ],
      weights: [[1, 270, 1]],
      why: "of two that hold a string, the later one is the one in use",
    },
  ])("finds the dead weight: $why", ({ messages, weights }) => {
    expect(
      problemOf(messages).weights.map(({ source, freedTokens, fromRequest }) => [
        source,
        freedTokens,
        fromRequest,
      ]),
    ).toEqual(weights);
  });
});
