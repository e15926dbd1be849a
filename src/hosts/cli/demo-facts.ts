/**
 * What the demo's user says early and asks about at the end.
 *
 * The values are worked out from the workspace, so they are the same for the same folder and stand
 * in no file of it: whoever knows one at the end has it from the conversation.
 */
import { nodeHasher } from "../../adapters/node/node-hasher.ts";
import { HAS_SHELL, quote } from "./demo-shell.ts";
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
  /** A long paste, somewhat later. */
  readonly paste: string;
  /** Said in passing, half-way. */
  readonly aside: string;
  /** The command whose output is asked for at the end, where there is a shell. */
  readonly firstCommand: string | undefined;
}

const SUFFIXES = ["ledger", "keeper", "planner", "folio", "gauge", "binder"] as const;
const MAKERS = ["margin", "parchment", "vellum", "quill", "binding", "colophon"] as const;
const ADJECTIVES = ["patient", "legible", "careful", "quiet", "faithful", "weathered"] as const;
const PASTE_LINES = 640;

export function tellStory(workspace: Workspace): DemoStory {
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
  const firstFile = workspace.files[0]?.path;
  const firstCommand = HAS_SHELL && firstFile !== undefined ? `wc -l -- ${quote(firstFile)}` : undefined;
  return {
    opening: openingWords({ ticket, port, rows, suffix, sentence, firstCommand }),
    aside: `Good. By the way, if anything is unclear, call extension ${extension}. Go on with the rest, and keep an eye on how errors are handled.`,
    paste: pastedLog({ seed, requestId, waitedMs }),
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
        name: "the port",
        question: "Which port does the staging server listen on?",
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
        name: "the naming rule",
        question: "Which suffix does the name of a new module get?",
        query: '"name of every new module ends in"',
        pattern: /name of every new module ends in -([a-z]+)\b/,
        expected: suffix,
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
      ...(firstCommand === undefined || firstFile === undefined ? [] : [lineCount(firstFile)]),
    ],
  };
}

/** What the very first command printed: only the tool's own answer of that time has it. */
function lineCount(file: string): DemoFact {
  const escaped = file.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return {
    name: "a tool's first answer",
    question: `How many lines did wc count in ${file} when you began?`,
    query: `wc "${file}"`,
    // Behind a number of blanks or a line of its own: not the middle of a listing with sizes.
    pattern: new RegExp(`(?:^|\\n) *(\\d+) ${escaped}(?:\\s|$)`),
    expected: undefined,
  };
}

function openingWords(said: {
  readonly ticket: string;
  readonly port: string;
  readonly rows: string;
  readonly suffix: string;
  readonly sentence: string;
  readonly firstCommand: string | undefined;
}): string {
  return [
    "We take this code over, and before anybody changes anything I want you to read all of it. A few things first; I will come back to them at the end.",
    "",
    `The ticket for this work is ${said.ticket}.`,
    `The staging server listens on port ${said.port}; nothing else may use it.`,
    `The name of every new module ends in -${said.suffix}, whatever it holds.`,
    `In reports I prefer tables of at most ${said.rows} rows to prose.`,
    `This goes on the first line of the report, word for word: “${said.sentence}”`,
    "",
    said.firstCommand === undefined
      ? "Begin with a list of what there is, then read file by file. Change nothing."
      : `Begin with \`${said.firstCommand}\` and a list of what there is, then read file by file. Change nothing.`,
  ].join("\n");
}

/** A server's log with one line that matters, far from both ends. */
function pastedLog({
  seed,
  requestId,
  waitedMs,
}: {
  readonly seed: string;
  readonly requestId: string;
  readonly waitedMs: string;
}): string {
  const paths = [
    "/v1/sessions",
    "/v1/sessions/search",
    "/healthz",
    "/v1/memory/topics",
    "/v1/windows/rebuild",
  ];
  const lines = Array.from({ length: PASTE_LINES }, (_, index) => {
    const id = nodeHasher.sha256(`${seed} ${index}`).slice(0, 8);
    const at = new Date(Date.UTC(2025, 2, 1, 2, 0, 0) + index * 1_370).toISOString();
    if (index === Math.floor(PASTE_LINES * 0.47))
      return `${at} ERROR gateway upstream timed out after ${waitedMs} ms, request ${requestId}`;
    return `${at} INFO  gateway GET ${paths[index % paths.length]!} 200 ${12 + (index % 83)} ms, request req-${id}`;
  });
  return [
    "This is the gateway's log of last night. Keep it at hand, I will ask about it.",
    "",
    ...lines,
  ].join("\n");
}
