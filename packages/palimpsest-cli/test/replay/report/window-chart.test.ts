/** The picture of the window, as golden text. */
import { describe, expect, it } from "vitest";
import { type ChartCall, renderWindowChart } from "#replay/report/window-chart.ts";
import { columnsOf } from "#terminal/columns.ts";
import { createStyles } from "#terminal/styles.ts";

const styles = createStyles({ isColored: false });
const thresholds = [
  { name: "auto-compact", tokens: 53_440 },
  { name: "limit", tokens: 56_640 },
];

function aChart(sizes: readonly (readonly [tokens: number, marks?: string])[]) {
  const calls: readonly ChartCall[] = sizes.map(([tokens, marks = ""]) => ({
    tokens,
    marks: [...marks],
  }));
  return { calls, windowTokens: 64_000, thresholds };
}

describe("renderWindowChart", () => {
  it("shows the window call by call, its thresholds, and what the layers did", () => {
    const chart = aChart([[8_000], [16_000], [32_000, "o"], [48_000, "oo"], [52_000, "om"], [20_000, "x"]]);
    expect(renderWindowChart(chart, { columns: 66, styles })).toEqual([
      "   64K ┤",
      " 56.6K ┤╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ limit",
      " 53.4K ┤╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ auto-compact",
      "       │                ████",
      "       │            ████████",
      "       │            ████████",
      "       │            ████████",
      "   32K ┤            ████████",
      "       │        ████████████",
      "       │        ████████████",
      "       │        ████████████",
      "       │        ████████████████",
      "       │    ████████████████████",
      "       │    ████████████████████",
      "       │████████████████████████",
      "       │████████████████████████",
      "     0 └────────────────────────",
      "                o   o   m   x",
      "        call 1                 6",
      "        o offload ×4   m microcompact ×1   x compaction ×1",
    ]);
  });

  it("draws a small session in a large window larger, and says where the thresholds are", () => {
    const lines = renderWindowChart(aChart([[900], [1_800]]), { columns: 80, styles });
    expect(lines[0]).toBe("    2K ┤");
    expect(lines.at(-1)).toBe("        auto-compact at 53.4K   limit at 56.6K");
  });

  it("names the thresholds below the picture where it is narrow", () => {
    const lines = renderWindowChart(aChart([[60_000]]), { columns: 40, styles });
    expect(lines.at(-1)).toBe("        auto-compact at 53.4K   limit at 56.6K");
    expect(lines.at(-2)).toBe("        1 call");
  });

  it("shades a column whose calls went up and down more than once", () => {
    const sizes = Array.from({ length: 160 }, (_, index) => [index % 2 === 0 ? 40_000 : 8_000] as const);
    const [low, high] = [14, 8].map((row) => renderWindowChart(aChart(sizes), { columns: 40, styles })[row]);
    expect(low).toBe(`       │${"█".repeat(32)}`);
    expect(high).toBe(`       │${"░".repeat(32)}`);
  });

  it("shows the strongest of several marks in one column", () => {
    const sizes = Array.from({ length: 80 }, (_, index) => [30_000, index === 1 ? "om" : ""] as const);
    const lines = renderWindowChart(aChart(sizes), { columns: 48, styles });
    expect(lines.at(-3)).toBe("        m");
  });

  it.each([1, 2, 57, 58, 59, 500, 12_345])("is never wider than the terminal, with %i calls", (count) => {
    const sizes = Array.from(
      { length: count },
      (_, index) => [1_000 + ((index * 7_919) % 55_000), "o"] as const,
    );
    for (const columns of [30, 66, 80, 120])
      for (const line of renderWindowChart(aChart(sizes), { columns, styles }).slice(0, -1))
        expect(columnsOf(line)).toBeLessThanOrEqual(columns);
  });

  it("says so where there was no call", () => {
    expect(renderWindowChart(aChart([]), { columns: 80, styles })).toEqual([
      "No call was made, so there is no picture of the window.",
    ]);
  });

  it("is the same picture with colours", () => {
    const chart = aChart([[8_000], [60_000, "o"], [20_000, "x"]]);
    const colored = renderWindowChart(chart, { columns: 70, styles: createStyles({ isColored: true }) });
    const plain = renderWindowChart(chart, { columns: 70, styles });
    expect(colored.map((line) => line.replace(/\u001b\[\d+m/g, "").trimEnd())).toEqual(plain);
    expect(colored.join("")).toContain("\u001b[36m");
  });
});
