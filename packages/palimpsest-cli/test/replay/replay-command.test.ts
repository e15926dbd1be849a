/** `replay`, from a file to the exit code, through the real engine and a real store. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ReplayedSession, ReplayJson } from "#replay/measure/replay-json.ts";
import { type ReplayOptions, runReplay } from "#replay/replay-command.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import {
  claudeCodeBilled,
  claudeCodeCutShort,
  gzipped,
  openaiChat,
  testFolder,
  writeTestFile,
} from "../../../../test/helpers/recordings.ts";

const model = "gpt-4o";
const READ_FILE = { type: "function", function: { name: "read_file", parameters: { type: "object" } } };
const HELLO = { role: "user", content: "Hello" };

async function replayJson(
  files: readonly string[],
  windowSizes: readonly number[] = [],
  options: Partial<ReplayOptions> = {},
) {
  const context = cliDouble();
  const code = await runReplay(files, { windowSizes, model, json: true, ...options }, context);
  return { code, json: JSON.parse(context.written.out) as ReplayJson, context };
}

describe("replay", () => {
  it("drives a session through a window far smaller than it and loses nothing", async () => {
    const file = writeTestFile("ledgers.json", openaiChat(20, { resultLines: 80 }));
    const { code, json } = await replayJson([file], [8_000]);
    expect(code).toBe(0);
    expect(json.version).toBe(1);
    expect(json.sessions).toHaveLength(1);
    expect(json.sessions[0]).toMatchObject({
      source: { format: "openai-chat", messages: 60, toolCalls: 20 },
      window: {
        tokens: 8_000,
        effectiveTokens: 7_200,
        model: "gpt-4o",
        editSafety: "permissive",
        policy: "balanced",
      },
      calls: 40,
      overflows: 0,
      invariants: { checked: 80, broken: 0 },
      lossless: { blocks: 80, recovered: 80 },
      rebuild: { different: 0 },
      repairs: 0,
    });
    const session = json.sessions[0] as Extract<(typeof json.sessions)[0], { calls: number }>;
    expect(session.source.tokens).toBeGreaterThan(16_000);
    expect(session.source.fixedTokens).toBeGreaterThan(0);
    expect(session.peakTokens).toBeLessThanOrEqual(7_080);
    expect(
      session.layers.offload.edits + session.layers.microcompact.edits + session.layers.extractive.edits,
    ).toBeGreaterThan(0);
    expect(session.rebuild.checked).toBeGreaterThan(10);
    expect(session.estimator).toBeUndefined();
  });

  it("has exactly the documented fields", async () => {
    const { json } = await replayJson([writeTestFile("one.jsonl", claudeCodeCutShort())]);
    const shape = Object.entries(json.sessions[0]!).map(([name, value]) =>
      typeof value === "object" ? `${name} {${Object.keys(value as object).join(" ")}}` : name,
    );
    expect(shape).toEqual([
      "file",
      "source {format sessionId entries messages toolCalls tokens fixedTokens}",
      "window {tokens effectiveTokens autoCompactAtTokens model editSafety policy}",
      "prompt {source tokens}",
      "calls",
      "peakTokens",
      "overflows",
      "fits",
      "layers {offload microcompact collapse extractive full session-memory reactive peel provider-clear}",
      "invariants {checked broken}",
      "lossless {blocks recovered}",
      "rebuild {checked different}",
      "survival {farReferences visible reachable}",
      "cost {inputTokenEquivalents uncompacted ratio tariff fixedTokens}",
      "repairs",
      "notRead {records bytes isCutOff}",
      "bytesWritten",
      "ms {prepareP50 prepareP99 total}",
    ]);
  });

  it.each([
    {
      recording: openaiChat(4),
      options: {},
      source: "unknown",
      tokens: 6,
      why: "a system prompt, and calls of tools that are not defined",
    },
    {
      recording: openaiChat(4),
      options: { fixedTokens: 3_000 },
      source: "fixed",
      tokens: 3_000,
      why: "the recorded part counts among what the user says",
    },
    {
      recording: JSON.stringify({ ...JSON.parse(openaiChat(4)), tools: [READ_FILE] }),
      options: {},
      source: "recorded",
      tokens: 27,
      why: "tools are recorded, too",
    },
    {
      recording: JSON.stringify([{ role: "system", content: "Be brief." }, HELLO]),
      options: {},
      source: "recorded",
      tokens: 3,
      why: "no tool is called",
    },
    {
      recording: JSON.stringify([HELLO]),
      options: {},
      source: "unknown",
      tokens: 0,
      why: "there is nothing",
    },
    {
      recording: JSON.stringify([HELLO]),
      options: { fixedTokens: 0 },
      source: "fixed",
      tokens: 0,
      why: "the user says that nothing is missing",
    },
    {
      recording: claudeCodeBilled(30_000),
      options: { model: "claude-sonnet-4-5" },
      source: "billed",
      tokens: 29_988,
      why: "the first billed prompt less what was said",
    },
    {
      recording: claudeCodeBilled(30_000),
      options: { model: "claude-sonnet-4-5", fixedTokens: 12_000 },
      source: "fixed",
      tokens: 12_000,
      why: "the user knows better than the bill",
    },
  ] as const)("judges with the prompt that was sent ($source, $tokens): $why", async (row) => {
    const file = writeTestFile("prompt.jsonl", row.recording);
    const { code, json } = await replayJson([file], [64_000], row.options);
    const session = json.sessions[0] as ReplayedSession;
    expect(code).toBe(0);
    expect(session.prompt).toEqual({ source: row.source, tokens: row.tokens });
    expect(session.fits).toBe(row.source === "unknown" ? undefined : true);
    const bare = (await replayJson([file], [64_000], { ...row.options, fixedTokens: 0 })).json.sessions[0];
    const reserved = row.tokens - session.source.fixedTokens;
    expect(session.peakTokens - (bare as ReplayedSession).peakTokens).toBe(reserved);
  });

  it("keeps the prompt free in the window that it replays in", async () => {
    const file = writeTestFile("ledgers.json", openaiChat(20, { resultLines: 80 }));
    const { code, json } = await replayJson([file], [8_000], { fixedTokens: 3_000 });
    expect(code).toBe(0);
    expect(json.sessions[0]).toMatchObject({ fits: true, overflows: 0, rebuild: { different: 0 } });
    expect((json.sessions[0] as ReplayedSession).peakTokens).toBeLessThanOrEqual(7_080);
  });

  it("says that a window is too small for a prompt that was billed, and which prompt that was", async () => {
    const file = writeTestFile("billed.jsonl", claudeCodeBilled(30_000));
    const { code, json } = await replayJson([file], [32_000], { model: "claude-sonnet-4-5" });
    expect(code).toBe(3);
    expect(json.sessions[0]).toMatchObject({
      prompt: { source: "billed", tokens: 29_988 },
      error: {
        code: "WINDOW_TOO_SMALL",
        message: expect.stringContaining("System prompt and tools take 29988 tokens of a window of 32000"),
        hint: "Replay it in a larger window, such as --window 40k. The size of system prompt and tools is estimated from what was billed; --fixed N names another.",
      },
    });
  });

  it("takes policy, tariff and edit safety, and says which", async () => {
    const file = writeTestFile("ledgers.json", openaiChat(20, { resultLines: 80 }));
    const run = async (options: Partial<ReplayOptions>) =>
      (await replayJson([file], [32_000], options)).json.sessions[0] as ReplayedSession;
    const economy = await run({ policy: "economy", tariff: "anthropic-1h", editSafety: "strict" });
    const faithful = await run({ policy: "faithful", tariff: "anthropic-1h", editSafety: "permissive" });
    expect(economy).toMatchObject({
      window: { policy: "economy", editSafety: "strict" },
      cost: { tariff: "anthropic-1h" },
      overflows: 0,
    });
    expect(faithful).toMatchObject({
      window: { policy: "faithful", editSafety: "permissive" },
      overflows: 0,
    });
    expect(economy.cost!.uncompacted).toBe(faithful.cost!.uncompacted);
    expect(economy.cost!.inputTokenEquivalents).toBeLessThan(faithful.cost!.inputTokenEquivalents);
    expect(economy.survival!.visible).toBeLessThanOrEqual(economy.survival!.reachable);
  });

  it("gives one result for each window, in the order asked for", async () => {
    const file = writeTestFile("ledgers.json", openaiChat(2));
    const { json } = await replayJson([file], [64_000, 32_000]);
    expect(json.sessions.map((session) => session.window?.tokens)).toEqual([64_000, 32_000]);
  });

  it("reads compressed files, and mends a call that nobody answered", async () => {
    const { code, json } = await replayJson([writeTestFile("cut.jsonl.gz", gzipped(claudeCodeCutShort()))]);
    expect(code).toBe(0);
    expect(json.sessions[0]).toMatchObject({ calls: 2, repairs: 1, invariants: { checked: 4, broken: 0 } });
  });

  it.each([
    { name: "empty.jsonl", content: "", code: "INPUT_EMPTY", why: "nothing in it" },
    {
      name: "noise.bin",
      content: Uint8Array.from({ length: 4_096 }, (_, index) => (index * 31) % 256),
      code: "INPUT_UNREADABLE",
      why: "no text",
    },
    { name: "letter.txt", content: "Dear harbour master,", code: "FORMAT_UNKNOWN", why: "no recording" },
    { name: "silent.json", content: '{"messages":[]}', code: "NO_MESSAGES", why: "it has no message" },
  ])("reports $code and goes on with the next file: $why", async ({ name, content, code }) => {
    const good = writeTestFile("good.json", openaiChat(1));
    const result = await replayJson([writeTestFile(name, content), good]);
    expect(result.code).toBe(1);
    expect(result.json.sessions[0]).toMatchObject({ error: { code, hint: expect.stringMatching(/./) } });
    expect(result.json.sessions[1]).toMatchObject({ calls: 2, overflows: 0 });
  });

  it.each([
    { path: () => testFolder(), code: "INPUT_UNREADABLE", why: "a folder" },
    { path: () => join(testFolder(), "gone.jsonl"), code: "INPUT_NOT_FOUND", why: "no such file" },
  ])("reports $code for $why", async ({ path, code }) => {
    const { code: exitCode, json } = await replayJson([path()]);
    expect(exitCode).toBe(1);
    expect(json.sessions).toMatchObject([{ error: { code } }]);
  });

  it("ends with its own code where all that happened is that a window was too small", async () => {
    const messages = [
      { role: "system", content: "Be exact about every ship. ".repeat(400) },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hello" },
    ];
    const file = writeTestFile("large-fixed-part.json", JSON.stringify({ messages }));
    const { code, json } = await replayJson([file], [2_000, 64_000]);
    expect(code).toBe(3);
    expect(json.sessions[0]).toMatchObject({
      source: { format: "openai-chat" },
      window: { tokens: 2_000 },
      error: { code: "WINDOW_TOO_SMALL", message: expect.stringContaining("2000") },
    });
    expect(json.sessions[1]).toMatchObject({ calls: 1 });
  });

  it("keeps the stored sessions where it is told to, and nothing anywhere otherwise", async () => {
    // A separate folder for temporary ones: other test files run commands at the same time.
    const temporary = testFolder();
    const shared = process.env["TMPDIR"];
    process.env["TMPDIR"] = temporary;
    try {
      const keep = join(testFolder(), "kept");
      const context = cliDouble();
      const file = writeTestFile("ledgers.json", openaiChat(1));
      await runReplay([file], { windowSizes: [], model, keep }, context);
      expect(readdirSync(keep).some((name) => name.endsWith(".jsonl"))).toBe(true);
      expect(context.written.out).toContain(`in ${keep}`);
      await runReplay([file], { windowSizes: [], model }, cliDouble());
      expect(readdirSync(temporary)).toEqual([]);
    } finally {
      if (shared === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = shared;
    }
  });

  it("stops when it is told to, without an unfinished result, and leaves nothing behind", async () => {
    const file = writeTestFile("ledgers.json", openaiChat(3));
    const context = cliDouble();
    context.stop.abort();
    await expect(runReplay([file], { windowSizes: [], json: true }, context)).rejects.toThrow(
      expect.objectContaining({ code: "ABORTED" }),
    );
    expect(context.written.out).toBe("");
  });

  it("says nothing about what held when asked to be quiet, and everything about what did not", async () => {
    const context = cliDouble();
    const good = writeTestFile("good.json", openaiChat(1));
    const bad = writeTestFile("bad.jsonl", "");
    expect(await runReplay([good, bad], { windowSizes: [], model, quiet: true }, context)).toBe(1);
    expect(context.written.out).not.toContain("good.json");
    expect(context.written.out).toContain("bad.jsonl\n  ✗ INPUT_EMPTY");
    expect(context.written.err).toBe("");
  });

  it("asks for a file where there is none", async () => {
    await expect(runReplay([], { windowSizes: [] }, cliDouble())).rejects.toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });
});
