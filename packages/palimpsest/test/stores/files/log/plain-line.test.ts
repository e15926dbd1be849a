/** Messages that are one text are written without `JSON.stringify`: the same line to the byte, of any text. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatBatch, parseLine } from "#stores/files/log/log-line.ts";
import { frame } from "#test/fault/damaged-session/kind.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import type { Entry } from "#transcript/entries.ts";
import { findPlainEntry, formatEntry } from "#transcript/entry-line.ts";

type Fields = Readonly<Record<string, unknown>>;

const PLACE = { seq: 12, id: "e12", parentId: "e11", v: 1, at: 1_767_225_600_012 };
const aText = (text: string) => [{ type: "text", text }];
const aResult = (content: unknown) => [{ type: "tool_result", tool_use_id: "toolu_1", content }];
const messageOf = (role: string, origin: string, content: unknown, place: Fields = PLACE) =>
  ({ type: "message", ...place, role, origin, content }) as unknown as Entry;

const lineOf = (entry: Entry) => Buffer.from(formatBatch([entry]).bytes);
/** As every other entry is written. */
const expectedLine = (entry: Entry) => Buffer.from(`${frame(formatEntry(entry))}\n`);

const { parentId: _, ...FIRST_PLACE } = PLACE;
const PLAIN: readonly (readonly [string, (text: string) => Entry])[] = [
  ["the user's", (text) => messageOf("user", "user", aText(text))],
  ["the assistant's", (text) => messageOf("assistant", "assistant", aText(text))],
  ["the host's", (text) => messageOf("system", "host", aText(text))],
  ["a tool's", (text) => messageOf("user", "tool", aResult(text))],
  ["the first", (text) => messageOf("user", "user", aText(text), FIRST_PLACE)],
];

/** Texts of all kinds: halves of surrogate pairs, control characters, what JSON escapes, and long ones. */
const anyText = fc.oneof(
  fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.string({ unit: fc.constantFrom('"', "\\", "\n", "\t", "\r", "\b", "\u001b", "\u007f", "a", "é", "😀") }),
  fc.tuple(fc.string({ unit: anyCharacter }), fc.integer({ min: 1, max: 40_000 })).map(([unit, length]) => {
    const times = Math.ceil(length / Math.max(1, unit.length));
    return unit.repeat(times).slice(0, length);
  }),
);

describe("the line of a message that is one text", () => {
  it.each(PLAIN)("is that of any other entry, to the byte: %s", (_name, entryOf) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const entry = entryOf(text);
        expect(findPlainEntry(entry)).toBeDefined();
        const line = lineOf(entry);
        expect(line.equals(expectedLine(entry))).toBe(true);
        expect(parseLine(line.subarray(0, -1))).toEqual({ ok: true, entry, batch: undefined });
      }),
    );
  });

  it("is this one", () => {
    expect(lineOf(messageOf("user", "user", aText('Say "hé",\n\\o/.'))).toString()).toBe(
      '{"crc":"eb610f18","type":"message","seq":12,"id":"e12","parentId":"e11","at":1767225600012,' +
        '"role":"user","content":[{"type":"text","text":"Say \\"hé\\",\\n\\\\o/."}]}\n',
    );
  });

  it("has its place in a batch, and leaves the lines before it alone", () => {
    const entries = ["first\n", "second", "x".repeat(20_000), "fourth"].map((text, index) =>
      messageOf("user", "user", aText(text), { ...PLACE, seq: 12 + index, id: `e${12 + index}` }),
    );
    const { bytes, offsets } = formatBatch(entries);
    const lines = Buffer.from(bytes).toString().split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => parseLine(Buffer.from(line)))).toEqual(
      entries.map((entry, index) => ({ ok: true, entry, batch: { index: index + 1, count: 4 } })),
    );
    expect(offsets).toEqual(
      lines.map((_line, at) => lines.slice(0, at).join("\n").length + (at === 0 ? 0 : 1)),
    );
  });
});

describe("a message that says more, or is in another order", () => {
  const text = aText("hi");
  it.each([
    ["names the model", { ...messageOf("assistant", "assistant", text), model: "m" }],
    ["has a field that nobody knows", { ...messageOf("user", "user", text), later: 1 }],
    ["is of another origin", messageOf("user", "engine", text)],
    [
      "has its content before its role",
      { type: "message", ...PLACE, content: text, origin: "user", role: "user" },
    ],
    ["is of a later version", messageOf("user", "user", text, { ...PLACE, v: 2 })],
    ["has an id with a quote", messageOf("user", "user", text, { ...PLACE, id: 'e"1' })],
    ["follows one that has", messageOf("user", "user", text, { ...PLACE, parentId: "e\n" })],
    ["says two texts", messageOf("user", "user", [...text, ...text])],
    ["says nothing", messageOf("user", "user", [])],
    [
      "has a mark on its block",
      messageOf("user", "user", [{ ...text[0], cache_control: { type: "ephemeral" } }]),
    ],
    ["has its text before its type", messageOf("user", "user", [{ text: "hi", type: "text" }])],
    ["is a result in parts", messageOf("user", "tool", aResult(text))],
    ["is a result that failed", messageOf("user", "tool", [{ ...aResult("no")[0], is_error: true }])],
    [
      "is a result of a call with a quote",
      messageOf("user", "tool", [{ ...aResult("no")[0], tool_use_id: '"' }]),
    ],
  ])("is written like any other entry: it %s", (_name, fields) => {
    const entry = fields as Entry;
    expect(findPlainEntry(entry)).toBeUndefined();
    expect(lineOf(entry).toString()).toBe(expectedLine(entry).toString());
  });

  it.each([
    ["number", messageOf("user", "user", text, { ...PLACE, seq: 0 })],
    ["number", messageOf("user", "user", text, { ...PLACE, seq: 1.5 })],
    ["time", messageOf("user", "user", text, { ...PLACE, at: Number.NaN })],
    ["role", messageOf("robot", "user", text)],
    ["text", messageOf("user", "user", [{ type: "text", text: 5 }])],
    ["result", messageOf("user", "tool", aResult(5))],
    ["block", messageOf("user", "user", [null])],
    ["content", messageOf("user", "user", "hi")],
    ["content", messageOf("user", "user", null)],
  ])("is refused where it could not be read again: its %s is wrong", (_name, entry) => {
    expect(() => formatBatch([entry])).toThrow(/Broken rule/);
  });
});
