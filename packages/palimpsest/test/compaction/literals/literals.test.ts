import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLiterals, visitLiterals } from "#compaction/literals/literals.ts";

describe("literals of a text", () => {
  it.each([
    { text: "The function is called once.", literals: [], why: "prose holds none" },
    {
      text: "call getUserName and set MAX_RETRIES",
      literals: ["getUserName", "MAX_RETRIES"],
      why: "humps and underscores",
    },
    {
      text: "see src/app/main.ts:42.",
      literals: ["src/app/main.ts", "main.ts"],
      why: "a place in a file is the file",
    },
    {
      text: "open /etc/hosts, then ~/.config/x/",
      literals: ["/etc/hosts", "~/.config/x/"],
      why: "absolute and home paths",
    },
    { text: "yes/no and 10/12", literals: [], why: "alternatives are not paths" },
    {
      text: "at https://example.com/a?b=c#d, now",
      literals: ["https://example.com/a?b=c#d"],
      why: "a url to its end",
    },
    { text: "commit 4f3a9c1 of v1.22.3", literals: ["4f3a9c1", "v1.22.3"], why: "hashes and versions" },
    {
      text: "id 550e8400-e29b-41d4-a716-446655440000",
      literals: ["550e8400-e29b-41d4-a716-446655440000"],
      why: "a UUID is one thing",
    },
    {
      text: "in 12 of 2048 cases on 2024-05-20",
      literals: ["2048", "2024-05-20"],
      why: "four digits and more",
    },
    { text: 'fails with "connection reset by peer"', literals: ["connection reset by peer"], why: "a quote" },
    { text: "it doesn't and it won't work", literals: [], why: "apostrophes quote nothing" },
    {
      text: '{"status": "done", "userId": 7}',
      literals: ["done", "userId"],
      why: "a plain key is known from its schema",
    },
    {
      text: "設定「接続タイムアウト」を変更",
      literals: ["接続タイムアウト"],
      why: "quotes of other scripts",
    },
    {
      text: "переменная имяФайла и имя_поля",
      literals: ["имяФайла", "имя_поля"],
      why: "identifiers of other scripts",
    },
    { text: "这是一个很长的句子没有标识符", literals: [], why: "running Chinese text is prose" },
    { text: "run it with --no-verify", literals: ["--no-verify"], why: "options of commands" },
    { text: "C:\\Users\\me\\a.txt", literals: ["C:\\Users\\me\\a.txt"], why: "Windows paths" },
    {
      text: "first\\nsecondLine",
      literals: ["secondLine"],
      why: "an escape that is written out is no letter",
    },
  ])("are $literals in $text: $why", ({ text, literals }) => {
    expect(findLiterals(text)).toEqual(literals);
  });

  it("know when they stand on a line that defines something", () => {
    const defined: string[] = [];
    visitLiterals(
      "  12→export function parseArgs() {\n13 parseFlags()\n+ class HttpServer {",
      (text, _kind, isDefined) => {
        if (isDefined) defined.push(text);
      },
    );
    expect(defined).toEqual(["parseArgs", "HttpServer"]);
  });

  it("stand in the text to the letter", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 600 }), (text) => {
        for (const literal of findLiterals(text)) expect(text).toContain(literal);
      }),
    );
  });
});
