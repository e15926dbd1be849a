/** Texts that parsers choke on: notes are read and written in steps in proportion to their length. */
import { describe, expect, it } from "vitest";
import { formatNotes, parseNotes } from "#notes/notes-document.ts";
import { growth, LINEAR_LIMIT } from "../../../../test/helpers/counted-steps.ts";

describe("parse and format", () => {
  it.each([
    { what: "the beginnings of code", make: (count: number) => "```js\n".repeat(count) },
    { what: "empty headings", make: (count: number) => "# \n".repeat(count) },
    { what: "ends of one heading", make: (count: number) => `# ${" #".repeat(count)}x` },
    { what: "marks of italics", make: (count: number) => "_".repeat(count) },
  ])("takes linear time on what parsers choke on: $what", ({ make }) => {
    const [small, large] = [make(500), make(4_000)];
    const copy = (text: string) => () => expect(formatNotes(parseNotes(text)).length).toBe(text.length);
    expect(growth(copy(small), copy(large))).toBeLessThan(LINEAR_LIMIT);
  });
});
