/**
 * What the demo's user says early and asks about at the end.
 *
 * The values are worked out from the workspace, so they are the same for the same folder and stand
 * in no file of it: whoever knows one at the end has it from the conversation. Some are said in the
 * user's own short words, which a window keeps as long as it can; the others stand in the middle of
 * long pastes, in a tool's answer and in what the agent itself said, and have long left the window.
 */
import { nodeHasher } from "palimpsest";
import { HAS_SHELL, shellQuote } from "./demo-shell.ts";
import type { Workspace } from "./demo-workspace.ts";

/** One thing to remember. */
export interface DemoFact {
  readonly name: string;
  /** How the user asks for it. */
  readonly question: string;
  /** What the agent searches its history for when it cannot see the answer. */
  readonly query: string;
  /** Recognises where it was said; the first group is the answer. */
  readonly pattern: RegExp;
  /** Looks the answer up in what was really said; `undefined` for what only a tool's answer can tell. */
  readonly expected: string | undefined;
}

export interface DemoStory {
  readonly facts: readonly DemoFact[];
  /** The user's first message. */
  readonly opening: string;
  /** Long pastes, one after the other, somewhat later. */
  readonly rulesPaste: string;
  readonly logPaste: string;
  /** What the agent says when it begins. */
  readonly firstWords: string;
  /** Said in passing, half-way. */
  readonly aside: string;
  /** The command whose output is asked for at the end, where there is a shell. */
  readonly firstCommand: string | undefined;
}

const SUFFIXES = ["ledger", "keeper", "planner", "folio", "gauge", "binder"] as const;
const MAKERS = ["margin", "parchment", "vellum", "quill", "binding", "colophon"] as const;
const ADJECTIVES = ["patient", "legible", "careful", "quiet", "faithful", "weathered"] as const;
const LOG_LINES = 640;
const RULES_LINES = 420;

export function writeStory(workspace: Workspace): DemoStory {
  const seed = nodeHasher.sha256(workspace.files.map(({ path, bytes }) => `${path} ${bytes}`).join("\n"));
  const number = (at: number, below: number): number => Number.parseInt(seed.slice(at, at + 7), 16) % below;
  const ticket = `PAL-${1_000 + number(0, 9_000)}`;
  const port = String(20_000 + number(7, 40_000));
  const rows = String(3 + number(14, 7));
  const suffix = SUFFIXES[number(21, SUFFIXES.length)]!;
  const sentence = `A ${ADJECTIVES[number(28, 6)]!} ${MAKERS[number(35, 6)]!} keeps what the ${MAKERS[number(42, 6)]!} forgot, all ${100 + number(49, 900)} lines of it.`;
  const extension = String(1_000 + number(10, 9_000));
  const requestId = `req-${seed.slice(0, 8)}`;
  const waitedMs = String(30_000 + number(56, 9_000));
  const reviewer = `${MAKERS[number(5, 6)]!}-${100 + number(12, 900)}`;
  const partNumber = `QX-${1_000 + number(19, 9_000)}`;
  const firstFile = workspace.files[0]?.path;
  const firstCommand =
    HAS_SHELL && firstFile !== undefined
      ? `echo "${COUNTED}: $(wc -w < ${shellQuote(firstFile)})"`
      : undefined;
  return {
    opening: openingWords({ ticket, rows, sentence, firstCommand }),
    aside: `Good. By the way, if anything is unclear, call extension ${extension}. Go on with the rest, and keep an eye on how errors are handled.`,
    rulesPaste: pastedRules({ suffix, reviewer }),
    logPaste: pastedLog({ seed, requestId, waitedMs, port }),
    firstWords: `I begin with an overview. For my own order I file this review under shelf mark ${partNumber}.`,
    firstCommand,
    facts: [
      {
        name: "the ticket",
        question: "Which ticket does this work belong to?",
        query: '"ticket for this work is"',
        pattern: /The ticket for this work is (PAL-\d{4})\b/,
        expected: ticket,
      },
      {
        name: "a port in a log",
        question: "In the log that I pasted, which port does the staging server listen on?",
        query: '"staging server listens on port"',
        pattern: /staging server listens on port (\d{5})\b/,
        expected: port,
      },
      {
        name: "the preference",
        question: "How many rows may a table of your report have?",
        query: '"I prefer tables"',
        pattern: /I prefer tables of at most (\d+) rows/,
        expected: rows,
      },
      {
        name: "a rule among hundreds",
        question: "By the rules that I pasted, in what does the name of a new module end?",
        query: '"name of every new module ends in"',
        pattern: /name of every new module ends in -([a-z]+)\b/,
        expected: suffix,
      },
      {
        name: "a person in a long paste",
        question: "By the same rules, who looks at a change of the storage format?",
        query: '"storage format is looked at by"',
        pattern: /storage format is looked at by ([a-z]+-\d{3})\b/,
        expected: reviewer,
      },
      {
        name: "the agent's own words",
        question: "Under which shelf mark did you file this review?",
        query: '"file this review under shelf mark"',
        pattern: /file this review under shelf mark (QX-\d{4})\b/,
        expected: partNumber,
      },
      {
        name: "the exact sentence",
        question: "Which sentence must stand on the first line of the report, word for word?",
        query: '"first line of the report"',
        pattern: /first line of the report, word for word: “([^”$[]+)”/,
        expected: sentence,
      },
      {
        name: "a remark in passing",
        question: "Whom do I call if anything is unclear?",
        query: '"anything is unclear, call extension"',
        pattern: /anything is unclear, call extension (\d{4})\b/,
        expected: extension,
      },
      {
        name: "a line of a long paste",
        question: `In the log that I pasted, which request timed out after ${waitedMs} ms?`,
        query: `"timed out after ${waitedMs} ms"`,
        pattern: new RegExp(`timed out after ${waitedMs} ms, request (req-[0-9a-f]{8})`),
        expected: requestId,
      },
      ...(firstCommand === undefined || firstFile === undefined ? [] : [wordCount(firstFile)]),
    ],
  };
}

/** Stands in the output of the first command only. */
const COUNTED = "words in the first file";

/** What the very first command printed: only the tool's own answer of that time has it. */
function wordCount(file: string): DemoFact {
  return {
    name: "a tool's first answer",
    question: `How many words did wc count in ${file} when you began?`,
    query: `"${COUNTED}"`,
    pattern: new RegExp(`${COUNTED}: *(\\d+)`),
    expected: undefined,
  };
}

function openingWords(facts: {
  readonly ticket: string;
  readonly rows: string;
  readonly sentence: string;
  readonly firstCommand: string | undefined;
}): string {
  return [
    "We take this code over, and before anybody changes anything I want you to read all of it. A few things first; I will come back to them at the end.",
    "",
    `The ticket for this work is ${facts.ticket}.`,
    `In reports I prefer tables of at most ${facts.rows} rows to prose.`,
    `This goes on the first line of the report, word for word: “${facts.sentence}”`,
    "",
    facts.firstCommand === undefined
      ? "Begin with a list of what there is, then read file by file. Change nothing."
      : `Begin with \`${facts.firstCommand}\` and a list of what there is, then read file by file. Change nothing.`,
  ].join("\n");
}

/** A house's rules, of which two matter later. */
function pastedRules({ suffix, reviewer }: { readonly suffix: string; readonly reviewer: string }): string {
  const subjects = ["a header", "a table", "a test", "a message", "a command", "a folder", "a release"];
  const duties = ["has one owner", "is dated", "is read by two", "has an example", "is kept short"];
  const lines = Array.from({ length: RULES_LINES }, (_, index) => {
    const rule = `${index + 1}.`;
    if (index === Math.floor(RULES_LINES * 0.38))
      return `${rule} The name of every new module ends in -${suffix}, whatever it holds.`;
    if (index === Math.floor(RULES_LINES * 0.71))
      return `${rule} A change of the storage format is looked at by ${reviewer} before anybody else.`;
    const duty = duties[(index * 3) % duties.length]!;
    return `${rule} What ${subjects[index % subjects.length]!} of part ${index % 41} needs: it ${duty} and is looked at every ${2 + (index % 17)} weeks.`;
  });
  return ["These are the rules of the house. You need not answer to them now.", "", ...lines].join("\n");
}

/** A server's log with two lines that matter, far from both ends. */
function pastedLog({
  seed,
  requestId,
  waitedMs,
  port,
}: {
  readonly seed: string;
  readonly requestId: string;
  readonly waitedMs: string;
  readonly port: string;
}): string {
  const paths = [
    "/v1/sessions",
    "/v1/sessions/search",
    "/healthz",
    "/v1/memory/topics",
    "/v1/windows/rebuild",
  ];
  const lines = Array.from({ length: LOG_LINES }, (_, index) => {
    const id = nodeHasher.sha256(`${seed} ${index}`).slice(0, 8);
    const at = new Date(Date.UTC(2025, 2, 1, 2, 0, 0) + index * 1_370).toISOString();
    if (index === Math.floor(LOG_LINES * 0.47))
      return `${at} ERROR gateway upstream timed out after ${waitedMs} ms, request ${requestId}`;
    if (index === Math.floor(LOG_LINES * 0.64))
      return `${at} INFO  gateway upstream changed: staging server listens on port ${port} from now on`;
    return `${at} INFO  gateway GET ${paths[index % paths.length]!} 200 ${12 + (index % 83)} ms, request req-${id}`;
  });
  return [
    "This is the gateway's log of last night. Keep it at hand, I will ask about it.",
    "",
    ...lines,
  ].join("\n");
}
