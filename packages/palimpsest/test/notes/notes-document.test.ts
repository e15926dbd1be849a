/** Notes are read from any text and given back to the letter. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findSection,
  formatNotes,
  isEmptyTemplate,
  parseNotes,
  sectionByTitle,
  withBody,
} from "#notes/notes-document.ts";
import { NOTES_TEMPLATE, NOTES_TEMPLATE_TEXT, readTemplate } from "#notes/template.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { anyNotesText } from "./notes-arbitraries.ts";

const titlesOf = (text: string): readonly (string | undefined)[] =>
  parseNotes(text)
    .parts.slice(1)
    .map(({ section }) => section?.title);

describe("parse and format", () => {
  it("give any text back byte for byte", () => {
    fc.assert(
      fc.property(anyNotesText, (text) => {
        expect(formatNotes(parseNotes(text))).toBe(text);
      }),
      { numRuns: bySize({ usual: 150, long: 2_000 }) },
    );
  });

  it.each([
    { text: "# Worklog\n_w_\n- a\n# Learnings\n", found: ["Worklog", "Learnings"], why: "in any order" },
    {
      text: "\uFEFF# Worklog\r\n_w_\r\n- a\r\n",
      found: ["Worklog"],
      why: "behind a byte order mark, with CRLF",
    },
    { text: "# WORKLOG:\n", found: ["Worklog"], why: "however a person spells it" },
    { text: "# Errors and Corrections #\n", found: ["Errors & Corrections"], why: "with a closing mark" },
    { text: "## Worklog\n", found: [], why: "deeper headings belong to a body" },
    { text: "# Worklog\n# Worklog\n", found: ["Worklog", undefined], why: "a second one is somebody's text" },
    { text: "# Mine\n# Worklog\n", found: [undefined, "Worklog"], why: "a person's own section" },
    { text: "```\n# Worklog\n```\n", found: [], why: "fenced code has no headings" },
    { text: "~~~ md\n# Worklog\n```\n~~~\n", found: [], why: "a fence ends with its own mark" },
    { text: "````\n```\n# Worklog\n````\n", found: [], why: "a fence ends with as many marks" },
    { text: "```\n# Worklog\n", found: ["Worklog"], why: "a fence without an end is none" },
    { text: "    # Worklog\n", found: [], why: "four blanks make it code" },
    { text: "#Worklog\n", found: [], why: "a heading has a blank behind its mark" },
  ])("finds sections $why", ({ text, found }) => {
    expect(titlesOf(text)).toEqual(found);
  });

  it("tells the line in italics from the body", () => {
    const part = parseNotes("# Worklog\n\n_steps_\n\n- one\n").parts[1]!;
    expect([part.heading, part.description, part.body]).toEqual(["# Worklog\n", "\n_steps_\n", "\n- one\n"]);
  });
});

describe("the template", () => {
  it("has ten sections, each with a line in italics", () => {
    expect(titlesOf(NOTES_TEMPLATE_TEXT)).toEqual([
      "Session Title",
      "Current State",
      "Task Specification",
      "Files and Functions",
      "Workflow",
      "Errors & Corrections",
      "Codebase and System Documentation",
      "Learnings",
      "Key Results",
      "Worklog",
    ]);
    expect(
      parseNotes(NOTES_TEMPLATE_TEXT)
        .parts.slice(1)
        .every(({ description }) => /^_.*_\n$/.test(description)),
    ).toBe(true);
    expect(readTemplate(NOTES_TEMPLATE_TEXT)).toEqual({ ok: true, template: NOTES_TEMPLATE });
  });

  it.each([
    { text: NOTES_TEMPLATE_TEXT, isEmpty: true, why: "as a file begins" },
    { text: NOTES_TEMPLATE_TEXT.replaceAll("\n", "\r\n"), isEmpty: true, why: "with other line ends" },
    { text: "", isEmpty: true, why: "nothing at all" },
    { text: "# Worklog\n", isEmpty: true, why: "damaged, and nothing noted" },
    { text: `${NOTES_TEMPLATE_TEXT}- one step\n`, isEmpty: false, why: "an entry" },
    { text: `A remark\n${NOTES_TEMPLATE_TEXT}`, isEmpty: false, why: "a person's remark above" },
    { text: `${NOTES_TEMPLATE_TEXT}\n# Mine\n`, isEmpty: false, why: "a person's own section" },
  ])("is told from notes: $why", ({ text, isEmpty }) => {
    expect(isEmptyTemplate(parseNotes(text))).toBe(isEmpty);
  });

  it("may be a user's own, with sections of any name below a title", () => {
    const text = "# Notes of this session\n\n## Plan\n_What next_\nnothing yet\n\n## Worklog\n_Steps_\n";
    const read = readTemplate(text);
    expect(
      read.ok && read.template.sections.map(({ title, level, kind, body }) => [title, level, kind, body]),
    ).toEqual([
      ["Plan", 2, undefined, "nothing yet"],
      ["Worklog", 2, "worklog", ""],
    ]);
    expect(read.ok && isEmptyTemplate(parseNotes(text, read.template))).toBe(true);
    expect(read.ok && isEmptyTemplate(parseNotes(`${text}- one\n`, read.template))).toBe(false);
  });

  it.each([
    { text: "no headings", problem: "no-headings", why: "has none" },
    { text: "# A\n_a_\n# a\n_b_\n", problem: "title-twice", why: "has one twice" },
  ])("is refused where it $why", ({ text, problem }) => {
    expect(readTemplate(text)).toEqual({ ok: false, problem });
  });
});

describe("withBody", () => {
  const section = sectionByTitle(NOTES_TEMPLATE, "learnings")!;

  it.each([
    {
      text: "# Workflow\n- run\n# Worklog\n",
      result: "# Workflow\n- run\n# Learnings\nLINE\nnew\n# Worklog\n",
      why: "behind the one before it",
    },
    { text: "# Worklog\n", result: "# Learnings\nLINE\nnew\n# Worklog\n", why: "before the first there is" },
    {
      text: "a remark",
      result: "a remark\n# Learnings\nLINE\nnew\n",
      why: "at the end, on a line of its own",
    },
  ])("puts a missing section $why", ({ text, result }) => {
    const line = "_What worked well, what did not, and what to avoid, where no other section tells it_";
    expect(formatNotes(withBody(parseNotes(text), section, "new\n"))).toBe(result.replace("LINE", line));
  });

  it("changes one body and nothing else", () => {
    const before = parseNotes("# Worklog\n_w_\n- a\n# Mine\nx\n# Learnings\n_l_\n- old\n");
    const after = withBody(before, section, "- new\n");
    expect(formatNotes(after)).toBe("# Worklog\n_w_\n- a\n# Mine\nx\n# Learnings\n_l_\n- new\n");
    expect(findSection(after, section)?.body).toBe("- new\n");
  });
});
