/**
 * What happened in the demo, in plain words.
 */

import type { ContextBudget } from "palimpsest/tokens";
import { type Check, checksOf, formatCheck, type ReportLayout } from "../replay/report/checks-report.ts";
import { costLines, layerLines, windowLines } from "../replay/report/session-report.ts";
import { formatCount, formatQuantity, formatTokens } from "../terminal/figures.ts";
import { printable, type Styles, wrapWords } from "../terminal/styles.ts";
import type { DemoFactResult, DemoJson } from "./demo-json.ts";
import type { DemoOutcome } from "./demo-session.ts";
import type { Workspace } from "./demo-workspace.ts";

/** A played demo with everything that its report shows. */
export interface PlayedDemo {
  readonly json: DemoJson;
  readonly outcome: DemoOutcome;
  readonly budget: ContextBudget;
  readonly workspace: Workspace;
}

/** The whole report, line by line. */
export function renderDemo(played: PlayedDemo, layout: ReportLayout): readonly string[] {
  const { json, outcome, budget } = played;
  const { session, facts } = json;
  const { track, lossless, rebuild } = outcome;
  const checked = {
    result: session,
    budget,
    violations: track.violations,
    lost: lossless.lost,
    differentCalls: rebuild.differentCalls,
  };
  const scrolledOut = facts.filter(({ foundBy }) => foundBy !== "window" && foundBy !== undefined).length;
  return [
    ...introduction(played, layout),
    "",
    ...windowLines({ calls: track.calls, budget }, layout),
    ...layerLines(session, layout),
    ...wrapWords(
      "  ",
      `At the end the user asks for ${formatQuantity(facts.length, "thing")} said or seen long before; ${formatCount(scrolledOut)} of them had left the window and were found in the history:`,
      layout.columns,
    ),
    "",
    ...factLines(facts, layout),
    "",
    ...checksOf(checked).flatMap((check) => formatCheck(check, layout)),
    ...formatCheck(billing(played), layout),
    ...costLines(session, layout),
    "",
    verdict(played, layout.styles),
  ];
}

function introduction({ json, workspace }: PlayedDemo, { columns, styles }: ReportLayout): readonly string[] {
  const { source, window, calls, peakTokens } = json.session;
  const strong = (tokens: number): string => styles.bold(formatTokens(tokens));
  const times = (source.tokens / window.tokens).toFixed(1);
  const where = json.isSynthetic
    ? `${formatCount(workspace.files.length)} synthetic files (${printable(json.folder)} holds next to no text)`
    : `${formatQuantity(workspace.files.length, "file")} of ${printable(json.folder)}`;
  const words =
    `A scripted agent worked through ${where} with real tools: ${formatQuantity(source.toolCalls, "tool call")}, ` +
    `${formatQuantity(calls, "call")} of its model. They said ${strong(source.tokens)} tokens to each other, ${times} times ` +
    `the window of ${strong(window.tokens)}, which never held more than ${strong(peakTokens)}. No model was asked; no network was used.`;
  return [styles.bold("An endless conversation in a small window"), ...wrapWords("", words, columns)];
}

const FOUND_WORDS = {
  window: "still in the window",
  history_search: "by history_search",
  history_read: "by search and history_read",
} as const;

/** Each question, and below it the answer and where it was found. */
function factLines(facts: readonly DemoFactResult[], { columns, styles }: ReportLayout): readonly string[] {
  return facts.flatMap(({ question, answer, expected, foundBy, isRight }) => {
    const sign = isRight ? styles.green("✓") : styles.red("✗");
    const correction = isRight ? "" : ` (it was ${printable(expected)})`;
    const how = foundBy === undefined ? "not found" : FOUND_WORDS[foundBy];
    const answerLine = `${styles.bold(printable(answer ?? "—"))}${correction} ${styles.dim(`· ${how}`)}`;
    return [
      ...wrapWords(`  ${sign} `, printable(question), columns),
      ...wrapWords("    ", answerLine, columns),
    ];
  });
}

function billing({ json: { billedPeakTokens, session } }: PlayedDemo): Check {
  const { tokens } = session.window;
  return {
    holds: billedPeakTokens <= tokens,
    name: "Counted twice",
    words: `a second count, by bytes and independent of the first, finds at most ${formatTokens(billedPeakTokens)} tokens in a request for a window of ${formatTokens(tokens)}`,
    details: [],
  };
}

function verdict({ json }: PlayedDemo, styles: Styles): string {
  const wrong = json.facts.filter((fact) => !fact.isRight).length;
  if (json.hasPassed)
    return styles.bold(styles.green("Everything held: nothing was lost, and every answer was right."));
  if (wrong > 0)
    return styles.bold(
      styles.red(`${formatQuantity(wrong, "answer was", "answers were")} wrong: see ✗ above.`),
    );
  return styles.bold(styles.red("Not every check held: see ✗ above."));
}
