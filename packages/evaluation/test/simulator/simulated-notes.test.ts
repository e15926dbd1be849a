/** Notes of a replayed session: when they are updated, what an update costs, and what they tell then. */
import fc from "fast-check";
import type { ContentBlock } from "palimpsest";
import { costPolicy } from "palimpsest/experimental";
import { estimateText, TARIFFS } from "palimpsest/tokens";
import {
  findMetricStrings,
  makeTrajectory,
  type RecordedMessage,
  type Trajectory,
} from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import type { Contestant } from "#simulator/contestant.ts";
import { managedPolicy } from "#simulator/managed-window.ts";
import { simulate } from "#simulator/simulate.ts";
import type { JudgedAnswer, NotesVariant } from "#simulator/simulated-notes.ts";
import type { SummaryMoment } from "#simulator/simulated-summaries.ts";
import { composeModelledText } from "#simulator/summary-model.ts";
import { expectedUpdates, GATES, madeUpdates, SWITCHES } from "../../../../test/helpers/expected-updates.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

/** A short session pays for no update out of a twentieth. */
const GENEROUS = [
  { isGated: true, cap: 0.3 },
  { isGated: false, cap: 0.4 },
] as const;

/** A step of a session: tokens that the user says, or of an answer with calls and of all their results. */
type Step = readonly ["user", number] | readonly ["answer", number, number, number];

const RUNS = bySize({ usual: 5, long: 90, soak: 2_000 });

const WORDS = "it was read line by line and then ";

/** A session whose texts are about as large as its figures say. */
function sessionOf(steps: readonly Step[], fixedTokens = 2_000): Trajectory {
  const messages: RecordedMessage[] = [];
  const say = (
    role: "user" | "assistant",
    content: readonly ContentBlock[],
    tokens: number,
    isTool = false,
  ) =>
    messages.push({
      message: { role, content },
      author: isTool ? "tool" : role,
      text: "",
      argumentsText: "",
      tokens,
      atMs: messages.length * 5_000,
    });
  const text = (tokens: number) => WORDS.repeat(Math.ceil(tokens / estimateText(WORDS)));
  for (const [number, step] of steps.entries()) {
    const [by, tokens, calls = 0, resultTokens = 0] = step;
    const message: ContentBlock = { type: "text", text: `step_${number} ${text(tokens)}` };
    if (by === "user") {
      say("user", [message], tokens);
      continue;
    }
    const ids = Array.from({ length: calls }, (_, call) => `c${number}_${call}`);
    const asked = ids.map((id): ContentBlock => ({ type: "tool_use", id, name: "ask_db", input: {} }));
    say("assistant", [message, ...asked], tokens);
    const results = ids.map(
      (id): ContentBlock => ({ type: "tool_result", tool_use_id: id, content: text(resultTokens / calls) }),
    );
    if (calls > 0) say("user", results, resultTokens, true);
  }
  return makeTrajectory({ name: "made", model: "claude-opus-4-5", fixedTokens, messages });
}

interface Replayed {
  readonly answers: readonly JudgedAnswer[];
  readonly summaries: readonly SummaryMoment[];
  readonly cost: number;
  readonly sideCalls: number;
}

function replay(
  trajectory: Trajectory,
  notes: NotesVariant,
  { windowTokens = 200_000, asksModel = false, isNear = true, onCall = (_: Contestant) => {} } = {},
): Replayed {
  const answers: JudgedAnswer[] = [];
  const summaries: SummaryMoment[] = [];
  const policy = managedPolicy({
    id: "noted",
    name: "noted",
    // A summary at any size whose price is never paid: so no compaction is far off.
    policy: { ...costPolicy("faithful")!, ...(isNear ? { summaryMultiple: 1e9 } : {}) },
    editSafety: "permissive",
    summaries: {
      notes,
      asksModel,
      onJudged: (answer) => answers.push(answer),
      onSummary: (summary) => summaries.push(summary),
    },
  });
  const setting = { trajectory, windowTokens, tariff: TARIFFS["anthropic-5m"] };
  const { cost, sideCalls } = simulate({ ...policy, hasSearch: false }, setting, {
    onCall: (_, contestant) => onCall(contestant),
  });
  return { answers, summaries, cost, sideCalls };
}

/** The size at which `faithful` compacts a window of 200,000, less what stays in any case. */
const NEAR_TOKENS = 167_000 - 10_000;

/** 40,000 tokens in forty answers. */
const LONG_STEPS: [type: "answer", tokens: number, calls: number, resultTokens: number][] = Array.from(
  { length: 40 },
  () => ["answer", 200, 1, 800],
);

const variantOf = ({ isGated, cap }: (typeof SWITCHES | typeof GENEROUS)[number]): NotesVariant => ({
  updater: "model",
  isGated,
  costShareCap: cap ?? "off",
});

describe("when the notes of a replayed session are updated", () => {
  const session = sessionOf([
    ["user", 4_000],
    ["answer", 100, 1, 5_800],
    ["answer", 100, 1, 3_000], // 10,000 tokens, and two calls
    ["answer", 100, 1, 100],
    ["answer", 100, 1, 4_700],
    ["answer", 100, 0, 0], // 5,000 more
    ["user", 100],
    ["answer", 100, 2, 100],
    ["answer", 100, 1, 5_000],
    ["answer", 100, 1, 10],
  ]);

  it.each<{ readonly notes: Partial<NotesVariant>; readonly at: readonly number[]; readonly why: string }>([
    { notes: { costShareCap: "off" }, at: [5, 9, 15], why: "at three calls, at a pause, at three calls" },
    {
      notes: { costShareCap: "off", isGated: false },
      at: [1, 3, 5, 7, 9, 11, 13, 15],
      why: "without gates, whenever the model has answered",
    },
    { notes: {}, at: [], why: "a twentieth of so short a session pays for none" },
    { notes: { isGated: false }, at: [], why: "the cap wins" },
    { notes: { costShareCap: 0.4 }, at: [5, 13], why: "two fifths of it pay for the second one later" },
    { notes: { updater: "extractive" }, at: [5, 9, 15], why: "what costs nothing is under every cap" },
  ])("is after $at: $why", ({ notes, at }) => {
    const { answers } = replay(session, { updater: "model", ...notes });
    expect(answers).toHaveLength(8);
    expect(madeUpdates(answers)).toEqual(at);
  });

  it("waits for the compaction that may use it, unless it costs nothing", () => {
    const far = (notes: NotesVariant) => replay(session, notes, { isNear: false }).answers;
    const waiting = far({ updater: "model", costShareCap: 0.4 });
    expect(madeUpdates(waiting)).toEqual([]);
    expect(waiting[2]!.verdict).toEqual({ isDue: false, reason: "far-from-compaction" });
    expect(madeUpdates(far({ updater: "model", costShareCap: "off" }))).toEqual([5, 9, 15]);
    expect(madeUpdates(far({ updater: "extractive" }))).toEqual([5, 9, 15]);
    // With a prompt that fills the window to 12,000 below the gate, an update comes within the last 10,000.
    const large = { ...session, fixedTokens: 150_000 };
    const { answers } = replay(large, { updater: "model", costShareCap: 0.4 }, { isNear: false });
    const sizes = answers.filter(({ cost }) => cost !== undefined).map(({ state }) => state.windowTokens);
    expect(sizes.length).toBeGreaterThan(0);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(157_000);
  });

  it("is where gates and cap say, whatever a session does", () => {
    const tokens = fc.integer({ min: 20, max: 1_200 });
    const step = fc.oneof(
      fc.tuple(fc.constant("user" as const), tokens),
      fc.tuple(fc.constant("answer" as const), tokens, fc.nat(3), fc.integer({ min: 30, max: 2_000 })),
    );
    const anySteps = fc.array(step, { minLength: 20, maxLength: 60, size: "max" });
    let updates = 0;
    fc.assert(
      fc.property(
        anySteps,
        fc.constantFrom(200_000, 64_000, 32_000),
        fc.constantFrom(...SWITCHES, ...GENEROUS),
        fc.boolean(),
        (steps, windowTokens, on, isNear) => {
          // Only a large window waits; with a prompt of this size it is near after half of a session.
          const waits = !isNear && windowTokens === 200_000;
          const made = sessionOf(steps);
          const trajectory = waits ? { ...made, fixedTokens: 135_000 } : made;
          const how = { windowTokens, asksModel: true, isNear };
          const { answers, cost } = replay(trajectory, variantOf(on), how);
          const updated = madeUpdates(answers);
          const leastWindowTokens = waits ? NEAR_TOKENS : 0;
          const gate = { ...GATES[windowTokens]!, ...on, leastWindowTokens };
          expect(updated).toEqual(expectedUpdates(trajectory, answers, gate));
          const last = answers.at(-1);
          expect((last?.state.sessionCost ?? 0) + (last?.cost ?? 0)).toBeCloseTo(cost, 3);
          updates += updated.length;
        },
      ),
      // In every run: updates at each answer, and some only near a full window.
      {
        numRuns: RUNS,
        examples: [
          [LONG_STEPS, 32_000, { isGated: false, cap: undefined }, true],
          [LONG_STEPS, 200_000, { isGated: true, cap: 0.3 }, false],
        ],
      },
    );
    expect(updates).toBeGreaterThan(RUNS / 2);
  });
});

describe("an update of the notes", () => {
  const session = sessionOf([
    ["user", 9_000],
    ["answer", 1_000, 0, 0],
    ["user", 9_000],
    ["answer", 1_000, 0, 0],
  ]);

  it("is billed as a forked call: the last request is read, the answer, instruction and notes are new", () => {
    const requests: number[] = [];
    const { answers } = replay(
      session,
      { updater: "model", costShareCap: "off" },
      {
        onCall: ({ totalTokens }) => requests.push(totalTokens),
      },
    );
    const [first, second] = answers;
    // 400 tokens of Current State and 6 % of 10,000 are written, and again of the 10,000 that came then.
    const newTokens = (cost: number, request: number) => (cost - 0.1 * request - 5 * 1_000) / 1.25 - 1_000;
    const instruction = newTokens(first!.cost!, requests[0]!);
    expect(instruction).toBeGreaterThan(600);
    expect(instruction).toBeLessThan(1_000);
    // The second one also reads the notes that the first one left: 1,500 tokens in the place of the template's.
    expect(newTokens(second!.cost!, requests[1]!) - instruction).toBeGreaterThan(1_000);
    expect(newTokens(second!.cost!, requests[1]!) - instruction).toBeLessThan(1_500);
    // What it was expected to cost is what is billed.
    for (const { state, cost } of answers) expect(state.updateCost).toBeCloseTo(cost!, 6);
  });

  it("costs nothing without a model", () => {
    const { answers, sideCalls } = replay(session, { updater: "extractive" });
    expect([madeUpdates(answers), answers.map(({ cost }) => cost), sideCalls]).toEqual([[1, 3], [0, 0], 0]);
  });
});

describe("what notes are good for when the window is full", () => {
  /** Rounds of 500 tokens, many more than a window of 32,000 holds. */
  const steps = (count: number): readonly Step[] => [
    ["user", 100],
    ...Array.from({ length: count }, (): Step => ["answer", 100, 1, 400]),
  ];
  const long = sessionOf(steps(110));
  const how = { windowTokens: 32_000, asksModel: true };

  it.each<{
    readonly notes: NotesVariant;
    readonly kinds: readonly string[];
    readonly calls: number;
    readonly why: string;
  }>([
    {
      notes: { updater: "model", costShareCap: "off" },
      kinds: ["session-memory none", "session-memory none"],
      calls: 0,
      why: "they stand for the messages, and nobody is asked",
    },
    {
      notes: { updater: "extractive" },
      kinds: ["session-memory none", "session-memory none"],
      calls: 0,
      why: "the same without a model",
    },
    {
      notes: { updater: "model", costShareCap: 0 },
      kinds: ["full blocking", "full blocking"],
      calls: 2,
      why: "there are none, and the agent waits for a model",
    },
  ])("$kinds: $why", ({ notes, kinds, calls }) => {
    const { summaries, sideCalls, answers } = replay(long, notes, how);
    expect(summaries.map(({ kind, call }) => `${kind} ${call}`)).toEqual(kinds);
    expect(summaries.filter(({ call }) => call === "blocking")).toHaveLength(calls);
    const updates = notes.updater === "model" ? madeUpdates(answers).length : 0;
    expect(sideCalls).toBe(calls + updates);
  });

  it("says why they did not suffice", () => {
    const { summaries } = replay(long, { updater: "model", costShareCap: 0 }, how);
    expect(summaries[0]).toMatchObject({ reason: "threshold", refusal: "no-notes", kind: "full" });
  });
});

describe("a modelled text", () => {
  const strings = [
    "src/app/main.ts",
    "parse_args",
    "it's `quoted` so",
    'say "it" twice',
    "0x1f",
    "httpClient2",
  ];
  const headings = ["# One\n_what one is_", "# Two", "# Three"];

  it.each([{ tokens: 300 }, { tokens: 1_500 }, { tokens: 12_000 }])("is as long as it should be: $tokens", ({
    tokens,
  }) => {
    const text = composeModelledText({ headings, strings, tokens });
    expect(Math.abs(estimateText(text) - tokens)).toBeLessThan(20);
    for (const heading of headings) expect(text).toContain(heading);
  });

  it("holds every string so that it can be read, and no other", () => {
    const found = findMetricStrings(composeModelledText({ headings: ["# one"], strings, tokens: 2_000 }));
    expect([...found]).toEqual(expect.arrayContaining(strings));
    expect(
      findMetricStrings(composeModelledText({ headings: ["# one"], strings: [], tokens: 2_000 })).size,
    ).toBe(0);
  });
});
