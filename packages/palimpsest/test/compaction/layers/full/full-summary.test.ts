/** The message that a model's summary becomes: what the log adds to it, and what gives way where not all fits. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { addToDigest, createDigest, type Digest } from "#compaction/digest/digest.ts";
import { composeFullSummary } from "#compaction/layers/full/plan-full-compact.ts";
import type { SummaryBudget } from "#compaction/summary/plan-compaction.ts";
import type { WrittenSummary } from "#compaction/summary/summary-prompt.ts";
import type { Message } from "#transcript/blocks.ts";
import { assistant, call, measure, result, text, user } from "../../../../../../test/helpers/windows.ts";

const MESSAGES: readonly Message[] = [
  user("Mend the parser, and never touch legacy.ts."),
  assistant("r1", call("a", "Read", { file_path: "src/parser.ts" })),
  result("a", "export function parse_tokens_of_line() {}\n"),
  assistant(
    "r2",
    call("b", "TodoWrite", { todos: [todo("Write tests for the lexer"), todo("Bump version")] }),
  ),
  result("b", "ok"),
];

function todo(content: string) {
  return { content, status: "pending", activeForm: content };
}

function digestOf(messages: readonly Message[]): Digest {
  const digest = createDigest();
  for (const [index, message] of messages.entries()) addToDigest(digest, index + 1, message);
  return digest;
}

const sections = (words = "The parser drops a token."): string =>
  Array.from({ length: 9 }, (_, index) => `${index + 1}. ${words}`).join("\n");

function compose({
  messages = MESSAGES,
  ...given
}: Partial<WrittenSummary & SummaryBudget & { readonly messages: readonly Message[] }> = {}) {
  const written = { text: sections(), throughSeq: 5, model: "claude-opus-5-5", leftOutRounds: 0, ...given };
  const state = {
    budgetTokens: 2_000,
    throughSeq: 5,
    hasTail: true,
    visibleLiterals: new Set<string>(),
    ...given,
  };
  const input = {
    written,
    digest: digestOf(messages),
    isInLog: () => true,
    userWordsTokens: 500,
    appendixTokens: 300,
  };
  return finish(composeFullSummary(input, state, measure));
}
const composed = (given: Parameters<typeof compose>[0] = {}): string => compose(given)?.text ?? "none";

describe("a summary that a model wrote", () => {
  it("has the user's words, dropped tasks and strings of the log beside it", () => {
    const whole = composed();
    const headings = whole.match(/^#+ .*/gm);
    expect(headings).toEqual([
      "# Summary of the earlier conversation",
      "## Open tasks that the summary does not name, from the log",
      "## The user's own words, from the log",
      "## Strings from the log that may be needed to the letter",
    ]);
    expect(whole).toContain("> Mend the parser, and never touch legacy.ts.");
    expect(whole).toContain("- m1.0 is quoted above.");
    expect(whole).toContain("- Write tests for the lexer\n- Bump version");
    expect(whole).toContain("parse_tokens_of_line");
    expect(compose()?.verbatimSeqs).toEqual(new Set([1]));
  });

  it("says who wrote it, and what that one did not see", () => {
    expect(composed()).toContain("claude-opus-5-5 wrote this summary of the conversation so far. It is a");
    expect(composed({ leftOutRounds: 7 })).toContain("It did not see the oldest 7 rounds");
  });

  it.each([
    { hasTail: true, end: "The newest messages follow below as they were." },
    { hasTail: false, end: "Go on from here without greeting and without repeating what is done." },
  ])("ends by what comes next, with a tail: $hasTail", ({ hasTail, end }) => {
    expect(composed({ hasTail }).endsWith(end)).toBe(true);
  });

  it("does not repeat tasks that it names, in whatever words they stand", () => {
    const whole = composed({
      text: sections("Still to do: tests for the LEXER, written soon; bump the version."),
    });
    expect(whole).not.toContain("Open tasks");
  });

  it("has the open steps of a plan that it does not name, where the agent keeps no list of tasks", () => {
    const plan =
      "# Plan\n\n1. Cut the old reader out\n2. [x] Read the notes\n- Bump the version of the package\n\nThat is all.";
    const messages = [
      ...MESSAGES.slice(0, 3),
      assistant("r2", call("b", "ExitPlanMode", { plan })),
      result("b", "ok"),
    ];
    const whole = composed({ messages, text: sections("The version of the package is to be bumped.") });
    expect(whole).toContain("from the log\n\n- Cut the old reader out\n\n");
    expect(composed()).not.toContain("Cut the old reader out");
  });

  it("has what came of earlier requests, and gives it up first where there is no room", () => {
    const messages = [...MESSAGES, assistant("r3", text("The lexer is mended.")), user("Now the printer.")];
    const outcome =
      '- m1.0 "Mend the parser, and never touch legacy.ts.": answered (m6.0): "The lexer is mended."';
    expect(composed({ messages, throughSeq: 7 })).toContain(
      `${outcome}\n- m7.0 "Now the printer.": open\n\n## The user's`,
    );
    const small = composed({ messages, throughSeq: 7, budgetTokens: 300 });
    expect(small).not.toContain(outcome);
    expect(small).toContain(sections());
  });

  it("does not repeat strings that it tells, or that stand in the window", () => {
    const strings = (whole: string): string => whole.split("to the letter\n\n")[1] ?? "";
    expect(strings(composed())).toContain("parse_tokens_of_line");
    expect(strings(composed({ text: sections("See parse_tokens_of_line.") }))).not.toContain(
      "parse_tokens_of_line",
    );
    const visibleLiterals = new Set(["parse_tokens_of_line"]);
    expect(strings(composed({ visibleLiterals }))).not.toContain("parse_tokens_of_line");
  });

  it("quotes nothing that was said after it", () => {
    const messages = [...MESSAGES, user("Also the printer.")];
    expect(composed({ messages })).not.toContain("Also the printer.");
  });

  it("is refused where its own text does not fit", () => {
    expect(compose({ budgetTokens: 150 })).toBeUndefined();
    expect(compose({ text: sections("word ".repeat(1_000)) })).toBeUndefined();
  });

  it("keeps its text whole where the log's parts do not fit", () => {
    const whole = composed({ budgetTokens: 262 });
    expect(whole).toContain(sections());
    expect(whole).not.toContain("Strings from the log");
  });

  it("is not refused for the sake of very many tasks: as many are named as there is room for", () => {
    const todos = Array.from({ length: 150 }, (_, index) =>
      todo(`Mend module number_${index} of the printer`),
    );
    const messages = [...MESSAGES, assistant("r3", call("c", "TodoWrite", { todos })), result("c", "ok")];
    const whole = composed({ messages, budgetTokens: 700 });
    expect(whole).toContain(sections());
    expect(whole).toContain("- Mend module number_0 of the printer");
    expect(whole).toMatch(/^- and \d+ more$/m);
    expect(whole).toContain("> Mend the parser, and never touch legacy.ts.");
    expect(measure(text(whole))).toBeLessThanOrEqual(700);
  });

  it("stays within its room, and whole, whatever the log holds", () => {
    const words = fc.array(fc.nat({ max: 400 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(words, fc.nat({ max: 3_000 }), fc.nat({ max: 300 }), (lengths, budgetTokens, length) => {
        const messages = lengths.map((one, index) => user(`name_${index}_x ${"do this now ".repeat(one)}`));
        const written = sections("it is ".repeat(length / 10));
        const summary = compose({ messages, budgetTokens, text: written });
        if (summary === undefined) return;
        expect(measure(text(summary.text))).toBeLessThanOrEqual(budgetTokens);
        expect(summary.text).toContain(written);
        for (const seq of summary.verbatimSeqs)
          if (messages[seq - 1] !== undefined) expect(summary.text).toContain(`> name_${seq - 1}_x`);
      }),
    );
  });
});
