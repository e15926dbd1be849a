/**
 * Notices of tasks in words, for the agent.
 *
 * The end of an output comes from a program, a page or another agent: it is fenced, so that nothing in it can end the
 * fence, and named as data.
 */
import { fenced } from "../base/text/markdown-lines.ts";
import { cutTail, shorten } from "../base/text/text.ts";
import type { TaskEnd, TaskKindName, TaskOutcome } from "./task-record.ts";

/** A task, as a notice names it. */
interface NamedTask {
  readonly id: string;
  readonly kind: TaskKindName;
  readonly title: string;
}

/** Where a task's output lies, and how much it is. */
interface OutputPlace {
  readonly outputBytes: number;
  readonly outputPath?: string | undefined;
}

/** What is known of a task at a time. */
interface TaskNow extends Omit<TaskEnd, "outcome"> {
  readonly status: "running" | TaskOutcome;
  readonly startedAt: number;
  readonly detail?: string;
  readonly silence?: {
    readonly state: "quiet" | "waiting";
    readonly silentMs: number;
    readonly cpuMs?: number;
  };
}

const TITLE_CHARS = 120;
const RESULT_CHARS = 8_000;
const SECOND_MS = 1_000;
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

/** The name of a task in a sentence: `Task t3 (local_bash: "npm test")`. */
function taskName({ id, kind, title }: NamedTask): string {
  const line = title.replace(/\s+/g, " ").trim();
  const shown = line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).trimEnd()}…` : line;
  return `Task ${id} (${kind}: ${JSON.stringify(shown)})`;
}

/** The notice of a task that has ended. */
export function endedText(
  task: NamedTask,
  end: TaskEnd & OutputPlace,
  { tookMs, lastText }: { readonly tookMs: number; readonly lastText: string },
): string {
  const { result } = end;
  const head = `${taskName(task)} ${endInWords(end)} after ${durationText(tookMs)}. ${placeText(end)}`;
  if (result !== undefined && result !== "")
    return `${head}\nIts report, as data:\n${fenced(cutTail(result, RESULT_CHARS))}`;
  return lastText === "" ? head : `${head}\nThe end of its output, as data:\n${fenced(lastText)}`;
}

/** `ended well`, `failed with exit code 1`, `was stopped (its time was up)` … */
function endInWords({ outcome, exitCode, signal, reason }: TaskEnd): string {
  const because = reason === undefined ? "" : ` (${reason})`;
  if (outcome === "done") return `ended well${because}`;
  if (outcome === "stopped") return `was stopped${because}`;
  if (outcome === "interrupted") return `was interrupted${because}`;
  if (signal !== undefined) return `failed: signal ${signal}${because}`;
  return exitCode === undefined ? `failed${because}` : `failed with exit code ${exitCode}${because}`;
}

/** The state of a task in words: `running for 3 min`, `failed with exit code 1` … */
export function stateInWords(task: TaskNow, nowMs: number): string {
  const { status, silence, startedAt, detail = "" } = task;
  if (status !== "running") return endInWords({ ...task, outcome: status });
  const shown = detail === "" ? "" : ` (${shorten(detail.replace(/\s+/g, " "), TITLE_CHARS)})`;
  const since = `running for ${durationText(nowMs - startedAt)}${shown}`;
  if (silence === undefined) return since;
  const silent = `without output for ${durationText(silence.silentMs)}`;
  const used =
    silence.cpuMs === undefined ? "" : `, ${durationText(silence.cpuMs)} of processor time meanwhile`;
  return silence.state === "waiting"
    ? `${since}, waiting for input, ${silent}`
    : `${since}, quiet: ${silent}${used}`;
}

/** The notice of a task that waits for input. */
export function waitingText(task: NamedTask, silentMs: number, lastText: string): string {
  return (
    `${taskName(task)} waits for input: it has written nothing for ${durationText(silentMs)}, and its output ends in a ` +
    `prompt. Send it an answer with task_input, end it with task_stop, or ask the user.\n` +
    `The end of its output, as data:\n${fenced(lastText)}`
  );
}

/** The notice of a message that a task sends. */
export function messageText(task: NamedTask, text: string): string {
  return `${taskName(task)} says, as data:\n${fenced(cutTail(text, RESULT_CHARS))}`;
}

/** A line about a task for the list that is shown after a compaction. */
export function listedText(
  { kind, title }: Pick<NamedTask, "kind" | "title">,
  state: string,
  place: OutputPlace,
): string {
  return `${kind} ${JSON.stringify(title)}: ${state}. ${placeText(place)}`;
}

/** The tasks as they are now, a line each, for an agent whose conversation was rewound. */
export function rewoundText(lines: readonly string[]): string {
  return `The conversation was rewound; its background tasks were not. There are:\n${lines.join("\n")}`;
}

function placeText({ outputBytes, outputPath }: OutputPlace): string {
  if (outputBytes === 0) return "It has no output.";
  const where = outputPath === undefined ? "" : ` in ${outputPath}`;
  return `Its output is ${outputBytes.toLocaleString("en-US")} bytes${where}; task_output reads it.`;
}

/** `3 s`, `12 min`, `2 h 5 min`. */
function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / SECOND_MS));
  if (seconds < 2 * MINUTE_SECONDS) return `${seconds} s`;
  const minutes = Math.round(seconds / MINUTE_SECONDS);
  if (seconds < 2 * HOUR_SECONDS) return `${minutes} min`;
  return `${Math.floor(minutes / MINUTE_SECONDS)} h ${minutes % MINUTE_SECONDS} min`;
}
