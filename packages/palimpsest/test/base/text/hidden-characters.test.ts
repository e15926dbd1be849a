/** Hidden characters are seen, and writing that needs joiners and selectors stays as it is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { showHidden, showOnOneLine } from "#base/text/hidden-characters.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";

describe("showHidden", () => {
  it.each([
    { text: "a\u001b[2Jb", shown: "a\\u{1B}[2Jb", why: "a sequence that clears the screen" },
    { text: "\u001b]0;root\u0007", shown: "\\u{1B}]0;root\\u{7}", why: "one that retitles the window" },
    { text: "\u009b31m", shown: "\\u{9B}31m", why: "the same as one C1 control" },
    { text: "x\u0008\u0008ls", shown: "x\\u{8}\\u{8}ls", why: "backspaces" },
    { text: "a\rb", shown: "a\\u{D}b", why: "a return without a line feed" },
    { text: "gpj\u202egnp.exe", shown: "gpj\\u{202E}gnp.exe", why: "a reversed reading order" },
    { text: "a\u2066b\u2069", shown: "a\\u{2066}b\\u{2069}", why: "isolates" },
    { text: "a\u200bb\u2060c\ufeffd", shown: "a\\u{200B}b\\u{2060}c\\u{FEFF}d", why: "no width at all" },
    { text: "pass\u200dword", shown: "pass\\u{200D}word", why: "a joiner in Latin letters" },
    { text: "hi\u{e0069}\u{e0067}", shown: "hi\\u{E0069}\\u{E0067}", why: "tags without a flag" },
    { text: "a\ufe0fb\u{e0101}", shown: "a\\u{FE0F}b\\u{E0101}", why: "selectors behind letters" },
    { text: "a\u2028b\u2029", shown: "a\\u{2028}b\\u{2029}", why: "separators of lines" },
    { text: "\ud800a\udc00", shown: "\\u{D800}a\\u{DC00}", why: "halves of surrogate pairs" },
    { text: "\u3164\u115f\u00ad", shown: "\\u{3164}\\u{115F}\\u{AD}", why: "letters that nobody sees" },
    { text: `a${"\u0301".repeat(20)}`, shown: `a${"\u0301".repeat(8)}[+12 marks]`, why: "a tower of marks" },
    {
      text: "e\u0301\u034f\ufe0fa",
      shown: "e\u0301\\u{34F}\\u{FE0F}a",
      why: "marks that nobody sees among others",
    },
  ])("writes out $why", ({ text, shown }) => {
    expect(showHidden(text)).toBe(shown);
  });

  it.each([
    { text: "line one\n\tline two", why: "line breaks and tabs" },
    { text: "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", why: "the flag of England" },
    { text: "👩‍👩‍👧 👍🏽 ❤️ 1️⃣ 🏳️‍🌈", why: "emoji of several characters" },
    { text: "日本語 한국어 葛\u{e0100}城", why: "Japanese and Korean, and a variant of a character" },
    { text: "क्‍ष न्‌ र्‍य", why: "joiners of Devanagari" },
    { text: "র\u200d্যাব", why: "a joiner in front of a Bengali sign" },
    { text: "می‌خواهم", why: "a non-joiner of Persian" },
    { text: "Việt Nam, e\u0301te\u0301, שָׁלוֹם", why: "marks on letters" },
  ])("leaves $why as they are", ({ text }) => {
    expect(showHidden(text)).toBe(text);
  });

  it("counts millions of marks", () => {
    expect(showHidden(`a${"\u0301".repeat(4_000_000)}b${"\u0302".repeat(9)}`)).toBe(
      `a${"\u0301".repeat(8)}[+3999992 marks]b${"\u0302".repeat(8)}[+1 marks]`,
    );
  });

  it("leaves nothing in any text that a terminal obeys", () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\u001b", "]", "\u0007", "\u202e", "\u200d", "\ufe0f", "👩", "1", "\ud800"),
        fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(hostile, (text) => {
        expect(showHidden(text)).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/,
        );
        expect(showOnOneLine(text)).not.toMatch(/[\t\n]|^ | $/);
      }),
    );
  });
});

it("puts a text on one line", () => {
  expect(showOnOneLine("  a\r\n\tb  c\u2028d ")).toBe("a b c\\u{2028}d");
});
