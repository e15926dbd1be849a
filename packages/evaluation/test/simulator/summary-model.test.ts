import fc from "fast-check";
import type { Author } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import { keyOf, kindOfKey, REFERENCE_KINDS, type ReferenceKind } from "#references/references.ts";
import { composeModelledText, rankStrings, summaryKeys } from "#simulator/summary-model.ts";

const seen = (author: Author, ...strings: readonly string[]) => ({ author, strings: new Set(strings) });

describe("the model of a summary", () => {
  it.each([
    {
      of: [seen("user", "old_one"), seen("user", "new_one")],
      ranked: ["new_one", "old_one"],
      why: "newer strings before older ones",
    },
    {
      of: [seen("user", "said_twice"), seen("user", "said_once"), seen("user", "said_twice")],
      ranked: ["said_twice", "said_once"],
      why: "frequent strings before rare ones",
    },
    {
      of: [seen("assistant", "said_it"), seen("tool", "was_read")],
      ranked: ["said_it", "was_read"],
      why: "what was said before what was read",
    },
    {
      of: [seen("user", "first_one", "second_one")],
      ranked: ["first_one", "second_one"],
      why: "in their order where nothing tells them apart",
    },
    { of: [], ranked: [], why: "nothing was shown" },
  ])("ranks $ranked: $why", ({ of, ranked }) => {
    expect(rankStrings(of)).toEqual(ranked);
  });

  it("keeps a tenth of its length at six tokens a string, and carries two fifths as many on", () => {
    const shown = [seen("user", ...Array.from({ length: 99 }, (_, index) => `name_${index}`))];
    const carried = Array.from({ length: 99 }, (_, index) => `carried_${index}`);
    // 3,200 × 0.1 / 6 = 53.3, and 0.4 of that 21.3
    const kept = summaryKeys(shown, { tokens: 3_200, carried });
    expect([...kept].filter((text) => text.startsWith("name_"))).toHaveLength(53);
    expect([...kept].filter((text) => text.startsWith("carried_"))).toHaveLength(21);
    expect(kept.has("carried_20") && !kept.has("carried_21")).toBe(true);
  });

  it("keeps 96 words and 10 lines in 3,200 tokens, ranked apart from the names", () => {
    const many = (kind: ReferenceKind) =>
      Array.from({ length: 200 }, (_, index) => keyOf(kind, `${kind}_${index}`));
    const shown = REFERENCE_KINDS.flatMap(many);
    const kept = [...summaryKeys([seen("tool", ...shown)], { tokens: 3_200 })].map(kindOfKey);
    const countOf = (kind: ReferenceKind) => kept.filter((one) => one === kind).length;
    expect(REFERENCE_KINDS.map(countOf)).toEqual([53, 10, 96]);
  });

  it("shows each key in its text so that it is read again", () => {
    const keys = ["src/lines.ts", keyOf("word", "carefully"), keyOf("line", "return total + 1;")];
    const text = composeModelledText({ headings: ["# one"], strings: keys, tokens: 200 });
    expect(text).toContain("`src/lines.ts`\ncarefully\nreturn total + 1;\n");
  });

  it("keeps nothing that was not shown or carried", () => {
    const names = fc.array(fc.stringMatching(/^[a-z_]{4,9}$/), { maxLength: 20 });
    fc.assert(
      fc.property(names, names, fc.nat(2_000), (shown, carried, tokens) => {
        const known = new Set([...shown, ...carried]);
        for (const text of summaryKeys([seen("tool", ...shown)], { tokens, carried }))
          expect(known.has(text)).toBe(true);
      }),
    );
  });
});
