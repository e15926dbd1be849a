/** Notes that are too long are named, and cut in the order in which their parts matter. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeTrimDemand, findOverLimit, formatNotes, parseNotes } from "#notes/notes-document.ts";
import { trimNotes } from "#notes/trim-notes.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { anyNotesText, wellFormedNotes } from "./notes-arbitraries.ts";

/** One token a character: what is expected can be counted by hand. */
const measure = (text: string): number => text.length;

const limits = { sectionTokens: 40, totalTokens: 120 };
const sections = (text: string) =>
  parseNotes(text).parts.map(({ heading, body }) => [heading.trim(), body.trim()]);

describe("findOverLimit", () => {
  it("names sections and the whole with their sizes", () => {
    const over = findOverLimit(
      parseNotes(`# Worklog\n${"x".repeat(60)}\n# Learnings\n${"y".repeat(50)}\n# Workflow\n- a\n`),
      limits,
      measure,
    );
    expect(over).toEqual({
      sections: [
        { title: "Worklog", tokens: 61 },
        { title: "Learnings", tokens: 51 },
      ],
      totalTokens: 149,
    });
    expect(composeTrimDemand(over, limits)).toMatch(
      /- Worklog: about 61 tokens, and 40 is the limit\n- Learnings: about 51 tokens.*\nThe notes have about 149 tokens in all, and 120 is the limit\..*Keep Current State and Errors & Corrections exact/,
    );
  });

  it("demands nothing where nothing is over", () => {
    expect(composeTrimDemand(findOverLimit(parseNotes("# Worklog\n- a\n"), limits, measure), limits)).toBe(
      "",
    );
  });
});

describe("trimNotes", () => {
  it("leaves notes within their limits alone, to the letter", () => {
    fc.assert(
      fc.property(anyNotesText, (text) => {
        const document = parseNotes(text);
        const wide = { sectionTokens: 10_000, totalTokens: 100_000 };
        expect(trimNotes(document, wide, measure)).toEqual({ document, dropped: [], isWithin: true });
      }),
    );
  });

  it("drops the oldest entries of the Worklog first, and the end of other sections", () => {
    const text = `# Current State\n- s\n# Files and Functions\n- first file here\n- second file here\n- third one\n# Worklog\n${["one", "two", "three", "four"].map((step) => `- step ${step}\n`).join("")}`;
    expect(
      sections(
        formatNotes(trimNotes(parseNotes(text), { sectionTokens: 40, totalTokens: 1_000 }, measure).document),
      ),
    ).toEqual([
      ["", ""],
      ["# Current State", "- s"],
      ["# Files and Functions", "- first file here\n- second file here"],
      ["# Worklog", "- step two\n- step three\n- step four"],
    ]);
  });

  it("keeps Current State and Errors & Corrections while anything else can give way", () => {
    const line = (what: string) => `- ${what} ${"x".repeat(15)}\n`;
    const text = ["Current State", "Workflow", "Errors & Corrections", "Learnings", "Worklog"]
      .map((title) => `# ${title}\n${line("a")}${line("b")}`)
      .join("");
    const { document, isWithin, dropped } = trimNotes(
      parseNotes(text),
      { sectionTokens: 40, totalTokens: 170 },
      measure,
    );
    expect(isWithin).toBe(true);
    expect(sections(formatNotes(document))).toEqual([
      ["", ""],
      ["# Current State", "- a xxxxxxxxxxxxxxx\n- b xxxxxxxxxxxxxxx"],
      ["# Workflow", "- a xx"],
      ["# Errors & Corrections", "- a xxxxxxxxxxxxxxx\n- b xxxxxxxxxxxxxxx"],
      ["# Learnings", "- b xx"],
      ["# Worklog", ""],
    ]);
    expect(dropped.map(({ title }) => title)).toEqual(["Workflow", "Learnings", "Worklog"]);
  });

  it("never divides fenced code from its end", () => {
    const text = `# Worklog\n- old\n${"```"}\n# not a heading ${"x".repeat(40)}\n${"```"}\n# Learnings\n- a\n`;
    const { document } = trimNotes(parseNotes(text), limits, measure);
    expect(parseNotes(formatNotes(document)).parts.map(({ heading }) => heading)).toEqual([
      "",
      "# Worklog\n",
      "# Learnings\n",
    ]);
  });

  it("ends within the limits with every heading, description and own part as it was", () => {
    fc.assert(
      fc.property(wellFormedNotes, fc.integer({ min: 10, max: 600 }), (text, totalTokens) => {
        const before = parseNotes(text);
        const { document, isWithin } = trimNotes(before, { sectionTokens: 60, totalTokens }, measure);
        const after = parseNotes(formatNotes(document));
        expect(after.parts.map(({ heading, description }) => heading + description)).toEqual(
          before.parts.map(({ heading, description }) => heading + description),
        );
        after.parts.forEach(({ section, body }, index) => {
          if (section === undefined) expect(body).toBe(before.parts[index]!.body);
          else expect(measure(body.trim())).toBeLessThanOrEqual(60);
        });
        if (isWithin) expect(measure(formatNotes(document))).toBeLessThanOrEqual(totalTokens);
        else
          expect(after.parts.every(({ section, body }) => section === undefined || body.trim() === "")).toBe(
            true,
          );
      }),
      { numRuns: bySize({ usual: 100, long: 500 }) },
    );
  });
});
