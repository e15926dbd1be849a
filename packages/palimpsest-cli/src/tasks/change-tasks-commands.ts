/**
 * `palimpsest tasks input`, `kill` and `clean`. The first two ask the process that runs the task, and wait for its answer.
 */
import { lstatSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "palimpsest";
import { outputsIn, showOnOneLine } from "palimpsest/internal";
import {
  type PlaceCall,
  type PlaceFlags,
  sessionCommand,
  trashOf,
} from "../stored-sessions/session-place.ts";
import { formatBytes, formatQuantity } from "../terminal/figures.ts";
import { endWords, TASK_ARGUMENTS, taskJson, tasksIn } from "./read-tasks-commands.ts";
import { StoredTasks } from "./stored-tasks.ts";

/** Exit codes of both. */
const EXIT_CODES = { 1: "the task does not run, refused it, or its process does not answer" } as const;

interface InputFlags extends PlaceFlags {
  readonly newline: boolean;
}

const input = sessionCommand(
  {
    name: "input",
    description: "send a background task a line of input",
    args: { ...TASK_ARGUMENTS, "<text>": "the line" },
    options: [["--no-newline", "without a line break at its end"]],
    examples: ["tasks input 3f2a91c0 t1 y", 'tasks input 3f2a91c0 t2 "Look at the tests, too."'],
    exitCodes: EXIT_CODES,
    notes: ['A shell command takes input if it was started with stdin "open".'],
  },
  async ({ place, flags, context }: PlaceCall<InputFlags>, which: string, id: string, text: string) => {
    const stored = await StoredTasks.open(place, which);
    const line = flags.newline ? `${text}\n` : text;
    const task = await stored.ask({ id, input: line }, context.signal);
    return { json: { sessionId: stored.sessionId, task: taskJson(task) }, out: [`Task ${id} got it.`] };
  },
);

const kill = sessionCommand(
  {
    name: "kill",
    description: "end a background task",
    args: TASK_ARGUMENTS,
    examples: ["tasks kill 3f2a91c0 t1"],
    exitCodes: EXIT_CODES,
    notes: [
      "The process that runs the task ends it, and tells the agent. If that process is dead, what is left of",
      "the task is killed.",
    ],
  },
  async ({ place, context }: PlaceCall, which: string, id: string) => {
    const stored = await StoredTasks.open(place, which);
    const found = await stored.get(id);
    if (found.status !== "interrupted") {
      const task = await stored.ask({ id, stop: "it was killed with palimpsest tasks kill" }, context.signal);
      return {
        json: { sessionId: stored.sessionId, task: taskJson(task), killedProcesses: 0 },
        out: [`Task ${id} is ${endWords(task.status, task.end)}.`],
      };
    }
    const killedProcesses = await stored.sweep(found);
    const left = `${formatQuantity(killedProcesses, "process", "processes")} that ${killedProcesses === 1 ? "was" : "were"} left of it`;
    return {
      json: { sessionId: stored.sessionId, task: taskJson(found), killedProcesses },
      out: [
        showOnOneLine(
          `Task ${id} was interrupted; ${killedProcesses === 0 ? "nothing was left of it" : `killed ${left}`}.`,
        ),
      ],
    };
  },
);

const clean = sessionCommand(
  {
    name: "clean",
    description: "move outputs of ended background tasks to the trash",
    args: { "[session]": "id, the beginning of one, or a title (default: the latest sessions)" },
    examples: ["tasks clean", "tasks clean 3f2a91c0"],
    notes: [
      "Never the output of a task that runs. sessions clean deletes them, when they were in the trash for as",
      "long as a session would be: 30 days, unless the settings say otherwise.",
    ],
  },
  async ({ place }: PlaceCall, which: string | undefined) => {
    const moved: { sessionId: string; task: string; bytes: number; path: string }[] = [];
    for (const { sessionId, tasks } of await tasksIn(place, which)) {
      const { project } = await place.find(sessionId);
      for (const { id, status, outputBytes, outputPath } of tasks) {
        if (status === "running" || outputPath === undefined) continue;
        const name = `${sessionId}.${id}.${systemClock.nowMs()}.log`;
        const path = moveOutput(outputPath, outputsIn(trashOf(project)), name);
        if (path !== undefined) moved.push({ sessionId, task: id, bytes: outputBytes, path });
      }
    }
    const bytes = moved.reduce((sum, one) => sum + one.bytes, 0);
    const out = `${formatQuantity(moved.length, "output")} (${formatBytes(bytes)}) went to the trash.`;
    return { json: { moved }, out: [out] };
  },
);

/** Moves an output; `undefined` where there is none. A task may have put a link in its place: none is followed. */
function moveOutput(output: string, folder: string, name: string): string | undefined {
  const isPlain = lstatSync(output, { throwIfNoEntry: false })?.isFile() === true;
  if (!isPlain || !lstatSync(dirname(output)).isDirectory()) return undefined;
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  renameSync(output, path);
  return path;
}

export const CHANGE_TASK_COMMANDS = { input, kill, clean };
