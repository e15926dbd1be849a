/** Lines with numbers, in the forms of the common agents, and lists that only look like them. */
import { describe, expect, it } from "vitest";
import { findNumberedLines } from "#compaction/restore/numbered-lines.ts";

const found = (...lines: readonly string[]) => findNumberedLines(lines);

describe("findNumberedLines", () => {
  it.each([
    { agent: "Claude Code", lines: ["     4→a {", "     5→  b", "     6→"] },
    {
      agent: "SWE-agent",
      lines: ["Here's the result of running `cat -n`:", "     4\ta {", "     5\t  b", "     6\t"],
    },
    {
      agent: "opencode",
      lines: [
        "<path>/p/a.ts</path>",
        "<type>file</type>",
        "<content>4: a {",
        "5:   b",
        "6: ",
        "",
        "(End of file - total 6 lines)",
        "</content>",
      ],
    },
    {
      agent: "earlier opencode",
      lines: [
        "<file>",
        "00004| a {",
        "00005|   b",
        "00006| ",
        "",
        "(End of file - total 6 lines)",
        "</file>",
      ],
    },
    { agent: "Roo Code", lines: [" 4 | a {", " 5 |   b", " 6 | "] },
    { agent: "Cursor", lines: ["     4|a {", "     5|  b", "     6|"] },
    { agent: "Copilot CLI", lines: ["4. a {", "5.   b", "6. "] },
  ])("reads the lines of $agent", ({ lines }) => {
    expect(found(...lines)).toEqual({ first: 4, lines: ["a {", "  b", ""] });
  });

  it("keeps a file of one line within a tag", () => {
    expect(
      found(
        "<path>/p/a</path>",
        "<type>file</type>",
        "<content>1: only",
        "",
        "(End of file - total 1 lines)",
        "</content>",
      ),
    ).toEqual({
      first: 1,
      lines: ["only"],
    });
  });

  it.each([
    { why: "a list ends", lines: ["1. First", "2. Second", "Then prose."] },
    { why: "a list has a heading above", lines: ["# Steps", "1. First", "2. Second"] },
    { why: "keys are not in order", lines: ["8080: web", "9090: admin"] },
    { why: "one line is no list", lines: ["1: a mapping"] },
    { why: "a table of numbers", lines: ["3|4|5", "6|7|8"] },
  ])("leaves a file alone whose own text has numbers: $why", ({ lines }) => {
    expect(found(...lines)).toBeUndefined();
  });
});
