/** The judges of requests take steps in proportion to the messages. */
import { expect, it } from "vitest";
import { judgeAnthropicRequest, judgeOpenAIChatRequest } from "#wire-oracle/wire-oracle.ts";
import { growth, LINEAR_LIMIT } from "../../../../test/helpers/counted-steps.ts";
import { ask, assistant, call, hi, result, text, user } from "./bodies.ts";

it("every judge takes eight times the steps for eight times as many messages", () => {
  const exchange = (round: number) => [
    hi,
    assistant(call(`a${round}`)),
    user(result(`a${round}`)),
    assistant(text("ok")),
  ];
  const anthropic = (rounds: number) => ({
    messages: Array.from({ length: rounds }, (_, round) => exchange(round)).flat(),
  });
  const chat = (rounds: number) => ({
    messages: Array.from({ length: 4 * rounds }, (_, round) => [
      ask,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${round}`, type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: `c${round}`, content: "ok" },
    ]).flat(),
  });
  const work = (rounds: number) => () => {
    expect(judgeAnthropicRequest(anthropic(rounds))).toEqual([]);
    expect(judgeOpenAIChatRequest(chat(rounds))).toEqual([]);
  };
  expect(growth(work(25), work(200))).toBeLessThan(LINEAR_LIMIT);
});
