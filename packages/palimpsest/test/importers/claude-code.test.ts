/** The traps of Claude Code's transcripts, one small file each. */
import { describe, expect, it } from "vitest";
import {
  call,
  importRecords,
  messagesOf,
  result,
  type SomeRecord,
  text,
} from "#test/helpers/claude-records.ts";

const BASE = { sessionId: "s1", version: "2.1.49", cwd: "/home/dev/project", isSidechain: false };

function user(uuid: string, parentUuid: string | null, content: unknown, more: SomeRecord = {}): SomeRecord {
  return { ...BASE, type: "user", uuid, parentUuid, message: { role: "user", content }, ...more };
}

function answer(
  uuid: string,
  parentUuid: string | null,
  id: string,
  block: SomeRecord,
  more: SomeRecord = {},
): SomeRecord {
  const message = { id, role: "assistant", model: "claude-opus-4-6", content: [block], ...more };
  return { ...BASE, type: "assistant", uuid, parentUuid, message };
}

describe("responses", () => {
  it("join the lines of one response, with the results of parallel calls written between them", () => {
    const session = importRecords([
      user("u1", null, "hello"),
      answer("a1", "u1", "m1", { type: "thinking", thinking: "hm", signature: "sig" }),
      answer("a2", "a1", "m1", call("t1")),
      user("r1", "a2", [result("t1")]),
      answer("a3", "a2", "m1", call("t2")),
      user("r2", "a3", [result("t2")]),
      answer("a4", "r2", "m2", text("done")),
    ]);
    expect(messagesOf(session)).toEqual([
      "user: hello",
      "assistant: thinking | call t1 | call t2",
      "user: result t1",
      "user: result t2",
      "assistant: done",
    ]);
  });

  it("are billed once, as the last line of the response says", () => {
    const usage = (output_tokens: number): SomeRecord => ({
      usage: {
        input_tokens: 3,
        cache_read_input_tokens: 1_000,
        cache_creation_input_tokens: 20,
        output_tokens,
      },
    });
    const session = importRecords([
      user("u1", null, "hello"),
      answer("a1", "u1", "m1", text("one"), { ...usage(1), stop_reason: null }),
      answer("a2", "a1", "m1", call("t1"), { ...usage(127), stop_reason: "tool_use" }),
    ]);
    const billed = session.items.flatMap((item) => (item.type === "message" && item.usage ? [item] : []));
    expect(billed).toHaveLength(1);
    expect(billed[0]).toMatchObject({
      usage: { inputTokens: 3, cacheReadTokens: 1_000, cacheWriteTokens: 20, outputTokens: 127 },
      stopReason: "tool_use",
      line: 2,
    });
  });

  it("leave out what the tool made up after an API error, and keep it beside the conversation", () => {
    const session = importRecords([
      user("u1", null, "hello"),
      { ...answer("a1", "u1", "x", text("API Error"), { model: "<synthetic>" }), isApiErrorMessage: true },
      user("u2", "a1", "again"),
    ]);
    expect(messagesOf(session)).toEqual(["user: hello", "user: again"]);
    expect(session.leftOut.map(({ reason }) => reason)).toEqual(["api-error"]);
  });
});

describe("branches", () => {
  it.each([
    {
      why: "a rewound message is a sibling of the one that went on",
      records: [
        user("u1", null, "hello"),
        answer("a1", "u1", "m1", text("hi")),
        user("u2", "a1", "wrong"),
        user("u3", "a1", "right"),
      ],
      text: ["user: hello", "assistant: hi", "user: right"],
      leftOut: ["abandoned-branch"],
    },
    {
      why: "answers and results of the abandoned branch go with it",
      records: [
        user("u1", null, "hello"),
        answer("a1", "u1", "m1", call("t1")),
        user("r1", "a1", [result("t1")]),
        user("u2", null, "hello again"),
      ],
      text: ["user: hello again"],
      leftOut: ["abandoned-branch", "abandoned-branch", "abandoned-branch"],
    },
    {
      why: "side chains written into the main file are their own conversation",
      records: [
        user("u1", null, "hello"),
        user("s1", null, "task", { isSidechain: true }),
        answer("a1", "u1", "m1", text("hi")),
      ],
      text: ["user: hello", "assistant: hi"],
      leftOut: ["side-chain"],
    },
    {
      why: "a plan carried out in a cleared context goes on in the same file",
      records: [
        user("u1", null, "plan it"),
        answer("a1", "u1", "m1", text("planned")),
        user("u2", null, "carry it out", { planContent: "the plan" }),
      ],
      text: ["user: plan it", "assistant: planned", "== clear", "user: carry it out"],
      leftOut: [],
    },
  ])("$why", ({ records, text: expected, leftOut }) => {
    const session = importRecords(records);
    expect(messagesOf(session)).toEqual(expected);
    expect(session.leftOut.map(({ reason }) => reason)).toEqual(leftOut);
  });

  it.each([
    { why: "its own parent", parents: ["a"], kind: "cyclic-parent" },
    { why: "two that are each other's parent", parents: ["b", "a"], kind: "cyclic-parent" },
    { why: "a parent that is not in the file", parents: [null, "gone"], kind: "missing-parent" },
  ])("end where they lead nowhere: $why", ({ parents, kind }) => {
    const ids = ["a", "b", "c"];
    const session = importRecords(
      parents.map((parent, index) => user(ids[index]!, parent, `message ${index}`)),
    );
    expect(messagesOf(session)).toHaveLength(parents.length);
    expect(session.repairs.map((repair) => repair.kind)).toContain(kind);
  });

  it("stay what they were where the last record is damaged: without a message, and without a parent", () => {
    const session = importRecords([
      user("u1", null, "hello"),
      answer("a1", "u1", "m1", text("one")),
      { type: "user" },
    ]);
    expect(messagesOf(session)).toEqual(["user: hello", "assistant: one"]);
    expect(session.repairs.map(({ kind }) => kind)).toEqual(["bad-record"]);
  });

  it("keep a record once whose copy was written again, and a different one under the same id", () => {
    const session = importRecords([
      user("u1", null, "hello"),
      user("u1", null, "hello"),
      user("u1", null, "something else"),
      answer("a1", "u1", "m1", text("hi")),
    ]);
    expect(messagesOf(session)).toEqual(["user: hello", "user: something else", "assistant: hi"]);
    expect(session.repairs.map(({ kind, line }) => [kind, line])).toEqual([
      ["duplicate-id", 2],
      ["duplicate-id", 3],
    ]);
  });
});

describe("compaction", () => {
  const boundary = (uuid: string, logicalParentUuid: string): SomeRecord => ({
    ...BASE,
    type: "system",
    subtype: "compact_boundary",
    uuid,
    parentUuid: null,
    logicalParentUuid,
    compactMetadata: {
      trigger: "auto",
      preTokens: 155_000,
      postTokens: 40_000,
      preservedMessages: { anchorUuid: "sum", uuids: ["a1"] },
    },
  });
  const summary = user("sum", "b1", "The story so far.", {
    isCompactSummary: true,
    isVisibleInTranscriptOnly: true,
  });

  it("is a boundary with its summary; the messages around it stay, preserved ones once", () => {
    const session = importRecords([
      user("u1", null, "hello"),
      answer("a1", "u1", "m1", text("hi")),
      boundary("b1", "a1"),
      { type: "file-history-snapshot", messageId: "x", snapshot: {} },
      summary,
      user("u2", "sum", "go on"),
    ]);
    expect(messagesOf(session)).toEqual([
      "user: hello",
      "assistant: hi",
      "== auto 155000 The story so far.",
      "user: go on",
    ]);
    expect(session.items[2]).toMatchObject({
      preTokens: 155_000,
      postTokens: 40_000,
      preserved: ["a1"],
      hostId: "b1",
    });
  });

  it("is found where the next message hangs on what stood before the boundary", () => {
    const session = importRecords([
      user("u1", null, "hello"),
      boundary("b1", "u1"),
      summary,
      user("u2", "u1", "/compact"),
    ]);
    expect(messagesOf(session)).toEqual([
      "user: hello",
      "== auto 155000 The story so far.",
      "user: /compact",
    ]);
  });

  it("is found in a fork, whose past is in another file", () => {
    const session = importRecords([boundary("b1", "elsewhere"), summary, user("u2", "sum", "go on")]);
    expect(messagesOf(session)).toEqual(["== auto 155000 The story so far.", "user: go on"]);
    expect(session.repairs).toEqual([]);
  });

  it("is found in a file that begins with the summary", () => {
    const session = importRecords([{ ...summary, parentUuid: null }, user("u2", "sum", "go on")]);
    expect(messagesOf(session)).toEqual(["== unknown  The story so far.", "user: go on"]);
  });

  it("tells which results a microcompact cleared", () => {
    const session = importRecords([
      user("u1", null, "hello"),
      {
        ...BASE,
        type: "system",
        subtype: "microcompact_boundary",
        uuid: "mb",
        parentUuid: "u1",
        microcompactMetadata: {
          trigger: "auto",
          preTokens: 60_364,
          tokensSaved: 21_294,
          compactedToolIds: ["t1", "t2"],
        },
      },
    ]);
    expect(session.items[1]).toEqual({
      type: "microcompact",
      trigger: "auto",
      preTokens: 60_364,
      freedTokens: 21_294,
      toolUseIds: ["t1", "t2"],
      line: 2,
    });
  });
});

describe("other records", () => {
  const attachment = (value: SomeRecord, more: SomeRecord = {}): SomeRecord => ({
    ...BASE,
    type: "attachment",
    uuid: `at-${JSON.stringify(value).length}`,
    parentUuid: "u1",
    attachment: value,
    ...more,
  });

  it.each([
    {
      why: "the text that was sent",
      record: attachment({ type: "date" }, { rendered: [{ content: "exact" }] }),
      expected: "user: exact",
    },
    {
      why: "in the role it was sent in",
      record: attachment({ type: "model" }, { rendered: [{ content: "exact" }], renderedRole: "system" }),
      expected: "system: exact",
    },
    {
      why: "an older one is rebuilt from its data",
      record: attachment({
        type: "file",
        filename: "a.ts",
        content: { type: "text", file: { filePath: "a.ts", content: "let a;" } },
      }),
      expected: "user: Contents of a.ts:\nlet a;",
    },
    {
      why: "the output of the user's own command",
      record: {
        ...BASE,
        type: "system",
        subtype: "local_command",
        uuid: "l1",
        parentUuid: "u1",
        content: "<local-command-stdout>ok</local-command-stdout>",
      },
      expected: "user: <local-command-stdout>ok</local-command-stdout>",
    },
  ])("put in a message: $why", ({ record, expected }) => {
    const session = importRecords([user("u1", null, "hello"), record]);
    expect(messagesOf(session)).toEqual(["user: hello", expected]);
    expect(session.items[1]).toMatchObject({ isAttachment: true, message: { origin: "host" } });
  });

  it("name the session by the last title that was written", () => {
    const session = importRecords([
      { type: "summary", summary: "An older title", leafUuid: "x" },
      { type: "custom-title", customTitle: "First", sessionId: "s1" },
      user("u1", null, "hello"),
      { type: "custom-title", customTitle: "Last", sessionId: "s1" },
      { type: "mode", mode: "plan", sessionId: "s1" },
    ]);
    expect(session).toMatchObject({ title: "Last", sessionId: "s1", workingCopy: "/home/dev/project" });
    expect(
      session.items.filter((item) => item.type === "metadata").map((item) => [item.key, item.value]),
    ).toEqual([
      ["summary-title", "An older title"],
      ["title", "Last"],
      ["mode", "plan"],
    ]);
  });

  it("are counted where they have no part, and reported once per type where they are unknown", () => {
    const session = importRecords([
      user("u1", null, "hello"),
      { type: "progress", uuid: "p" },
      { type: "progress", uuid: "q" },
      { type: "brand-new" },
      { type: "brand-new" },
    ]);
    expect(session.skipped).toEqual([{ recordType: "progress", count: 2 }]);
    expect(session.repairs).toEqual([
      { kind: "unknown-record", line: 4, detail: '2 × unknown record type "brand-new"; ignored' },
    ]);
  });

  it("mark what the tool put in as the host's, and what only people see as left out", () => {
    const session = importRecords([
      user("u1", null, "caveat", { isMeta: true }),
      user("u2", "u1", "shown", { isVisibleInTranscriptOnly: true }),
      user("u3", "u2", "hello"),
    ]);
    expect(session.items.map((item) => (item.type === "message" ? item.message.origin : ""))).toEqual([
      "host",
      "user",
    ]);
    expect(session.leftOut.map(({ reason }) => reason)).toEqual(["transcript-only"]);
  });

  it("import the transcript of a sub-agent as a conversation of its own", () => {
    const side = { isSidechain: true, agentId: "agent-7" };
    const session = importRecords([
      user("u1", "elsewhere", "task", side),
      { ...answer("a1", "u1", "m1", text("done")), ...side },
    ]);
    expect(messagesOf(session)).toEqual(["user: task", "assistant: done"]);
    expect(session).toMatchObject({ isSidechain: true, sessionId: "agent-7" });
    expect(session.items[0]).toMatchObject({ isSidechain: true });
  });
});
