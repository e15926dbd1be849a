/** Texts that backtracking chokes on: redaction and search take steps in proportion to their length. */
import { describe, expect, it } from "vitest";
import { redactBroken } from "#base/redaction/broken-secrets.ts";
import { findSecrets } from "#base/redaction/secret-patterns.ts";
import { createMemorySearch } from "#base/search/memory-search.ts";
import { growth, LINEAR_LIMIT } from "../../../../test/helpers/counted-steps.ts";
import { usualFew } from "../../../../test/helpers/size-of-run.ts";

const KEY_HEAD = `${"sk-"}ant-api03-abCD3fGhIJ4kLmNoPQ5rStUvWX6yZ0`;
const repeated = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length));

describe("redaction", () => {
  it.each(
    usualFew(
      [
        "\n",
        '"',
        '" +\n "',
        " ",
        "\\",
        "\\n",
        "\\u{200B}",
        "\u200b",
        "\u001b[",
        "\u001b]8;;a",
        "\\u001b]8;;a\\u001b",
        "\n+",
        "\n 1\t",
        "a\n",
        "sk-\n",
        `${KEY_HEAD}\n`,
        "Authorization: Bearer\n",
        "password ",
        "MY_TOKEN\n",
        "the secret is\n",
        "a://b:c\n",
      ],
      3,
    ),
  )("of broken secrets takes eight times the steps for eight times as much of %j", (piece) => {
    const steps = growth(
      () => redactBroken(repeated(piece, 500)),
      () => redactBroken(repeated(piece, 4_000)),
    );
    expect(steps).toBeLessThan(LINEAR_LIMIT);
  });

  it.each([
    ["cells of quotes", (length: number) => `name,password\na${'"'.repeat(length)}x,y`],
    [
      "a key of capitals that is broken",
      (length: number) => `sk-ant-${"a1".repeat(20)}\n${"A".repeat(length)}`,
    ],
  ])("takes steps in proportion to the length of a line of %s", (_name, make) => {
    const steps = growth(
      () => redactBroken(make(400)),
      () => redactBroken(make(3_200)),
    );
    expect(steps).toBeLessThan(LINEAR_LIMIT);
  });

  it("of broken secrets takes eight times the steps where it searches in stretches", () => {
    const steps = growth(
      () => redactBroken(repeated('"', 100_000)),
      () => redactBroken(repeated('"', 800_000)),
    );
    expect(steps).toBeLessThan(LINEAR_LIMIT);
  });

  it.each(
    usualFew(
      [
        "sk-ant-",
        "eyJaaaaaaaaaa.",
        "://a:",
        "Authorization: Bearer ",
        "-----BEGIN PRIVATE KEY-----",
        '"private_key":"',
        "\\",
        "1234567890:AA",
        "-----BEGIN ",
        "_auth = ",
        "xox",
        "eyJ",
        "_TOKEN=A",
        "curl -u a",
        "cookie=a=1;",
        "password of a b c d e f g ",
        "-figd_",
        "%3DeyJ",
        "密码",
        "login a password ",
        "password | ",
        'token", ',
        "--token ",
        "password   value   ",
        "value: a1b2c3 name ",
        "mysql -p ",
        "login -p a1",
        "identified by ",
        "https:\\/\\/a:",
        "%3A%2F%2Fa%3A",
        "://a:b1@",
        "token=a1b2",
        "?key=a1",
        "name,password\n",
        "password,",
        "a,password\\n",
        "insert into a (password) values ('a'),",
        "kind: Secret\ndata:\n a: b\n",
        "kind: Secret ",
        "password='a1$;",
        "password=a1$,",
        "db_pass a1",
        "mnemonic: abc ",
        "htpasswd -b a ",
        "Private-Lines: 1\n",
        "twilio AC0123456789abcdef0123456789abcdef ",
        "hasło a b ",
      ],
      3,
    ),
  )("takes eight times the steps for eight times as much of %s", (piece) => {
    const steps = growth(
      () => findSecrets(repeated(piece, 500)),
      () => findSecrets(repeated(piece, 4_000)),
    );
    expect(steps).toBeLessThan(LINEAR_LIMIT);
  });
});

describe("the search of memories", () => {
  const HOSTILE: readonly (readonly [string, (length: number) => string])[] = [
    ["one letter", (length) => "a".repeat(length)],
    ["one word again and again", (length) => "word ".repeat(length / 5)],
    [
      "words that are all different",
      (length) => Array.from({ length: length / 8 }, (_, index) => `w${index}x`).join(" "),
    ],
    ["marks on one letter", (length) => `e${"\u0301".repeat(length)}`],
    ["Chinese", (length) => "部署".repeat(length / 2)],
    ["y and vowels in turn", (length) => "ya".repeat(length / 2)],
    ["paths without end", (length) => "a/".repeat(length / 2)],
  ];

  it.each(usualFew(HOSTILE, 3))("reads %s in steps that grow with its length at the most", (_name, make) => {
    const work = (text: string) => () => {
      const search = createMemorySearch();
      for (let index = 0; index < 4; index++) search.set(`${index}`, { body: text });
      search.search(text, { limit: 5 });
    };
    expect(growth(work(make(400)), work(make(3_200)))).toBeLessThan(LINEAR_LIMIT);
  });

  it("takes many that follow the same memory in steps that grow with their number", () => {
    const work = (count: number) => () => {
      const search = createMemorySearch();
      for (let index = 0; index < count; index++)
        search.set(`${index}`, { body: "word", before: index % 2 === 0 ? "0" : "missing", group: "g" });
      search.search("word", { limit: 5 });
      for (let index = 0; index < count; index++) search.remove(`${index}`);
    };
    expect(growth(work(100), work(800))).toBeLessThan(LINEAR_LIMIT);
  });
});
