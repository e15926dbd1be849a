import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWellFormed } from "#base/text/text.ts";
import { previewText } from "#compaction/preview/preview.ts";
import { shrinkBlock } from "#compaction/preview/shrink-block.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { withoutSecrets } from "#transcript/without-secrets.ts";
import { measure } from "../../../../../test/helpers/windows.ts";

const MARKER =
  /\[… (?:([\d,]+) lines, )?([\d,]+) characters, about [\d,]+ tokens left out here; read them with history_read\(\{ pointer: "m1\.0"(?:, offset: (\d+))? \}\) …\]/;

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 4_000 }),
  fc
    .array(fc.string({ unit: "grapheme", maxLength: 90 }), { maxLength: 120 })
    .map((lines) => lines.join("\n")),
  fc.constantFrom("😀".repeat(3_000), "漢字".repeat(2_000), "x".repeat(9_000), "\n".repeat(5_000)),
);

describe("a preview", () => {
  it("is literal: its ends are the text's ends, and the marker counts what is missing", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 40, max: 400 }), (text, budgetTokens) => {
        const tokensOf = (part: string) => measure({ type: "text", text: part });
        const preview = previewText(text, { budgetTokens, pointer: "m1.0", baseOffset: 0 }, measure);
        if (preview === undefined) return;
        expect(tokensOf(preview)).toBeLessThan(tokensOf(text));
        expect(tokensOf(preview)).toBeLessThanOrEqual(budgetTokens + 2);
        const marker = MARKER.exec(preview)!;
        const missing = Number(marker[2]!.replaceAll(",", ""));
        const offset = Number(marker[3] ?? 0);
        const head = text.slice(0, offset);
        const tail = text.slice(offset + missing);
        expect(preview.startsWith(head)).toBe(true);
        expect(preview.endsWith(tail)).toBe(true);
        if (isWellFormed(text)) expect(isWellFormed(preview)).toBe(true);
      }),
    );
  });

  it("cuts at the end of a line and says how many lines are missing", () => {
    const text = Array.from(
      { length: 100 },
      (_, line) => `line ${String(line).padStart(3, "0")} of the listing`,
    ).join("\n");
    expect(previewText(text, { budgetTokens: 60, pointer: "m1.0", baseOffset: 0 }, measure)).toBe(
      [
        "line 000 of the listing",
        "line 001 of the listing",
        '[… 97 lines, 2,328 characters, about 582 tokens left out here; read them with history_read({ pointer: "m1.0", offset: 48 }) …]',
        "line 099 of the listing",
      ].join("\n"),
    );
  });

  it("works on one line of a million characters", () => {
    const preview = previewText("ab".repeat(500_000), { budgetTokens: 100, pointer: "m1.0" }, measure)!;
    expect(preview.length).toBeLessThanOrEqual(400);
    expect(preview).toContain("999,7");
  });

  it("is refused for a text that fits", () => {
    expect(previewText("short", { budgetTokens: 10, pointer: "m1.0" }, measure)).toBeUndefined();
    expect(previewText("", { budgetTokens: 0, pointer: "m1.0" }, measure)).toBeUndefined();
  });
});

describe("the preview of an argument", () => {
  it("looks at each string of a call a few times, however many there are", () => {
    const visitsOf = (count: number): number => {
      let visits = 0;
      const edits = Array.from({ length: count }, (_, index) => `line ${index} of the edit\n`.repeat(40));
      const counted = new Proxy(edits, {
        get: (target, name, receiver) => {
          if (typeof name === "string" && /^\d+$/.test(name)) visits++;
          return Reflect.get(target, name, receiver);
        },
      });
      const block: ContentBlock = { type: "tool_use", id: "c", name: "edit", input: { edits: counted } };
      expect(withoutSecrets(block)).toBe(block);
      visits = 0;
      const shrunk = shrinkBlock(block, { budgetTokens: count * 60, pointer: "m1.0" }, measure);
      const { input } = shrunk as unknown as { readonly input: { readonly edits: readonly string[] } };
      // Every string is previewed.
      expect(input.edits.filter((text) => text.includes("left out here"))).toHaveLength(count);
      return visits / count;
    };
    expect(visitsOf(400)).toBe(visitsOf(40));
  });

  /** Made up here, and put together so that no scanner takes this file for a leak. */
  const key = `${"gh"}p_abCD3fGhIJ4kLmNoPQ5rStUvWX6yZ0129abc`;

  it("has no secret of a member that no search looked at, also where the block is known to hold none", () => {
    const long = Array.from({ length: 400 }, (_, at) => `line ${at} of the script`).join("\n");
    const input = { command: "run", encrypted_env: `KEY ${key}\n${long}` };
    const block: ContentBlock = { type: "tool_use", id: "c1", name: "Run", input };
    expect(withoutSecrets(block)).toBe(block);
    const shown = JSON.stringify(shrinkBlock(block, { budgetTokens: 200, pointer: "m1.0" }, measure));
    expect(shown).toContain("KEY [redacted: github]");
  });
});
