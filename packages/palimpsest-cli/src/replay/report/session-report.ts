/**
 * The report of a replayed session: input, chart of the window, layers, checks. The same figures as in `--json`.
 */

import { LAYERS, reasonWords, showOnOneLine } from "palimpsest/internal";
import { wrapWords } from "../../terminal/columns.ts";
import {
  formatBytes,
  formatCount,
  formatMs,
  formatQuantity,
  formatShare,
  formatTokens,
} from "../../terminal/figures.ts";
import type { ReplayedSession } from "../measure/replay-json.ts";
import type { TrackedCall } from "../measure/session-track.ts";
import { checksOf, formatCheck, type ReportLayout, type SessionChecks } from "./checks-report.ts";
import { renderWindowChart } from "./window-chart.ts";

/** A session of fewer calls gets no chart: a handful of bars says less than the words below. */
const CHART_MIN_CALLS = 8;
const REPAIRS_SHOWN_COUNT = 6;

export interface ReportedSession extends SessionChecks {
  readonly title: string;
  readonly calls: readonly TrackedCall[];
  /** Repairs in groups, one line each. */
  readonly repairs: readonly string[];
}

/** The whole report of one session, line by line. */
export function renderSession(session: ReportedSession, layout: ReportLayout): readonly string[] {
  const { result, repairs } = session;
  return [
    ...headline(session, layout),
    "",
    ...windowLines(session, layout),
    ...layerLines(result, layout),
    ...checksOf(session).flatMap((check) => formatCheck(check, layout)),
    ...repairLines(repairs, result.repairs, layout),
    ...survivalLines(result, layout),
    ...priceLines(result, layout),
    ...costLines(result, layout),
  ];
}

/** The chart of the window, if there are enough calls. */
function windowLines(
  { calls, budget }: Pick<ReportedSession, "calls" | "budget">,
  layout: ReportLayout,
): readonly string[] {
  if (calls.length < CHART_MIN_CALLS) return [];
  const thresholds = [
    { name: "auto-compact", tokens: budget.autoCompactGateTokens },
    { name: "limit", tokens: budget.blockingTokens },
  ];
  return [...renderWindowChart({ calls, windowTokens: budget.windowTokens, thresholds }, layout), ""];
}

function headline({ title, result }: ReportedSession, { columns, styles }: ReportLayout): readonly string[] {
  const { source, window, peakTokens } = result;
  const strong = (tokens: number): string => styles.bold(formatTokens(tokens));
  const sizes = `${formatQuantity(source.messages, "message")} and ${formatQuantity(source.toolCalls, "tool call")}`;
  const verb = source.messages + source.toolCalls === 1 ? "says" : "say";
  const fixed =
    source.fixedTokens > 0 ? `, and ${formatTokens(source.fixedTokens)} of system prompt and tools` : "";
  const words =
    `${sizes} ${verb} ${strong(source.tokens)} tokens${fixed}. They pass through a window of ` +
    `${strong(window.tokens)} (${showOnOneLine(window.model)}), which never holds more than ${strong(peakTokens)}.`;
  return [...wrapWords("", styles.bold(showOnOneLine(title)), columns), ...wrapWords("", words, columns)];
}

/** Edits of each layer, and the tokens they freed. */
export function layerLines(
  { layers }: ReplayedSession,
  { columns, styles }: ReportLayout,
): readonly string[] {
  const active = LAYERS.filter(({ name }) => layers[name].edits > 0);
  if (active.length === 0)
    return [`  ${styles.dim("No layer had to act: everything fits as it was said.")}`, ""];
  const rows = active.map(({ name, description }) => {
    const { edits, freedTokens, reasons } = layers[name];
    return {
      name,
      description,
      why: Object.entries(reasons)
        .map(([reason, count]) => `${formatCount(count)}× ${reasonWords(reason)}`)
        .join("; "),
      edits: `${formatCount(edits)}×`,
      freed: `−${formatTokens(freedTokens)}`,
    };
  });
  const width = (field: "name" | "edits" | "freed"): number =>
    Math.max(...rows.map((row) => row[field].length));
  const widths = { name: width("name"), edits: width("edits"), freed: width("freed") };
  return [
    ...rows.flatMap(({ name, description, why, edits, freed }) => {
      const figures = `${edits.padStart(widths.edits)}  ${styles.cyan(freed.padStart(widths.freed))}`;
      const first = `  ${styles.bold(name.padEnd(widths.name))}  ${figures}  `;
      const margin = " ".repeat(widths.name + widths.edits + widths.freed + 8);
      const reasons = why === "" ? [] : wrapWords(margin, why, columns);
      return [...wrapWords(first, description, columns), ...reasons];
    }),
    "",
  ];
}

function repairLines(repairs: readonly string[], count: number, layout: ReportLayout): readonly string[] {
  if (count === 0) return [];
  const shown = repairs.slice(0, REPAIRS_SHOWN_COUNT);
  const rest = repairs.length - shown.length;
  return formatCheck(
    {
      holds: undefined,
      name: "Repaired",
      words: `${formatQuantity(count, "place")} repaired for the provider or the importer`,
      details: [...shown, ...(rest > 0 ? [`and ${formatQuantity(rest, "more kind", "more kinds")}`] : [])],
    },
    layout,
  );
}

/** Strings of the past that were still visible when the agent used them. */
function survivalLines({ survival }: ReplayedSession, layout: ReportLayout): readonly string[] {
  if (survival === undefined || survival.farReferences === 0) return [];
  const { farReferences, visible, reachable } = survival;
  const share = (count: number): string => formatShare(count / farReferences);
  const words =
    `of ${formatQuantity(farReferences, "string")} that the agent used from far back, ${share(visible)} could still be ` +
    `read in the window and ${share(reachable)} be reached from it`;
  return formatCheck({ holds: undefined, name: "Survived", words, details: [] }, layout);
}

/** Cost of the requests, beside the same session without compaction. */
function priceLines({ cost, window, source }: ReplayedSession, layout: ReportLayout): readonly string[] {
  if (cost === undefined || cost.uncompacted === 0) return [];
  const { inputTokenEquivalents, uncompacted, ratio, tariff } = cost;
  const left = [
    "answers",
    "lookups",
    ...(source.fixedTokens > 0 ? [] : ["the prompt that was not recorded"]),
  ];
  const words =
    `${formatTokens(inputTokenEquivalents)} input-token-equivalents under ${window.policy}, ${formatTokens(uncompacted)} ` +
    `with nothing taken out: ${formatShare(ratio)} (${showOnOneLine(tariff)}; without ${left.join(" and ")})`;
  return formatCheck({ holds: undefined, name: "It cost", words, details: [] }, layout);
}

/** Time and space. */
function costLines({ bytesWritten, ms }: ReplayedSession, layout: ReportLayout): readonly string[] {
  const prepare = `${formatMs(ms.prepareP50)} to prepare a call, ${formatMs(ms.prepareP99)} in the slowest hundredth`;
  const words = `${prepare}; ${formatBytes(bytesWritten)} on disk; ${formatMs(ms.total)} in all, checks included`;
  return formatCheck({ holds: undefined, name: "It took", words, details: [] }, layout);
}
