/** Pastes: taken out of what is typed, whatever the pieces, and limited. */
import { describe, expect, it } from "vitest";
import { LargePastes, PasteFilter } from "#chat/terminal/pastes.ts";

function filtered(limit = 100) {
  const seen: string[] = [];
  const filter = new PasteFilter(
    {
      keys: (text) => seen.push(`keys ${text}`),
      paste: (text) => seen.push(`paste ${text}`),
      refused: (characters) => seen.push(`refused ${characters}`),
    },
    limit,
  );
  return { filter, seen };
}

const WHOLE = "ab\u001b[200~one\ntwo\u001b[201~cd\u001b[A";

describe("pastes", () => {
  it.each(
    Array.from({ length: WHOLE.length - 1 }, (_, index) => index + 1),
  )("are the same when what arrives is cut at %i", (at) => {
    const { filter, seen } = filtered();
    filter.take(WHOLE.slice(0, at));
    filter.take(WHOLE.slice(at));
    const keys = seen.filter((one) => one.startsWith("keys")).map((one) => one.slice(5));
    expect(seen.filter((one) => !one.startsWith("keys"))).toEqual(["paste one\ntwo"]);
    expect(keys.join("")).toBe("abcd\u001b[A");
  });

  it("give a lone Escape back as a key once nothing follows it", () => {
    const { filter, seen } = filtered();
    filter.take("\u001b");
    expect([filter.isHolding, seen]).toEqual([true, []]);
    filter.flush();
    expect([filter.isHolding, seen]).toEqual([false, ["keys \u001b"]]);
  });

  it("of 100 MB are refused with their size, and what is typed next is typed", () => {
    const { filter, seen } = filtered(LargePastes.limit);
    const piece = "x".repeat(65_536);
    filter.take("\u001b[200~");
    for (let bytes = 0; bytes < 100_000_000; bytes += piece.length) filter.take(piece);
    filter.take("\u001b[201~yes");
    expect(seen).toEqual(["refused 100007936", "keys yes"]);
  });

  it("that are large are marks in the input, and texts in the message", () => {
    const pastes = new LargePastes();
    expect(pastes.take("short")).toBeUndefined();
    const text = "a \u001b[31mred\u001b[0m line\n".repeat(20_000);
    const mark = pastes.take(text);
    expect(mark).toBe("[pasted text 1: 400 KB]");
    const message = pastes.expand(`Look: ${mark} Well?`);
    expect(message.length).toBe(6 + 20_000 * 11 + 6);
    expect(message.slice(0, 17)).toBe("Look: a red line\n");
    // Found with the arrow keys, and sent once more.
    expect(pastes.expand(`Again: ${mark}`).length).toBe(7 + 20_000 * 11);
  });

  it("that are large have different marks, and only the newest are kept", () => {
    const pastes = new LargePastes();
    const texts = Array.from({ length: 44 }, (_, index) => String(index % 10).repeat(1_000_000));
    const marks = texts.map((text) => pastes.take(text) ?? "");
    expect(new Set(marks).size).toBe(44);
    expect(pastes.keptCount).toBe(40);
    expect(pastes.expand(marks[43] ?? "")).toBe(texts[43]);
    expect(pastes.expand(marks[0] ?? "")).toBe("[pasted text 1: 1 MB]");
  });
});
