import fc from "fast-check";
import { expect, it } from "vitest";
import { LoopWatch } from "#agent/turn/stuck-turn.ts";
import type { JsonValue } from "#base/json/json.ts";
import type { ToolResultBlock, ToolUseBlock } from "#transcript/blocks.ts";

interface Round {
  readonly name?: string;
  readonly input?: JsonValue;
  readonly content?: string;
}

let ids = 0;
/** The first of these rounds that is a loop, counted from 1; 0 where none is. */
function firstLoop(rounds: readonly Round[]): number {
  const watch = new LoopWatch();
  return (
    rounds.findIndex(({ name = "Read", input = {}, content = "same" }) => {
      const id = `c${ids++}`;
      const calls: readonly ToolUseBlock[] = [{ type: "tool_use", id, name, input }];
      const results: readonly ToolResultBlock[] = [{ type: "tool_result", tool_use_id: id, content }];
      return watch.isLoop(calls, results);
    }) + 1
  );
}
const times = (count: number, round: Round = {}): readonly Round[] =>
  Array.from({ length: count }, () => round);

it.each([
  { rounds: times(8), at: 8, why: "the same eight times in a row" },
  { rounds: times(7), at: 0, why: "seven times" },
  { rounds: [...times(7), { content: "another" }, ...times(7)], at: 0, why: "another result in between" },
  { rounds: [...times(7), { input: { path: "b" } }, ...times(8)], at: 16, why: "begun anew" },
  {
    rounds: times(20).map((_, index) => ({ content: `${index}` })),
    at: 0,
    why: "polling that tells something",
  },
  { rounds: times(20).map((_, index) => ({ name: index % 2 === 0 ? "A" : "B" })), at: 0, why: "two in turn" },
])("is a loop at round $at: $why", ({ rounds, at }) => {
  expect(firstLoop(rounds)).toBe(at);
});

it("finds a loop exactly where eight neighbours are the same", () => {
  const round = fc.constantFrom<Round>({ content: "a" }, { content: "b" });
  fc.assert(
    fc.property(fc.array(round, { maxLength: 40 }), (rounds) => {
      const text = rounds.map(({ content }) => content).join("");
      const found = /a{8}|b{8}/.exec(text);
      expect(firstLoop(rounds)).toBe(found === null ? 0 : found.index + 8);
    }),
  );
});
