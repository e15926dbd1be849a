/** Answers of commands on the screen: lists to choose from, and help in columns. */
import { describe, expect, it } from "vitest";
import { choiceOf, showAnswer } from "#chat/terminal/command-answer.ts";
import { createStyles } from "#terminal/styles.ts";

const PLAIN = createStyles({ isColored: false });

describe("the answer of a command", () => {
  it("puts all of a message back into the input, and shows one line of it in the list", () => {
    const whole = `First line\n${"a long line ".repeat(40)}`;
    const place = { seq: 3, at: 0, whole, text: "First line a long line…" };
    const choice = choiceOf({ text: "", data: { type: "rewind", places: [place] } });
    expect(choice?.items[0]).toMatchObject({ label: "First line a long line…", retyped: whole });
  });

  it.each([
    { columns: 60, lines: ["/undo                       take the last compaction back"] },
    { columns: 44, lines: ["/undo", "    take the last compaction back"] },
  ])("has help in columns as far as they fit, at $columns", ({ columns, lines }) => {
    const rows = [
      ["/undo", "take the last compaction back"],
      ["/memory [question | forget PATH]", "the memories of this project, or those that answer a question"],
    ] as const;
    const show = showAnswer({ text: "", data: { type: "help", rows } }, "s");
    const shown = show?.({ columns, styles: PLAIN }) ?? [];
    expect(shown.slice(0, lines.length)).toEqual(lines);
    expect(shown).toContain("/memory [question | forget PATH]");
    expect(Math.max(...shown.map(({ length }) => length))).toBeLessThanOrEqual(columns);
  });
});
