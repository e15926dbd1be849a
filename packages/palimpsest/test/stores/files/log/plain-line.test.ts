/** Messages that are one text are written without `JSON.stringify`: the same line to the byte, of any text. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatBatch, parseLine } from "#stores/files/log/log-line.ts";
import { frame } from "#test/fault/damaged-session/kind.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import type { Entry } from "#transcript/entries.ts";
import { formatEntry } from "#transcript/entry-line.ts";
import { findPlainEntry } from "#transcript/plain-entry.ts";

type Fields = Readonly<Record<string, unknown>>;

const PLACE = { seq: 12, id: "e12", parentId: "e11", v: 1, at: 1_767_225_600_012 };
const aText = (text: string) => [{ type: "text", text }];
const aResult = (content: unknown) => [{ type: "tool_result", tool_use_id: "toolu_1", content }];
const said = (role: string, origin: string, content: unknown, place: Fields = PLACE) =>
  ({ type: "message", ...place, role, origin, content }) as unknown as Entry;

const lineOf = (entry: Entry) => Buffer.from(formatBatch([entry]).bytes);
/** As every other entry is written. */
const expectedLine = (entry: Entry) => Buffer.from(`${frame(formatEntry(entry))}\n`);

const { parentId: _, ...FIRST_PLACE } = PLACE;
const PLAIN: readonly (readonly [string, (text: string) => Entry])[] = [
  ["the user's", (text) => said("user", "user", aText(text))],
  ["the assistant's", (text) => said("assistant", "assistant", aText(text))],
  ["the host's", (text) => said("system", "host", aText(text))],
  ["a tool's", (text) => said("user", "tool", aResult(text))],
  ["the first", (text) => said("user", "user", aText(text), FIRST_PLACE)],
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
    expect(lineOf(said("user", "user", aText('Say "hé",\n\\o/.'))).toString()).toBe(
      '{"crc":"eb610f18","type":"message","seq":12,"id":"e12","parentId":"e11","at":1767225600012,' +
        '"role":"user","content":[{"type":"text","text":"Say \\"hé\\",\\n\\\\o/."}]}\n',
    );
  });

  it("has its place in a batch, and leaves the lines before it alone", () => {
    const entries = ["first\n", "second", "x".repeat(20_000), "fourth"].map((text, index) =>
      said("user", "user", aText(text), { ...PLACE, seq: 12 + index, id: `e${12 + index}` }),
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
    ["names the model", { ...said("assistant", "assistant", text), model: "m" }],
    ["has a field that nobody knows", { ...said("user", "user", text), later: 1 }],
    ["is of another origin", said("user", "engine", text)],
    [
      "has its content before its role",
      { type: "message", ...PLACE, content: text, origin: "user", role: "user" },
    ],
    ["is of a later version", said("user", "user", text, { ...PLACE, v: 2 })],
    ["has an id with a quote", said("user", "user", text, { ...PLACE, id: 'e"1' })],
    ["follows one that has", said("user", "user", text, { ...PLACE, parentId: "e\n" })],
    ["says two texts", said("user", "user", [...text, ...text])],
    ["says nothing", said("user", "user", [])],
    ["has a mark on its block", said("user", "user", [{ ...text[0], cache_control: { type: "ephemeral" } }])],
    ["has its text before its type", said("user", "user", [{ text: "hi", type: "text" }])],
    ["is a result in parts", said("user", "tool", aResult(text))],
    ["is a result that failed", said("user", "tool", [{ ...aResult("no")[0], is_error: true }])],
    ["is a result of a call with a quote", said("user", "tool", [{ ...aResult("no")[0], tool_use_id: '"' }])],
  ])("is written like any other entry: it %s", (_name, fields) => {
    const entry = fields as Entry;
    expect(findPlainEntry(entry)).toBeUndefined();
    expect(lineOf(entry).toString()).toBe(expectedLine(entry).toString());
  });

  it.each([
    ["number", said("user", "user", text, { ...PLACE, seq: 0 })],
    ["number", said("user", "user", text, { ...PLACE, seq: 1.5 })],
    ["time", said("user", "user", text, { ...PLACE, at: Number.NaN })],
    ["role", said("robot", "user", text)],
    ["text", said("user", "user", [{ type: "text", text: 5 }])],
    ["result", said("user", "tool", aResult(5))],
    ["block", said("user", "user", [null])],
    ["content", said("user", "user", "hi")],
    ["content", said("user", "user", null)],
  ])("is refused where it could not be read again: its %s is wrong", (_name, entry) => {
    expect(() => formatBatch([entry])).toThrow(/Broken rule/);
  });
});
