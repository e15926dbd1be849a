/**
 * `local_bash`: a shell command on this machine, in a separate process group.
 *
 * Its standard input is closed unless it is asked for, so that a command that would wait for an answer ends instead.
 */
import { TaskError } from "../../../base/errors.ts";
import { asString, isObject, type JsonObject } from "../../../base/json/json.ts";
import type { ProcessEnd, TaskProcesses } from "../../../ports/tasks.ts";
import type { TaskEnd } from "../../../tasks/task-record.ts";
import type { TaskKind } from "../kind/task-kind.ts";

/** Where shell commands run. */
export interface ShellOptions {
  /** @defaultValue the folder of this process */
  readonly folder?: string;
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

interface ShellInput extends JsonObject {
  readonly command: string;
  readonly folder?: string;
  readonly stdin?: "closed" | "open";
  /** Text for its standard input, which is closed after it; a workflow passes it. */
  readonly given?: string;
}

/** A command that was asked to end is killed after this long. Source: our choice: a group is to be dead within two seconds. */
const STOP_GRACE_MS = 1_000;

/** Runs shell commands. */
export function shellTasks(
  processes: TaskProcesses,
  newToken: () => string,
  options: ShellOptions = {},
): TaskKind<ShellInput> {
  return {
    kind: "local_bash",
    description: "a shell command",
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", description: "The command line." },
        folder: { type: "string", description: "The folder to run it in." },
        stdin: {
          enum: ["closed", "open"],
          description: "`open` if you will send it input; otherwise reading from it ends at once.",
        },
      },
      required: ["command"],
    },
    programFields: ["given"],
    check: (input) => {
      const command = isObject(input) ? asString(input["command"]) : undefined;
      const { folder, stdin, given } = isObject(input) ? input : {};
      const isFit =
        command !== undefined &&
        command.trim() !== "" &&
        (folder === undefined || typeof folder === "string") &&
        (stdin === undefined || stdin === "closed" || stdin === "open") &&
        (given === undefined || typeof given === "string");
      if (isFit) return { command, folder, stdin, given } as ShellInput;
      throw new TaskError("TASK_INVALID", {
        message: "The input of a shell command does not fit.",
        hint: 'Pass { command: "npm test" }, and where needed `folder` and `stdin: "open"`.',
      });
    },
    title: ({ command }) => command,
    start: ({ command, folder = options.folder, stdin, given }, run) => {
      const process = processes.start({
        command,
        folder,
        env: options.env,
        stdin,
        given,
        token: newToken(),
        onOutput: (bytes) => run.write(bytes),
      });
      const stop = (): Promise<void> => process.stop(STOP_GRACE_MS);
      try {
        run.record({ process: { ...process.mark } });
      } catch (error) {
        // It could not be found again after a crash.
        return { ended: stop().then(() => Promise.reject(error)), stop };
      }
      return {
        ended: process.ended.then(shellEnd),
        input: stdin === "open" ? (text) => process.write(text) : undefined,
        stop,
        cpuMs: () => process.cpuMs(),
        mayPrompt: true,
      };
    },
  };
}

function shellEnd({ exitCode, signal, error }: ProcessEnd): TaskEnd {
  if (error !== undefined) return { outcome: "failed", reason: error };
  return { outcome: exitCode === 0 ? "done" : "failed", exitCode, signal };
}
