/** Sessions of the Copilot CLI: few of its events are the conversation, and ids may have been redacted. */
import { describe, expect, it } from "vitest";
import type { ImportedSession } from "#importers/registry.ts";
import {
  COPILOT_SESSION,
  COPILOT_START,
  copilotLines,
  jsonl,
} from "../../../../../test/helpers/agent-samples.ts";
import { messagesIn, reported, sessionOf } from "./imported-texts.ts";

type Fields = Readonly<Record<string, unknown>>;
type Records = Parameters<typeof copilotLines>[0];

const importAll = (records: Records): ImportedSession =>
  sessionOf("copilot", jsonl(copilotLines([COPILOT_START, ...records])));

const user = (content: string, more: Fields = {}): readonly [string, Fields] => [
  "user.message",
  { content, ...more },
];
const answer = (content: string, more: Fields = {}): readonly [string, Fields] => [
  "assistant.message",
  { content, toolRequests: [], ...more },
];
const call = (toolCallId: string, name = "bash"): Fields => ({ toolCallId, name, arguments: {} });
const done = (toolCallId: string, more: Fields = { success: true, result: { content: "ok" } }) =>
  ["tool.execution_complete", { toolCallId, ...more }] as const;

describe("a Copilot session", () => {
  it("is read with everything it holds", () => {
    const session = sessionOf("copilot", COPILOT_SESSION);
    const at = (index: number): number => Date.parse("2026-01-01T00:00:00.000Z") + index * 1_000;
    expect(session).toMatchObject({
      format: "copilot",
      sessionId: "s1",
      title: "A look around",
      workingCopy: "/home/dev/project",
      system: "You are an agent.",
      leftOut: [],
      repairs: [],
      recordCount: 16,
    });
    expect(session.items).toEqual([
      {
        type: "message",
        message: {
          role: "user",
          origin: "user",
          hostId: "e3",
          at: at(3),
          content: [
            { type: "text", text: "<current_datetime>now</current_datetime>\n\nhé😀" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          ],
        },
        line: 4,
      },
      {
        type: "message",
        message: {
          role: "assistant",
          origin: "assistant",
          hostId: "e5",
          responseId: "r1",
          model: "gpt-5.5",
          at: at(5),
          content: [
            { type: "thinking", thinking: "hm" },
            { type: "opaque", provider: "copilot", value: { encryptedContent: "sealed" } },
            { type: "text", text: "I look." },
            { type: "tool_use", id: "c1", name: "view", input: { path: "a.txt" } },
            {
              type: "tool_use",
              id: "c2",
              name: "apply_patch",
              input: "*** Begin Patch",
              openai: { extra: { type: "custom_tool_call" } },
            },
          ],
        },
        usage: { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 12 },
        line: 6,
      },
      {
        type: "message",
        message: {
          role: "user",
          origin: "tool",
          hostId: "e8",
          at: at(8),
          content: [{ type: "tool_result", tool_use_id: "c1", content: "1. a" }],
        },
        line: 9,
      },
      {
        type: "message",
        message: {
          role: "user",
          origin: "tool",
          hostId: "e9",
          at: at(9),
          content: [
            {
              type: "tool_result",
              tool_use_id: "c2",
              content: "no such file",
              is_error: true,
              openai: { extra: { type: "custom_tool_call_output" } },
            },
          ],
        },
        line: 10,
      },
      {
        type: "boundary",
        trigger: "auto",
        preTokens: 900,
        postTokens: 100,
        summary: "so far",
        hostId: "e12",
        at: at(12),
        line: 13,
      },
      {
        type: "message",
        message: {
          role: "user",
          origin: "host",
          hostId: "e13",
          at: at(13),
          content: [{ type: "text", text: "reminder" }],
        },
        isAttachment: true,
        line: 14,
      },
      {
        type: "message",
        message: {
          role: "assistant",
          origin: "assistant",
          hostId: "e14",
          responseId: "r2",
          at: at(14),
          content: [{ type: "text", text: "Done." }],
        },
        line: 15,
      },
      { type: "metadata", key: "git-branch", value: "main", line: 1 },
      { type: "metadata", key: "model", value: "gpt-5.5", line: 1 },
      { type: "metadata", key: "title", value: "A look around", line: 16 },
    ]);
    expect(session.skipped).toEqual([
      { recordType: "session.binary_asset", count: 1 },
      { recordType: "user.message attachment/directory", count: 1 },
      { recordType: "assistant.turn_start", count: 1 },
      { recordType: "tool.execution_start", count: 1 },
      { recordType: "assistant.turn_end", count: 1 },
      { recordType: "session.compaction_start", count: 1 },
    ]);
  });
});

describe("responses of Copilot", () => {
  it("whose ids were redacted to one text are told apart by what stands between them", () => {
    const apiCallId = "REDACTED";
    const toolRequests = [call("REDACTED")];
    const session = importAll([
      user("go"),
      answer("a", { apiCallId }),
      answer("b", { apiCallId, toolRequests }),
      done("REDACTED"),
      answer("c", { apiCallId, toolRequests }),
      done("REDACTED"),
      ["assistant.turn_end", {}],
      answer("d", { apiCallId }),
      ["assistant.turn_end", {}],
      answer("e", { apiCallId }),
    ]);
    expect(reported(session)).toEqual([
      "user: go",
      "assistant: a + b + tool_use",
      "user: tool_result",
      "assistant: c + tool_use",
      "user: tool_result",
      "assistant: d",
      "assistant: e",
    ]);
    expect(messagesIn(session).flatMap(({ message }) => message.responseId ?? [])).toEqual(["REDACTED"]);
    expect(session.repairs).toEqual([]);
  });

  it("that were stopped are not in the file; what stands there goes on", () => {
    const session = importAll([
      user("go"),
      answer("a", { toolRequests: [call("c1"), call("c2")] }),
      done("c1"),
      ["abort", { reason: "user_initiated" }],
      user("no"),
      answer("b"),
    ]);
    expect(reported(session)).toEqual([
      "user: go",
      "assistant: a + tool_use + tool_use",
      "user: tool_result",
      "user: no",
      "assistant: b",
    ]);
  });

  it("of a sub-agent are a side chain", () => {
    const session = importAll([
      user("go"),
      answer("a", { apiCallId: "r" }),
      answer("sub", { apiCallId: "r", parentToolCallId: "c1" }),
      ["assistant.message", { content: "sub too", apiCallId: "r" }, { agentId: "agent" }],
      ["system.message", { role: "system", content: "You are a sub-agent." }, { agentId: "agent" }],
      answer("b", { apiCallId: "r" }),
    ]);
    expect(reported(session)).toEqual(["user: go", "assistant: a + b"]);
    expect(session.leftOut.map(({ reason, item }) => [reason, item.line, item.isSidechain])).toEqual([
      ["side-chain", 4, true],
      ["side-chain", 5, true],
    ]);
    expect(session.system).toBeUndefined();
  });
});

describe("messages of Copilot", () => {
  it.each([
    { data: { source: "instruction-discovery" }, origin: "host" },
    { data: { source: "skill-pdf" }, origin: "host" },
    { data: { isAutopilotContinuation: true }, origin: "host" },
    { data: {}, origin: "user" },
  ])("in the user's role are the $origin's: $data", ({ data, origin }) => {
    const [item] = messagesIn(importAll([user("x", data)]));
    expect([item?.message.origin, item?.isAttachment]).toEqual([
      origin,
      origin === "host" ? true : undefined,
    ]);
  });

  it("of the system are the prompt, and those of developers stand in the conversation once", () => {
    const developer = ["system.message", { role: "developer", content: "Be brief." }] as const;
    const session = importAll([
      ["system.message", { role: "system", content: "Old." }],
      developer,
      user("a"),
      ["system.message", { role: "system", content: "New." }],
      developer,
      user("b"),
    ]);
    expect(session.system).toBe("New.");
    expect(reported(session)).toEqual(["system: Be brief.", "user: a", "user: b"]);
    expect(session.skipped).toEqual([
      { recordType: "system.message (replaced later)", count: 1 },
      { recordType: "system.message", count: 1 },
    ]);
  });

  it("show what the user ran beside the model, and notices that are meant for it", () => {
    const session = importAll([
      ["tool.user_requested", { toolCallId: "u1", toolName: "bash", arguments: { command: "ls" } }],
      done("u1", { success: true, isUserRequested: true, result: { content: "a.txt" } }),
      ["system.notification", { content: "<system_notification>Shell 1 ended.</system_notification>" }],
      ["system.notification", { content: "Discovered instruction: AGENTS.md" }],
    ]);
    expect(reported(session)).toEqual([
      'user: The user ran bash {"command":"ls"}:\na.txt',
      "user: <system_notification>Shell 1 ended.</system_notification>",
    ]);
    expect(messagesIn(session).map(({ isAttachment }) => isAttachment)).toEqual([true, true]);
  });

  it.each([
    {
      why: "a picture that was stored once",
      binary: { type: "image", mimeType: "image/png", assetId: "sha256:1" },
      part: { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    },
    {
      why: "a document inline",
      binary: { type: "resource", mimeType: "application/pdf", data: "AAAA" },
      part: { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } },
    },
    {
      why: "what was too large to be recorded",
      binary: { type: "image", mimeType: "image/png", byteLength: 9_000_000, omittedReason: "size" },
      part: { type: "text", text: "[image/png, 9000000 bytes: not recorded]" },
    },
  ])("from tools hold $why", ({ binary, part }) => {
    const session = importAll([
      answer("", { toolRequests: [call("c1")] }),
      done("c1", { success: true, result: { content: "seen", binaryResultsForLlm: [binary] } }),
      ["session.binary_asset", { assetId: "sha256:1", mimeType: "image/png", data: "AAAA" }],
    ]);
    expect(messagesIn(session)[1]?.message.content).toEqual([
      { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "seen" }, part] },
    ]);
  });

  it("keep calls whose arguments are text, results without a call, and calls without a result", () => {
    const session = importAll([
      answer("", {
        toolRequests: [{ toolCallId: "c1", name: "f", arguments: '{ "a": 1 }' }, call("c2"), null],
      }),
      done("c9"),
      done("c1"),
    ]);
    expect(messagesIn(session).map(({ message }) => message.content)).toMatchObject([
      [
        { type: "tool_use", id: "c1", input: { a: 1 }, openai: { arguments: '{ "a": 1 }' } },
        { type: "tool_use", id: "c2" },
        { type: "opaque", provider: "unknown", value: null },
      ],
      [{ tool_use_id: "c9" }],
      [{ tool_use_id: "c1" }],
    ]);
    expect(session.repairs.map(({ kind, line }) => [kind, line])).toEqual([["bad-record", 2]]);
  });
});
