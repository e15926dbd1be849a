/**
 * Trajectories made by hand and at random: what was said, how large it was, and when.
 */
import fc from "fast-check";
import type { RunSetting } from "#evaluation/simulator/contestant.ts";
import {
  makeTrajectory,
  type RecordedMessage,
  type SpokenBy,
  type Trajectory,
} from "#palimpsest/session/metering/trajectory.ts";
import { TARIFFS } from "#palimpsest/tokens/price/tariff.ts";
import type { ContentBlock } from "#palimpsest/transcript/blocks.ts";

/** One message; what is left out is usual: a text without strings, 100 tokens, ten seconds later. */
export interface Said {
  readonly by: SpokenBy;
  readonly text?: string;
  readonly tokens?: number;
  readonly atMs?: number;
  readonly tool?: string;
  readonly argumentsText?: string;
  /** Content blocks of the message. */
  readonly blocks?: number;
}

export const user = (tokens: number, text = "please go on"): Said => ({ by: "user", tokens, text });
export const assistant = (tokens: number, text = "well then"): Said => ({ by: "assistant", tokens, text });
export const result = (tokens: number, text = "all is well", tool = "Read"): Said => ({
  by: "tool",
  tokens,
  text,
  tool,
});

export function aTrajectory(said: readonly Said[], { fixedTokens = 1_000 } = {}): Trajectory {
  return makeTrajectory({
    name: "by-hand",
    model: "claude-opus-4-5",
    fixedTokens,
    messages: said.map(recorded),
  });
}

function recorded({ by, text = "", tokens = 100, atMs, ...rest }: Said, index: number): RecordedMessage {
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
    spokenBy: by,
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
      const said: Said[] = [];
      for (const { calls, idleMs, ...asked } of turns) {
        atMs += idleMs;
        said.push({ by: "user", ...asked, atMs });
        for (const made of calls) {
          atMs += made.idleMs;
          said.push({ by: "assistant", text: made.text, tokens: made.tokens, atMs });
          said.push({ by: "tool", text: made.result, tokens: made.resultTokens, atMs });
        }
      }
      return aTrajectory(said, { fixedTokens });
    });
}
