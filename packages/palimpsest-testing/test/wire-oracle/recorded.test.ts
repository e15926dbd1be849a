/**
 * The oracle on recorded conversations that providers took: what it reports there must be true of
 * the record (something its client left out or added), or the oracle is wrong.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { judgeAnthropicRequest, judgeOpenAIChatRequest, type Violation } from "#wire-oracle/wire-oracle.ts";
import { corpusFolder, hasCorpus } from "../../../../test/helpers/corpus.ts";

const trajectories = `${corpusFolder}/trajectories`;

function linesOf(file: string): unknown[] {
  const contents = gunzipSync(readFileSync(`${trajectories}/${file}`)).toString("utf8");
  return contents
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

/** The wire messages of a Claude Code log, just as its lines stand. */
function claudeCodeMessages(file: string): unknown[] {
  interface Line {
    readonly type?: string;
    readonly isSidechain?: boolean;
    readonly message?: { readonly role: unknown; readonly content: unknown };
  }
  return (linesOf(`claude-code/${file}.jsonl.gz`) as Line[])
    .filter((line) => (line.type === "user" || line.type === "assistant") && line.isSidechain !== true)
    .flatMap(({ message }) =>
      message === undefined ? [] : [{ role: message.role, content: message.content }],
    );
}

function countsOf(violations: readonly Violation[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { rule } of violations) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}

describe.skipIf(!hasCorpus)("on recorded conversations", () => {
  it.each([
    { file: "cc-omp-77", counts: {}, why: "1,333 messages as they went over the wire" },
    { file: "cc-omp-1M", counts: {}, why: "1,021 messages" },
    { file: "cc-skills-400k", counts: {}, why: "1,173 messages" },
    { file: "cc-entire-2compact", counts: {}, why: "across two compactions" },
    { file: "cc-cipherbox-compact", counts: {}, why: "across one" },
    { file: "cc-entire-interrupted", counts: {}, why: "an interruption leaves a valid history" },
    { file: "cc-slopometry", counts: {}, why: "655 messages" },
    {
      file: "cc-spotter-main",
      counts: { "empty-text": 6 },
      why: "its log keeps blank blocks that are not sent",
    },
    { file: "cc-sniffly", counts: { "unanswered-call": 1 }, why: "the log ends before the last result" },
    {
      file: "cc-entire-unpaired",
      counts: { "thinking-last": 1, "orphan-result": 1, "unanswered-call": 1 },
      why: "the log is cut at both ends",
    },
  ])("$file: $why", ({ file, counts }) => {
    expect(countsOf(judgeAnthropicRequest({ messages: claudeCodeMessages(file) }))).toEqual(counts);
  });

  it("names what Cline adds to its messages, and the results that it keeps as text only", () => {
    const file = `${trajectories}/anthropic-messages/anthropic-cline-crud.json.gz`;
    const messages: unknown = JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"));
    expect(countsOf(judgeAnthropicRequest({ messages }))).toEqual({
      "extra-field": 80,
      "unanswered-call": 21,
    });
  });

  it("finds nothing in twelve conversations that went to OpenAI", () => {
    const sessions = linesOf("openai-chat/tau-airline-gpt4o-12.jsonl.gz") as { readonly traj: unknown }[];
    expect(sessions.map(({ traj }) => countsOf(judgeOpenAIChatRequest({ messages: traj })))).toEqual(
      Array.from({ length: 12 }, () => ({})),
    );
  });
});
