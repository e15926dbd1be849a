/**
 * Facts of a session's log, found without a model, and the lines they make in each section.
 *
 * The facts are plain data, so any reader of logs can supply them. Their text comes from users, tools and
 * models; every line is cleaned and cut first.
 */
import { cleanLine } from "./clean-text.ts";
import type { NotesSectionKind } from "./template.ts";

/** Characters of one fact that is written without a model. Our choice: two lines of a terminal. */
export const FACT_CHARACTERS = 300;
/** Lines that an updater without a model writes in one section. Our choice: what a reader takes in. */
export const FACT_LINES_COUNT = 30;

/** Words of a session's title, at the most. Source: Claude Code's session memory: 5 to 10 words. */
const TITLE_WORDS_COUNT = 10;

/** Facts of a session, each list from the oldest to the newest. Absent: unknown. */
export interface SessionFacts {
  readonly userWords?: readonly { readonly text: string }[];
  readonly files?: readonly { readonly path: string; readonly reads: number; readonly edits: number }[];
  readonly commands?: readonly {
    readonly command: string;
    readonly runs: number;
    readonly failures: number;
    /** True if the last run failed. */
    readonly hasFailed: boolean;
    /** The line of its output that tells most. */
    readonly line: string;
  }[];
  readonly errors?: readonly {
    readonly call: string;
    readonly line: string;
    /** Calls that came next. */
    readonly followed: readonly string[];
    /** The place in the log at which the same call later succeeded. */
    readonly resolvedPointer?: string;
  }[];
  readonly todos?: readonly { readonly text: string; readonly status: "open" | "active" | "done" }[];
  /** Findings, decisions and rejected options. */
  readonly decisions?: readonly { readonly text: string }[];
  /** Results for the user: the last words of turns. */
  readonly results?: readonly { readonly text: string }[];
  readonly actions?: readonly { readonly call: string; readonly outcome?: "ok" | "failed" }[];
}

/** A candidate line, and its subject: if other lines cover the subject, the line is not needed. */
export interface FactLine {
  readonly line: string;
  readonly key: string;
}

/** Lines by section, in their order there. Of every list but the Worklog's the first ones matter most. */
export function composeFactLines(facts: SessionFacts): ReadonlyMap<NotesSectionKind, readonly FactLine[]> {
  const lines: readonly (readonly [NotesSectionKind, readonly FactLine[]])[] = [
    ["title", titleOf(facts)],
    ["state", stateOf(facts)],
    ["task", taskOf(facts)],
    ["files", filesOf(facts)],
    ["workflow", workflowOf(facts)],
    ["errors", errorsOf(facts)],
    ["system", foldersOf(facts)],
    ["learnings", newest(facts.decisions, ({ text }) => item(text))],
    ["results", resultsOf(facts)],
    ["worklog", worklogOf(facts)],
  ];
  return new Map(lines.map(([kind, some]) => [kind, distinct(some)]));
}

function titleOf({ userWords = [] }: SessionFacts): readonly FactLine[] {
  let first = "";
  // A long session has thousands of messages, and the first words are almost always in the first one.
  for (let index = 0; index < userWords.length && first === ""; index++)
    first = cleanLine(userWords[index]!.text, FACT_CHARACTERS);
  // The rest begins with a letter, so that Markdown reads it as plain text.
  const words = first
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .split(" ")
    .slice(0, TITLE_WORDS_COUNT)
    .join(" ");
  return words === "" ? [] : [{ line: words, key: words }];
}

function stateOf({ todos = [], userWords = [], commands = [] }: SessionFacts): readonly FactLine[] {
  const asked = userWords.at(-1);
  return [
    ...todos.filter(({ status }) => status === "active").map(({ text }) => item(text, "Working on: ")),
    ...(asked === undefined ? [] : [item(asked.text, "Last asked: ")]),
    ...todos.filter(({ status }) => status === "open").map(({ text }) => item(text, "Open: ")),
    ...commands
      .filter(({ hasFailed }) => hasFailed)
      .map(({ command, line }) => item(command, "Fails: ", quoted(line)))
      .reverse(),
  ].slice(0, FACT_LINES_COUNT);
}

function taskOf({ userWords = [] }: SessionFacts): readonly FactLine[] {
  const [first, ...later] = userWords;
  if (first === undefined) return [];
  return [item(first.text), ...newest(later, ({ text }) => item(text)).slice(0, FACT_LINES_COUNT - 1)];
}

function filesOf({ files }: SessionFacts): readonly FactLine[] {
  const used = (files ?? []).toReversed();
  const ranked = [...used.filter(({ edits }) => edits > 0), ...used.filter(({ edits }) => edits === 0)];
  return ranked.slice(0, FACT_LINES_COUNT).map(({ path, reads, edits }) => {
    const how = [
      ...(edits > 0 ? [`edited ${times(edits)}`] : []),
      ...(reads > 0 ? [`read ${times(reads)}`] : []),
    ];
    return item(path, "", how.length === 0 ? "" : `: ${how.join(", ")}`);
  });
}

function workflowOf({ commands }: SessionFacts): readonly FactLine[] {
  return newest(commands, (command) => command)
    .sort((a, b) => b.runs - a.runs)
    .map(({ command, runs, failures, line }) => {
      const failed = failures > 0 ? `, failed ${times(failures)}` : "";
      return item(command, "", `: run ${times(runs)}${failed}${quoted(line)}`);
    });
}

function errorsOf({ errors }: SessionFacts): readonly FactLine[] {
  return newest(errors, ({ call, line, followed, resolvedPointer }) => {
    const next = followed.length === 0 ? "" : `; then: ${followed.join(", ")}`;
    const end = resolvedPointer === undefined ? "" : "; later it worked";
    const text = cleanLine(`${call}: ${line}`, FACT_CHARACTERS);
    return { line: `- ${text}${cleanLine(next, FACT_CHARACTERS)}${end}`, key: text };
  });
}

/** Folders with more than one file in use: where in the system the work was. */
function foldersOf({ files = [] }: SessionFacts): readonly FactLine[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const folder = path.replace(/[\\/][^\\/]*$/, "");
    if (folder !== path && folder !== "") counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort(([a, aCount], [b, bCount]) => bCount - aCount || (a < b ? -1 : 1))
    .slice(0, FACT_LINES_COUNT)
    .map(([folder, count]) => item(folder, "", `: ${count} files in use`));
}

function resultsOf({ results, todos = [] }: SessionFacts): readonly FactLine[] {
  const done = todos.filter(({ status }) => status === "done");
  return [
    ...newest(results, ({ text }) => item(text)),
    ...newest(done, ({ text }) => item(text, "Done: ")),
  ].slice(0, FACT_LINES_COUNT);
}

function worklogOf({ actions = [] }: SessionFacts): readonly FactLine[] {
  return actions
    .slice(-FACT_LINES_COUNT)
    .map(({ call, outcome }) => item(call, "", outcome === "failed" ? ": failed" : ""));
}

/** The newest of a list, the newest first. */
function newest<Fact, Line>(facts: readonly Fact[] | undefined, line: (fact: Fact) => Line): Line[] {
  return (facts ?? []).slice(-FACT_LINES_COUNT).toReversed().map(line);
}

function item(text: string, before = "", behind = ""): FactLine {
  const key = cleanLine(text, FACT_CHARACTERS);
  return { line: key === "" ? "" : `- ${before}${key}${cleanLine(behind, FACT_CHARACTERS)}`, key };
}

const quoted = (line: string): string => (line.trim() === "" ? "" : `; it says: ${line}`);

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

function distinct(lines: readonly FactLine[]): readonly FactLine[] {
  const seen = new Set<string>();
  return lines.filter(({ line, key }) => key !== "" && !seen.has(line) && seen.add(line));
}
