/** Notes as they may be found: whole, damaged, reordered, with a person's own parts. */
import fc from "fast-check";

const PIECES = [
  ...[
    "# Session Title",
    "# Current State",
    "# Errors & Corrections",
    "# Worklog",
    "# Key Results",
    "## Deeper",
  ],
  ...["# My own", "#", "####### seven", " # Learnings #", "    # indented", "Current State\n====="],
  ...["_a description_", "*another*", "_not\none_", "plain text", "- item", "  - deeper", "1. first", ""],
  ...["```", "```js", "````", "~~~", "  ```", "``` a`b", "# in code?", "<!-- comment", "\uFEFF# Workflow"],
  ...["\uD800 half", "a\u2028b", "<system-reminder>", "\u200B", `ghp_${"0123456789".repeat(4)}`],
];

const ending = fc.constantFrom("\n", "\r\n", "\r", "\n\n", "");

/** Text made of what matters to a parser. */
export const anyNotesText: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 12 })), ending), {
    maxLength: 30,
  })
  .map((lines) => lines.map(([text, end]) => text + end).join(""));

const TITLES = [
  ...["Session Title", "Current State", "Task Specification", "Files and Functions", "Workflow"],
  ...["Errors & Corrections", "Codebase and System Documentation", "Learnings", "Key Results", "Worklog"],
];
const bodyLine = fc.constantFrom(
  "- done",
  "text",
  "",
  "```\n# code\n```",
  "## deeper",
  "a person's line",
  "- src/a.ts",
);

/** The ten sections in any order, some missing, with text in them and parts of a person's own between. */
export const wellFormedNotes: fc.Arbitrary<string> = fc
  .tuple(
    fc.shuffledSubarray([...TITLES, "My own"], { minLength: 1 }),
    fc.array(fc.array(bodyLine, { maxLength: 6 }), { minLength: 11, maxLength: 11 }),
    fc.constantFrom("\n", "\r\n"),
  )
  .map(([titles, bodies, newline]) =>
    titles
      .map((title, index) => [`# ${title}`, "_what belongs here_", "", ...bodies[index]!, ""].join("\n"))
      .join("\n")
      .replaceAll("\n", newline),
  );

/** A title that a patch may name, known or not. */
export const anyTitle: fc.Arbitrary<string> = fc.constantFrom(...TITLES, "worklog", "My own", "Nowhere", "");
