import { TARIFFS } from "palimpsest/tokens";
import { describe, expect, it } from "vitest";
import { type KeyReference, keyOf } from "#references/references.ts";
import { findLookups, findRereads } from "#simulator/contestant.ts";
import {
  assistant,
  aTrajectory,
  type RecordedText,
  result,
  user,
} from "../../../../test/helpers/made-up-trajectories.ts";

const missing = (key: string, source: number): KeyReference => ({
  kind: "name",
  key,
  source,
  distanceTokens: 9_000,
});
const missingLine = (line: string, source: number): KeyReference => ({
  ...missing(keyOf("line", line), source),
  kind: "line",
});

const settingOf = (messages: readonly RecordedText[], windowTokens = 200_000) => ({
  trajectory: aTrajectory(messages),
  windowTokens,
  tariff: TARIFFS["anthropic-5m"],
});

function lookups(messages: readonly RecordedText[], wanted: readonly KeyReference[]) {
  return findLookups(wanted, settingOf(messages));
}

describe("findLookups", () => {
  const messages = [
    user(200, "fix parse_args"),
    assistant(100, "step_one then step_two"),
    result(700, "parse_line in src/lines.ts"),
    result(800, "parse_word"),
    result(900, "parse_file"),
  ];

  it.each([
    { wanted: [], sources: [], why: "nothing is missing" },
    { wanted: [missing("parse_args", 0)], sources: [0], why: "one string of the user" },
    { wanted: [missing("parse_word", 3)], sources: [3], why: "one string of a result" },
    { wanted: [missing("step_one", 1)], sources: [], why: "its own words it needs twice" },
    {
      wanted: [missing("step_one", 1), missing("step_two", 1)],
      sources: [1],
      why: "two strings of its own words",
    },
    {
      wanted: [missing("parse_word", 3), missing("parse_line", 2), missing("src/lines.ts", 2)],
      sources: [2, 3],
      why: "the one that misses most comes first",
    },
    {
      wanted: [
        missing("parse_args", 0),
        missing("parse_line", 2),
        missing("parse_word", 3),
        missing("parse_file", 4),
      ],
      sources: [0, 2, 3],
      why: "three at the most, in the order in which they are missed",
    },
  ])("asks again for $sources: $why", ({ wanted, sources }) => {
    expect(lookups(messages, wanted).map(({ source }) => source)).toEqual(sources);
  });

  it("brings back a small message whole, with what asking for it costs", () => {
    expect(lookups(messages, [missing("parse_line", 2)])).toMatchObject([
      { tokens: 780, text: "parse_line in src/lines.ts", message: { tokens: 700 } },
    ]);
    const [lookup] = lookups(messages, [missing("parse_line", 2)]);
    expect([...lookup!.strings]).toEqual(["src/lines.ts", "lines.ts", "parse_line"]);
  });

  it("brings back of a large message the places of what is wanted, three at the most", () => {
    const filler = "some more of it and ".repeat(1_000);
    const names = ["parse_one", "parse_two", "parse_six", "parse_ten"];
    const text = names.map((name) => `${name} ${filler}`).join("");
    // 80,000 characters in 20,000 tokens: 1,500 tokens are 6,000 characters, 2,000 a place.
    const [lookup] = lookups(
      [result(20_000, text)],
      names.map((name) => missing(name, 0)),
    );
    expect(lookup!.tokens).toBe(1_580);
    expect([...lookup!.strings]).toEqual(["parse_one", "parse_two", "parse_six"]);
    expect(lookup!.text.length).toBeGreaterThan(4_900);
    expect(lookup!.text.length).toBeLessThan(6_010);
  });

  it("begins at the beginning where a string stands nowhere in the text", () => {
    const [lookup] = lookups([result(20_000, "word ".repeat(20_000))], [missing("parse_one", 0)]);
    expect(lookup!.text.startsWith("word word")).toBe(true);
  });
});

describe("findRereads", () => {
  const line = (number: number) => `const value${number} = compute(${number});`;
  const file = [1, 2, 3].map(line).join("\n");

  it("reads what held missing lines again at its size, once however many lines are missing", () => {
    const setting = settingOf([result(9_000, file), result(700, line(4))]);
    const wanted = [missingLine(line(1), 0), missingLine(line(2), 0), missingLine(line(4), 1)];
    expect(findRereads(wanted, setting)).toMatchObject([
      { source: 0, tokens: 9_080, text: file, isReread: true },
      { source: 1, tokens: 780, text: line(4), isReread: true },
    ]);
  });

  it("reads at most a quarter of the window of one source", () => {
    const setting = settingOf([result(30_000, `${"a long page\n".repeat(9_000)}${line(1)}`)], 32_000);
    const [reread] = findRereads([missingLine(line(1), 0)], setting);
    expect(reread!.tokens).toBe(8_080);
    expect(reread!.text).toContain(line(1));
  });

  it("is not asked for names or words", () => {
    const word = { ...missing(keyOf("word", "computed"), 0), kind: "word" } as const;
    expect(findRereads([missing("parse_args", 0), word], settingOf([result(700, "")]))).toEqual([]);
    expect(lookups([result(700, "")], [word, missingLine(line(1), 0)])).toEqual([]);
  });
});
