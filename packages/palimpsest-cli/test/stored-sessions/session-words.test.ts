/** Words for sessions: short ids, ages, widths. */
import { describe, expect, it } from "vitest";
import { formatAge, formatSessionTime, shortIds } from "#stored-sessions/session-words.ts";
import { columnsOf, cutToColumns, padColumns } from "#terminal/columns.ts";

describe("shortIds", () => {
  it("are as short as tells an id from all others, and eight letters at least", () => {
    const ids = ["aaaaaaaa-1", "aaaaaaaa-2", "bbbbbbbb-bbbb", "session"];
    expect([...shortIds(ids, ids)]).toEqual([
      ["aaaaaaaa-1", "aaaaaaaa-1"],
      ["aaaaaaaa-2", "aaaaaaaa-2"],
      ["bbbbbbbb-bbbb", "bbbbbbbb"],
      ["session", "session"],
    ]);
  });
});

describe("formatAge", () => {
  it.each([
    { ms: 0, words: "now" },
    { ms: 61_000, words: "1 min ago" },
    { ms: 7_200_000, words: "2 h ago" },
    { ms: 3 * 86_400_000, words: "3 d ago" },
    { ms: 65 * 86_400_000, words: "2 mo ago" },
    { ms: 800 * 86_400_000, words: "2 y ago" },
    { ms: -75 * 365 * 86_400_000, words: "in the future" },
    { ms: Number.NaN, words: "?" },
  ])("$ms ms are $words", ({ ms, words }) => {
    expect(formatAge(1e12 - ms, 1e12)).toBe(words);
  });

  it("a time that no calendar has is none", () => {
    expect(formatSessionTime(1e20)).toBe("?");
    expect(formatSessionTime(undefined)).toBe("?");
  });
});

describe("columns", () => {
  it.each([
    { text: "plain", columns: 5 },
    { text: "日本", columns: 4 },
    { text: "é", columns: 1 },
    { text: "👩‍👩‍👧", columns: 2 },
    { text: "naïve …", columns: 7 },
  ])("$text takes $columns", ({ text, columns }) => {
    expect(columnsOf(text)).toBe(columns);
    expect(padColumns(text, 10)).toHaveLength(text.length + 10 - columns);
  });

  it.each([
    { text: "plain text", columns: 6, cut: "plain…" },
    { text: "日本語", columns: 5, cut: "日本…" },
    { text: "日本語", columns: 4, cut: "日…" },
    { text: "日本語", columns: 6, cut: "日本語" },
    { text: "👩‍👩‍👧👩‍👩‍👧", columns: 3, cut: "👩‍👩‍👧…" },
    { text: "abc", columns: 0, cut: "" },
  ])("cuts $text to $columns", ({ text, columns, cut }) => {
    expect(cutToColumns(text, columns)).toBe(cut);
  });
});
