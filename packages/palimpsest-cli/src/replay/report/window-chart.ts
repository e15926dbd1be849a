/**
 * A chart of the window's size, call by call, drawn with characters.
 *
 * A column is one call. In a long session it is several calls: their largest size counts, and a range is shaded if
 * the window went up and down more than once. In a short session a call takes several columns. Colours repeat shapes.
 */
import { LAYERS } from "palimpsest/internal";
import { formatCount, formatTokens } from "../../terminal/figures.ts";
import type { Styles } from "../../terminal/styles.ts";

export interface ChartCall {
  readonly tokens: number;
  /** The letters of the layers that acted before the call. */
  readonly marks: readonly string[];
}

interface ChartThreshold {
  readonly name: string;
  readonly tokens: number;
}

interface WindowChart {
  readonly calls: readonly ChartCall[];
  readonly windowTokens: number;
  /** Lowest first. */
  readonly thresholds: readonly ChartThreshold[];
}

const LEVELS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
/** Height of the chart: auto-compact and limit of a 200K window fall on separate lines. */
const CHART_ROWS = 16;
/** The most columns that one call takes, in a session of few calls. */
const COLUMNS_PER_CALL = 4;
/** A window that is filled to less than this share is drawn larger, without its thresholds: a flat line shows nothing. */
const FULL_SCALE_SHARE = 0.4;
/** In a narrower terminal, the names of the thresholds go below the chart. */
const NAMES_FROM_COLUMNS = 64;
const GUTTER_COLUMNS = 7;
const NAME_COLUMNS = 14;

interface Column {
  readonly highTokens: number;
  readonly lowTokens: number;
  readonly mark: string | undefined;
}

interface Scale {
  readonly topTokens: number;
  readonly rows: number;
}

/** The picture, line by line, no wider than `columns`; a single line if there were no calls. */
export function renderWindowChart(
  chart: WindowChart,
  { columns, styles }: { readonly columns: number; readonly styles: Styles },
): readonly string[] {
  if (chart.calls.length === 0)
    return [styles.dim("No call was made, so there is no picture of the window.")];
  const hasNames = columns >= NAMES_FROM_COLUMNS;
  const plotColumns = Math.max(8, columns - GUTTER_COLUMNS - 1 - (hasNames ? NAME_COLUMNS : 0));
  const scale: Scale = { topTokens: topOf(chart), rows: CHART_ROWS };
  const plotted = toColumns(chart.calls, plotColumns);
  return [
    ...plotRows({ chart, plotted, plotColumns, scale, hasNames, styles }),
    ...axisRows({ chart, plotted, styles }),
    ...legendRows({ chart, scale, hasNames, styles }),
  ];
}

/** The top of the chart: the window, or less if the session fills only a small part of it. */
function topOf({ calls, windowTokens }: WindowChart): number {
  const peak = calls.reduce((most, call) => Math.max(most, call.tokens), 1);
  if (peak >= windowTokens * FULL_SCALE_SHARE) return Math.max(windowTokens, peak);
  return roundedUp(peak * 1.1);
}

/** The next number of the form 1, 2, 2.5, 4, 5, 8 × 10ⁿ. */
function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 2.5, 4, 5, 8, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

function toColumns(calls: readonly ChartCall[], plotColumns: number): readonly Column[] {
  const width = Math.min(plotColumns, calls.length * COLUMNS_PER_CALL);
  const start = (index: number): number => Math.floor((index * calls.length) / width);
  return Array.from({ length: width }, (_, index) => {
    const from = start(index);
    const column = toColumn(calls.slice(from, Math.max(from + 1, start(index + 1))));
    // A call that takes several columns has its mark under the first.
    const isRepeated = index > 0 && start(index - 1) === from;
    return isRepeated ? { ...column, mark: undefined } : column;
  });
}

function toColumn(calls: readonly ChartCall[]): Column {
  const sizes = calls.map((call) => call.tokens);
  const marks = new Set(calls.flatMap((call) => call.marks));
  const highTokens = Math.max(...sizes);
  // One fall shows in the next column; several would be lost.
  const falls = sizes.filter((tokens, index) => index > 0 && tokens < sizes[index - 1]!).length;
  return {
    highTokens,
    lowTokens: falls > 1 ? Math.min(...sizes) : highTokens,
    mark: [...chartMarks().keys()].findLast((letter) => marks.has(letter)),
  };
}

interface Plot {
  readonly chart: WindowChart;
  readonly plotted: readonly Column[];
  readonly plotColumns: number;
  readonly scale: Scale;
  readonly hasNames: boolean;
  readonly styles: Styles;
}

function plotRows({ chart, plotted, plotColumns, scale, hasNames, styles }: Plot): readonly string[] {
  const names = namesByRow(chart.thresholds, scale);
  return Array.from({ length: scale.rows }, (_, fromTop) => {
    const row = scale.rows - 1 - fromTop;
    const threshold = names.get(row);
    const label =
      threshold?.label ?? (fromTop === 0 ? formatTokens(scale.topTokens) : middleLabel(row, scale, names));
    const ruled = threshold === undefined ? " " : "╌";
    const cells = Array.from({ length: plotColumns }, (__, index) =>
      cell({ column: plotted[index], row, scale, empty: ruled }),
    );
    const tick = label === "" ? "│" : "┤";
    const name = hasNames && threshold !== undefined ? ` ${styles.yellow(threshold.name)}` : "";
    return `${styles.dim(label.padStart(GUTTER_COLUMNS - 1) + " " + tick)}${paint(cells, styles)}${name}`.trimEnd();
  });
}

/** Thresholds on the row that they cross; two on one row share it. */
function namesByRow(
  thresholds: readonly ChartThreshold[],
  { topTokens, rows }: Scale,
): ReadonlyMap<number, { readonly label: string; readonly name: string }> {
  const byRow = new Map<number, { label: string; name: string }>();
  for (const { name, tokens } of thresholds) {
    if (tokens >= topTokens) continue;
    const row = Math.floor((tokens / topTokens) * rows);
    const before = byRow.get(row);
    byRow.set(row, {
      label: before?.label ?? formatTokens(tokens),
      name: before === undefined ? name : `${before.name}, ${name}`,
    });
  }
  return byRow;
}

function middleLabel(row: number, { topTokens, rows }: Scale, names: ReadonlyMap<number, unknown>): string {
  return row === rows / 2 && !names.has(row) ? formatTokens(topTokens / 2) : "";
}

type Paint = "plain" | "rule" | "window" | "range";

interface Cell {
  readonly text: string;
  readonly paint: Paint;
}

function cell({
  column,
  row,
  scale,
  empty,
}: {
  readonly column: Column | undefined;
  readonly row: number;
  readonly scale: Scale;
  readonly empty: string;
}): Cell {
  const background: Cell = { text: empty, paint: empty === " " ? "plain" : "rule" };
  if (column === undefined) return background;
  const high = levelIn(row, column.highTokens, scale);
  const low = levelIn(row, column.lowTokens, scale);
  if (low > 0) return { text: LEVELS[low]!, paint: "window" };
  if (high === 0) return background;
  return high < 4 ? { text: " ", paint: "plain" } : { text: "░", paint: "range" };
}

/** One escape sequence for each run of cells of a colour: a wide picture has thousands of cells. */
function paint(cells: readonly Cell[], styles: Styles): string {
  const painters: Readonly<Record<Paint, (text: string) => string>> = {
    plain: (text) => text,
    rule: styles.dim,
    window: styles.cyan,
    range: (text) => styles.dim(styles.cyan(text)),
  };
  let painted = "";
  for (let start = 0; start < cells.length; ) {
    let end = start;
    let run = "";
    for (; end < cells.length && cells[end]!.paint === cells[start]!.paint; end++) run += cells[end]!.text;
    painted += painters[cells[start]!.paint](run);
    start = end;
  }
  return painted;
}

/** Filled part of a row's height, in eighths. */
function levelIn(row: number, tokens: number, { topTokens, rows }: Scale): number {
  const eighths = Math.round((tokens / topTokens) * rows * 8);
  const visible = tokens > 0 ? Math.max(1, eighths) : 0;
  return Math.min(8, Math.max(0, visible - row * 8));
}

function axisRows({ chart, plotted, styles }: Pick<Plot, "chart" | "plotted" | "styles">): readonly string[] {
  const callsCount = chart.calls.length;
  const indent = " ".repeat(GUTTER_COLUMNS + 1);
  const marks = plotted.map(({ mark }) => (mark === undefined ? " " : colored(mark, styles))).join("");
  const last = formatCount(callsCount);
  const first = callsCount === 1 ? "1 call" : "call 1";
  const gap = Math.max(1, plotted.length - first.length - last.length);
  return [
    styles.dim(`${"0".padStart(GUTTER_COLUMNS - 1)} └${"─".repeat(plotted.length)}`),
    ...(plotted.some(({ mark }) => mark !== undefined) ? [`${indent}${marks}`.trimEnd()] : []),
    styles.dim(`${indent}${first}${callsCount === 1 ? "" : " ".repeat(gap) + last}`),
  ];
}

function legendRows({
  chart,
  scale,
  hasNames,
  styles,
}: Pick<Plot, "chart" | "scale" | "hasNames" | "styles">): readonly string[] {
  const indent = " ".repeat(GUTTER_COLUMNS + 1);
  const marks = [...chartMarks()].flatMap(([letter, name]) => {
    const count = chart.calls.flatMap((call) => call.marks).filter((found) => found === letter).length;
    return count === 0 ? [] : [`${colored(letter, styles)} ${name} ×${formatCount(count)}`];
  });
  const hidden = chart.thresholds.filter(({ tokens }) => !hasNames || tokens >= scale.topTokens);
  const lines = hidden.map(({ name, tokens }) => `${name} at ${formatTokens(tokens)}`);
  const legend = [...marks, ...lines.map((line) => styles.dim(line))];
  return legend.length === 0 ? [] : [`${indent}${legend.join("   ")}`];
}

/** The marks of the layers, letter and name, weakest first. */
function chartMarks(): ReadonlyMap<string, string> {
  return new Map(LAYERS.map(({ mark }) => [mark.letter, mark.name]));
}

function colored(letter: string, styles: Styles): string {
  const colors = [styles.blue, styles.green, styles.yellow, styles.magenta];
  const index = [...chartMarks().keys()].indexOf(letter);
  return styles.bold(colors[index % colors.length]!(letter));
}
