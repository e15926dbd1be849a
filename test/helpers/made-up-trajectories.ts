/**
 * Trajectories made by hand and at random: texts, sizes and times.
 */
import fc from "fast-check";
import {
  type Author,
  makeTrajectory,
  type RecordedMessage,
  type Trajectory,
} from "palimpsest-testing/internal";
import type { RunSetting } from "#evaluation/simulator/contestant.ts";
import { TARIFFS } from "#palimpsest/tokens/price/tariff.ts";
import type { ContentBlock } from "#palimpsest/transcript/blocks.ts";

/** One message. Defaults: a text without strings, 100 tokens, ten seconds later. */
export interface RecordedText {
  readonly by: Author;
  readonly text?: string;
  readonly tokens?: number;
  readonly atMs?: number;
  readonly tool?: string;
  readonly argumentsText?: string;
  /** Content blocks of the message. */
  readonly blocks?: number;
}

export const user = (tokens: number, text = "please go on"): RecordedText => ({ by: "user", tokens, text });
export const assistant = (tokens: number, text = "well then"): RecordedText => ({
  by: "assistant",
  tokens,
  text,
});
export const result = (tokens: number, text = "all is well", tool = "Read"): RecordedText => ({
  by: "tool",
  tokens,
  text,
  tool,
});

export function aTrajectory(messages: readonly RecordedText[], { fixedTokens = 1_000 } = {}): Trajectory {
  return makeTrajectory({
    name: "by-hand",
    model: "claude-opus-4-5",
    fixedTokens,
    messages: messages.map(recorded),
  });
}

function recorded(
  { by, text = "", tokens = 100, atMs, ...rest }: RecordedText,
  index: number,
): RecordedMessage {
  const { tool, argumentsText = "", blocks = 1 } = rest;
  const block: ContentBlock =
    by === "tool"
      ? { type: "tool_result", tool_use_id: `c${index}`, content: text }
      : { type: "text", text: text === "" ? "-" : text };
  return {
    message: {
      role: by === "assistant" ? "assistant" : "user",
      content: Array.from({ length: blocks }, () => block),
    },
    author: by,
    ...(by === "tool" ? { tool: tool ?? "Read" } : {}),
    text,
    argumentsText,
    tokens,
    atMs: atMs ?? index * 10_000,
  };
}

export function aSetting(trajectory: Trajectory, setting: Partial<RunSetting> = {}): RunSetting {
  return { trajectory, windowTokens: 200_000, tariff: TARIFFS["anthropic-5m"], ...setting };
}

const WORDS = [
  "retryCount",
  "parse_args",
  "src/app/main.ts",
  "MAX_SIZE",
  "4711",
  "httpClient2",
  "and",
  "the",
];

/** Random sessions: turns of a user, calls with results, idle times from none to hours, few strings. */
export function anyTrajectory(): fc.Arbitrary<Trajectory> {
  const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => words.join(" "));
  const tokens = fc.integer({ min: 1, max: 4_000 });
  const idleMs = fc.constantFrom(0, 1_000, 60_000, 300_000, 300_001, 3_700_000);
  const call = fc.record({ text, tokens, result: text, resultTokens: tokens, idleMs });
  const turn = fc.record({ text, tokens, idleMs, calls: fc.array(call, { maxLength: 6 }) });
  return fc
    .record({ fixedTokens: fc.integer({ min: 0, max: 3_000 }), turns: fc.array(turn, { maxLength: 8 }) })
    .map(({ fixedTokens, turns }) => {
      let atMs = 0;
      const messages: RecordedText[] = [];
      for (const { calls, idleMs, ...asked } of turns) {
        atMs += idleMs;
        messages.push({ by: "user", ...asked, atMs });
        for (const made of calls) {
          atMs += made.idleMs;
          messages.push({ by: "assistant", text: made.text, tokens: made.tokens, atMs });
          messages.push({ by: "tool", text: made.result, tokens: made.resultTokens, atMs });
        }
      }
      return aTrajectory(messages, { fixedTokens });
    });
}
