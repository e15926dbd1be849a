/** Frontmatter as people, programs and attackers write it, and values that break readers which are not careful. */
import fc from "fast-check";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { isLong } from "../../../../../test/helpers/size-of-run.ts";

/** The number of runs of a law in long test runs; a fifth of them by default. */
export const runs = (count: number): { readonly numRuns: number } => ({
  numRuns: isLong ? count : count / 5,
});

const scraps = fc.constantFrom(
  ...[
    "#",
    " # ",
    ":",
    ": ",
    "'",
    '"',
    "\\",
    "---",
    "...",
    "|",
    ">",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&a",
    "*a",
    "!!js",
  ],
  ...[
    "\n",
    "\r\n",
    "\t",
    " ",
    "\u2028",
    "\u0085",
    "\0",
    "\uFEFF",
    "\uD800",
    "no",
    "null",
    "010",
    "2026-10-01",
    "=",
    "~",
  ],
  ...[
    "名前",
    "데이터",
    "हिन्दी",
    "👩🏽‍💻",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "é",
    "e\u0301",
    "word",
    "name",
    "type: user",
    "quarantined: false",
  ],
);

/** Any text, mostly one that means something to a parser. */
export const anyValue = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.array(scraps, { maxLength: 8 }).map((parts) => parts.join("")),
  fc.array(scraps, { maxLength: 8 }).map((parts) => parts.join(" ")),
);

const foreignLines = fc.constantFrom(
  ...[
    "tags:",
    "- one",
    "- two",
    "  - three",
    "# a remark",
    "",
    "  # another",
    "license: MIT # really",
    "broken line",
  ],
  ...[
    "metadata:",
    "  node_type: memory",
    "  type: feedback",
    "    deep: er",
    "  modified: 2026-07-29T13:16:34.420Z",
  ],
  ...[
    "name: Deploy days",
    'name: "Deploy: days"',
    "description: >-",
    "  folded",
    "  text",
    "description: plain # text",
  ],
  ...[
    "  goes on",
    "description: 'it''s'",
    "type: user",
    "type: nonsense",
    "source: web",
    "confirmed: yes",
    "a: {b: c}",
  ],
  ...[
    "supersedes:",
    "supersedes: [a.md, 'b.md']",
    "<<: *base",
    "base: &base",
    '"quoted key": x',
    "\tindented: x",
  ],
);

/** A file with frontmatter of any lines, ends of lines and bodies; sometimes it has none. */
const writtenText = fc
  .record({
    mark: fc.constantFrom("", "\uFEFF"),
    lines: fc.array(foreignLines, { maxLength: 14 }),
    lineEnd: fc.constantFrom("\n", "\r\n"),
    opening: fc.constantFrom("---", "---", "---", "--- ", "----", ""),
    closing: fc.constantFrom("---", "---", "---", "...", "--", ""),
    body: fc.constantFrom(
      "",
      "Text.\n",
      "\nText.\n",
      "\n\n# Text\n\n---\n\nmore",
      "  indented\n",
      "---\nname: other\n---\n",
    ),
  })
  .map(({ mark, lines, lineEnd, opening, closing, body }) => {
    const head = [opening, ...lines, closing].map((line) => line + lineEnd).join("");
    return mark + head + body.replaceAll("\n", lineEnd);
  });

const scrapText = fc
  .array(fc.oneof(scraps, fc.constant("\n")), { maxLength: 30 })
  .map((parts) => parts.join(""));

/** Any file, mostly one with frontmatter. */
export const anyMemoryText = fc.oneof(
  { weight: 3, arbitrary: writtenText },
  {
    weight: 1,
    arbitrary: fc.tuple(scrapText, scrapText).map(([head, body]) => `---\n${head}\n---\n${body}`),
  },
  { weight: 1, arbitrary: scrapText },
);
