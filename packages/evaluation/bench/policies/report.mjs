/**
 * The figures as tables: one a group and window, one row a policy.
 */
import { table } from "../figures.mjs";
import { GROUP_NAMES } from "./sessions.mjs";

const HEADER = [
  "policy",
  "cost",
  "to peer",
  "far",
  "Δ far",
  "p10",
  "near",
  "reach",
  "summaries",
  "clears",
  "lookups",
  "failed",
];

const LEGEND = [
  "cost: of the session in a window without end, lookups included; to peer: the same to what Claude Code does (full compact, forked, five files).",
  "far: strings used again from 8,000 tokens away or more that were visible, in per cent; Δ far, p10: less the peer's, in points, pooled and the session that nine in ten do better than.",
  "near: the same from less far away; reach: far and visible, behind a pointer, or (ours) found by a search for visible strings. summaries, clears: edits in all sessions; failed: sessions in which no request fitted any more, left out of the rest.",
];

const ratio = (value) => (value === undefined ? "-" : value.toFixed(3));
const percent = (value) => (value === undefined ? "-" : (value * 100).toFixed(1));
const points = (value) =>
  value === undefined ? "-" : `${value < 0 ? "−" : "+"}${Math.abs(value * 100).toFixed(1)}`;

function row({ policy, figures, difference }) {
  return [
    policy,
    ratio(figures.costShare),
    ratio(difference.costRatio),
    percent(figures.farRecall),
    points(difference.farDifference),
    points(difference.farDifferenceP10),
    percent(figures.nearRecall),
    percent(figures.farReach),
    figures.summaries,
    figures.clears,
    figures.lookups,
    figures.failures === 0 ? "" : figures.failures,
  ];
}

function titleOf({ group, windowTokens, fixedTokens, sessions }) {
  const fixed =
    fixedTokens === undefined ? "the recorded prompt" : `a prompt of ${fixedTokens.toLocaleString("en")}`;
  const count = `${sessions} ${sessions === 1 ? "session" : "sessions"}`;
  return `${GROUP_NAMES[group]}, ${count}: window of ${windowTokens.toLocaleString("en")} tokens with ${fixed}`;
}

/** Tables for a terminal. */
export function readable({ tables, ...about }) {
  const parts = tables.map((one) => `${titleOf(one)}\n\n${table([HEADER, ...one.rows.map(row)])}`);
  return [...parts, LEGEND.join("\n"), footer(about)].join("\n\n");
}

/** The same in Markdown. */
export function markdown({ tables, ...about }) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const parts = tables.map((one) => {
    const rule = HEADER.map((_, column) => (column === 0 ? "---" : "--:"));
    return `### ${titleOf(one)}\n\n${[HEADER, rule, ...one.rows.map(row)].map(line).join("\n")}`;
  });
  return [...parts, LEGEND.map((text) => `- ${text}`).join("\n"), footer(about)].join("\n\n");
}

function footer({ machine, seconds, workers, tariff, half, policies }) {
  const sessions = half === "all" ? "all sessions" : `the ${half} sessions`;
  return `${policies} ${policies === 1 ? "policy" : "policies"} on ${sessions}, prices ${tariff === "model" ? "of each session's model" : tariff}; ${seconds.toFixed(0)} s on ${workers} threads. ${machine}`;
}
