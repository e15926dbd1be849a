import fc from "fast-check";
import { anyText } from "palimpsest-testing/arbitraries";
import { describe, expect, it } from "vitest";
import { findMetricStrings } from "#metering/metric-strings.ts";

describe("findMetricStrings", () => {
  it.each([
    { text: "see src/app/main.ts:12", found: ["src/app/main.ts", "main.ts"], why: "a path, and its file" },
    { text: "~/notes/a.md", found: ["~/notes/a.md"], why: "a file name has two letters at least" },
    { text: "/usr/lib/x", found: ["/usr/lib"], why: "a path ends in two characters at least" },
    { text: "open package.json.", found: ["package.json"], why: "without the full stop" },
    { text: "a picture.png", found: [], why: "not an ending that code has" },
    { text: "call parseArgs now", found: ["parseArgs"], why: "a case change" },
    { text: "call parse_args now", found: ["parse_args"], why: "an underscore" },
    { text: "_private stays", found: [], why: "an underscore at the beginning says nothing" },
    { text: "use utf8mb4 here", found: ["utf8mb4"], why: "a digit in a word" },
    { text: "HTTPServer answers", found: ["HTTPServer"], why: "capitals before a word" },
    { text: "MAX_SIZE or TIMEOUT", found: ["MAX_SIZE", "TIMEOUT"], why: "capitals alone" },
    { text: "The ordinary words of Sentences", found: [], why: "words" },
    { text: "aB_c", found: [], why: "an identifier has five characters at least" },
    { text: "12 or 404 or 1.2.3", found: ["404", "1.2.3"], why: "three digits, or a version" },
    { text: "commit 3f9d2c1b", found: ["3f9d2c1b"], why: "hexadecimal from seven on" },
    { text: 'say "not found" twice', found: ["not found"], why: "quoted, with its space" },
    { text: "'short' and `code`", found: ["code"], why: "six characters, in back quotes four" },
    { text: "' blank ' is it", found: [], why: "a quotation does not end in a blank" },
    { text: `"12345678"`, found: ["12345678"], why: "a number, not a quotation, which needs a letter" },
    { text: "x".repeat(121) + "A1", found: [], why: "over 120 characters it is data" },
  ])("finds $found in $text: $why", ({ text, found }) => {
    expect([...findMetricStrings(text)]).toEqual(found);
  });

  it("finds each string once, however often it stands there", () => {
    expect([...findMetricStrings("parse_args parse_args, (parse_args)")]).toEqual(["parse_args"]);
  });

  it("finds only what stands in the text, from 3 to 120 characters, without punctuation at its ends", () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.stringMatching(/^[\w./\-"'` :$]{0,60}$/)), (text) => {
        for (const found of findMetricStrings(text)) {
          expect(text).toContain(found);
          expect(found.length).toBeGreaterThanOrEqual(3);
          expect(found.length).toBeLessThanOrEqual(120);
          expect(found).not.toMatch(/^[.,:;]|[.,:;]$/);
        }
      }),
    );
  });
});
