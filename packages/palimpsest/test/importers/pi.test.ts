/** Sessions of the pi coding agent, with and without a tree. */
import { describe, expect, it } from "vitest";
import type { ImportedSession } from "#importers/registry.ts";
import { importSessions } from "#importers/registry.ts";

type Record_ = Readonly<Record<string, unknown>>;

const HEADER = {
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/home/dev/project",
};

function entry(id: string | undefined, parentId: string | null, message: Record_): Record_ {
  return { type: "message", id, parentId, timestamp: "2026-01-01T00:00:01.000Z", message };
}

const user = (content: unknown): Record_ => ({ role: "user", content });
const assistant = (content: readonly Record_[], more: Record_ = {}): Record_ => ({
  role: "assistant",
  content,
  api: "anthropic-messages",
  model: "claude-opus-4-5",
  ...more,
});
const text = (value: string): Record_ => ({ type: "text", text: value });

function importAll(records: readonly unknown[]): ImportedSession {
  const { format, sessions } = importSessions({
    name: "pi.jsonl",
    lines: records.map((record, index) => ({ number: index + 1, text: JSON.stringify(record) })),
  });
  expect(format).toBe("pi");
  return sessions[0]!;
}

const texts = (session: ImportedSession): readonly string[] =>
  session.items.flatMap((item) =>
    item.type === "message"
      ? item.message.content.map((block) => (block.type === "text" ? block.text : block.type))
      : [item.type],
  );

describe("pi sessions", () => {
  it("are read with calls, results, usage and the reason for stopping", () => {
    const session = importAll([
      HEADER,
      entry("a", null, user("hello")),
      entry(
        "b",
        "a",
        assistant([{ type: "toolCall", id: "t1", name: "read", arguments: { path: "x" } }], {
          stopReason: "toolUse",
          usage: { input: 5, output: 7, cacheRead: 11, cacheWrite: 13 },
        }),
      ),
      entry("c", "b", {
        role: "toolResult",
        toolCallId: "t1",
        content: [text("no such file")],
        isError: true,
      }),
      entry("d", "c", assistant([text("so")], { stopReason: "aborted" })),
    ]);
    expect(session).toMatchObject({ sessionId: "s1", workingCopy: "/home/dev/project" });
    expect(session.items.slice(1)).toMatchObject([
      {
        message: {
          role: "assistant",
          content: [{ type: "tool_use", id: "t1", name: "read", input: { path: "x" } }],
          hostId: "b",
        },
        usage: { inputTokens: 5, cacheReadTokens: 11, cacheWriteTokens: 13, outputTokens: 7 },
        stopReason: "toolUse",
      },
      {
        message: {
          role: "user",
          origin: "tool",
          content: [{ tool_use_id: "t1", content: "no such file", is_error: true }],
        },
      },
      { message: { interrupted: true }, stopReason: "aborted" },
    ]);
  });

  it("follow the tree from its newest record and leave other branches out", () => {
    const session = importAll([
      HEADER,
      entry("a", null, user("hello")),
      entry("b", "a", assistant([text("wrong")])),
      entry("c", "a", assistant([text("right")])),
    ]);
    expect(texts(session)).toEqual(["hello", "right"]);
    expect(session.leftOut).toMatchObject([{ reason: "abandoned-branch", item: { line: 3 } }]);
  });

  it.each([
    { why: "by id", field: { firstKeptEntryId: "b" } },
    { why: "by the index of the record, in older versions", field: { firstKeptEntryIndex: 2 } },
  ])("tell from where messages stayed: $why", ({ field }) => {
    const session = importAll([
      HEADER,
      entry("a", null, user("one")),
      entry("b", "a", user("two")),
      { type: "compaction", id: "c", parentId: "b", summary: "so far", tokensBefore: 175_004, ...field },
      entry("d", "c", user("three")),
    ]);
    expect(texts(session)).toEqual(["one", "two", "boundary", "three"]);
    expect(session.items[2]).toMatchObject({
      preTokens: 175_004,
      summary: "so far",
      firstPreserved: "b",
      trigger: "unknown",
    });
  });

  it("without ids are a plain list", () => {
    const session = importAll([
      { ...HEADER, version: undefined },
      entry(undefined, null, user("one")),
      entry(undefined, null, user("two")),
    ]);
    expect(texts(session)).toEqual(["one", "two"]);
  });

  it("show the model what the user ran beside it, unless that was kept from it", () => {
    const run = { role: "bashExecution", command: "ls", output: "a.txt", exitCode: 0 };
    const session = importAll([
      HEADER,
      entry("a", null, user("one")),
      entry("b", "a", run),
      entry("c", "b", { ...run, excludeFromContext: true }),
    ]);
    expect(texts(session)).toEqual(["one", "Ran `ls`\n```\na.txt\n```"]);
    expect(session.leftOut.map(({ reason }) => reason)).toEqual(["transcript-only"]);
  });

  it.each([
    {
      api: "anthropic-messages",
      signature: "sig",
      expected: [{ type: "thinking", thinking: "hm", signature: "sig" }],
      why: "Anthropic's own",
    },
    {
      api: "google-generative-ai",
      signature: "sig",
      expected: [{ type: "thinking", thinking: "hm" }],
      why: "unusable elsewhere",
    },
    {
      api: "openai-responses",
      signature: '{"type":"reasoning","id":"rs_1","encrypted_content":"…"}',
      expected: [
        { type: "thinking", thinking: "hm" },
        {
          type: "opaque",
          provider: "openai-responses",
          value: { type: "reasoning", id: "rs_1", encrypted_content: "…" },
        },
      ],
      why: "the reasoning item of OpenAI",
    },
  ])("keep a signature for the API that gave it: $why", ({ api, signature, expected }) => {
    const session = importAll([
      HEADER,
      entry(
        "a",
        null,
        assistant([{ type: "thinking", thinking: "hm", thinkingSignature: signature }], { api }),
      ),
    ]);
    expect(session.items[0]).toMatchObject({ message: { content: expected } });
  });

  it("end where parents lead in a circle", () => {
    const session = importAll([HEADER, entry("a", "b", user("one")), entry("b", "a", user("two"))]);
    expect(texts(session)).toEqual(["one", "two"]);
    expect(session.repairs.map(({ kind }) => kind)).toEqual(["cyclic-parent"]);
  });
});
