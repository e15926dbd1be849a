/**
 * `palimpsest tasks input` and `kill`: they ask the process that runs the task, and wait for its answer.
 */
import { showOnOneLine } from "palimpsest/internal";
import { type PlaceCall, type PlaceFlags, sessionCommand } from "../stored-sessions/session-place.ts";
import { formatQuantity } from "../terminal/figures.ts";
import { endWords, TASK_ARGUMENTS, taskJson } from "./read-tasks-commands.ts";
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

export const CHANGE_TASK_COMMANDS = { input, kill };
