import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  anyTrajectory,
  assistant,
  aTrajectory,
  type RecordedText,
  result,
  user,
} from "../../../../test/helpers/made-up-trajectories.ts";

const referencesOf = (messages: readonly RecordedText[]) =>
  aTrajectory(messages).messages.map(({ references }) =>
    references.map(({ text, source, distanceTokens }) => [text, source, distanceTokens]),
  );

describe("makeTrajectory", () => {
  it("finds what an answer uses again, where it stood last, and how far away that is", () => {
    expect(
      referencesOf([
        user(100, "fix parse_args"),
        result(5_000, "parse_args in src/cli/args.ts"),
        assistant(300, "reading"),
        result(4_000, "nothing"),
        assistant(200, "edit src/cli/args.ts with parse_args"),
      ]),
    ).toEqual([
      [],
      [],
      [],
      [],
      [
        ["src/cli/args.ts", 1, 4_300],
        ["args.ts", 1, 4_300],
        ["parse_args", 1, 4_300],
      ],
    ]);
  });

  it.each([
    { text: [user(10, "parse_args"), user(10, "parse_args")], why: "only answers refer to anything" },
    { text: [assistant(10, "parse_args and parse_args")], why: "a new string refers to nothing" },
    { text: [user(10, "404"), assistant(10, "404")], why: "three characters are too few" },
    { text: [user(10, "the words"), assistant(10, "the words")], why: "words are no strings" },
  ])("finds no reference: $why", ({ text }) => {
    expect(referencesOf(text).flat()).toEqual([]);
  });

  it("counts the distance from behind the source: what follows directly is at 0", () => {
    expect(referencesOf([user(900, "parse_args"), assistant(10, "parse_args")])[1]).toEqual([
      ["parse_args", 0, 0],
    ]);
  });

  it.each([
    { holding: 11, messages: 20, isReference: true, why: "in 11 messages" },
    { holding: 12, messages: 20, isReference: false, why: "in 12 messages: it says nothing" },
    { holding: 29, messages: 200, isReference: true, why: "in 29 of 200 messages" },
    { holding: 30, messages: 200, isReference: false, why: "in 15 % of the messages" },
  ])("leaves out what stands everywhere: $why", ({ holding, messages, isReference }) => {
    const history = Array.from({ length: messages }, (_, index) =>
      assistant(10, index < holding ? "parse_args" : "nothing"),
    );
    expect(referencesOf(history).flat().length > 0).toBe(isReference);
  });

  it("sums the tokens before each message, and all of them, without the fixed part", () => {
    const trajectory = aTrajectory([user(100), assistant(30), result(7)], { fixedTokens: 5_000 });
    expect(trajectory.tokensBefore).toEqual([0, 100, 130, 137]);
    expect(trajectory.tokens).toBe(137);
    expect(trajectory.fixedTokens).toBe(5_000);
  });

  it("refers to an earlier message that holds the string, and none between holds it too", () => {
    fc.assert(
      fc.property(anyTrajectory(), ({ messages, tokensBefore }) => {
        for (const [index, { references }] of messages.entries())
          for (const { text, source, distanceTokens } of references) {
            expect(source).toBeLessThan(index);
            expect(messages[source]!.strings.has(text)).toBe(true);
            expect(messages.slice(source + 1, index).some(({ strings }) => strings.has(text))).toBe(false);
            expect(distanceTokens).toBe(tokensBefore[index]! - tokensBefore[source + 1]!);
          }
      }),
    );
  });
});
