/** The line at the bottom: room left, cost, cache, tasks, mode, model. The most important is shown where room is short. */
import { columnsOf, cutToColumns } from "../../terminal/columns.ts";
import { formatQuantity, formatShare, formatUsd } from "../../terminal/figures.ts";
import type { ChatAgent } from "../agent/chat-agent.ts";
import { safeLine } from "../base/safe-text.ts";
import type { Layout } from "./layout.ts";

type ChatStatus = ReturnType<ChatAgent["status"]>;

interface Part {
  readonly text: string;
  readonly color?: (text: string) => string;
}

/** Words of the modes that a person should not forget. */
const MODES: Readonly<Record<ChatStatus["mode"], string>> = {
  ask: "asks",
  "accept-edits": "edits allowed",
  plan: "plan",
  "allow-all": "ALL ALLOWED",
};

/** One line of fewer than `columns`: terminals draw the last column late. */
export function statusLine(status: ChatStatus, { columns, styles }: Layout): string {
  const { warning, costUsd, isCostAtLeast, cacheShare, runningTasks, mode, model } = status;
  // In the order of their importance.
  const parts: readonly Part[] = [
    { text: `${warning.percentLeft} % left${warningWords(warning)}`, color: warningColor(warning, styles) },
    ...(runningTasks === 0 ? [] : [{ text: formatQuantity(runningTasks, "task"), color: styles.cyan }]),
    { text: MODES[mode], ...(mode === "allow-all" ? { color: styles.red } : {}) },
    ...(costUsd === undefined ? [] : [{ text: formatUsd(costUsd, { isAtLeast: isCostAtLeast }) }]),
    ...(cacheShare === undefined ? [] : [{ text: `cache ${formatShare(cacheShare)}` }]),
    { text: safeLine(model) },
  ];
  const shown: Part[] = [];
  let used = 0;
  for (const part of parts) {
    const width = columnsOf(part.text) + (shown.length === 0 ? 0 : 3);
    // The room left is never left out, if needed it is cut.
    if (used + width >= columns && shown.length > 0) continue;
    shown.push(part);
    used += width;
  }
  return shown
    .map(({ text, color = styles.dim }) => color(cutToColumns(text, columns - 1)))
    .join(styles.dim(" · "));
}

type Warning = ChatStatus["warning"];

function warningWords({
  isAtBlockingLimit,
  isAboveAutoCompactThreshold,
  isAboveWarningThreshold,
}: Warning): string {
  if (isAtBlockingLimit) return ": full";
  if (isAboveAutoCompactThreshold) return ": compacts with the next call";
  return isAboveWarningThreshold ? ": compacts soon" : "";
}

function warningColor(
  { isAboveErrorThreshold, isAboveAutoCompactThreshold, isAboveWarningThreshold }: Warning,
  styles: Layout["styles"],
): Part["color"] {
  if (isAboveAutoCompactThreshold || isAboveErrorThreshold) return styles.red;
  return isAboveWarningThreshold ? styles.yellow : styles.green;
}
