/** Keys are found although lines or hidden characters break them, and what follows them stays. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactBroken } from "#base/redaction/broken-secrets.ts";
import { BROKEN_SECRETS, UNSEEN } from "../../../../../test/helpers/planted-secrets.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

/** Made up here, and put together so that no scanner takes this file for a leak. */
const A = "abCD3fGhIJ4kLmNoPQ5rStUvWX6yZ012";
const KEY = `${"sk-"}ant-api03-${A}${A}`;
const [HEAD, TAIL] = [KEY.slice(0, 40), KEY.slice(40)];
const ID = `${"AK"}IAIOSFODNN7EXAMPLE`;

describe("a text that is searched in stretches", () => {
  const line = "some words of a log that nobody minds\n";

  it.each([
    { name: "whole", key: KEY },
    { name: "broken over two lines", key: `${KEY.slice(0, 4)}\n${KEY.slice(4)}` },
  ])("loses a key that is $name, wherever it stands", ({ key }) => {
    // The first stretch ends at 96,000 characters: within the key, before it and behind it.
    for (const at of [95_900, 95_960, 95_990, 96_000, 96_100, 192_000, 250_000 - 200]) {
      const start = line.repeat(8_000).slice(0, at - 2);
      // A text of up to two stretches is searched at once.
      const rest = line.repeat(Math.ceil(Math.max(20_000, 200_000 - at) / line.length));
      const text = `${start}\n\n${key}\n${rest}`;
      const { text: clean, found } = redactBroken(text);
      expect(clean).toBe(`${start}\n\n[redacted: anthropic]\n${rest}`);
      expect([...found]).toEqual([["anthropic", 1]]);
    }
  });

  it("is the same string where there is none", () => {
    const text = line.repeat(9_000);
    expect(redactBroken(text).text).toBe(text);
  });
});

describe("redactBroken", () => {
  it.each([
    { text: `key ${KEY}\nand then`, shown: "key [redacted: anthropic]\nand then", why: "a whole key" },
    { text: `${HEAD}\n${TAIL}\nnext`, shown: "[redacted: anthropic]\nnext", why: "two lines" },
    { text: `${HEAD}\r\n  ${TAIL}\r\nnext`, shown: "[redacted: anthropic]\r\nnext", why: "an indented line" },
    { text: `${KEY.slice(0, 4)}\n${KEY.slice(4)} x`, shown: "[redacted: anthropic] x", why: "its prefix" },
    { text: `> ${HEAD}\n> ${TAIL}\n> y`, shown: "> [redacted: anthropic]\n> y", why: "a quotation" },
    { text: `"${HEAD}" +\n  "${TAIL}";`, shown: '"[redacted: anthropic]";', why: "two strings" },
    { text: `--key ${HEAD}\\\n${TAIL} --x`, shown: "--key [redacted: anthropic] --x", why: "a command" },
    {
      text: `{"a":"${HEAD}\\n${TAIL}\\nnext"}`,
      shown: '{"a":"[redacted: anthropic]\\nnext"}',
      why: "JSON",
    },
    { text: `${HEAD}\\u{200B}${TAIL}`, shown: "[redacted: anthropic]", why: "a hidden character" },
    {
      text: `A=${ID.slice(0, 9)}\n${ID.slice(9)}\nDEBUG=1`,
      shown: "A=[redacted: aws]\nDEBUG=1",
      why: "a key of a fixed length in front of a variable",
    },
    {
      text: `Use ${ID.slice(0, 17)}\n    ${ID.slice(17)} for it`,
      shown: "Use [redacted: aws] for it",
      why: "an indented line that has three letters of it",
    },
    {
      text: `Use ${ID.slice(0, 13)}\n> ${ID.slice(13)} for it`,
      shown: "Use [redacted: aws] for it",
      why: "a quotation whose line has capitals only",
    },
    {
      text: `"Use ${ID.slice(0, 9)}\\nEBOTCTPDQRS for it"`,
      shown: '"Use [redacted: aws] for it"',
      why: "JSON, with capitals only behind it",
    },
  ])("takes out what is broken by $why, and nothing behind it", ({ text, shown }) => {
    expect(redactBroken(text).text).toBe(shown);
    expect(redactBroken(shown)).toEqual({ text: shown, found: new Map() });
  });

  it("takes out a key that is broken on the first line behind another, whatever ends the lines", () => {
    const ends = [
      ...["\n", " \n", "\t\n", "   \n", "\r\n", " \r\n", "\r\r\n", `${" ".repeat(70)}\n`],
      ...["\n\n", " \n \n", "\n    ", " \n> ", "\\n", " \\r\\n"],
    ];
    const left: string[] = [];
    const cuts = bySize({ usual: [4], long: [3, 4, 7, 14, 40] });
    for (const before of bySize({ usual: ["x", "a-"], long: ["x", "v2", "a-", "a_", "x \ny", "word"] }))
      for (const first of ends)
        for (const second of ends)
          for (const cut of cuts)
            for (const after of ["", " \n\nNext words"]) {
              const text = `${before}${first}${KEY.slice(0, cut)}${second}${KEY.slice(cut)}${after}`;
              if (redactBroken(text).text !== `${before}${first}[redacted: anthropic]${after}`)
                left.push(text);
            }
    expect(left).toEqual([]);
  });

  it.each(Object.entries(UNSEEN))("takes out a key that %s breaks, wherever it does", (_name, unseen) => {
    const left = [1, 3, 4, 8, 12, 20, 41, KEY.length - 1]
      .map((at) => `keep ${KEY.slice(0, at)}${unseen}${KEY.slice(at)} there`)
      .map((text) => redactBroken(text).text)
      .filter((text) => text !== "keep [redacted: anthropic] there");
    expect(left).toEqual([]);
  });

  it.each(BROKEN_SECRETS)("takes out a key in marked lines or over what is not seen: $text", (secret) => {
    const { text } = redactBroken(`see\n${secret.text}\nnext words`);
    const front = /^\n?[-+]? {0,2}\d{0,2}(?:\t|→| \| )?/.exec(secret.text)![0];
    expect(text).toBe(`see\n${front}[redacted: github]\nnext words`);
  });

  it.each([
    {
      text: `HOME=/root\0MY_TOKEN=${A}\0PATH=/bin`,
      shown: "HOME=/root\0MY_TOKEN=[redacted: variable]\0PATH=/bin",
    },
    {
      text: "password: \u001b[32mWinter2027\u001b[0m and",
      shown: "password: \u001b[32m[redacted: password]\u001b[0m and",
    },
    {
      text: `\u001b[33mapi_key\u001b[0m=\u001b[3m"${A}"`,
      shown: '\u001b[33mapi_key\u001b[0m=\u001b[3m"[redacted: authorization]"',
    },
  ])("takes out a value beside its name, and not the next one: $shown", ({ text, shown }) => {
    expect(redactBroken(text).text).toBe(shown);
    expect(redactBroken(shown)).toEqual({ text: shown, found: new Map() });
  });

  it("takes out a key over three lines that end in blanks", () => {
    const text = `x \n${KEY.slice(0, 4)} \n${KEY.slice(4, 40)}\t\r\n${KEY.slice(40)} \nnext`;
    expect(redactBroken(text).text).toBe("x \n[redacted: anthropic] \nnext");
  });

  const BODY = `${TAIL}${A}`;
  const PEM = `-----BEGIN ${"PRIVATE"} KEY-----`;
  it.each([
    {
      text: `${HEAD}\n${PEM}" +\n"eyJhbGciOi`,
      shown: "[redacted: anthropic]\n[redacted: private-key]",
      why: "a private key in two strings",
    },
    { text: `${ID}\nsk-\n${BODY}`, shown: "[redacted: aws]\n[redacted: openai]", why: "a key on two lines" },
    {
      text: `a ${ID}\nsk-\n${BODY}\nsk-\n${BODY}\nsk-\n${BODY} z`,
      shown: "a [redacted: aws]\n[redacted: openai]\n[redacted: openai]\n[redacted: openai] z",
      why: "a chain of them",
    },
  ])("finds what a key on the line before hid: $why", ({ text, shown }) => {
    expect(redactBroken(text).text).toBe(shown);
    expect(redactBroken(shown)).toEqual({ text: shown, found: new Map() });
  });

  it.each([
    "the bearer\nof this letter\nis entitled",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b\n8e29ab0c-4a5f-4f0e-9b1a-0b8c6a1f2d3e",
    "a task-\noriented sk-\nlearn pipeline of\nestimators2 and transformers3",
    "see http://localhost:\n8080 or write to\nmail@example.com",
    "+ the secret\n+key2file is what\n- a token\n- 1234",
    "the \u001b[1msecret\u001b[0m is \u001b[31mrequired\u001b[0m, and ✅\ufe0f password is 👍\ufe0f",
    "git remote set-url origin https://oauth2:$" + "{TOKEN}@gitlab.com/a.git",
  ])("leaves alone: %s", (text) => {
    expect(redactBroken(text)).toEqual({ text, found: new Map() });
  });

  it("says the same the second time, whatever the text", () => {
    const pieces = fc.constantFrom(
      ...[
        "\n",
        "\\n",
        "> ",
        '" +\n"',
        "\\u{200B}",
        "\u200b",
        "\u001b[0m",
        "\n+",
        " ",
        "next",
        "DEBUG=1",
        HEAD,
        TAIL,
        KEY,
        ID,
        "sk-",
        "@",
        ":",
      ],
      ...["://a:b", "-----BEGIN PRIVATE KEY-----", "Authorization: Bearer ", "eyJhbGciOi", ".eyJzdWIiOi", A],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const { text } = redactBroken(parts.join(""));
        expect(redactBroken(text).text).toBe(text);
      }),
      { numRuns: bySize({ usual: 150, long: 2_000 }) },
    );
  });
});
