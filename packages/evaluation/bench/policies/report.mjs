/**
 * The figures as tables: one a group and window, one row a policy; before them the worst sessions, after them the
 * floors.
 */
import { table } from "../figures.mjs";
import { PEER } from "./contestants.mjs";
import { GROUP_NAMES } from "./sessions.mjs";

const HEADER = [
  "policy",
  "cost",
  "to peer",
  "names",
  "lines",
  "words",
  "near",
  "near lines",
  "near words",
  "reach",
  "summaries",
  "clears",
  "turns",
  "re-reads",
  "failed",
];

const LEGEND = [
  "cost: of the session in a window without end, lookups and re-reads included; to peer: the same to what Claude Code does (full compact, forked, files shown again).",
  "names, lines, words: strings, lines of edits and plain words that were used again from 8,000 tokens away or more and were visible, in per cent; near: the same from less far away.",
  "reach: far names that were visible, behind a pointer, or (ours) found by a search for visible strings. summaries, clears: edits in all sessions; turns: requests added by looking up and reading again; re-reads: files and results, because of missing lines, with their tokens; failed: sessions in which no request fitted any more, left out of the rest.",
  "floors: points above (+) or below (−) the floor: names as the peer, lines and words 5 points less, near recall 99, 98 and 97 %; p10: the difference to the peer, session by session, that nine in ten exceed (with at least 20 references), 5 points less than nothing.",
];

const ratio = (value) => (value === undefined ? "-" : value.toFixed(3));
const percent = (value) => (value === undefined ? "-" : (value * 100).toFixed(1));
const points = (value) =>
  value === undefined ? "-" : `${value < 0 ? "−" : "+"}${Math.abs(value * 100).toFixed(1)}`;
const thousands = (tokens) => `${Math.round(tokens / 1_000)}K`;

function row({ policy, figures, difference }) {
  const { names, lines, words, near, nearLines, nearWords } = difference.measures;
  return [
    policy,
    ratio(figures.costShare),
    ratio(difference.costRatio),
    ...[names, lines, words, near, nearLines, nearWords].map(({ own }) => percent(own)),
    percent(figures.farReach),
    figures.summaries,
    figures.clears,
    figures.lookups,
    figures.rereads === 0 ? "" : `${figures.rereads} (${thousands(figures.rereadTokens)})`,
    figures.failures === 0 ? "" : figures.failures,
  ];
}

function floorsOf({ policy, floors }) {
  const missed = floors.filter(({ margin }) => margin < 0).length;
  return [policy, ...floors.map(({ margin }) => points(margin)), missed === 0 ? "held" : `${missed} missed`];
}

const SHOWN_SESSIONS = 3;

/** The sessions that lose most, by measure. */
function worstOf({ policy, difference }) {
  const parts = ["names", "lines", "words", "near"].map((name) => {
    const { sessions } = difference.measures[name];
    const worst = sessions.slice(0, SHOWN_SESSIONS).filter(({ difference: lost }) => lost < 0);
    return worst.length === 0
      ? undefined
      : `${name} ${worst.map((one) => `${points(one.difference)} ${one.session}`).join(", ")}`;
  });
  const shown = parts.filter((part) => part !== undefined);
  return `${policy}: ${shown.length === 0 ? "none loses anything" : shown.join("; ")}`;
}

function titleOf({ group, half, windowTokens, fixedTokens }, { population, sessions }) {
  const fixed =
    fixedTokens === undefined ? "the recorded prompt" : `a prompt of ${fixedTokens.toLocaleString("en")}`;
  const count = `${sessions} ${sessions === 1 ? "session" : "sessions"}`;
  const which = population === "compacted" ? "that the peer compacts" : "that the peer leaves alone";
  const name = `${GROUP_NAMES[group]}${half === undefined ? "" : `, ${half} half`}`;
  return `${name}, ${count} ${which}: window of ${windowTokens.toLocaleString("en")} tokens with ${fixed}`;
}

/** The parts of a table that have sessions, each with its texts. */
function partsOf(tables, format) {
  return tables.flatMap((one) =>
    one.parts
      .filter(({ sessions }) => sessions > 0)
      .map((part) => {
        const own = part.rows.filter(({ policy }) => policy !== PEER);
        const floorHeader = ["floors", ...own[0].floors.map(({ floor }) => floor), ""];
        return format({
          title: titleOf(one, part),
          worst: own.map(worstOf),
          figures: [HEADER, ...part.rows.map(row)],
          floors: [floorHeader, ...own.map(floorsOf)],
        });
      }),
  );
}

/** Tables for a terminal. */
export function readable({ tables, ...about }) {
  const parts = partsOf(tables, ({ title, worst, figures, floors }) =>
    [title, ["Worst sessions:", ...worst].join("\n"), table(figures), table(floors)].join("\n\n"),
  );
  return [...parts, LEGEND.join("\n"), footer(about)].join("\n\n");
}

/** The same in Markdown. */
export function markdown({ tables, ...about }) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const asTable = ([header, ...rows]) => {
    const rule = header.map((_, column) => (column === 0 ? "---" : "--:"));
    return [header, rule, ...rows].map(line).join("\n");
  };
  const parts = partsOf(tables, ({ title, worst, figures, floors }) =>
    [
      `### ${title}`,
      ["Worst sessions:", "", ...worst.map((one) => `- ${one}`)].join("\n"),
      asTable(figures),
      asTable(floors),
    ].join("\n\n"),
  );
  return [...parts, LEGEND.map((text) => `- ${text}`).join("\n"), footer(about)].join("\n\n");
}

const WRITERS = {
  none: "without a model",
  model: "with a model that writes summaries",
  "model+notes": "with a model that writes summaries and notes",
};

function footer({ machine, seconds, workers, tariff, half, configuration, policies }) {
  const sessions = { all: "all sessions", each: "both halves" }[half] ?? `the ${half} sessions`;
  return `${policies} ${policies === 1 ? "policy" : "policies"} on ${sessions}, ours ${WRITERS[configuration]}, prices ${tariff === "model" ? "of each session's model" : tariff}; ${seconds.toFixed(0)} s on ${workers} threads. ${machine}`;
}
