/** Colours, widths, progress: what is written depends on where it goes. */
import { showOnOneLine } from "palimpsest/internal";
import { describe, expect, it } from "vitest";
import { columnsOf, padColumns, wrapWords } from "#terminal/columns.ts";
import { Progress, progressBar } from "#terminal/progress.ts";
import { createStyles } from "#terminal/styles.ts";
import { openTerminal } from "#terminal/terminal.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";

describe("openTerminal", () => {
  it.each([
    { isTTY: true, env: {}, isColored: true, why: "someone looks at it" },
    { isTTY: false, env: {}, isColored: false, why: "a file or a pipe" },
    { isTTY: true, env: { NO_COLOR: "1" }, isColored: false, why: "no-color.org" },
    { isTTY: true, env: { NO_COLOR: "" }, isColored: true, why: "an empty NO_COLOR does not count" },
    { isTTY: false, env: { FORCE_COLOR: "1" }, isColored: true, why: "asked for" },
    { isTTY: true, env: { FORCE_COLOR: "0" }, isColored: false, why: "refused" },
    { isTTY: false, env: { FORCE_COLOR: "1", NO_COLOR: "1" }, isColored: false, why: "NO_COLOR wins" },
    { isTTY: true, env: { TERM: "dumb" }, isColored: false, why: "it cannot" },
  ])("colours: $isColored, $why", ({ isTTY, env, isColored }) => {
    const { styles } = openTerminal({ isTTY, columns: 90, write: () => true }, env);
    expect(styles.red("a")).toBe(isColored ? "\u001b[31ma\u001b[39m" : "a");
  });

  it.each([
    { columns: 90, env: {}, expected: 90, why: "the terminal says it" },
    { columns: undefined, env: { COLUMNS: "132" }, expected: 132, why: "the environment says it" },
    { columns: undefined, env: { COLUMNS: "wide" }, expected: 80, why: "it is not a number" },
    { columns: 0, env: {}, expected: 80, why: "a terminal of no width" },
  ])("is $expected columns wide: $why", ({ columns, env, expected }) => {
    expect(openTerminal({ columns, write: () => true }, env).columns).toBe(expected);
  });
});

describe("texts", () => {
  it("measures and pads what is seen, not its colours", () => {
    const red = createStyles({ isColored: true }).red("four");
    expect(columnsOf(red)).toBe(4);
    expect(columnsOf(padColumns(red, 9))).toBe(9);
  });

  it("breaks between words, behind the column where they began", () => {
    expect(wrapWords("  - ", "one two three four", 12)).toEqual(["  - one two", "    three", "    four"]);
    expect(wrapWords("", "incomprehensibilities all", 10)).toEqual(["incomprehensibilities", "all"]);
  });

  it.each([
    { text: "a\u001b[2Jb", shown: "a\\u{1B}[2Jb", why: "it would clear the screen" },
    { text: "a\u0007\u009b31mb", shown: "a\\u{7}\\u{9B}31mb", why: "bells and one-byte controls" },
    { text: "a\r\nb\tc", shown: "a b c", why: "one line" },
    { text: "a\u202eb", shown: "a\\u{202E}b", why: "it would turn the text around" },
    { text: "a\u200bb\u{e0061}", shown: "a\\u{200B}b\\u{E0061}", why: "it is invisible" },
  ])("makes a text from a file harmless: $why", ({ text, shown }) => {
    expect(showOnOneLine(text)).toBe(shown);
  });
});

describe("Progress", () => {
  it("fills a bar by eighths of a column", () => {
    expect(progressBar(0, 4)).toBe("░░░░");
    expect(progressBar(0.5, 4)).toBe("██░░");
    expect(progressBar(0.53, 4)).toBe("██▏░");
    expect(progressBar(7, 4)).toBe("████");
  });

  it("draws one line, at most so often, and takes it away", () => {
    const context = cliDouble({ isInteractive: true, columns: 60 });
    let nowMs = 0;
    const progress = new Progress({ terminal: context.err, isQuiet: false, nowMs: () => nowMs });
    progress.show({ label: "a\u001bb.jsonl", share: 0.5, detail: "window 64K" });
    nowMs = 10;
    progress.show({ label: "too soon", share: 0.6 });
    progress.clear();
    expect(context.written.err).toBe(
      `\r\u001b[2K${"█".repeat(12)}${"░".repeat(12)}   50 %  a\\u{1B}b.jsonl  window 64K\r\u001b[2K`,
    );
  });

  it.each([
    { isInteractive: false, isQuiet: false, why: "the output is not a terminal" },
    { isInteractive: true, isQuiet: true, why: "it was asked to be quiet" },
  ])("draws nothing where $why", ({ isInteractive, isQuiet }) => {
    const context = cliDouble({ isInteractive });
    const progress = new Progress({ terminal: context.err, isQuiet, nowMs: () => 0 });
    progress.show({ label: "a", share: 0.5 });
    progress.clear();
    expect(context.written.err).toBe("");
  });
});
