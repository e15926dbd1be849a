/** Exports of opencode: parts, steps, compactions, and what was never sent. */
import { describe, expect, it } from "vitest";
import { OPENCODE } from "#test/importers/trajectory-samples.ts";
import { corpusFiles, hasCorpus } from "../../../../../test/helpers/corpus.ts";
import { importAs, importOneAs, recorded, reported, textsOf } from "./imported.ts";
import { PIXEL } from "./pixel.ts";

type Fields = Readonly<Record<string, unknown>>;

const text = (text: string, more: Fields = {}): Fields => ({ type: "text", text, ...more });
const message = (role: string, parts: readonly Fields[], info: Fields = {}): Fields => ({
  info: { role, ...info },
  parts,
});
const exported = (...messages: readonly Fields[]) =>
  importOneAs("opencode", { info: { id: "ses_1" }, messages });

describe("an opencode export", () => {
  it("is told step by step, with results after their calls and the compaction between", () => {
    const session = importOneAs("opencode", OPENCODE);
    expect(session).toMatchObject({ sessionId: "ses_1", title: "A coat", workingCopy: "/home/dev/project" });
    expect(reported(session.items)).toEqual([
      "user: look at é😀 | [image]",
      "host*: The file says hello",
      "assistant: (Hm) | [openai-responses] | read#call_1 | read#call_2",
      "tool: #call_1=one | #call_2!=no such file",
      "assistant: so | read#call_3",
      "== auto: We looked.",
      "host*: Continue",
      "assistant: done",
    ]);
    expect(session.items[5]).toMatchObject({ firstPreserved: "msg_2", hostId: "msg_3", at: 3_000 });
    expect(session.leftOut).toMatchObject([{ reason: "api-error", item: { message: { hostId: "msg_6" } } }]);
  });

  it("has usage, model, ids and times", () => {
    const { items } = importOneAs("opencode", OPENCODE);
    expect(items.slice(2, 5)).toMatchObject([
      {
        message: { hostId: "msg_2", at: 2_000, model: "gpt-5" },
        usage: { inputTokens: 100, cacheReadTokens: 1, cacheWriteTokens: 2, outputTokens: 7 },
        stopReason: "tool-calls",
      },
      { message: { at: 2_600 } },
      { message: { model: "gpt-5" }, usage: { inputTokens: 200, outputTokens: 9 }, stopReason: "stop" },
    ]);
    expect(items[4]).not.toHaveProperty("message.hostId");
  });

  it("may be the messages alone, as a list or one a line", () => {
    const messages = OPENCODE.messages.slice(0, 2);
    expect(reported(importOneAs("opencode", messages).items)).toEqual(
      reported(importOneAs("opencode", ...messages).items),
    );
    expect(importOneAs("opencode", ...messages)).toMatchObject({ sessionId: "ses_1" });
  });

  it("is of a sub-agent where it names a parent", () => {
    const messages = [message("user", [text("look")])];
    expect(importAs("opencode", { info: { parentID: "ses_0" }, messages })[0]?.isSidechain).toBe(true);
  });

  it("tells parts in the order of their ids, in which they were made", () => {
    const id = (count: number) => `prt_00000000000${count}Xyz`;
    const parts = [text("three", { id: id(3) }), text("one", { id: id(1) }), text("two", { id: id(2) })];
    expect(reported(exported(message("assistant", parts)).items)).toEqual(["assistant: one | two | three"]);
    const foreign = parts.map((part) => ({ ...part, id: `x${String(part["id"])}` }));
    expect(reported(exported(message("assistant", foreign)).items)).toEqual(["assistant: three | one | two"]);
  });

  it.each([
    { state: { status: "completed", output: "" }, result: "#c=", why: "a tool that said nothing" },
    {
      state: { status: "completed", output: { a: 1 } },
      result: '#c={"a":1}',
      why: "an answer that is no text",
    },
    {
      state: {
        status: "completed",
        output: "seen",
        attachments: [{ mime: "image/png", url: `data:image/png;base64,${PIXEL}` }],
      },
      result: "#c=seen+[image]",
      why: "an answer with a picture",
    },
    {
      state: { status: "error", error: "Aborted", metadata: { interrupted: true, output: "half of it" } },
      result: "#c=half of it",
      why: "what an interrupted command had said",
    },
    { state: { status: "pending", input: {}, raw: "" }, result: undefined, why: "a call that never ran" },
  ])("has one result a call at the most: $why", ({ state, result }) => {
    const session = exported(message("assistant", [{ type: "tool", callID: "c", tool: "bash", state }]));
    expect(reported(session.items).slice(1)).toEqual(result === undefined ? [] : [`tool: ${result}`]);
  });

  it.each([
    {
      metadata: { anthropic: { signature: "s" } },
      block: { type: "thinking", thinking: "Hm", signature: "s" },
    },
    { metadata: { anthropic: { redactedData: "d" } }, block: { type: "redacted_thinking", data: "d" } },
    { metadata: { google: { thoughtSignature: "s" } }, block: { type: "thinking", thinking: "Hm" } },
    { metadata: undefined, block: { type: "thinking", thinking: "Hm" } },
  ])("has reasoning as its API takes it back: $metadata", ({ metadata, block }) => {
    const session = exported(message("assistant", [{ type: "reasoning", text: "Hm", metadata }]));
    expect(session.items).toMatchObject([{ message: { content: [block] } }]);
  });

  it("has one item of OpenAI's reasoning, in however many parts its summary came", () => {
    const openai = { itemId: "rs_1", reasoningEncryptedContent: "x" };
    const part = (text: string): Fields => ({ type: "reasoning", text, metadata: { openai } });
    const session = exported(message("assistant", [part("one"), part("two"), text("so")]));
    expect(reported(session.items)).toEqual(["assistant: (one) | [openai-responses] | (two) | so"]);
  });

  it.each([
    {
      tokens: { input: 10, output: 7, reasoning: 5, cache: { read: 1, write: 2 } },
      output: 7,
      why: "included",
    },
    {
      tokens: { input: 10, output: 2, reasoning: 5, cache: { read: 1, write: 2 }, total: 20 },
      output: 7,
      why: "told by the total",
    },
  ])("counts reasoning as output: $why", ({ tokens, output }) => {
    const session = exported(message("assistant", [text("so")], { tokens }));
    expect(session.items).toMatchObject([
      { usage: { inputTokens: 10, cacheReadTokens: 1, cacheWriteTokens: 2, outputTokens: output } },
    ]);
  });

  it("marks the places where results were cleared, and keeps what they said", () => {
    const state = { status: "completed", output: "long", time: { start: 1, end: 2, compacted: 150 } };
    const session = exported(
      message("assistant", [{ type: "tool", callID: "c", tool: "read", state }], { time: { created: 100 } }),
      message("user", [text("go on")], { time: { created: 200 } }),
    );
    expect(reported(session.items)).toEqual([
      "assistant: read#c",
      "tool: #c=long",
      "-- cleared c",
      "user: go on",
    ]);
  });

  it.each([
    {
      why: "a compaction without a finished summary had no effect",
      messages: [
        message("user", [{ type: "compaction", auto: false }], { id: "a" }),
        message("assistant", [text("half")], { summary: true, parentID: "a", error: { name: "APIError" } }),
        message("user", [text("go on")]),
      ],
      items: ["user: go on"],
      leftOut: ["api-error"],
    },
    {
      why: "old versions wrote the summary alone",
      messages: [
        message("user", [text("look")]),
        message("assistant", [text("We looked.")], { summary: true }),
      ],
      items: ["user: look", "== unknown: We looked."],
      leftOut: [],
    },
    {
      why: "the last words are written again after a compaction for want of room",
      messages: [
        message("user", [text("look")], { id: "u" }),
        message("user", [{ type: "compaction", auto: true, overflow: true }], { id: "a" }),
        message("assistant", [text("We looked.")], { summary: true, parentID: "a" }),
        message("user", [text("look")], { id: "v" }),
      ],
      items: ["user: look", "== auto: We looked.", "host*: look"],
      leftOut: [],
    },
    {
      why: "an aborted answer that said something is sent again",
      messages: [message("assistant", [text("half")], { error: { name: "MessageAbortedError" } })],
      items: ["assistant: half"],
      leftOut: [],
    },
    {
      why: "an aborted answer that said nothing is not",
      messages: [
        message("user", [text("look")]),
        message("assistant", [{ type: "step-start" }], { error: { name: "MessageAbortedError" } }),
      ],
      items: ["user: look"],
      leftOut: ["api-error"],
    },
    {
      why: "a user's message with nothing but what opencode put in",
      messages: [message("user", [text("Continue", { synthetic: true })])],
      items: ["host*: Continue"],
      leftOut: [],
    },
    {
      why: "text that is only shown",
      messages: [message("user", [text("look"), text("shown", { ignored: true })])],
      items: ["user: look"],
      leftOut: [],
    },
    {
      why: "files: text stands beside them, what is not in the recording is named",
      messages: [
        message("user", [
          { type: "file", mime: "text/plain", filename: "a.txt", url: "file:///a.txt" },
          { type: "file", mime: "audio/mp3", filename: "a.mp3", url: "file:///a.mp3" },
          { type: "file", mime: "application/pdf", url: "https://example.com/a.pdf" },
          { type: "agent", name: "general" },
        ]),
      ],
      items: ["user: [audio/mp3: a.mp3] | [document]"],
      leftOut: [],
    },
  ])("handles what opencode does: $why", ({ messages, items, leftOut }) => {
    const session = exported(...messages);
    expect(reported(session.items)).toEqual(items);
    expect(session.leftOut.map(({ reason }) => reason)).toEqual(leftOut);
    expect(session.repairs).toEqual([]);
  });

  it("leaves out what was reverted", () => {
    const messages = ["one", "two", "three"].map((words) => message("user", [text(words)], { id: words }));
    const session = importOneAs("opencode", { info: { revert: { messageID: "two" } }, messages });
    expect(reported(session.items)).toEqual(["user: one"]);
    expect(session.leftOut.map(({ reason }) => reason)).toEqual(["abandoned-branch", "abandoned-branch"]);
  });

  it("leaves a compaction out that was reverted", () => {
    const compaction = message("user", [{ type: "compaction", auto: true }], { id: "two" });
    const summary = message("assistant", [text("We looked.")], { summary: true, parentID: "two" });
    const messages = [message("user", [text("one")], { id: "one" }), compaction, summary];
    const session = importOneAs("opencode", { info: { revert: { messageID: "two" } }, messages });
    expect(reported(session.items)).toEqual(["user: one"]);
  });

  it.each([
    { kind: "bad-record", messages: [5, message("user", [text("look")])], notRead: 1, why: "no message" },
    {
      kind: "bad-record",
      messages: [message("judge", []), message("user", [text("look")])],
      notRead: 0,
      why: "a role nobody has",
    },
    {
      kind: "unknown-record",
      messages: [message("user", [text("look"), { type: "novel" }])],
      notRead: 0,
      why: "a part of the future",
    },
    {
      kind: "duplicate-id",
      messages: [message("user", [text("a")], { id: "m" }), message("user", [text("look")], { id: "m" })],
      notRead: 0,
      why: "an id that is used twice",
    },
    {
      kind: "empty-message",
      messages: [message("assistant", []), message("user", [text("look")])],
      notRead: 0,
      why: "nothing said",
    },
  ])("tells of damage as $kind: $why", ({ kind, messages, notRead }) => {
    const session = importOneAs("opencode", {
      info: {},
      messages: [...messages, message("user", [text("x")])],
    });
    expect(session.repairs.map((repair) => repair.kind)).toEqual([kind]);
    expect(session.notRead?.records).toBe(notRead);
    expect(reported(session.items)).toContain("user: look");
  });

  it.skipIf(!hasCorpus)("says every text and every result of the recorded one, word by word", () => {
    const [file] = corpusFiles("opencode");
    const raw = JSON.parse(recorded(file!.path)) as { messages: readonly { parts: readonly Fields[] }[] };
    const session = importOneAs("opencode", raw);
    const parts = raw.messages.flatMap((one) => one.parts);
    const texts = parts.filter(({ type }) => type === "text").map((part) => part["text"]);
    expect(textsOf(session, "text")).toEqual(texts);
    const outputs = parts.flatMap(({ type, state }) =>
      type === "tool" ? [(state as Fields)["output"] ?? (state as Fields)["error"]] : [],
    );
    expect([...textsOf(session, "tool_result")].sort()).toEqual(outputs.map(String).sort());
  });
});
