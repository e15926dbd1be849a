/**
 * The summary of several replays: a line each, and how many passed.
 */

import { showOnOneLine } from "palimpsest/internal";
import { padColumns } from "../../terminal/columns.ts";
import { formatCount, formatQuantity, formatTokens } from "../../terminal/figures.ts";
import type { Styles } from "../../terminal/styles.ts";
import { isFailed, isSound, type SessionResult } from "../measure/replay-json.ts";

/** A result with its name in reports. */
export interface NamedResult {
  readonly name: string;
  readonly result: SessionResult;
}

type Row = readonly [
  sign: string,
  name: string,
  tokens: string,
  window: string,
  peak: string,
  calls: string,
  note: string,
];

const TITLES: Row = ["", "session", "said", "window", "peak", "calls", ""];
/** Columns with numbers, which are aligned on the right. */
const NUMBERS: ReadonlySet<number> = new Set([2, 3, 4, 5]);

export function renderSummary(results: readonly NamedResult[], styles: Styles): readonly string[] {
  const rows = results.map(({ name, result }) => toRow(showOnOneLine(name), result));
  const widths = TITLES.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]!.length)),
  );
  const format = (row: Row): string =>
    row
      .map((text, index) =>
        NUMBERS.has(index) ? text.padStart(widths[index]!) : padColumns(text, widths[index]!),
      )
      .join("  ")
      .trimEnd();
  const sound = results.filter(({ result }) => !isFailed(result) && isSound(result)).length;
  return [
    styles.dim(format(TITLES)),
    ...rows.map((row) => colorSign(format(row), row[0], styles)),
    "",
    styles.bold(
      sound === results.length
        ? `All ${formatQuantity(sound, "replay")} held.`
        : `${formatCount(sound)} of ${formatQuantity(results.length, "replay")} held.`,
    ),
  ];
}

function toRow(name: string, result: SessionResult): Row {
  const { source, window } = result;
  const tokens = source === undefined ? "" : formatTokens(source.tokens);
  const size = window === undefined ? "" : formatTokens(window.tokens);
  if (isFailed(result)) return ["✗", name, tokens, size, "", "", result.error.code];
  const peak = formatTokens(result.peakTokens);
  const calls = formatCount(result.calls);
  return [isSound(result) ? "✓" : "✗", name, tokens, size, peak, calls, problemsOf(result)];
}

function problemsOf({
  overflows,
  invariants,
  lossless,
  rebuild,
  calls,
  fits,
}: Exclude<SessionResult, { error: unknown }>): string {
  const lost = lossless.blocks - lossless.recovered;
  const problems: readonly (readonly [number, string])[] = [
    [overflows, "too large"],
    [invariants.broken, "invalid"],
    [lost, "lost"],
    [rebuild.different, "different"],
  ];
  const found = problems
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${formatCount(count)} ${word}`);
  const isUnjudged = calls > 0 && fits === undefined;
  return [...found, ...(isUnjudged ? ["fit not judged"] : [])].join(", ");
}

function colorSign(line: string, sign: string, styles: Styles): string {
  return line.replace(sign, sign === "✓" ? styles.green(sign) : styles.red(sign));
}
