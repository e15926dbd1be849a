/** A literal is known if the log holds it in whatever form, and unknown if one character of it is another. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { holdsLiteral } from "#compaction/literals/known-literal.ts";
import { type LiteralKind, visitLiterals } from "#compaction/literals/literals.ts";
import { LogWords } from "#compaction/literals/log-words.ts";
import {
  readTextLayers,
  readWordsParts,
  textLayersInSteps,
  wordsPartsInSteps,
} from "#compaction/literals/saved-words.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

function logOf(...texts: readonly string[]): LogWords {
  const words = new LogWords();
  for (const text of texts) words.add(text);
  return words;
}

describe("a literal that the log holds is known", () => {
  it.each([
    { log: "open C:\\work\\new\\table.ts", literal: "work/new/table.ts", why: "with other slashes" },
    { log: "/home/me/repo/src/lexer.ts:12:3", literal: "src/lexer.ts", why: "as the end of a path" },
    { log: "in src/lexer.ts", literal: "src/lexer.ts:120-134", why: "with lines" },
    { log: "in src/lexer.ts", literal: "src/lexer.ts#L12", why: "with a line of a web page" },
    { log: "src/core/parse/lexer.ts", literal: ".../parse/lexer.ts", why: "behind an ellipsis" },
    { log: "wrote 12,345 rows", literal: "12345", why: "without its separators", kind: "number" },
    { log: "wrote 12345 rows", literal: "12,345", why: "with separators", kind: "number" },
    { log: "schrieb 12.345.678 Zeilen", literal: "12,345,678", why: "with others", kind: "number" },
    { log: "at 2026-01-31T12:30:15Z", literal: "2026-01-31", why: "as the date of a time", kind: "number" },
    { log: "host 192.168.4.17", literal: "192.168.4.17:5001", why: "with a port of 5001", also: "5001" },
    { log: "commit 9fceb02d0ae598e95dc970b74767f19372d61af8", literal: "9fceb02", why: "shortened" },
    { log: '{"text":"say \\"go on now\\" twice"}', literal: 'say "go on now" twice', why: "without escapes" },
    { log: "a\\nparse_all(x)\\tdone_it", literal: "parse_all", why: "behind a line end that is written out" },
    { log: "\u001b[31mparse_all\u001b[0m", literal: "parse_all", why: "in colour" },
    { log: "you dont have access", literal: "you don't have access", why: "with its apostrophe" },
    { log: "f'user_name'", literal: "user_name", why: "in a string with a prefix" },
    { log: "function parseLines() {}", literal: "ParseLines", why: "at the beginning of a sentence" },
    { log: "one ContextWindow", literal: "ContextWindows", why: "in the plural" },
    { log: "the parser FAILED", literal: "Failed", why: "in other capitals" },
    {
      log: "test TestRewind_Linked_Twice",
      literal: "TestRewind_*",
      why: "as the beginning of several names",
    },
    { log: "manual_commit_hooks.go", literal: "hooks.go", why: "as the end of a name" },
    { log: "call handle(event: Event, ctx: Ctx)", literal: "handle(event, ctx)", why: "without types" },
    { log: "type Row {\n plan_json }", literal: "PlanRow.plan_json", why: "as a member", also: "PlanRow" },
    { log: "load_data(x, y)", literal: "load_data/2", why: "with the number of its arguments" },
    { log: "nothing", literal: "3.5MB", why: "where it is a size of few digits" },
    { log: "nothing", literal: "2/#3", why: "where it is places only" },
    { log: "shell and editor", literal: "shell/terminal/editor", why: "where words are beside each other" },
    {
      log: "fix the parser and the lexer",
      literal: "fix the [whole text] and the lexer",
      why: "with a gap",
      gap: true,
    },
    { log: "请修复解析器的错误", literal: "修复解析器", why: "in Chinese" },
    { log: "Ошибка в файле настроек", literal: "ошибка в файле", why: "in Russian" },
  ])("$why: $literal", ({
    log,
    literal,
    kind = "quoted",
    also = "",
    gap = false,
  }: {
    log: string;
    literal: string;
    kind?: string;
    also?: string;
    gap?: boolean;
  }) => {
    const words = logOf(log, also, gap ? "the and" : "");
    expect(holdsLiteral(words, literal, kind as LiteralKind)).toBe(true);
  });
});

describe("a literal that the log does not hold is not", () => {
  it.each([
    { log: "src/lexer.ts", literal: "src/lxeer.ts", why: "letters swapped" },
    { log: "index.js\nnotes", literal: "index.js/notes", why: "lines of a list as a path" },
    { log: "wrote 12,345 rows", literal: "12,354", why: "digits swapped", kind: "number" },
    { log: "v1.12.34", literal: "v1.12.35", why: "another version", kind: "number" },
    { log: "host 192.168.4.17", literal: "192.168.4.71", why: "another address", kind: "number" },
    { log: "9fceb02d0ae598e95dc970b74767f19372d61af8", literal: "9fceb20", why: "another commit" },
    { log: "never touch the lexer of the parser", literal: "never touch the parser", why: "words left out" },
    { log: "always run the tests", literal: "always run all tests", why: "a word replaced" },
    { log: "strings.Contains(x)", literal: "string.Contains", why: "another package", also: "string" },
    { log: "src/parser/ is there", literal: "/docs/", why: "a folder", also: "docs" },
    { log: "请修复解析器的错误", literal: "请修理解析器", why: "a character replaced" },
  ])("$why: $literal", ({
    log,
    literal,
    kind = "quoted",
    also = "",
  }: {
    log: string;
    literal: string;
    kind?: string;
    also?: string;
  }) => {
    expect(holdsLiteral(logOf(log, also), literal, kind as LiteralKind)).toBe(false);
  });
});

const letters = (min: number, max: number) =>
  fc.stringMatching(new RegExp(`^[a-z]{${min},${max}}$`)).filter((word) => !word.endsWith("s"));
const path = fc
  .tuple(
    fc.array(letters(4, 9), { minLength: 1, maxLength: 4 }),
    letters(4, 9),
    fc.constantFrom("ts", "go", "py"),
  )
  .map(([folders, name, ending]) => `${folders.join("/")}/${name}.${ending}`);
const identifier = fc.oneof(
  fc.tuple(letters(4, 8), letters(4, 8)).map(([one, two]) => `${one}${two[0]!.toUpperCase()}${two.slice(1)}`),
  fc.tuple(letters(4, 8), letters(4, 8)).map(([one, two]) => `${one}_${two}`),
);
const quoted = fc.array(letters(4, 9), { minLength: 3, maxLength: 7 }).map((words) => words.join(" "));
const number = fc.integer({ min: 10_000, max: 99_999_999 }).map(String);
const hash = fc.stringMatching(/^[0-9a-f]{10}$/).filter((text) => /\d/.test(text) && /[a-f]/.test(text));
const url = fc.tuple(letters(5, 9), path).map(([host, rest]) => `https://${host}.example.com/${rest}`);
const literal = fc.oneof(path, identifier, quoted, number, hash, url);

/** The forms in which tools, hosts and people write a literal. */
const FORMS: readonly ((literal: string) => string)[] = [
  (text) => `see \`${text}\`, then go on`,
  (text) => `   17→ ${text}\n   18→ next`,
  (text) => JSON.stringify({ file: `\n${text}\n` }),
  (text) => `**${text}**`,
  (text) => `["run", "${text}"]`,
  (text) => `/home/me/repo/${text}:12: error`,
  (text) => `“${text}”`,
];

describe("over random logs", () => {
  it("no literal of the log is unknown, in whatever form it is there", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(literal, fc.constantFrom(...FORMS)), { maxLength: 30 }), (parts) => {
        const texts = parts.map(([text, form]) => form(text));
        const words = logOf(...texts);
        for (const text of [...texts, ...parts.map(([one]) => one)])
          visitLiterals(text, (found, kind) => {
            if (!holdsLiteral(words, found, kind)) expect.unreachable(`${found} (${kind}) of ${text}`);
          });
      }),
    );
  });

  it("a literal with another letter or digit is unknown", () => {
    fc.assert(
      fc.property(
        fc.array(literal, { minLength: 1, maxLength: 30 }),
        literal,
        fc.nat(),
        (others, text, at) => {
          const words = logOf(...others, text);
          const places = [...text].flatMap((character, index) => (/[a-z\d]/.test(character) ? [index] : []));
          const place = places[at % places.length]!;
          const other = /\d/.test(text[place]!)
            ? String((Number(text[place]) + 7) % 10)
            : text[place] === "q"
              ? "x"
              : "q";
          const altered = text.slice(0, place) + other + text.slice(place + 1);
          const kinds: LiteralKind[] = [];
          visitLiterals(altered.includes(" ") ? `"${altered}"` : altered, (found, kind) => {
            if (found === altered) kinds.push(kind);
          });
          // Only literals are checked.
          for (const kind of kinds) expect(holdsLiteral(words, altered, kind)).toBe(false);
        },
      ),
    );
  });

  it("what was saved knows the same: as text, as parts, and as what differs from others", () => {
    fc.assert(
      fc.property(
        fc.array(literal, { maxLength: 40 }),
        fc.nat(40),
        fc.array(literal, { maxLength: 20 }),
        (known, baseCount, asked) => {
          const words = logOf(...known);
          const base = logOf(...known.slice(0, baseCount));
          const fromText = new LogWords();
          expect(finish(readTextLayers(fromText, finish(textLayersInSteps(words))))).toBe(true);
          const loaded = [
            fromText,
            finish(readWordsParts(finish(wordsPartsInSteps(words))))!,
            // Other bytes before them, so that they begin anywhere.
            finish(readWordsParts(finish(wordsPartsInSteps(words, base)).map(moved), base))!,
          ];
          for (const one of loaded)
            for (const text of [...known, ...asked])
              expect(holdsLiteral(one, text, "quoted")).toBe(holdsLiteral(words, text, "quoted"));
        },
      ),
    );
  });
});

function moved(part: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(part.length + 1);
  bytes.set(part, 1);
  return bytes.subarray(1);
}

it.each([
  [undefined],
  [[["", 0]]],
  [[["AAAA", 1]]],
  [[["!", 1]]],
  [[[1, 2]]],
  [Array.from({ length: 99 }, () => ["", 0])],
])("damaged words are not loaded from a text: %j", (saved) => {
  expect(finish(readTextLayers(new LogWords(), saved))).toBe(false);
});

it.each([
  ["", 1],
  ["[]", 1],
  ['{"counts":[1],"hasBits":[]}', 1],
  ['{"counts":[1],"hasBits":[true]}', 0],
  ['{"counts":[1],"hasBits":[false]}', 0],
  ['{"counts":[1.5],"hasBits":[true]}', 1],
  ['{"counts":[1],"hasBits":[true]}', 1],
  ['{"counts":[],"hasBits":[]}', 1],
])("damaged words are not loaded from parts: %s and %d parts", (head, count) => {
  const parts = Array.from({ length: count }, () => new Uint8Array(3));
  expect(finish(readWordsParts([new TextEncoder().encode(head), ...parts]))).toBeUndefined();
});

describe("of any size", () => {
  const words = (count: number, from: number): string =>
    Array.from({ length: count }, (_, index) => `name_${from + index}_x`).join(" ");

  it("nothing is forgotten, and what was never said stays unknown", () => {
    const log = logOf(...Array.from({ length: 10 }, (_, index) => words(2_000, index * 2_000)));
    const isKnown = (index: number): boolean => holdsLiteral(log, `name_${index}_x`, "identifier");
    const asked = Array.from({ length: 1_000 }, (_, index) => index * 20);
    expect(asked.filter(isKnown)).toHaveLength(1_000);
    expect(asked.filter((index) => isKnown(index + 1_000_000)).length).toBeLessThan(5);
  });

  it("the memory is bounded, also for a log of very many names", () => {
    const log = logOf(words(bySize({ usual: 20_000, long: 200_000 }), 0));
    expect(log.bytes).toBeLessThan(2_100_000);
  });
});
