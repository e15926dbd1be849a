/** Answers that a parser of Markdown chokes on: the screen shows them, and goes on. */
import { describe, expect, it } from "vitest";
import { isDrawable } from "#chat/terminal/drawable-markdown.ts";
import { itemLines } from "#chat/terminal/render-view.ts";
import { createStyles } from "#terminal/styles.ts";

const PLAIN = createStyles({ isColored: false });
const linesOf = (text: string): readonly string[] =>
  itemLines({ type: "answer", text } as never, { columns: 80, styles: PLAIN });

describe("an answer of the model", () => {
  it.each(["> ", "- ", "1. ", "> - "])("that nests %j without end is shown as it is", (piece) => {
    expect(linesOf(`${piece.repeat(5_000)}words`).join("\n")).toContain("words");
  });

  it("that nests by blanks without end is shown as it is", () => {
    const text = Array.from({ length: 1_000 }, (_, depth) => `${"  ".repeat(depth)}- word${depth}`).join(
      "\n",
    );
    expect(linesOf(text).join("\n")).toContain("word999");
  });

  it.each([
    "[](",
    "[a](",
    "*a ",
    "***",
    "_",
    "(",
    "<a ",
    "![",
    "a@",
    '"',
    "[](\n",
  ])("that repeats %j is not parsed", (piece) => {
    const text = `${piece.repeat(20_000 / piece.length + 700)}x`;
    expect(isDrawable(text)).toBe(false);
    expect(linesOf(text).length).toBeGreaterThan(100);
  });

  it.each([
    ["has no end", "```a`b\n"],
    ["is longer", "````\n```\n````\n"],
    ["ends with words", "```\na\n``` x\n```\n"],
    ["is of other marks", "~~~\n```\n~~~\n"],
    ["is in HTML", "<div>\n```\n\n"],
    ["is in a comment", "<!--\n\n```\n-->\n"],
    ["is in a list", "- a\n\n  ```\nq\n"],
    ["is an address", "[a]:\n```\n"],
  ])("that begins with a fence that %s is not parsed", (_what, start) => {
    expect(isDrawable(`${start}${"[a](".repeat(1_500)}`)).toBe(false);
  });

  it.each([
    ["a table", "| a | **b** | [c](d) |\n".repeat(500)],
    ["a list of links", "- [a](http://b.example/c_d) and *e*\n".repeat(500)],
    ["code", `\`\`\`json\n${'{"a": ["b", (c)]}\n'.repeat(2_000)}\`\`\`\nend`],
    [
      "code in longer marks",
      `Words\n\`\`\`\`md\n\`\`\`\n${"[a](b) *c* ".repeat(500)}\n\`\`\`\n\`\`\`\`\nend`,
    ],
    ["paragraphs", `${"A paragraph with **bold** and `code` (and more).\n".repeat(20)}\n`.repeat(50)],
  ])("that is %s is parsed", (_what, text) => {
    expect(isDrawable(text)).toBe(true);
  });
});
