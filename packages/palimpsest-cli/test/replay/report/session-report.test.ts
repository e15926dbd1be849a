/** The readable report, as golden text. */

import { planBudget } from "palimpsest/tokens";
import { describe, expect, it } from "vitest";
import { type ReportedSession, renderSession } from "#replay/report/session-report.ts";
import { renderSummary } from "#replay/report/summary-table.ts";
import { createStyles } from "#terminal/styles.ts";
import { aReplayed } from "#test/replay/measure/sample-session.ts";

const styles = createStyles({ isColored: false });
const call = (tokens: number) => ({ seq: 1, tokens, prepareMs: 0.2, windowHash: "", marks: [] });

function aReport(changed: Partial<ReportedSession> = {}): ReportedSession {
  return {
    title: "harbour.jsonl · Review",
    result: aReplayed(),
    budget: planBudget({ windowTokens: 64_000 }),
    calls: [...Array.from({ length: 6 }, () => call(20_000)), call(46_228), call(30_000)],
    violations: [],
    lost: [],
    differentCalls: [],
    repairs: [],
    ...changed,
  };
}

/** Everything but the picture, which has its own test. */
function words(report: ReportedSession, columns: number): readonly string[] {
  const lines = renderSession(report, { columns, styles });
  return [...lines.slice(0, 3), ...lines.slice(lines.findIndex((line) => line.includes("call 1")) + 1)];
}

describe("renderSession", () => {
  it("says what came in, what the layers did, and what was checked", () => {
    expect(words(aReport(), 100)).toEqual([
      "harbour.jsonl · Review",
      "276 messages and 206 tool calls say 313K tokens. They pass through a window of 64K",
      "(claude-opus-4-5), which never holds more than 46.2K.",
      "",
      "  offload     36×   −183K  large blocks moved out of the window, a preview and a pointer left",
      "                           35× layer's threshold; 1× too large when it arrived",
      "  extractive   2×  −66.6K  everything older told in nine sections, without a model",
      "                           1× auto-compact threshold; 1× cost policy: cheaper than carrying on",
      "",
      "  ✓ It fits       3 calls: the largest request has 46.2K tokens with about 5K of system prompt and",
      "                  tools, as billed; the limit is 56.6K",
      "  ✓ It is valid   6 requests judged by the rules of Anthropic and OpenAI: none would be refused",
      "  ✓ Nothing lost  all 775 original blocks read back by pointer, byte for byte",
      "  ✓ It is exact   3 earlier windows built again from the reopened log: identical",
      "  · Estimates     context size predicted for 221 billed calls: off by 0.01 % in the middle, 1.1 % at",
      "                  the 95th percentile",
      "  · It took       0.22 ms to prepare a call, 12 ms in the slowest hundredth; 1.66 MB on disk; 1.2 s",
      "                  in all, checks included",
    ]);
  });

  it("shows what is wrong: the first broken rules, lost blocks, different windows, repairs", () => {
    const violation = {
      call: 7,
      vendor: "OpenAI",
      rule: "role",
      path: "messages[3]",
      message: "Bad \u001b[2Jrole",
    } as const;
    const report = aReport({
      result: aReplayed({
        overflows: 2,
        fits: false,
        invariants: { checked: 6, broken: 5 },
        lossless: { blocks: 775, recovered: 774 },
        rebuild: { checked: 3, different: 1 },
        repairs: 8,
      }),
      violations: Array.from({ length: 7 }, () => violation),
      lost: ["m12.0"],
      differentCalls: [3],
      repairs: Array.from({ length: 8 }, (_, index) => `line ${index + 1}: bad-json, cut off`),
    });
    const lines = words(report, 120);
    expect(lines.slice(9, -2)).toEqual([
      "  ✗ It fits       2 of 3 calls above the limit of 56.6K; the largest request has 46.2K tokens",
      "  ✗ It is valid   5 of 6 requests would be refused by their provider",
      ...Array.from({ length: 5 }, () => "      call 7, OpenAI, role at messages[3]: Bad \\u{1B}[2Jrole"),
      "      and 2 more",
      "  ✗ Nothing lost  1 of 775 original blocks could not be read back as they were",
      "      pointers: m12.0",
      "  ✗ It is exact   1 of 3 earlier windows came out different from the reopened log",
      "      calls: 3",
      "  · Estimates     context size predicted for 221 billed calls: off by 0.01 % in the middle, 1.1 % at the 95th percentile",
      "  · Repaired      8 places repaired for the provider or the importer",
      ...Array.from({ length: 6 }, (_, index) => `      line ${index + 1}: bad-json, cut off`),
      "      and 2 more kinds",
    ]);
  });
});

describe("the prompt of a report", () => {
  it.each([
    {
      prompt: { source: "recorded", tokens: 4_100 },
      fits: true,
      line: "  ✓ It fits       3 calls: the largest request has 46.2K tokens with 4.1K of system prompt and tools, as recorded; the limit is 56.6K",
    },
    {
      prompt: { source: "fixed", tokens: 12_000 },
      fits: true,
      line: "  ✓ It fits       3 calls: the largest request has 46.2K tokens with 12K of system prompt and tools, as given by --fixed; the limit is 56.6K",
    },
    {
      prompt: { source: "billed", tokens: 28_100 },
      fits: true,
      line: "  ✓ It fits       3 calls: the largest request has 46.2K tokens with about 28.1K of system prompt and tools, as billed; the limit is 56.6K",
    },
    {
      prompt: { source: "unknown", tokens: 0 },
      fits: undefined,
      line: "  · Not judged    3 calls: the largest request has 46.2K tokens, the limit is 56.6K, but the recording lacks the system prompt or the tools it was sent with, and does not say what was billed. Pass --fixed N to reserve N tokens for them",
    },
  ] as const)("is named beside the judgement: $prompt.source", ({ line, prompt, fits }) => {
    const { fits: _, ...sample } = aReplayed({ prompt });
    const result = fits === undefined ? sample : { ...sample, fits };
    expect(words(aReport({ result }), 400)).toContain(line);
  });
});

describe("renderSummary", () => {
  it("tells several results at a glance", () => {
    const results = [
      { name: "a.jsonl", result: aReplayed() },
      { name: "b.jsonl", result: aReplayed({ overflows: 3, rebuild: { checked: 3, different: 1 } }) },
      {
        name: "c.jsonl",
        result: {
          file: "c.jsonl",
          error: { code: "INPUT_EMPTY", message: "It is empty.", hint: "Give another." },
        },
      },
    ];
    expect(renderSummary(results, styles)).toEqual([
      "   session  said  window   peak  calls",
      "✓  a.jsonl  313K     64K  46.2K      3",
      "✗  b.jsonl  313K     64K  46.2K      3  3 too large, 1 different",
      "✗  c.jsonl                              INPUT_EMPTY",
      "",
      "1 of 3 replays held.",
    ]);
  });
});
