/** The context of the Copilot CLI: where it was compacted or cleared, and its withdrawn or damaged records. */
import { describe, expect, it } from "vitest";
import type { ImportedSession } from "#importers/registry.ts";
import { COPILOT_START, copilotLines, jsonl } from "../../../../../test/helpers/agent-samples.ts";
import { reported, sessionOf } from "./imported-texts.ts";

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

describe("the context of Copilot", () => {
  it.each([
    {
      why: "a compaction that was asked for",
      event: [
        "session.compaction_complete",
        { success: true, trigger: "manual", summaryContent: "s" },
      ] as const,
      boundary: { trigger: "manual", summary: "s" },
    },
    {
      why: "a compaction of an older version",
      event: ["session.compaction_complete", { success: true }] as const,
      boundary: { trigger: "unknown" },
    },
    {
      why: "messages dropped to fit",
      event: [
        "session.truncation",
        {
          messagesRemovedDuringTruncation: 3,
          preTruncationTokensInMessages: 90,
          postTruncationTokensInMessages: 40,
        },
      ] as const,
      boundary: { trigger: "auto", preTokens: 90, postTokens: 40 },
    },
    {
      why: "a cleared conversation",
      event: ["session.context_cleared", { messagesCleared: 3 }] as const,
      boundary: { trigger: "clear" },
    },
  ])("has a boundary for $why", ({ event, boundary }) => {
    const session = importAll([user("a"), event, user("b")]);
    expect(session.items[1]).toEqual({
      type: "boundary",
      hostId: "e2",
      at: expect.any(Number),
      line: 3,
      ...boundary,
    });
  });

  it.each([
    { why: "a compaction that failed", event: ["session.compaction_complete", { success: false }] as const },
    {
      why: "a request that fitted",
      event: ["session.truncation", { messagesRemovedDuringTruncation: 0 }] as const,
    },
  ])("has none for $why", ({ event }) => {
    const session = importAll([user("a"), event, user("b")]);
    expect([reported(session), session.skipped]).toEqual([
      ["user: a", "user: b"],
      [{ recordType: event[0], count: 1 }],
    ]);
  });

  it("follows the chain of events from the newest one and leaves what was rewound out", () => {
    const session = importAll([
      user("one"),
      answer("wrong"),
      ["user.message", { content: "two" }, { parentId: "e1" }],
      ["session.resume", { context: { cwd: "/home/dev/other" } }, { parentId: null }],
      ["user.message", { content: "three" }, { parentId: "gone" }],
    ]);
    expect(reported(session)).toEqual(["user: one", "user: two", "user: three"]);
    expect(session.leftOut).toMatchObject([{ reason: "abandoned-branch", item: { line: 3 } }]);
    expect(session.workingCopy).toBe("/home/dev/other");
    expect(session.repairs.map(({ kind, line }) => [kind, line])).toEqual([["missing-parent", 6]]);
  });

  const [start, message] = copilotLines([COPILOT_START, ["user.message", { content: "x" }]]);
  const other = { ...message, data: { content: "y" } };

  it.each([
    { why: "an event that was written twice", odd: message, kind: "duplicate-id", expected: ["user: x"] },
    { why: "an id that was taken", odd: other, kind: "duplicate-id", expected: ["user: x", "user: y"] },
    {
      why: "an event of the future",
      odd: { type: "weather.changed" },
      kind: "unknown-record",
      expected: ["user: x"],
    },
    {
      why: "a prompt without a text",
      odd: { type: "system.message", data: {} },
      kind: "bad-record",
      expected: ["user: x"],
    },
    {
      why: "an answer that says nothing",
      odd: { type: "assistant.message", data: {} },
      kind: "empty-message",
      expected: ["user: x"],
    },
  ])("reports $why", ({ odd, kind, expected }) => {
    const session = sessionOf("copilot", jsonl([start, message, odd]));
    expect(session.repairs.map((repair) => [repair.kind, repair.line])).toEqual([[kind, 3]]);
    expect(reported(session)).toEqual(expected);
  });
});
