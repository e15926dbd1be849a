import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "#transcript/entries.ts";
import { formatEntry, isUnknownEntry, parseEntry } from "#transcript/entry-line.ts";

const base = { seq: 3, id: "e3", parentId: "e2", v: 1, at: 1_767_225_600_000 };
const HASH = "a".repeat(64);
const aMessage = {
  type: "message",
  ...base,
  role: "user",
  content: [{ type: "text", text: "hi" }],
  origin: "user",
};
const aLayerEdit = {
  kind: "offload",
  effect: { hide: [{ from: 1, to: 2 }] },
  reason: "usage",
  freedTokens: 10,
};
const anEdit = (edit: unknown) => ({ type: "edit", ...base, edit });

/** One entry of each type with every field that it may have. */
const ENTRIES: readonly Record<string, unknown>[] = [
  {
    type: "header",
    ...base,
    sessionId: "s",
    createdBy: "palimpsest 0.1.0",
    scope: { tenant: "t", project: "p" },
    workingCopy: "/home/me",
    parent: { sessionId: "s0", entryId: "e9" },
    purpose: "summary",
    source: { format: "pi", sessionId: "old" },
  },
  { ...aMessage, responseId: "r", model: "m", hostId: "h", interrupted: true, saidAt: 5 },
  {
    ...aMessage,
    role: "assistant",
    origin: "assistant",
    content: [
      { type: "thinking", thinking: "", signature: "sig" },
      { type: "redacted_thinking", data: "x" },
      { type: "tool_use", id: "t1", name: "Read", input: { path: "a" }, caller: { type: "direct" } },
      { type: "server_tool_use", id: "t2", name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: "t2", content: [] },
      { type: "compaction", content: null },
      { type: "opaque", provider: "gemini", value: null },
      { type: "blob", blob: { hash: HASH, bytes: 9 }, view: "preview", shown: { type: "text", text: "…" } },
    ],
  },
  {
    ...aMessage,
    origin: "tool",
    content: [
      {
        type: "tool_result",
        tool_use_id: "t1",
        content: [{ type: "tool_reference", name: "x" }],
        is_error: false,
      },
      { type: "tool_result", tool_use_id: "t3" },
      { type: "image", source: { type: "base64", data: "" } },
      { type: "document", source: {}, title: "kept" },
    ],
  },
  {
    type: "call",
    ...base,
    model: "m",
    throughSeq: 2,
    parameters: { a: 1 },
    betas: ["b"],
    system: { hash: HASH, bytes: 1 },
    tools: { hash: HASH, bytes: 1 },
    breakpoints: [0],
    serverEdits: null,
    estimatedTokens: 1.5,
    fixedTokens: 7,
    fixedAs: 1,
  },
  {
    type: "answer",
    ...base,
    callSeq: 2,
    usage: { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4 },
    stopReason: "end_turn",
    error: { code: "overloaded", message: "later" },
  },
  anEdit(aLayerEdit),
  anEdit({
    ...aLayerEdit,
    kind: "extractive",
    isBoundary: true,
    effect: {
      forms: [
        { seq: 1, block: 0, shown: { type: "text", text: "x" }, blob: { hash: HASH, bytes: 4 } },
        { seq: 1, block: 1 },
      ],
      insert: [
        {
          afterSeq: 0,
          messages: [{ role: "user", content: [{ type: "text", text: "s" }], origin: "summary" }],
        },
      ],
    },
    loss: {
      messages: 1,
      blocks: 2,
      files: ["a"],
      commands: [],
      strings: [],
      userMessages: 0,
      recovery: "search",
    },
  }),
  anEdit({ kind: "repair", effect: {}, reason: "late-result", subject: "t1" }),
  anEdit({ kind: "host", effect: {}, reason: "left out" }),
  anEdit({ kind: "provider-clear", freedTokens: 5, reason: "server" }),
  anEdit({ kind: "pin", seq: 1, block: 0 }),
  anEdit({ kind: "undo", editSeq: 4 }),
  anEdit({ kind: "rewind", toSeq: 1 }),
  { type: "metadata", ...base, key: "title", value: null },
  {
    type: "checkpoint",
    ...base,
    runs: [{ from: 1, to: 2, position: 0 }],
    line: [{ from: 1, to: 2 }],
    undone: [4],
    pins: [{ seq: 1 }],
    usageAnchor: null,
    carried: { seen: [] },
  },
];

const parsedEntry = (text: string): Entry => {
  const parsed = parseEntry(text);
  if (!parsed.ok) throw new RangeError(parsed.detail);
  return parsed.entry;
};

describe("an entry and its line", () => {
  it.each(ENTRIES)("are the same thing: $type", (entry) => {
    const line = formatEntry(entry as unknown as Entry);
    expect(line).not.toContain("\n");
    expect(parsedEntry(line)).toEqual(entry);
    expect(formatEntry(parsedEntry(line))).toBe(line);
  });

  it("begin with the fields that every entry has, in one order", () => {
    const { type, seq, id, parentId, v, at, ...rest } = aMessage;
    const shuffled = { ...rest, at, v, parentId, id, seq, type } as unknown as Entry;
    expect(formatEntry(shuffled)).toBe(
      '{"type":"message","seq":3,"id":"e3","parentId":"e2","at":1767225600000,' +
        '"role":"user","content":[{"type":"text","text":"hi"}]}',
    );
  });

  it("keep any text, in one line of valid UTF-8", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
        (text) => {
          const entry = { ...aMessage, content: [{ type: "text", text }] } as unknown as Entry;
          const line = formatEntry(entry);
          expect(line).not.toMatch(/[\n\r]/);
          expect(parsedEntry(Buffer.from(line, "utf8").toString("utf8"))).toEqual(entry);
        },
      ),
    );
  });

  it("keep fields that nobody knows", () => {
    const entry = {
      ...aMessage,
      later: { deep: [1, null] },
      content: [{ type: "text", text: "a", citations: null }],
    };
    expect(parsedEntry(JSON.stringify(entry))).toEqual(entry);
  });
});

describe("a line from elsewhere", () => {
  it.each([
    { line: { ...aMessage, type: "hologram", x: 1 }, why: "its type is unknown" },
    { line: { ...aMessage, v: 2 }, why: "a later version wrote it" },
    {
      line: { ...aMessage, v: 2, content: "in another shape" },
      why: "a later version wrote it in another shape",
    },
    { line: anEdit({ kind: "teleport", where: 1 }), why: "its edit is unknown and has no effect to fold" },
    { line: { ...base, type: "unknown", original: {} }, why: "its type only looks like ours" },
    {
      line: { ...base, v: 2, type: "answer", usage: [1, 2, 3, 4] },
      why: "what it leaves out may be another",
    },
  ])("is carried along without effect where $why", ({ line }) => {
    const entry = parsedEntry(JSON.stringify(line));
    expect(isUnknownEntry(entry)).toBe(true);
    expect(entry).toEqual({ ...base, v: line.v, type: "unknown", original: line });
    expect(JSON.parse(formatEntry(entry))).toEqual(line);
  });

  it("is folded where its edit carries an effect, whatever its kind", () => {
    const entry = parsedEntry(JSON.stringify(anEdit({ ...aLayerEdit, kind: "a-later-layer" })));
    expect(isUnknownEntry(entry)).toBe(false);
  });
});

describe("a block that does not fit its type", () => {
  it.each([
    { block: { type: "hologram", depth: 3 }, why: "an unknown type" },
    { block: { type: "text", text: 7 }, why: "a field of the wrong type" },
    { block: { type: "tool_use", id: "t", name: "Read" }, why: "a missing field" },
    {
      block: { type: "blob", blob: { hash: "../../etc/passwd", bytes: 1 }, view: "whole" },
      why: "a hash that is a path",
    },
    { block: null, why: "nothing" },
    { block: "text", why: "a string" },
  ])("does not cost the message: $why", ({ block }) => {
    const line = JSON.stringify({ ...aMessage, content: [{ type: "text", text: "kept" }, block] });
    expect(parsedEntry(line)).toEqual({
      ...aMessage,
      content: [
        { type: "text", text: "kept" },
        { type: "opaque", provider: "unknown", value: block },
      ],
    });
  });

  it("does not cost an edit either", () => {
    const block = { type: "hologram" };
    const opaque = { type: "opaque", provider: "unknown", value: block };
    const withBlock = (shown: unknown) =>
      anEdit({
        ...aLayerEdit,
        effect: {
          forms: [
            { seq: 1, block: 0, shown },
            { seq: 1, block: 1 },
          ],
          insert: [{ afterSeq: 1, messages: [{ role: "user", content: [shown] }] }],
        },
      });
    expect(parsedEntry(JSON.stringify(withBlock(block)))).toEqual(withBlock(opaque));
  });
});

describe("a line that is no entry", () => {
  it.each([
    { line: "", reason: "not-json" },
    { line: '{"type":"message"', reason: "not-json" },
    { line: "null", reason: "not-an-entry" },
    { line: "[]", reason: "not-an-entry" },
    { line: "5", reason: "not-an-entry" },
    { line: "{}", reason: "not-an-entry" },
    { line: JSON.stringify({ ...aMessage, seq: -1 }), reason: "not-an-entry" },
    { line: JSON.stringify({ ...aMessage, seq: 1.5 }), reason: "not-an-entry" },
    { line: JSON.stringify({ ...aMessage, v: 0 }), reason: "not-an-entry" },
    { line: JSON.stringify({ ...aMessage, v: "2" }), reason: "not-an-entry" },
    { line: JSON.stringify({ ...aMessage, id: 7 }), reason: "not-an-entry" },
    { line: JSON.stringify({ ...aMessage, at: "today" }), reason: "not-an-entry" },
    { line: JSON.stringify({ ...aMessage, role: "tool" }), reason: "not-an-entry" },
    { line: JSON.stringify({ ...aMessage, content: "text" }), reason: "not-an-entry" },
    { line: JSON.stringify({ ...aMessage, message: null, content: undefined }), reason: "not-an-entry" },
    { line: JSON.stringify({ ...base, type: "hologram", seq: null }), reason: "not-an-entry" },
    { line: JSON.stringify(anEdit(null)), reason: "not-an-entry" },
    { line: JSON.stringify(anEdit({ kind: "rewind" })), reason: "not-an-entry" },
    {
      line: JSON.stringify(anEdit({ ...aLayerEdit, effect: { hide: [{ from: "1", to: 2 }] } })),
      reason: "not-an-entry",
    },
  ])("is refused with the reason: $line", ({ line, reason }) => {
    expect(parseEntry(line)).toMatchObject({ ok: false, reason });
  });

  it("names the field that is wrong", () => {
    expect(parseEntry(JSON.stringify({ ...aMessage, role: "tool" }))).toEqual({
      ok: false,
      reason: "not-an-entry",
      detail: 'An entry of message has no valid "role".',
    });
  });

  it("never makes reading throw, nor touches a prototype", () => {
    const nested = `{"type":"metadata","seq":1,"id":"a","v":1,"at":1,"key":"k","value":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(() => parseEntry(nested)).not.toThrow();
    const poisoned = `{"type":"message","__proto__":{"polluted":true},${JSON.stringify(aMessage).slice(1)}`;
    expect((parsedEntry(poisoned) as { polluted?: unknown }).polluted).toBeUndefined();
    fc.assert(
      fc.property(fc.json(), (json) => {
        parseEntry(json);
      }),
    );
  });
});

describe("writing an entry that could not be read back", () => {
  it.each([
    { entry: { ...aMessage, at: Number.NaN }, why: "a time that is no number" },
    {
      entry: { ...aMessage, content: [{ type: "tool_use", id: "t", name: "n", input: undefined }] },
      why: "a block without its input",
    },
    { entry: { ...aMessage, type: "hologram" }, why: "a type that does not exist" },
  ])("stops as the bug that it is: $why", ({ entry }) => {
    expect(() => formatEntry(entry as unknown as Entry)).toThrow(/Broken rule/);
  });
});
