/**
 * Each baseline acts when its rule says, and does then what its rule says. The window has 20,000 tokens, a
 * tenth of the reference window, so that every constant is a tenth of its value.
 */
import { describe, expect, it } from "vitest";
import type { BaselineWindow, Piece } from "#baselines/baseline-window.ts";
import { BASELINES } from "#baselines/baselines.ts";
import type { Contestant, EditKind, SideCall } from "#simulator/contestant.ts";
import {
  aSetting,
  assistant,
  aTrajectory,
  type RecordedText,
  result,
  user,
} from "../../../../test/helpers/made-up-trajectories.ts";

const WINDOW_TOKENS = 20_000;
const HOUR_MS = 3_600_000;

interface Course {
  readonly contestant: Contestant;
  readonly pieces: BaselineWindow["pieces"];
  readonly sideCalls: readonly SideCall[];
  readonly edits: readonly (readonly [kind: EditKind, freedTokens: number])[];
  /** Tokens before the last preparation. */
  readonly before: number;
}

/** Runs a session up to the call behind its last message; only that one is prepared, unless told otherwise. */
function course(
  id: string,
  messages: readonly RecordedText[],
  { idleMs = 0, preparesAll = false } = {},
): Course {
  const trajectory = aTrajectory([...messages, assistant(10)]);
  const sideCalls: SideCall[] = [];
  const edits: [EditKind, number][] = [];
  const contestant = BASELINES.find((policy) => policy.id === id)!.enter(
    aSetting(trajectory, { windowTokens: WINDOW_TOKENS }),
    {
      sideCall: (call) => sideCalls.push(call),
      edited: (kind, freedTokens) => edits.push([kind, freedTokens]),
    },
  );
  let before = 0;
  const prepare = (index: number): void => {
    before = contestant.totalTokens;
    contestant.prepare({ index, nowMs: trajectory.messages[index]!.atMs, idleMs, isWarm: true });
  };
  for (const [index, message] of trajectory.messages.slice(0, -1).entries()) {
    if (preparesAll && message.author === "assistant") prepare(index);
    contestant.append(message, index);
  }
  prepare(messages.length);
  return { contestant, pieces: contestant.units as readonly Piece[], sideCalls, edits, before };
}

const forms = (pieces: readonly Piece[]): readonly string[] =>
  pieces.map(({ form, author, tokens }) => `${form === "whole" ? author : form} ${tokens}`);

/** A session of `tokens`, the fixed 1,000 included, with enough results and turns for every rule. */
const sessionOf = (tokens: number): readonly RecordedText[] => [
  user(500),
  ...Array.from({ length: 10 }, () => [assistant(50), result(580)]).flat(),
  user(200),
  ...Array.from({ length: 2 }, () => [assistant(50), result(200)]).flat(),
  user(tokens - 1_000 - 500 - 6_300 - 200 - 500),
];

describe("a baseline", () => {
  it.each([
    { id: "sliding", at: 18_000, why: "window − 20k" },
    { id: "sliding-half", at: 18_000, why: "window − 20k" },
    { id: "clear-tool-uses-0k", at: 10_000, why: "trigger 100k" },
    { id: "clear-tool-uses-20k", at: 10_000, why: "trigger 100k, and 20k are to be freed" },
    {
      id: "clear-tool-uses-50k",
      at: 18_000,
      why: "only 49.5k are to be freed, so it summarises at window − 20k",
    },
    { id: "opencode", at: 16_800, why: "window − 32k" },
    { id: "langchain", at: 17_000, why: "85 %" },
    { id: "langchain-10", at: 17_000, why: "85 %" },
    { id: "gemini-cli", at: 10_000, why: "50 %" },
    { id: "pi", at: 18_361, why: "window − 16,384" },
    { id: "claude-code", at: 16_700, why: "window − 33k" },
    { id: "claude-code-fresh", at: 16_700, why: "window − 33k" },
  ])("$id leaves $at tokens alone and acts above: $why", ({ id, at }) => {
    const below = course(id, sessionOf(at));
    expect(below.before).toBe(at);
    expect([below.edits, below.sideCalls]).toEqual([[], []]);
    expect(course(id, sessionOf(at + 1)).edits).not.toEqual([]);
  });

  it("that is none never acts, and has nothing to do where a request does not fit", () => {
    const { contestant, edits } = course("none", sessionOf(90_000));
    contestant.overflow({ index: 0, nowMs: 0, idleMs: 0, isWarm: true });
    expect([edits, contestant.totalTokens]).toEqual([[], 90_000]);
  });
});

describe("a sliding window", () => {
  it("drops the oldest messages one by one, a result with its call", () => {
    const messages = [user(100), assistant(100), result(6_000), user(200), assistant(300), result(11_000)];
    expect(forms(course("sliding", messages).pieces)).toEqual(["user 200", "assistant 300", "tool 11000"]);
  });

  it("keeps four messages, however large", () => {
    const messages = [user(100), user(9_000), user(9_000), user(9_000), user(9_000)];
    expect(course("sliding", messages).pieces).toHaveLength(4);
  });

  it("dropped to a half keeps half the window and no result without its call", () => {
    const messages = [user(9_000), assistant(100), result(6_000), user(2_000), assistant(2_000)];
    // 10,000 would hold the result, but not its call: the cut moves back to it.
    expect(forms(course("sliding-half", messages).pieces)).toEqual([
      "assistant 100",
      "tool 6000",
      "user 2000",
      "assistant 2000",
    ]);
  });
});

describe("clear_tool_uses", () => {
  const messages = [
    user(500),
    ...[100, 120, 121, 3_000].flatMap((tokens) => [assistant(10), result(tokens)]),
    ...[2_000, 2_000, 2_000].flatMap((tokens) => [assistant(10), result(tokens)]),
  ];

  it("clears what is above 120 tokens, to 30, but for the newest three", () => {
    const { pieces, edits } = course("clear-tool-uses-0k", messages);
    expect(forms(pieces.filter(({ author }) => author === "tool"))).toEqual([
      "tool 100",
      "tool 120",
      "cleared 30",
      "cleared 30",
      "tool 2000",
      "tool 2000",
      "tool 2000",
    ]);
    expect(edits).toEqual([["clear", 3_061]]);
  });

  it.each([
    { id: "clear-tool-uses-20k", clears: 1, why: "3,061 are at least 2,000" },
    { id: "clear-tool-uses-50k", clears: 0, why: "3,061 are not 5,000" },
  ])("frees at least as much as it must: $id, $why", ({ id, clears }) => {
    expect(course(id, messages).edits).toHaveLength(clears);
  });
});

describe("opencode-like", () => {
  const turn = (tokens: number): readonly RecordedText[] => [user(10), assistant(10), result(tokens)];

  it("clears with the next turn what lies behind two turns and 4,000 tokens of older results", () => {
    const messages = [...turn(2_500), ...turn(2_500), ...turn(9_000), ...turn(1_000), user(10)];
    expect(forms(course("opencode", messages).pieces.filter(({ author }) => author === "tool"))).toEqual([
      "cleared 30",
      "tool 2500",
      "tool 9000",
      "tool 1000",
    ]);
  });

  it.each([
    { oldest: 2_000, clears: 0 },
    { oldest: 2_001, clears: 1 },
  ])("clears nothing where that is 2,000 tokens or less: $oldest", ({ oldest, clears }) => {
    const messages = [...turn(oldest), ...turn(4_000), ...turn(100), ...turn(100), user(10)];
    expect(course("opencode", messages).edits).toHaveLength(clears);
  });
});

describe("LangChain-like", () => {
  it("keeps 20 messages and shows its summariser the last 4,000 tokens of the rest", () => {
    const messages = [
      user(1_000, "first_name"),
      user(6_000, "second_name"),
      user(2_000, "third_name"),
      ...Array.from({ length: 20 }, () => user(400)),
    ];
    const { pieces, sideCalls, contestant } = course("langchain", messages);
    expect(forms(pieces)).toEqual(["summary 800", ...Array.from({ length: 20 }, () => "user 400")]);
    // The window's scale does not shrink these: 800 of output, 4,000 of input.
    expect(sideCalls).toEqual([{ mode: "fresh", inputTokens: 4_000, outputTokens: 800 }]);
    const names = ["first_name", "second_name", "third_name"];
    expect(names.map((name) => contestant.isVisible(name))).toEqual([false, true, true]);
  });

  it("with 10 % keeps the newest 2,000 tokens", () => {
    const messages = [user(15_000), user(900), user(900), user(200)];
    expect(forms(course("langchain-10", messages).pieces)).toEqual([
      "summary 1200",
      "user 900",
      "user 900",
      "user 200",
    ]);
  });
});

describe("gemini-cli-like", () => {
  it("splits before the first message of the user behind 70 %, and asks twice", () => {
    const messages = [user(100), assistant(6_000), user(200), assistant(1_000), user(300), assistant(2_000)];
    const { pieces, sideCalls } = course("gemini-cli", messages);
    // 70 % of 9,600 are 6,720: the third message begins at 6,100, the fifth at 7,300.
    expect(forms(pieces)).toEqual(["summary 1200", "user 300", "assistant 2000"]);
    // The second call reads what the first has cached.
    expect(sideCalls.map(({ inputTokens }) => inputTokens)).toEqual([7_300, 730]);
  });

  it("has nowhere to split where only the first message is the user's", () => {
    expect(course("gemini-cli", [user(100), assistant(12_000)]).edits).toEqual([]);
  });

  it("masks results behind 5,000 tokens of newer ones, with both ends and a place to read the rest", () => {
    const old = `begin_here ${"word ".repeat(400)} in_the_middle ${"word ".repeat(400)} end_there`;
    const messages = [
      user(10),
      ...[3_500, 300, 200, 4_900, 150].flatMap((tokens) => [assistant(5), result(tokens, old)]),
    ];
    const { pieces, contestant, edits } = course("gemini-cli", messages);
    // The newest message is not looked at; 4,900 + 200 exceed 5,000; what has 260 or less stays.
    expect(forms(pieces.filter(({ author }) => author === "tool"))).toEqual([
      "cleared 190",
      "cleared 190",
      "tool 200",
      "tool 4900",
      "tool 150",
    ]);
    expect(edits).toEqual([["clear", 3_420]]);
    expect([...pieces[2]!.strings]).toEqual(["begin_here", "end_there"]);
    expect([2, 4, 6].map((source) => contestant.isBehindPointer(source))).toEqual([true, true, false]);
  });
});

describe("pi-like", () => {
  it("keeps the newest 2,000 tokens and shows its summariser 600 of each result", () => {
    const messages = [user(1_000), assistant(50), result(16_000), user(1_500)];
    const { pieces, sideCalls } = course("pi", messages);
    expect(forms(pieces)).toEqual(["summary 1200", "user 1500"]);
    expect(sideCalls).toEqual([{ mode: "fresh", inputTokens: 1_650, outputTokens: 1_200 }]);
  });
});

describe("Claude-Code-like", () => {
  const files = (count: number): readonly RecordedText[] =>
    Array.from({ length: count }, (_, index) => [
      assistant(10),
      result(400 + index, `the_file_${index}`),
    ]).flat();

  it("summarises everything, puts five read files back, newest first, and points to the rest", () => {
    const messages = [user(13_000, "the_task"), ...files(6), assistant(10), result(500, "edited", "Edit")];
    const { pieces, sideCalls, contestant } = course("claude-code", messages);
    expect(forms(pieces)).toEqual([
      "summary 1200",
      "restored 405",
      "restored 404",
      "restored 403",
      "restored 402",
      "restored 401",
    ]);
    expect(sideCalls).toMatchObject([{ mode: "fork", outputTokens: 1_200 }]);
    expect([0, 14].map((source) => contestant.isBehindPointer(source))).toEqual([true, true]);
    expect(course("claude-code-fresh", messages).sideCalls).toMatchObject([
      { mode: "fresh", inputTokens: 15_985 },
    ]);
  });

  it("restores no file above 1,000 tokens or below 150, and 500 of each", () => {
    const messages = [
      user(13_000),
      ...[149, 150, 501, 1_000, 1_001].flatMap((tokens) => [assistant(1), result(tokens)]),
    ];
    expect(forms(course("claude-code", messages).pieces)).toEqual([
      "summary 1200",
      "restored 500",
      "restored 500",
      "restored 150",
    ]);
  });

  it("clears all but five results after an hour, and not a moment earlier", () => {
    const messages = [user(10), ...files(7)];
    expect(course("claude-code", messages, { idleMs: HOUR_MS }).edits).toEqual([]);
    const { pieces } = course("claude-code", messages, { idleMs: HOUR_MS + 1 });
    expect(pieces.filter(({ form }) => form === "cleared").map(({ source }) => source)).toEqual([2, 4]);
  });

  it("with notes writes them from 1,000 tokens on, then every 500 and three calls", () => {
    const step = [assistant(10), result(300)];
    const messages = [user(980), ...Array.from({ length: 6 }, () => step).flat()];
    const { sideCalls, edits } = course("claude-code-notes", messages, { preparesAll: true });
    // At 1,290 tokens said; at 1,600 and 1,910 too few calls; at 2,220 again; at 2,530 and 2,840 too few.
    expect(sideCalls).toEqual([
      { mode: "fork", inputTokens: 0, outputTokens: 700, addedTokens: 1_500 },
      { mode: "fork", inputTokens: 0, outputTokens: 700, addedTokens: 1_500 },
    ]);
    expect(edits).toEqual([]);
  });

  it("with notes lets them stand for the oldest part, without a call, and keeps 4,000 tokens", () => {
    const messages = [
      user(9_000, "the_task"),
      ...Array.from({ length: 5 }, () => [assistant(100), result(1_500)]).flat(),
    ];
    const { pieces, edits, contestant } = course("claude-code-notes", messages, { preparesAll: true });
    // Notes have 12,000 tokens at the most: here 1,200.
    expect(forms(pieces)).toEqual([
      "summary 1200",
      "assistant 100",
      "tool 1500",
      "assistant 100",
      "tool 1500",
    ]);
    expect(edits.map(([kind]) => kind)).toEqual(["summary"]);
    expect(contestant.isVisible("the_task") && contestant.isBehindPointer(0)).toBe(true);
  });
});

describe("all baselines", () => {
  it("have ids of their own, and keep nothing from one session to the next", () => {
    expect(new Set(BASELINES.map(({ id }) => id)).size).toBe(BASELINES.length);
    const messages = sessionOf(18_500);
    for (const { id } of BASELINES)
      expect(forms(course(id, messages, { preparesAll: true }).pieces)).toEqual(
        forms(course(id, messages, { preparesAll: true }).pieces),
      );
  });
});
