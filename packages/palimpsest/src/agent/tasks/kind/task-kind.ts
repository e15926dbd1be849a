/**
 * A kind of task: what a folder of this room implements, and a row of the registry names.
 */
import { TaskError } from "../../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../base/json/json.ts";
import { nearestName } from "../../../base/options/check-options.ts";
import { shorten } from "../../../base/text/text.ts";
import type { NoticeRecord, TaskEnd, TaskKindName } from "../../../tasks/task-record.ts";

/** One kind of background work. */
export interface TaskKind<Input extends JsonObject = JsonObject> {
  readonly kind: TaskKindName;
  /** What it does and the input that it takes, for the model that starts it. */
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: JsonObject;
  /** Fields of the input that a program may pass, beside those that models know by the schema. */
  readonly programFields?: readonly string[];
  /** @throws `TaskError` `TASK_INVALID` that says what to give instead */
  check(input: JsonValue): Input;
  /** One line for people and for the model. */
  title(input: Input): string;
  /** Starts it. What it throws is the end of the task. */
  start(input: Input, run: TaskRun): RunningTask;
}

/**
 * Checks the names of an input from outside, for which the kind's own check would have no use.
 * @throws `TaskError` `TASK_INVALID` for a field that the kind does not know
 */
export function checkInputNames({ kind, inputSchema, programFields = [] }: TaskKind, input: JsonValue): void {
  const { properties } = inputSchema;
  if (!isObject(input) || !isObject(properties)) return;
  const names = [...Object.keys(properties), ...programFields];
  const unknown = Object.keys(input).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, names);
  throw new TaskError("TASK_INVALID", {
    message: `The input of ${kind} has no field \`${shorten(unknown, SHOWN_CHARS)}\`.`,
    hint: `${nearest === undefined ? "" : `Did you mean \`${nearest}\`? `}Its fields are ${names.join(", ")}.`,
  });
}

/** Characters of an unknown name that are shown. Our choice. */
const SHOWN_CHARS = 60;

/** What a running task may do. */
export interface TaskRun {
  readonly taskId: string;
  /** Aborted when the task is stopped, when its time is up, and when the session closes. */
  readonly signal: AbortSignal;
  /** Appends to the output. At a limit the rest is dropped, and the task is stopped. */
  write(output: string | Uint8Array): void;
  /** Keeps something for the time after a crash. It is durable like the journal. */
  record(facts: JsonObject): void;
  /** Earlier records of the task; empty unless it is resumed. */
  readonly earlier: readonly JsonObject[];
  /** Size of the output where an earlier run left it, in bytes; 0 unless it is resumed. */
  readonly earlierBytes: number;
  /** Size of the output now, in bytes. */
  outputBytes(): number;
  /** Notifies the agent, once. */
  notify(what: NoticeRecord["what"], text: string): void;
}

/** A task that runs. */
export interface RunningTask {
  /** Resolves when nothing of it is left. A rejection is a failure with the error's message. */
  readonly ended: Promise<TaskEnd>;
  /** Text for it: to a shell's standard input, to an agent's mailbox. Absent where it takes none. `key` names the request. */
  input?(text: string, key: string | undefined): Promise<void>;
  /** Ends it, kindly first. Resolves when nothing of it is left. */
  stop(): Promise<void>;
  /** Its state in words, beyond that it runs. */
  detail?(): string;
  /** Processor time that it has used, in milliseconds. */
  cpuMs?(): number | undefined;
  /** True if silence may mean that it waits at a prompt. @defaultValue false */
  readonly mayPrompt?: boolean;
}
