/** Lines of a session's file: written lines are read back, and other texts are refused. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blobsNamedBy,
  formatBlobLine,
  formatEndLine,
  formatOpeningLine,
  parseSessionLine,
} from "#exporters/session-lines.ts";
import type { Entry } from "#transcript/entries.ts";
import { formatEntry } from "#transcript/entry-line.ts";

const HASH = "0123456789abcdef".repeat(4);
const entry = {
  type: "message",
  seq: 2,
  id: "e2",
  parentId: "e1",
  v: 1,
  at: 5,
  role: "user",
  origin: "user",
  content: [
    { type: "text", text: "half \ud800 and \u2028" },
    { type: "blob", blob: { hash: HASH, bytes: 7 }, view: "preview", shown: { type: "text", text: "…" } },
  ],
} as unknown as Entry;

describe("lines of an exported session", () => {
  it("are read back as they were", () => {
    const text = 'a "text" \ud83d\nwith \u0000';
    expect(parseSessionLine(formatEntry(entry))).toEqual({ type: "entry", entry });
    expect(parseSessionLine(formatBlobLine(HASH, text))).toEqual({ type: "blob", hash: HASH, text });
    expect(parseSessionLine(formatEndLine({ entries: 3, blobs: 1 }))).toEqual({
      type: "end",
      entries: 3,
      blobs: 1,
    });
    const opening = { sessionId: "s1", isRedacted: false };
    expect(parseSessionLine(formatOpeningLine(opening))).toEqual({ type: "opening", ...opening });
    for (const line of [formatEntry(entry), formatBlobLine(HASH, text)]) expect(line).not.toMatch(/[\r\n]/);
  });

  it("carry along an entry that a later version wrote", () => {
    const line = '{"type":"telepathy","seq":9,"id":"e9","parentId":"e8","v":7,"at":1,"wave":[1,2]}';
    const parsed = parseSessionLine(line);
    expect(parsed.type).toBe("entry");
    if (parsed.type === "entry") expect(formatEntry(parsed.entry)).toBe(line);
  });

  it.each([
    { line: "", reason: "not JSON" },
    { line: "[]", reason: "not an object" },
    { line: '{"type":"message","seq":1}', reason: 'An entry of message has no valid "id".' },
    { line: '{"type":"blob","hash":"../x","text":"a"}', reason: "a text without a name" },
    { line: '{"type":"end"}', reason: "a last line without its counts" },
    { line: '{"type":"palimpsest-session"}', reason: "a first line without session or version" },
    { line: '{"type":"palimpsest-session","version":2,"sessionId":"s"}', reason: "a file of version 2" },
  ])("says what $line is", ({ line, reason }) => {
    expect(parseSessionLine(line)).toEqual({ type: "unreadable", reason });
  });

  it("are read without a throw, whatever they are", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => parseSessionLine(line).type !== undefined),
    );
  });
});

it("finds the texts that an entry names, at any depth", () => {
  expect(blobsNamedBy(entry)).toEqual([{ hash: HASH, bytes: 7 }]);
  const call = { ...entry, type: "call", system: { hash: HASH, bytes: 1 }, tools: { hash: "x", bytes: 2 } };
  expect(blobsNamedBy({ ...call, content: undefined } as unknown as Entry)).toEqual([
    { hash: HASH, bytes: 1 },
  ]);
});
