/** The reader that every tidy rule relies on. */
import { describe, expect, it } from "vitest";
import { codeOf, functionsOf, importsOf, sourceFile } from "./source.ts";

describe("codeOf", () => {
  it.each([
    { text: "a(); // b()", code: "a();       ", why: "line comments" },
    { text: "a /* b\n c */ d", code: "a     \n      d", why: "block comments keep their lines" },
    { text: 'f("x // y")', code: 'f("      ")', why: "a comment sign inside a string" },
    { text: "f('it\\'s', b)", code: "f('     ', b)", why: "an escaped quote" },
    { text: "`a${b(`c`)}d`", code: "` ${b(` `)} `", why: "code inside templates inside templates" },
    { text: "`${{ a: 1 }}x`", code: "`${{ a: 1 }} `", why: "braces inside a template's code" },
    {
      text: "x = /[\"'/]+/g; y",
      code: "x = /      /g; y",
      why: "quotes and slashes inside a regular expression",
    },
    { text: "a / b / 'c'", code: "a / b / ' '", why: "divisions are not regular expressions" },
    { text: "return /'/.test(a)", code: "return / /.test(a)", why: "a regular expression behind a word" },
    { text: "'open\nnext()", code: "'    \nnext()", why: "an unfinished string ends with its line" },
  ])("$why", ({ text, code }) => {
    expect(codeOf(text)).toBe(code);
  });
});

describe("importsOf", () => {
  it("finds every form of import, and whether only types are taken", () => {
    const file = sourceFile(
      "src/a.ts",
      [
        'import { a, type B } from "./one.ts";',
        'import type { C } from "./two.ts";',
        'import {\n  type D,\n  type E,\n} from "./three.ts";',
        'import * as f from "node:fs";',
        'export { g } from "./four.ts";',
        'import "./five.ts";',
        'const h = await import("./six.ts");',
        '// import { no } from "./comment.ts";',
        "const text = \"import { no } from './string.ts'\";",
      ].join("\n"),
    );
    expect(importsOf(file)).toEqual([
      { specifier: "./one.ts", isTypeOnly: false },
      { specifier: "./two.ts", isTypeOnly: true },
      { specifier: "./three.ts", isTypeOnly: true },
      { specifier: "node:fs", isTypeOnly: false },
      { specifier: "./four.ts", isTypeOnly: false },
      { specifier: "./five.ts", isTypeOnly: false },
      { specifier: "./six.ts", isTypeOnly: false },
    ]);
  });
});

describe("functionsOf", () => {
  it("measures functions, methods and arrows, whatever their return type looks like", () => {
    const file = sourceFile(
      "src/a.ts",
      [
        "function one(a: { b: string }): { c: number } {",
        "  return { c: a.b.length };",
        "}",
        "class Two {",
        "  async three<T>(a: T): Promise<Array<T>> {",
        "    if (a) {",
        "    }",
        "    return [a];",
        "  }",
        "}",
        "const four = (a: number) => {",
        "  return a;",
        "};",
        "declare function five(a: string): void;",
        "function six(",
        "  a: number,",
        "): asserts a is 5 {",
        "}",
      ].join("\n"),
    );
    expect(functionsOf(file)).toEqual([
      { name: "one", line: 1, lines: 3 },
      { name: "three", line: 5, lines: 5 },
      { name: "(arrow)", line: 11, lines: 3 },
      { name: "six", line: 15, lines: 4 },
    ]);
  });
});
