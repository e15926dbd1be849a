/** Texts that backtracking chokes on: what compaction reads of them takes steps in proportion to their length. */
import { describe, expect, it } from "vitest";
import { planArrival } from "#compaction/layers/offload/offload-at-arrival.ts";
import { holdsLiteral } from "#compaction/literals/known-literal.ts";
import { visitLiterals } from "#compaction/literals/literals.ts";
import { LogWords } from "#compaction/literals/log-words.ts";
import { arrivalPolicy } from "#compaction/planner/policies.ts";
import { scriptedCalls } from "#compaction/shared/tool-script.ts";
import { stripHostTags } from "#compaction/shared/user-words.ts";
import { findVerified, markUnverified } from "#compaction/summary/unverified.ts";
import { countSteps, growth, LINEAR_LIMIT } from "../../../../test/helpers/counted-steps.ts";
import { measure } from "../../../../test/helpers/windows.ts";

describe("calls within a script", () => {
  it.each([
    ["calls", "tools.a("],
    ["open lists", "tools.a([["],
    ["open strings", 'tools.a("\\'],
    ["open templates", "tools.a(`${"],
    ["definitions", "const a = "],
    ["strings of a definition", "const a = 'x' + "],
    ["joined strings", "tools.a('x' + "],
    ["comments", "tools.a(/*"],
    ["blanks", "tools.a(    "],
    ["names", "tools . "],
  ])("are found in linear time in %s without end", (_name, unit) => {
    const find = (length: number) => () => scriptedCalls(`tools.a();${unit.repeat(length / unit.length)}`);
    expect(growth(find(2_000), find(16_000))).toBeLessThan(LINEAR_LIMIT);
  });
});

describe("literals", () => {
  it.each([
    ["one letter", "a"],
    ["quotes", "'\"`"],
    ["open quotes", '"a b '],
    ["slashes", "/"],
    ["joiners", "a=b:c/d."],
    ["brackets", "「"],
    ["digits and dots", "1."],
    ["backslashes", "\\"],
    ["line ends", "x\n"],
    ["emoji", "😀"],
  ])("are found in linear time in %s without end", (_name, unit) => {
    const find = (length: number) => () => visitLiterals(unit.repeat(length / unit.length), () => {});
    expect(growth(find(2_000), find(16_000))).toBeLessThan(LINEAR_LIMIT);
  });

  it.each([
    ["one long word", "a"],
    ["underscores", "a_"],
    ["escapes", "\\n"],
    ["slashes", "/"],
    ["apostrophes", "a'"],
    ["colours", "\u001b[1"],
    ["ideographs", "字"],
    ["digits", "123,"],
  ])("of %s are remembered in linear time", (_name, unit) => {
    const add = (length: number) => () => new LogWords().add(unit.repeat(length / unit.length));
    expect(growth(add(2_000), add(16_000))).toBeLessThan(LINEAR_LIMIT);
  });

  it.each([
    ["digits and a letter", `${"1".repeat(119)}x`],
    ["brackets", "[".repeat(120)],
    ["brackets with blanks", "[ ".repeat(60)],
    ["slashes", "a/".repeat(60)],
    ["dashes", "-1".repeat(60)],
    ["colons", "1:".repeat(60)],
  ])("of %s, as long as they can be, are looked for in few steps", (_name, literal) => {
    const log = new LogWords();
    log.add("a");
    expect(countSteps(() => holdsLiteral(log, literal, "quoted"))).toBeLessThan(50_000);
  });
});

describe("a hostile summary", () => {
  const names = (count: number, between: string): string =>
    Array.from({ length: count }, (_, index) => `name_${index}_x`).join(between);
  it.each<[string, (count: number) => string]>([
    ["one line of names", (count) => names(count, " ")],
    ["names in code that never ends", (count) => `\`${names(count, " ")}`],
    ["names behind written-out line ends", (count) => names(count, "\\n")],
    ["many marks", (count) => names(count, " [unverified] ")],
    ["a line of a list", (count) => `Not found in the log [unverified]: ${names(count, ", ")}`],
    ["many lines", (count) => names(count, "\n")],
    ["open quotes", (count) => '"'.repeat(10 * count)],
    ["closing brackets", (count) => `name_x${")".repeat(10 * count)}`],
    ["fences", (count) => "```\n".repeat(10 * count)],
    ["one path", (count) => "a/".repeat(10 * count)],
    ["one number", (count) => "1,".repeat(10 * count)],
  ])("of %s is marked and read again in linear time", (_name, make) => {
    const log = new LogWords();
    log.add("name_7_x");
    const work = (text: string) => () =>
      findVerified(markUnverified(text, (literal, kind) => holdsLiteral(log, literal, kind)));
    expect(growth(work(make(200)), work(make(1_600)))).toBeLessThan(LINEAR_LIMIT);
  });
});

it("the user's words are found in linear time among tags that are never closed", () => {
  const tags = (count: number): string => "<system-reminder>".repeat(count);
  expect(stripHostTags(tags(50_000))).toHaveLength(850_000);
  const strip = (count: number) => () => stripHostTags(tags(count));
  expect(growth(strip(500), strip(4_000))).toBeLessThan(LINEAR_LIMIT);
});

it("a result of one long line is offloaded in linear time, and its picture stays small", () => {
  const plan = (characters: number) => () =>
    planArrival(
      { content: [{ type: "tool_result", tool_use_id: "a", content: "x".repeat(characters) }] },
      1,
      arrivalPolicy(200_000),
      measure,
    );
  expect(measure(plan(2_000_000)()[0]!.shown)).toBeLessThanOrEqual(2_004);
  expect(growth(plan(50_000), plan(400_000))).toBeLessThan(LINEAR_LIMIT);
});
