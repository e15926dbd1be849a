/**
 * `shell`: a command in the workspace. Every command is a task of the session: one that takes long goes on in the
 * background, one whose process dies is found again, and nothing that it started outlives it.
 */
import { type AgentTool, tool } from "palimpsest";
import { headAndTail } from "../base/values.ts";
import { orFailed, type Tasks, type ToolContext, type ToolWorld } from "./tool-world.ts";

/** A command that takes longer goes on in the background, in seconds. Source: Claude Code. */
const USUAL_SECONDS = 120;
const MOST_SECONDS = 600;
/** Output in a result, in characters; the rest is in the task's file. Source: Claude Code. */
const RESULT_CHARACTERS = 30_000;
const PIECE_BYTES = 60_000;

/** The clock of `shell`, for tests. */
interface ShellWaits {
  /** Resolves after this long, or when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The tool `shell`. */
export function shellTool(world: ToolWorld, waits: ShellWaits = { sleep: sleepFor }): AgentTool {
  return tool({
    name: "shell",
    description:
      "Runs a command in the workspace's folder and returns its output. After `seconds` (120) it goes on in the background: a message says when it ends or waits for input; do not poll. Start servers and other long work with `background`. Read files with read, search with grep and glob.",
    input: {
      type: "object",
      properties: {
        command: { type: "string", description: "The command line, for sh." },
        description: {
          type: "string",
          description: "What it does, in a few words, for the person who watches.",
        },
        seconds: { type: "number", description: "How long to wait for its end; at most 600." },
        background: { type: "boolean", description: "True to go on at once." },
        stdin: { enum: ["closed", "open"], description: "`open` if you will send it input with task_input." },
      },
      required: ["command"],
      additionalProperties: false,
    } as const,
    timeoutMs: Number.POSITIVE_INFINITY,
    approve: (input, context) =>
      world.decide(
        { tool: "shell", risk: "run", command: input.command, what: `run ${input.command}` },
        input,
        context,
      ),
    execute: ({ command, description, seconds = USUAL_SECONDS, background = false, stdin }, context) =>
      orFailed(async () => {
        const tasks = world.tasks();
        const input = { command, folder: world.workspace.root, ...(stdin === undefined ? {} : { stdin }) };
        // Aborted between the decision and the start: nothing is started.
        context.signal.throwIfAborted();
        const { id, outputPath } = await tasks.start("local_bash", input, {
          title: description ?? command,
          isAwaited: !background,
        });
        if (background) return inBackground(id, outputPath, "Started");
        const limitMs = Math.min(MOST_SECONDS, Math.max(0, seconds)) * 1_000;
        await endOf(tasks, id, { limitMs, context, waits });
        return resultOf(tasks, id);
      }),
  });
}

/** Waits for the end of a task, for its time, or for the person's Ctrl-C, which ends the command. */
async function endOf(
  tasks: Tasks,
  id: string,
  {
    limitMs,
    context,
    waits,
  }: { readonly limitMs: number; readonly context: ToolContext; readonly waits: ShellWaits },
): Promise<void> {
  const over = new AbortController();
  const ended = tasks.wait(id).finally(() => over.abort());
  await Promise.race([ended, waits.sleep(limitMs, AbortSignal.any([over.signal, context.signal]))]);
  if (tasks.get(id).status !== "running") return void (await ended);
  if (!context.signal.aborted) return tasks.background(id);
  await tasks.stop(id, "the turn was stopped");
}

function resultOf(tasks: Tasks, id: string) {
  const { status, exitCode, signal, reason, outputBytes, outputPath } = tasks.get(id);
  const text = outputOf(tasks, id, outputBytes);
  const rest =
    outputBytes > RESULT_CHARACTERS && outputPath !== undefined ? `\n[All of the output: ${outputPath}]` : "";
  if (status === "running")
    return `${inBackground(id, outputPath, "It still runs, and goes on in the background as")}\nIts output so far:\n${text}`;
  const end =
    status === "done"
      ? ""
      : `\n[${exitCode === undefined ? `It ended: ${signal ?? reason ?? status}` : `exit code ${exitCode}`}]`;
  const content = `${text === "" ? "(no output)" : text}${rest}${end}`;
  return { content, isError: status !== "done" };
}

function inBackground(id: string, outputPath: string | undefined, words: string): string {
  const where = outputPath === undefined ? "" : ` Its output goes to ${outputPath}.`;
  return `${words} ${id}.${where} A message says when it ends or waits for input.`;
}

/** The output, or its beginning and its end. It has no terminal escapes. */
function outputOf(tasks: Tasks, id: string, bytes: number): string {
  const first = tasks.read(id, { offset: 0, maxBytes: PIECE_BYTES });
  const head = `${first.text}${first.pending}`;
  if (bytes <= PIECE_BYTES) return headAndTail(head.trimEnd(), RESULT_CHARACTERS);
  const last = tasks.read(id, {
    offset: Math.max(first.nextOffset, bytes - PIECE_BYTES),
    maxBytes: PIECE_BYTES,
  });
  const half = RESULT_CHARACTERS / 2;
  return `${head.slice(0, half)}\n\n[${bytes} bytes in all; the middle is left out]\n\n${`${last.text}${last.pending}`.trimEnd().slice(-half)}`;
}

function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal.aborted) done();
    else signal.addEventListener("abort", done, { once: true });
  });
}
