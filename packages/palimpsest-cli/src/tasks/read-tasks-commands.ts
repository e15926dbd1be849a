/**
 * `palimpsest tasks list`, `show` and `tail`: commands that only read, also while the tasks run.
 */
import { redactBroken, showOnOneLine } from "palimpsest/internal";
import { parseCount, refuseTogether } from "../command-line/command.ts";
import {
  type PlaceCall,
  type PlaceFlags,
  SESSION_ARGUMENT,
  type SessionPlace,
  sessionCommand,
} from "../stored-sessions/session-place.ts";
import { formatAge } from "../stored-sessions/session-words.ts";
import { columnsOf, cutToColumns, padColumns } from "../terminal/columns.ts";
import { formatBytes, formatMs } from "../terminal/figures.ts";
import { type CliContext, terminalText } from "../terminal/terminal.ts";
import { type StoredTask, StoredTasks } from "./stored-tasks.ts";

/** Arguments of commands about one task. */
export const TASK_ARGUMENTS = { ...SESSION_ARGUMENT, "<task>": "id of the task, such as t1" } as const;

/** Sessions whose tasks are listed without one being named: the latest. */
const LISTED_SESSIONS = 50;
/** The length of `tail` without an offset: a screen or two. */
const TAIL_BYTES = 4_096;

interface TailFlags extends PlaceFlags {
  readonly follow?: boolean;
  readonly offset?: number;
}

interface TasksOfSession {
  readonly sessionId: string;
  readonly tasks: readonly StoredTask[];
}

export const listTasksCommand = sessionCommand(
  {
    name: "list",
    description: "list the background tasks of a session, or of the latest sessions",
    args: { "[session]": `id, the beginning of one, or a title (default: the latest ${LISTED_SESSIONS})` },
    examples: ["tasks list", "tasks list 3f2a91c0", "tasks list --json"],
  },
  async ({ place, context }: PlaceCall, which: string | undefined) => {
    const sessions = await tasksIn(place, which);
    const out = sessions.flatMap(({ sessionId, tasks }) => [
      context.out.styles.bold(showOnOneLine(sessionId)),
      ...tasks.map((task) => `  ${rowOf(task, context)}`),
    ]);
    return {
      json: {
        sessions: sessions.map(({ sessionId, tasks }) => ({ sessionId, tasks: tasks.map(taskJson) })),
      },
      out: out.length === 0 ? ["No background tasks."] : out,
    };
  },
);

/** Sessions that have tasks, the latest first. */
export async function tasksIn(
  place: SessionPlace,
  which: string | undefined,
): Promise<readonly TasksOfSession[]> {
  const ids =
    which === undefined
      ? (await place.list({ limit: LISTED_SESSIONS })).sessions.map(({ sessionId }) => sessionId)
      : [which];
  const found: TasksOfSession[] = [];
  for (const id of ids) {
    const stored = await StoredTasks.open(place, id);
    const tasks = await stored.list();
    if (tasks.length > 0) found.push({ sessionId: stored.sessionId, tasks });
  }
  return found;
}

function rowOf({ id, kind, status, title, startedAt, outputBytes }: StoredTask, { out }: CliContext): string {
  const facts = [
    padColumns(id, 5),
    padColumns(statusWord(status, out.styles), 11),
    padColumns(kind, 13),
    padColumns(formatAge(startedAt, Date.now()), 10),
    padColumns(formatBytes(outputBytes), 8),
  ].join("  ");
  const columns = Math.max(20, out.columns - columnsOf(facts) - 4);
  return `${facts}  ${cutToColumns(shown(title), columns)}`;
}

function statusWord(status: StoredTask["status"], styles: CliContext["out"]["styles"]): string {
  if (status === "running") return styles.green(status);
  return status === "done" ? status : styles.yellow(status);
}

/** A command line may have a password in it. */
function shown(text: string): string {
  return showOnOneLine(redactBroken(text).text);
}

export const showTaskCommand = sessionCommand(
  {
    name: "show",
    description: "show what is known of a background task",
    args: TASK_ARGUMENTS,
    examples: ["tasks show 3f2a91c0 t1", "tasks show 3f2a91c0 t1 --json"],
  },
  async ({ place }: PlaceCall, which: string, id: string) => {
    const stored = await StoredTasks.open(place, which);
    const task = await stored.get(id);
    return { json: { sessionId: stored.sessionId, task: taskJson(task) }, out: factsOf(task) };
  },
);

function factsOf({
  id,
  kind,
  title,
  status,
  startedAt,
  endedAt,
  end,
  ...task
}: StoredTask): readonly string[] {
  const { owner, outputBytes, outputPath, notices } = task;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["task", `${id} (${kind})`],
    ["title", shown(title)],
    ["status", endWords(status, end)],
    ["started", `${new Date(startedAt).toISOString()}, ${formatAge(startedAt, Date.now())}`],
    ["ran for", endedAt === undefined ? undefined : formatMs(endedAt - startedAt)],
    ["run by", `process ${owner.pid} on ${showOnOneLine(owner.host)}`],
    [
      "output",
      `${formatBytes(outputBytes)}${outputPath === undefined ? "" : `, ${showOnOneLine(outputPath)}`}`,
    ],
    ["result", end?.result === undefined ? undefined : shown(end.result)],
    ["said last", notices.length === 0 ? undefined : shown(notices.at(-1)!.text)],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [`${padColumns(name, 10)} ${value}`]));
}

/** The state of a task, and how it ended. */
export function endWords(status: StoredTask["status"], end: StoredTask["end"]): string {
  const { exitCode, signal, reason } = end ?? {};
  const how = [
    exitCode === undefined ? undefined : `exit code ${exitCode}`,
    signal,
    reason,
    // Its journal says so when its session is opened.
    status === "interrupted" && end === undefined ? "the process that ran it died" : undefined,
  ].filter((words) => words !== undefined);
  return how.length === 0 ? status : showOnOneLine(`${status}: ${how.join(", ")}`);
}

/** The JSON of a task. */
export function taskJson({ facts: _, notices, end, ...task }: StoredTask): object {
  const { exitCode, signal, reason, result, usage } = end ?? {};
  const texts = notices.map(({ at, what, text }) => ({ at, what, text }));
  return { ...task, exitCode, signal, reason, result, usage, notices: texts };
}

export const tailTaskCommand = sessionCommand(
  {
    name: "tail",
    description: "show the output of a background task",
    args: TASK_ARGUMENTS,
    options: [
      ["-f, --follow", "go on until the task ends, or until Ctrl-C"],
      [
        "--offset <byte>",
        "read from this byte on (default: the last lines)",
        parseCount("--offset", { min: 0, max: Number.MAX_SAFE_INTEGER }),
      ],
    ],
    examples: [
      "tasks tail 3f2a91c0 t1",
      "tasks tail -f 3f2a91c0 t1",
      "tasks tail 3f2a91c0 t1 --offset 0 > output.txt",
    ],
    notes: ["Terminal escapes are left out. The task does not notice that it is read."],
  },
  async ({ place, flags, context }: PlaceCall<TailFlags>, which: string, id: string) => {
    if (flags.follow === true && flags.json === true)
      refuseTogether("--json", "--follow", "Read increments with --offset instead.");
    const stored = await StoredTasks.open(place, which);
    const { status } = await stored.get(id);
    const offset = flags.offset ?? stored.lastLines(id, TAIL_BYTES);
    if (flags.json === true) {
      const piece = stored.read(id, { offset, isEnd: status !== "running" });
      return { json: { sessionId: stored.sessionId, task: id, status, offset, ...piece } };
    }
    return flags.follow === true
      ? followOutput(stored, id, offset, context)
      : printOutput(stored, id, offset, context);
  },
);

/** Prints what is there. */
async function printOutput(stored: StoredTasks, id: string, offset: number, { out, signal }: CliContext) {
  const isEnd = (await stored.get(id)).status !== "running";
  let at = offset;
  for (;;) {
    const piece = stored.read(id, { offset: at, isEnd });
    const isMore = piece.nextOffset > at && !signal.aborted;
    const text = piece.text + (isMore ? "" : piece.pending);
    if (text !== "") out.write(terminalText(text, out));
    if (!isMore) return {};
    at = piece.nextOffset;
    await out.drained?.();
  }
}

/** Prints what comes. A prompt is shown before its line is finished. */
async function followOutput(
  stored: StoredTasks,
  id: string,
  offset: number,
  { out, err, signal }: CliContext,
) {
  let pending = "";
  let at = offset;
  let isLineOpen = false;
  for await (const piece of stored.follow(id, offset, signal)) {
    const text = piece.text + piece.pending;
    // The line goes on where it was; a line that is written over is shown again below.
    const rest = text.startsWith(pending) ? text.slice(pending.length) : `\n${text}`;
    if (rest !== "") {
      isLineOpen = !rest.endsWith("\n");
      out.write(terminalText(rest, out).slice(0, isLineOpen ? -1 : undefined));
    }
    ({ pending, nextOffset: at } = piece);
    await out.drained?.();
  }
  if (isLineOpen) out.write("\n");
  const { status, end } = await stored.get(id);
  return { err: [err.styles.dim(`${id} is ${endWords(status, end)}. Read on with --offset ${at}.`)] };
}
