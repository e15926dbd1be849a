/** An entry's line leaves out what the entry itself says already, and reads as the whole entry, alone. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "#transcript/entries.ts";
import { formatEntry, isUnknownEntry, parseEntry } from "#transcript/entry-line.ts";

const base = { seq: 8, id: "e8", parentId: "e7", v: 1, at: 5 };
const PLACE = '"seq":8,"id":"e8","parentId":"e7"';
const TEXT = { type: "text", text: "hi" };
const RESULT = { type: "tool_result", tool_use_id: "t" };
const IMAGE = { type: "image", source: {} };
const blob = (shown: object) => ({
  type: "blob",
  blob: { hash: "a".repeat(64), bytes: 9 },
  view: "preview",
  shown,
});
const USAGE = { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4.5 };
const call = { type: "call", ...base, model: "m", throughSeq: 7, estimatedTokens: 2 };
const answer = { type: "answer", ...base, callSeq: 6 };
const messageOf = (role: string, origin: string, ...content: readonly object[]) => ({
  type: "message",
  ...base,
  role,
  content,
  origin,
});

const format = (entry: object): string => formatEntry(entry as Entry);
const parsed = (line: string): unknown => {
  const found = parseEntry(line);
  return found.ok ? found.entry : found.detail;
};
/** The fields that a line has beside those of every entry. */
const fieldsOf = (line: string): readonly string[] =>
  Object.keys(JSON.parse(line) as object).filter((field) => !(field in base) && field !== "type");

const SHORT: readonly { readonly why: string; readonly entry: object; readonly line: string }[] = [
  {
    why: "a call right behind its window",
    entry: call,
    line: `{"type":"call",${PLACE},"at":5,"model":"m","estimatedTokens":2}`,
  },
  {
    why: "a call whose window ends before",
    entry: { ...call, throughSeq: 6 },
    line: `{"type":"call",${PLACE},"at":5,"model":"m","throughSeq":6,"estimatedTokens":2}`,
  },
  { why: "an answer of one message", entry: answer, line: `{"type":"answer",${PLACE},"at":5}` },
  {
    why: "an answer of two messages",
    entry: { ...answer, callSeq: 5, stopReason: "end" },
    line: `{"type":"answer",${PLACE},"at":5,"callSeq":5,"stopReason":"end"}`,
  },
  {
    why: "usage",
    entry: { ...answer, usage: USAGE },
    line: `{"type":"answer",${PLACE},"at":5,"usage":[1,2,3,4.5]}`,
  },
  {
    why: "usage that says more",
    entry: { ...answer, usage: { ...USAGE, reasoningTokens: 1 } },
    line: `{"type":"answer",${PLACE},"at":5,"usage":{"inputTokens":1,"cacheReadTokens":2,"cacheWriteTokens":3,"outputTokens":4.5,"reasoningTokens":1}}`,
  },
  {
    why: "any other entry",
    entry: { type: "metadata", ...base, key: "k", value: 1 },
    line: `{"type":"metadata",${PLACE},"at":5,"key":"k","value":1}`,
  },
];

describe("a line", () => {
  it.each(SHORT)("is short and reads as the whole: $why", ({ entry, line }) => {
    expect(format(entry)).toBe(line);
    expect(parsed(line)).toEqual(entry);
  });

  it.each(SHORT)("of before, in full, reads the same: $why", ({ entry, line }) => {
    expect(parsed(JSON.stringify(entry))).toEqual(entry);
    expect(format(parsed(JSON.stringify(entry)) as object)).toBe(line);
  });

  it.each([
    { entry: messageOf("assistant", "assistant", TEXT), isStated: false },
    { entry: messageOf("assistant", "summary", TEXT), isStated: true },
    { entry: messageOf("system", "host", TEXT), isStated: false },
    { entry: messageOf("system", "user", TEXT), isStated: true },
    { entry: messageOf("user", "user", TEXT), isStated: false },
    { entry: messageOf("user", "host", TEXT), isStated: true },
    { entry: messageOf("user", "tool", TEXT), isStated: true },
    { entry: messageOf("user", "user"), isStated: false },
    { entry: messageOf("user", "tool", RESULT), isStated: false },
    { entry: messageOf("user", "tool", IMAGE, RESULT), isStated: false },
    { entry: messageOf("user", "user", RESULT), isStated: true },
    { entry: messageOf("user", "tool", blob(RESULT)), isStated: false },
    { entry: messageOf("user", "user", blob(TEXT)), isStated: false },
  ])("says who is behind a message only where its blocks do not: $entry.role, $entry.origin", ({
    entry,
    isStated,
  }) => {
    const line = format(entry);
    expect(fieldsOf(line).includes("origin")).toBe(isStated);
    expect(parsed(line)).toEqual(entry);
    expect(format(parsed(line) as object)).toBe(line);
  });

  it("takes the origin from what was written, also where the block is none", () => {
    const line = JSON.stringify({ ...messageOf("user", "tool", { type: "tool_result" }), origin: undefined });
    const opaque = { type: "opaque", provider: "unknown", value: { type: "tool_result" } };
    expect(parsed(line)).toEqual(messageOf("user", "tool", opaque));
    expect(parsed(format(parsed(line) as object))).toEqual(messageOf("user", "tool", opaque));
  });

  it.each([
    { line: { ...answer, usage: [1, 2, 3] }, field: "usage" },
    { line: { ...answer, usage: [1, 2, 3, 4, 5] }, field: "usage" },
    { line: { ...answer, usage: [1, 2, 3, -4] }, field: "usage" },
    { line: { ...answer, usage: [1, 2, 3, "4"] }, field: "usage" },
    { line: { ...answer, usage: [[1, 2, 3, 4]] }, field: "usage" },
    { line: { ...answer, callSeq: null }, field: "callSeq" },
    { line: { ...answer, seq: 1, callSeq: undefined }, field: "callSeq" },
    { line: { ...answer, seq: "8", callSeq: undefined }, field: "seq" },
    { line: { ...call, throughSeq: null }, field: "throughSeq" },
    { line: { ...call, v: null }, field: "v" },
    { line: { ...call, type: "hologram", v: null }, field: "v" },
    { line: { ...messageOf("user", "user", TEXT), origin: null }, field: "origin" },
    { line: { ...messageOf("user", "user", TEXT), origin: undefined, content: null }, field: "content" },
  ])("that says it wrong is refused: $line.type without $field", ({ line, field }) => {
    expect(parsed(JSON.stringify(line))).toContain(`has no valid "${field}"`);
  });

  it("of a type that nobody knows has the first version where it names none, and is kept as it was", () => {
    const line = `{"type":"hologram",${PLACE},"at":5,"callSeq":6}`;
    const entry = parsed(line);
    expect(isUnknownEntry(entry as Entry)).toBe(true);
    expect(entry).toMatchObject(base);
    expect(format(entry as object)).toBe(line);
  });
});

describe("numbers of any entry", () => {
  const amount = fc.nat(2_000_000);
  it("come back from its line alone, whatever stands beside it", () => {
    const place = fc.record({
      seq: fc.integer({ min: 1, max: 9 }),
      number: fc.nat(9),
      isAnswer: fc.boolean(),
    });
    fc.assert(
      fc.property(
        place,
        fc.option(fc.tuple(amount, amount, amount, amount)),
        ({ seq, number, isAnswer }, counts) => {
          const usage = counts && {
            inputTokens: counts[0],
            cacheReadTokens: counts[1],
            cacheWriteTokens: counts[2],
            outputTokens: counts[3],
          };
          const entry = isAnswer
            ? { ...answer, seq, callSeq: number, ...(usage && { usage }) }
            : { ...call, seq, throughSeq: number };
          expect(parsed(format(entry))).toEqual(entry);
          expect(format(entry).length).toBeLessThan(JSON.stringify(entry).length);
        },
      ),
    );
  });
});
