/** Sessions of gemini-cli: a log of patches, and the documents of older versions. */
import { describe, expect, it } from "vitest";
import { GEMINI_DOCUMENT, GEMINI_LINES } from "#test/importers/trajectory-samples.ts";
import { corpusFiles, hasCorpus } from "../../../../../test/helpers/corpus.ts";
import { importOneAs, recorded, reported, textsOf } from "./imported.ts";
import { PIXEL } from "./pixel.ts";

type Fields = Readonly<Record<string, unknown>>;

const HEADER = { sessionId: "s1", projectHash: "h" };
const user = (id: string, content: unknown, more: Fields = {}): Fields => ({
  id,
  type: "user",
  content,
  ...more,
});
const gemini = (id: string, content: unknown, more: Fields = {}): Fields => ({
  id,
  type: "gemini",
  content,
  ...more,
});
const call = (id: string, result: unknown, more: Fields = {}): Fields => ({
  id,
  name: "f",
  args: {},
  result,
  ...more,
});
const answer = (id: string, response: unknown): Fields => ({ functionResponse: { id, name: "f", response } });
const set = (...messages: readonly unknown[]): Fields => ({ $set: { messages } });
const log = (...records: readonly unknown[]) => importOneAs("gemini-cli", HEADER, ...records);

describe("a session of gemini-cli", () => {
  it("is told from a document, notices left out", () => {
    const session = importOneAs("gemini-cli", GEMINI_DOCUMENT);
    expect(reported(session.items)).toEqual([
      "user: look at é😀",
      "assistant: (**Looking**\nIt is there.) | I look. | read_file#c1 | read_file#c2",
      "tool: #c1=one | #c2!=no such file",
      "assistant: done",
    ]);
    expect(session.items[1]).toMatchObject({
      message: { hostId: "g2", at: Date.UTC(2026, 0, 1, 0, 0, 1), model: "gemini-2.5-pro" },
      usage: { inputTokens: 60, cacheReadTokens: 40, cacheWriteTokens: 0, outputTokens: 10 },
    });
    expect(session.leftOut).toMatchObject([
      { reason: "transcript-only", item: { message: { content: [{ text: "An update is there." }] } } },
    ]);
  });

  it("is told from a log: what grows is told once, what was dropped stays, what was taken back is kept apart", () => {
    const session = importOneAs("gemini-cli", ...GEMINI_LINES);
    expect(session).toMatchObject({ sessionId: "s1", title: "Looking at a file" });
    expect(reported(session.items)).toEqual([
      "user: look at é😀",
      "assistant: (**Looking**\nIt is there.) | I look. | read_file#c1 | read_file#c2",
      "tool: #c1=one | #c2!=no such file",
      "user: and this | [image]",
      "assistant: nice",
      "== unknown: <state_snapshot>so far</state_snapshot>",
      "user: go on",
    ]);
    expect(session.items[5]).toMatchObject({ preserved: ["g4"], line: 8 });
    expect(session.leftOut.map(({ reason }) => reason)).toEqual(["transcript-only", "abandoned-branch"]);
    expect(session.repairs).toEqual([]);
  });

  it.each([
    {
      why: "the last writing of a message counts, at the place of the first",
      records: [gemini("a", "ha"), user("b", "go on"), gemini("a", "half a word")],
      items: ["assistant: half a word", "user: go on"],
    },
    {
      why: "taking back what nobody knows takes back everything",
      records: [user("a", "one"), { $rewindTo: "gone" }, user("b", "two")],
      items: ["user: two"],
    },
    {
      why: "a message may be written anew after it was taken back",
      records: [user("a", "one"), { $rewindTo: "a" }, user("a", "two")],
      items: ["user: two"],
    },
    {
      why: "commands to the tool were not sent",
      records: [user("a", "/compress"), user("b", "?"), user("c", "look")],
      items: ["user: look"],
    },
    {
      why: "a context that is synchronised again is not another boundary",
      records: [
        user("a", "one"),
        gemini("b", "two"),
        set(user("n", "so far"), gemini("b", "two")),
        set(user("n", "so far"), gemini("b", "two")),
        user("c", "three"),
      ],
      items: ["user: one", "assistant: two", "== unknown: so far", "user: three"],
    },
    {
      why: "a summary that was written as a message before it moved to the front",
      records: [
        user("a", "one"),
        gemini("b", "two"),
        user("n", "so far"),
        set(user("n", "so far"), gemini("b", "two")),
      ],
      items: ["user: one", "assistant: two", "== unknown: so far"],
    },
    {
      why: "what the tool adds to its context without dropping anything",
      records: [user("a", "one"), set(user("n", "the folder"), user("a", "one"))],
      items: ["user: one", "host*: the folder"],
    },
    {
      why: "notices and commands are no loss",
      records: [
        user("a", "one"),
        { id: "i", type: "info", content: "x" },
        user("c", "/help"),
        set(user("a", "one")),
      ],
      items: ["user: one"],
    },
    {
      why: "answers that were shortened keep what was written first",
      records: [
        gemini("a", "I look.", { toolCalls: [call("t", "long")] }),
        set(gemini("a", [{ text: "I look." }], { toolCalls: [call("t", "cut")] })),
        set(gemini("a", [{ text: "I look." }], { toolCalls: [call("t", "cut")] })),
      ],
      items: ["assistant: I look. | f#t", "tool: #t=long", "-- cleared t"],
    },
    {
      why: "answers that came with the new context",
      records: [
        gemini("a", "I look.", { toolCalls: [call("t", undefined)] }),
        set(gemini("a", "I look.", { toolCalls: [call("t", "seen")] })),
      ],
      items: ["assistant: I look. | f#t", "tool: #t=seen"],
    },
    {
      why: "the same call among the parts and among the calls, its answer in a message of its own",
      records: [
        gemini("a", [{ functionCall: { id: "t", name: "f", args: {} } }], { toolCalls: [call("t", "seen")] }),
        user("b", [answer("t", { output: "seen" })]),
      ],
      items: ["assistant: f#t", "tool: #t=seen"],
    },
    {
      why: "calls without ids are answered in their order",
      records: [
        gemini("a", [{ functionCall: { name: "f" } }, { functionCall: { name: "f" } }]),
        user("b", [{ functionResponse: { name: "f", response: { output: "one" } } }]),
        user("c", [{ functionResponse: { name: "f", response: { output: "two" } } }]),
      ],
      items: [
        "assistant: f#function_call_1 | f#function_call_2",
        "tool: #function_call_1=one",
        "tool: #function_call_2=two",
      ],
    },
  ])("is the whole conversation: $why", ({ records, items }) => {
    const session = log(...records);
    expect(reported(session.items)).toEqual(items);
    expect(session.repairs).toEqual([]);
  });

  it.each([
    { result: "plain", text: "#t=plain", why: "text" },
    { result: [answer("t", { output: "one" })], text: "#t=one", why: "an output" },
    { result: [answer("t", { error: "no" })], text: "#t!=no", why: "an error" },
    { result: [answer("t", { a: 1 })], text: '#t={"a":1}', why: "another object" },
    { result: answer("t", { output: "one" }), text: "#t=one", why: "a part that is no list" },
    {
      result: [answer("s", { output: "another's" }), answer("t", { output: "one" })],
      text: "#t=one",
      why: "with the answer of a sibling",
    },
    {
      result: [answer("t", { output: "seen" }), { inlineData: { mimeType: "image/png", data: PIXEL } }],
      text: "#t=seen+[image]",
      why: "with a picture beside it",
    },
    {
      result: [
        {
          functionResponse: {
            id: "t",
            response: { output: "seen" },
            parts: [{ inlineData: { mimeType: "image/png", data: PIXEL } }],
          },
        },
      ],
      text: "#t=seen+[image]",
      why: "with a picture in it",
    },
    { result: "no", status: "cancelled", text: "#t!=no", why: "cancelled" },
  ])("has a tool's answer in any of its forms: $why", ({ result, status, text }) => {
    const session = log(gemini("a", "I look.", { toolCalls: [call("t", result, { status })] }));
    expect(reported(session.items).slice(1)).toEqual([`tool: ${text}`]);
  });

  it.each([
    { part: { text: "Hm", thought: true }, text: "(Hm)", why: "a thought" },
    { part: { executableCode: { code: "1" } }, text: "[gemini]", why: "code that Gemini ran" },
    {
      part: { inlineData: { mimeType: "image/png", data: PIXEL } },
      text: "[gemini]",
      why: "a picture that Gemini drew",
    },
    { part: "plain", text: "plain", why: "a text" },
  ])("has the parts of an answer: $why", ({ part, text }) => {
    expect(reported(log(gemini("a", [part])).items)).toEqual([`assistant: ${text}`]);
  });

  it.each([
    {
      part: { fileData: { mimeType: "application/pdf", fileUri: "https://example.com/a.pdf" } },
      text: "[document]",
    },
    { part: { fileData: { mimeType: "video/mp4", fileUri: "gs://a/b.mp4" } }, text: "[gemini]" },
    { part: { inlineData: { mimeType: "audio/mp3", data: "AAAA" } }, text: "[gemini]" },
  ])("has what the user showed: $text", ({ part, text }) => {
    expect(reported(log(user("a", [{ text: "look" }, part])).items)).toEqual([`user: look | ${text}`]);
  });

  it.each([
    { kind: "unknown-record", record: { id: "x", type: "novel" }, why: "a type of the future" },
    { kind: "unknown-record", record: { a: 1 }, why: "no message and no patch" },
    {
      kind: "bad-record",
      record: user("x", [{ text: 5, novel: 1 }, { other: 1 }]),
      why: "a part that says nothing",
    },
    { kind: "bad-record", record: set(5, user("y", "look")), why: "a message that is a number" },
    { kind: "empty-message", record: gemini("x", ""), why: "an answer that says nothing" },
  ])("tells of damage as $kind: $why", ({ kind, record }) => {
    const session = log(record, user("z", "look"));
    expect(new Set(session.repairs.map((repair) => repair.kind))).toContain(kind);
    expect(reported(session.items).at(-1)).toBe("user: look");
  });

  it("is a sub-agent's where it says so", () => {
    expect(importOneAs("gemini-cli", { ...HEADER, kind: "subagent" }, user("a", "look")).isSidechain).toBe(
      true,
    );
  });

  it.skipIf(!hasCorpus)("says every text and every result of the recorded one, word by word", () => {
    const [file] = corpusFiles("gemini-cli");
    const raw = JSON.parse(recorded(file!.path)) as { messages: readonly Fields[] };
    const session = importOneAs("gemini-cli", raw);
    const texts = raw.messages.filter(({ type, content }) => type !== "info" && content !== "");
    expect(textsOf(session, "text")).toEqual(texts.map(({ content }) => content));
    const calls = raw.messages.flatMap(
      ({ toolCalls }) => (toolCalls ?? []) as readonly { result: readonly Fields[] }[],
    );
    const outputs = calls.map(
      ({ result }) => (result[0]!["functionResponse"] as { response: Fields }).response["output"],
    );
    expect(textsOf(session, "tool_result")).toEqual(outputs);
  });
});
