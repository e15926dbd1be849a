/**
 * Frontmatter is read flat, as people mean it, and edited line by line; hostile input is text. Its laws have
 * five times as many runs with PALIMPSEST_LONG.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editFrontmatter } from "#memory/files/edit-frontmatter.ts";
import { findField, parseFrontmatter } from "#memory/files/frontmatter.ts";
import { formatValue } from "#memory/files/frontmatter-value.ts";
import { anyMemoryText, anyValue, runs } from "./frontmatter-arbitraries.ts";

const readValue = (lines: string, key = "description", parent?: string): string | undefined =>
  findField(parseFrontmatter(`---\n${lines}\n---\nBody\n`), key, parent)?.text;

describe("a value", () => {
  it.each([
    { written: "fix #42: use `x`", read: "fix #42: use `x`", why: "keeps # and : to the end of its line" },
    {
      written: "see PR #44 # later",
      read: "see PR #44 # later",
      why: "has no remark where nothing is quoted",
    },
    { written: '"a: b" # remark', read: "a: b", why: "in quotes may have a remark behind it" },
    {
      written: '"secrets-last" comes last',
      read: '"secrets-last" comes last',
      why: "may begin with quoted words",
    },
    { written: "'it''s'", read: "it's", why: "in single quotes doubles them" },
    { written: '"\\"a\\" \\u00e9 \\n"', read: '"a" é \n', why: "in double quotes has escapes" },
    { written: '"C:\\dir"', read: "C:\\dir", why: "keeps what is no escape" },
    { written: "no", read: "no", why: "is no truth" },
    { written: "010", read: "010", why: "is no number" },
    { written: "2026-03-02", read: "2026-03-02", why: "is not a date" },
    { written: "null", read: "null", why: "is not nothing" },
    { written: "[a, \"b, c\", 'd']", read: "a, b, c, d", why: "may be a list" },
    { written: "[WIP] fix it", read: "[WIP] fix it", why: "may begin with a bracket" },
    { written: "[[wiki]]", read: "[[wiki]]", why: "may be a link" },
    { written: "> 50 % of tests", read: "> 50 % of tests", why: "may begin with the sign of a block" },
    { written: ">-\n  two\n  lines\n\n  and more", read: "two lines\nand more", why: "may be folded" },
    { written: "|\n  two\n    lines\n", read: "two\n  lines", why: "may be a block" },
    { written: "begins\n  and goes on", read: "begins and goes on", why: "may go on below" },
    { written: "\n  below", read: "below", why: "may begin below" },
    { written: '"begins\n  and ends"', read: "begins and ends", why: "in quotes may go on below" },
    { written: "\n- a\n- 'b'", read: "a, b", why: "may be a list below, as far to the left" },
    { written: "", read: "", why: "may be missing" },
    { written: "名前：部署 👩🏽‍💻", read: "名前：部署 👩🏽‍💻", why: "is of any script" },
  ])("$why", ({ written, read }) => {
    expect(readValue(`description: ${written}\nnext: x`)).toBe(read);
    expect(readValue(`description: ${written}\nnext: x`, "next")).toBe("x");
  });

  it("is read as it was written, whatever it holds, and never leaves its line", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const line = `description: ${formatValue(value)}`;
        expect(line).not.toMatch(/[\n\r\u2028\u2029\0\uFEFF]/);
        const { fields } = parseFrontmatter(`---\n${line}\n---\nBody\n`);
        expect(fields.map(({ key, text }) => [key, text])).toEqual([["description", value]]);
      }),
      runs(1_500),
    );
  });

  it("of several texts is read as they were written", () => {
    fc.assert(
      fc.property(fc.array(anyValue, { minLength: 1, maxLength: 4 }), (values) => {
        const { fields } = parseFrontmatter(`---\nlist: ${formatValue(values)}\n---\n`);
        expect(fields.map(({ items }) => items)).toEqual([values]);
      }),
      runs(1_000),
    );
  });

  it.each([
    { value: "Deploy days", written: "Deploy days", why: "plain" },
    { value: "a: b", written: '"a: b"', why: "YAML would read a map" },
    { value: "a #b", written: '"a #b"', why: "YAML would read a remark" },
    { value: "a:b#c", written: "a:b#c", why: "nothing is read into it" },
    { value: "no", written: '"no"', why: "YAML would read a truth" },
    { value: "1.5", written: '"1.5"', why: "YAML would read a number" },
    { value: "- a", written: '"- a"', why: "YAML would read a list" },
    { value: "a\n---\nb", written: '"a\\n---\\nb"', why: "a line more would end the frontmatter" },
    { value: 1.5, written: "1.5", why: "a number" },
    { value: ["a", "b, c"], written: '[a, "b, c"]', why: "a list" },
  ])("is written as $written: $why", ({ value, written }) => {
    expect(formatValue(value)).toBe(written);
  });
});

describe("frontmatter", () => {
  it.each([
    { text: "---\na: 1\n---\nBody", found: ["a"], why: "between two fences" },
    { text: "\uFEFF---\r\na: 1\r\n---\r\nBody", found: ["a"], why: "behind a byte order mark, with CRLF" },
    { text: "--- \na: 1\n...\nBody", found: ["a"], why: "with blanks, closed by dots" },
    { text: "---\n---\nBody", found: [], why: "empty" },
    { text: "a: 1\n---\n", found: undefined, why: "a text above a rule is none" },
    { text: "---\nSome prose.\n---\n", found: undefined, why: "prose between rules is none" },
    { text: "---\na: 1\n", found: undefined, why: "without a fence that closes it is none" },
    { text: "---js\na: 1\n---\n", found: undefined, why: "of another language is none" },
    { text: "\n---\na: 1\n---\n", found: undefined, why: "below an empty line is none" },
    { text: "---\na: 1\n---\nb: 2\n---\nBody", found: ["a"], why: "ends with the first document" },
    { text: "---", found: undefined, why: "a fence alone is none" },
  ])("$why", ({ text, found }) => {
    const { closesAt, fields } = parseFrontmatter(text);
    expect(closesAt === undefined ? undefined : fields.map(({ key }) => key)).toEqual(found);
  });

  it("has one map, and tells what else is nested", () => {
    const { fields, problems } = parseFrontmatter(
      "---\nmetadata: \n  node_type: memory\n  # remark\n  type: user\nhooks:\n  pre:\n    - x\n---\n",
    );
    expect(fields.map(({ key, parent, text }) => [parent, key, text])).toEqual([
      [undefined, "metadata", ""],
      ["metadata", "node_type", "memory"],
      ["metadata", "type", "user"],
      [undefined, "hooks", ""],
    ]);
    expect(problems).toEqual(["line 6 holds a map in `hooks`; it is kept and not read"]);
  });

  it("lets the last of several keys count, and says so", () => {
    const twice = parseFrontmatter("---\na: 1\nb: 2\na: 3\n---\n");
    expect(findField(twice, "a")?.text).toBe("3");
    expect(twice.problems).toEqual(["line 4 has `a` once more; the last one counts"]);
  });

  it("tells lines that it does not understand, up to a number of them", () => {
    const { problems } = parseFrontmatter(`---\na: 1\n${"nonsense\n".repeat(50)}---\n`);
    expect(problems).toHaveLength(21);
    expect(problems[0]).toBe("line 3 is not a key with a value; it is kept as it is");
    expect(problems[20]).toBe("and 30 more of such lines");
  });
});

describe("an edit", () => {
  it.each([
    {
      before: "---\na: 1\n# r\nb: 2\n---\nB",
      after: "---\na: new\n# r\nb: 2\n---\nB",
      why: "replaces a value",
    },
    { before: "---\na:   1  \n---\n", after: "---\na:   new  \n---\n", why: "and nothing around it" },
    { before: "---\na:\nb: 2\n---\n", after: "---\na: new\nb: 2\n---\n", why: "puts in a missing one" },
    {
      before: '---\na: "1" # r\n---\n',
      after: "---\na: new # r\n---\n",
      why: "keeps the remark behind a quote",
    },
    {
      before: "---\na: >-\n  x\n  y\n\nb: 2\n---\n",
      after: "---\na: new\n\nb: 2\n---\n",
      why: "replaces a block",
    },
    { before: "---\na:\n- x\n- y\nb: 2\n---\n", after: "---\na: new\nb: 2\n---\n", why: "replaces a list" },
    {
      before: "---\na: 1\nb: 2\na: 3\n---\n",
      after: "---\na: 1\nb: 2\na: new\n---\n",
      why: "takes the one that counts",
    },
    {
      before: "---\r\nb: 2\r\n---\r\n",
      after: "---\r\nb: 2\r\na: new\r\n---\r\n",
      why: "adds with the file's ends of lines",
    },
    {
      before: "---\nb: 2\n# end\n---\n",
      after: "---\nb: 2\na: new\n# end\n---\n",
      why: "adds behind the last field",
    },
    {
      before: "\uFEFFBody\r\n",
      after: "\uFEFF---\r\na: new\r\n---\r\n\r\nBody\r\n",
      why: "makes frontmatter",
    },
    { before: "---\n---\nBody\n", after: "---\na: new\n---\nBody\n", why: "fills an empty one" },
  ])("$why", ({ before, after }) => {
    expect(editFrontmatter(before, [{ key: "a", value: "new" }])).toBe(after);
  });

  it("keeps what is added to the map above what is added behind it", () => {
    const before = "---\nmetadata:\n  type: user\n---\n";
    const edits = [
      { key: "a", value: "1" },
      { key: "b", parent: "metadata" as const, value: "2" },
    ];
    expect(editFrontmatter(before, edits)).toBe('---\nmetadata:\n  type: user\n  b: "2"\na: "1"\n---\n');
  });

  it("adds below the map with the indentation that it has", () => {
    const before = "---\nmetadata:\n    type: user\n# r\nlast: x\n---\n";
    expect(editFrontmatter(before, [{ key: "source", parent: "metadata", value: "user" }])).toBe(
      "---\nmetadata:\n    type: user\n    source: user\n# r\nlast: x\n---\n",
    );
  });

  it("takes out all fields with the key, and their lines only", () => {
    const before = "---\na: 1\n# r\na: >\n  x\n\nb: 2\n---\n";
    expect(editFrontmatter(before, [{ key: "a" }])).toBe("---\n# r\n\nb: 2\n---\n");
  });

  it("changes nothing but its own lines, in any file", () => {
    fc.assert(
      fc.property(
        anyMemoryText,
        anyValue,
        fc.constantFrom("name", "type", "description", "x"),
        (text, value, key) => {
          const before = parseFrontmatter(text);
          const after = editFrontmatter(text, [{ key, value }]);
          const read = parseFrontmatter(after);
          expect(findField(read, key)?.text).toBe(value);
          // What there was stands there in its order, without the one field, whose place is known.
          const field = findField(before, key);
          const from = field?.valueFrom ?? before.opensTo ?? before.bodyFrom;
          const tail = text.slice(field?.valueTo ?? from);
          if (before.closesAt !== undefined && field !== undefined) {
            expect(after.startsWith(text.slice(0, from))).toBe(true);
            expect(after.endsWith(tail)).toBe(true);
          }
          expect(linesOf(after)).toEqual(expect.arrayContaining(linesOf(text.slice(before.bodyFrom))));
          expect(after.slice(read.bodyFrom).endsWith(text.slice(before.bodyFrom))).toBe(true);
          const others = (each: typeof read) =>
            each.fields
              .filter((one) => one.key !== key || one.parent !== undefined)
              .map(({ key: k, text: t }) => [k, t]);
          if (before.closesAt !== undefined) expect(others(read)).toEqual(others(before));
        },
      ),
      runs(1_500),
    );
  });
});

const linesOf = (text: string): string[] => text.split("\n");
