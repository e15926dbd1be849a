/** Telling formats apart, and the ways in which lists of messages are stored. */
import { describe, expect, it } from "vitest";
import { InputError } from "#base/errors.ts";
import { importSessions } from "#importers/registry.ts";

const jsonl = (...records: readonly unknown[]): string =>
  records.map((record) => JSON.stringify(record)).join("\n");
const hello = { role: "user", content: "hello" };
const hi = { role: "assistant", content: "hi" };
const toolUse = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: {} }] };

describe("formats", () => {
  it.each([
    { why: "an array of messages", text: JSON.stringify([hello, hi]), format: "openai-chat", sessions: 1 },
    {
      why: "the same, written over many lines",
      text: JSON.stringify([hello, hi], null, 2),
      format: "openai-chat",
      sessions: 1,
    },
    {
      why: "a request",
      text: JSON.stringify({ model: "gpt", messages: [hello, hi] }),
      format: "openai-chat",
      sessions: 1,
    },
    { why: "one message a line", text: jsonl(hello, hi), format: "openai-chat", sessions: 1 },
    {
      why: "one request a line",
      text: jsonl({ messages: [hello] }, { messages: [hello, hi] }),
      format: "openai-chat",
      sessions: 2,
    },
    {
      why: "trajectories",
      text: jsonl({ task_id: 0, traj: [hello] }, { task_id: 1, traj: [hello] }),
      format: "openai-chat",
      sessions: 2,
    },
    {
      why: "an array of trajectories",
      text: JSON.stringify([
        { task_id: 0, traj: [hello] },
        { task_id: 1, traj: [hello] },
      ]),
      format: "openai-chat",
      sessions: 2,
    },
    {
      why: "an array of arrays",
      text: JSON.stringify([[hello], [hello, hi]]),
      format: "openai-chat",
      sessions: 2,
    },
    {
      why: "blocks only Anthropic has",
      text: JSON.stringify([hello, toolUse]),
      format: "anthropic-messages",
      sessions: 1,
    },
    {
      why: "the system prompt beside the messages",
      text: JSON.stringify({ system: "Be kind.", messages: [hello] }),
      format: "anthropic-messages",
      sessions: 1,
    },
    {
      why: "tools with an input schema",
      text: JSON.stringify({ tools: [{ name: "a", input_schema: {} }], messages: [hello] }),
      format: "anthropic-messages",
      sessions: 1,
    },
    {
      why: "Windows line ends and a byte order mark",
      text: `\uFEFF${JSON.stringify(hello)}\r\n${JSON.stringify(hi)}\r\n`,
      format: "openai-chat",
      sessions: 1,
    },
  ])("are told apart: $why", ({ text, format, sessions }) => {
    const result = importSessions({ name: "x", text });
    expect([result.format, result.sessions.length]).toEqual([format, sessions]);
    expect(result.repairs).toEqual([]);
  });

  it("say what was seen and what is supported where the format is not known", () => {
    const error = thrownBy(() =>
      importSessions({
        name: "rollout.jsonl",
        text: jsonl({ timestamp: 1, type: "weather", payload: {} }),
      }),
    );
    expect(error).toMatchObject({
      code: "FORMAT_UNKNOWN",
      message:
        'rollout.jsonl is not in a format that can be read: it begins with an object of type "weather" with the fields timestamp, type, payload.',
      hint: expect.stringContaining("pi, claude-code, codex, copilot, mini-swe-agent"),
    });
  });

  it.each([
    {
      why: "a Claude Code session that ended before its first message",
      text: jsonl({ type: "progress", uuid: "a", sessionId: "s" }),
    },
    { why: "an empty list", text: JSON.stringify({ messages: [] }) },
  ])("say so where nothing is said: $why", ({ text }) => {
    expect(thrownBy(() => importSessions({ name: "x", text }))).toMatchObject({ code: "NO_MESSAGES" });
  });
});

describe("openai-chat", () => {
  it("takes system prompt, tools, calls, results and usage of a request", () => {
    const { sessions } = importSessions({
      name: "x",
      text: JSON.stringify({
        id: "c1",
        tools: [{ type: "function", function: { name: "read" } }],
        messages: [
          { role: "developer", content: "Be brief." },
          hello,
          {
            role: "assistant",
            content: null,
            tool_calls: [
              { id: "t1", type: "function", function: { name: "read", arguments: '{"path": "x"}' } },
            ],
            usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } },
          },
          { role: "tool", tool_call_id: "t1", content: "text" },
        ],
      }),
    });
    expect(sessions[0]).toMatchObject({
      sessionId: "c1",
      system: "Be brief.",
      tools: [{ type: "function" }],
    });
    expect(sessions[0]!.items).toMatchObject([
      { message: { role: "user", origin: "user" } },
      {
        message: { content: [{ type: "tool_use", id: "t1", name: "read", input: { path: "x" } }] },
        usage: { inputTokens: 40, cacheReadTokens: 60, cacheWriteTokens: 0, outputTokens: 7 },
      },
      {
        message: {
          role: "user",
          origin: "tool",
          content: [{ type: "tool_result", tool_use_id: "t1", content: "text" }],
        },
      },
    ]);
  });

  it("pairs calls of the older function interface, which has no ids", () => {
    const { sessions } = importSessions({
      name: "x",
      text: JSON.stringify([
        hello,
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "1" },
      ]),
    });
    expect(sessions[0]!.items.slice(1)).toMatchObject([
      { message: { content: [{ type: "tool_use", id: "function_call_1", name: "f" }] } },
      { message: { content: [{ type: "tool_result", tool_use_id: "function_call_1", content: "1" }] } },
    ]);
  });
});

describe("anthropic-messages", () => {
  it("takes the model and the cost that Cline writes beside a message", () => {
    const cline = {
      ...toolUse,
      modelInfo: { modelId: "claude-opus-4-6" },
      metrics: { tokens: { prompt: 19, completion: 175, cached: 10_386 } },
    };
    const { sessions } = importSessions({ name: "x", text: JSON.stringify([hello, cline]) });
    expect(sessions[0]!.items[1]).toMatchObject({
      message: { model: "claude-opus-4-6" },
      usage: { inputTokens: 19, cacheReadTokens: 10_386, cacheWriteTokens: 0, outputTokens: 175 },
    });
  });

  it("takes system prompt and tools of a request", () => {
    const system = [
      { type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } },
      { type: "text", text: "Be brief." },
    ];
    const { sessions } = importSessions({
      name: "x",
      text: JSON.stringify({ system, tools: [{ name: "a", input_schema: {} }], messages: [hello] }),
    });
    expect(sessions[0]).toMatchObject({ system: "Be kind.\nBe brief.", tools: [{ name: "a" }] });
  });
});

function thrownBy(run: () => unknown): InputError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return error as InputError;
  }
  throw new Error("nothing was thrown");
}
