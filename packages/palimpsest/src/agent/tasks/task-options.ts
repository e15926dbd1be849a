/**
 * The tasks of a session for its host: options, what is known of a task, and what can be done with it.
 */
import type { JsonValue } from "../../base/json/json.ts";
import { anyString, flag, number, type OptionRules } from "../../base/options/check-options.ts";
import type { IdSource, ProcessIdentity, Timer } from "../../ports/runtime.ts";
import type { HttpFetch, TaskFiles, TaskProcesses } from "../../ports/tasks.ts";
import type { Session } from "../../session/session.ts";
import type { TaskState } from "../../tasks/fold-tasks.ts";
import type { Silence } from "../../tasks/silence.ts";
import type { TaskKindName, TaskOutcome } from "../../tasks/task-record.ts";
import { taskUsage } from "../../tasks/task-spent.ts";
import type { Usage } from "../../transcript/blocks.ts";
import type { DreamSessions } from "../memory/consolidation/run-dream.ts";
import type { AgentTool } from "../options/turn/turn-options.ts";
import type { AgentDefinition } from "./local-agent/agent-task.ts";
import type { McpServer } from "./mcp-monitor/mcp-monitor-task.ts";
import type { RemoteWorker } from "./remote-agent/remote-client.ts";
import type { ShellOptions } from "./shell/shell-task.ts";
import type { TaskLimits } from "./task-run.ts";

/** Options of starting a task. */
export interface StartTaskOptions {
  /** One line for people and for the model. @defaultValue made from the input */
  readonly title?: string;
  /** The task is stopped after this long, in milliseconds. @defaultValue none */
  readonly timeoutMs?: number;
  /** Names the request: where a task of this session was started with the same key, that one is returned, also after a crash. */
  readonly key?: string;
  /**
   * True if the caller waits for its end and reports it itself: the agent gets no notices of this task until
   * `background(id)` is called. If its process dies, the agent gets one. @defaultValue false
   */
  readonly isAwaited?: boolean;
}

/** @internal */
export const START_RULES: OptionRules<StartTaskOptions> = {
  title: anyString,
  timeoutMs: number,
  key: anyString,
  isAwaited: flag,
};

/** What is known of a task. */
export interface TaskInfo {
  readonly id: string;
  readonly kind: TaskKindName;
  readonly title: string;
  /** The key that it was started with. */
  readonly key?: string;
  /** `interrupted`: the process that ran it died, and nothing of it is left. */
  readonly status: "running" | TaskOutcome;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly outputBytes: number;
  /** Where its output lies; absent where nothing is written to the disk. */
  readonly outputPath?: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly reason?: string;
  /** Its report in words, for kinds that have one. */
  readonly result?: string;
  /** What its model calls used. */
  readonly usage?: Usage;
  /** State of a running task in words: the step of a workflow, the servers of a monitor. */
  readonly detail?: string;
  /**
   * Of a running task that has written nothing for a while: `quiet`, or `waiting` where its output ends in a prompt.
   * `cpuMs` is the processor time that it used meanwhile.
   */
  readonly silence?: {
    readonly state: "quiet" | "waiting";
    readonly silentMs: number;
    readonly cpuMs?: number;
    readonly lastText?: string;
    readonly pattern?: string;
  };
}

/** A task as its journal and the look at it describe it. */
export function taskInfo(
  task: TaskState,
  now: Pick<TaskInfo, "status" | "outputBytes" | "outputPath" | "detail"> & {
    readonly silence: Silence | undefined;
  },
): TaskInfo {
  const { id, kind, title, key, startedAt, endedAt, end } = task;
  const { status, outputBytes, outputPath, silence, detail } = now;
  return {
    id,
    kind,
    title,
    key,
    status,
    startedAt,
    endedAt,
    outputBytes,
    outputPath,
    exitCode: end?.exitCode,
    signal: end?.signal,
    reason: end?.reason,
    result: end?.result,
    usage: taskUsage(task),
    detail,
    silence: silence === undefined || silence.state === "active" ? undefined : silence,
  };
}

/** A piece of a task's output, as text. */
export interface TaskText {
  /** Finished lines. */
  readonly text: string;
  /** The last line as far as it is written, such as a prompt; the next piece begins with it. */
  readonly pending: string;
  /** Where to read on, in bytes. */
  readonly nextOffset: number;
  /** True if the task has ended and nothing is left to read. */
  readonly isEnd: boolean;
}

/** The background tasks of a session. Get them from `session.tasks`. */
export interface Tasks {
  /**
   * Starts a task; resolves once it runs.
   * @throws `TaskError` `TASK_INVALID` where the input does not fit, `TASK_REFUSED` where this kind cannot be run here
   * or too many run already
   */
  start(kind: TaskKindName, input: JsonValue, options?: StartTaskOptions): Promise<TaskInfo>;
  /** Starts a task again that was interrupted or stopped; a workflow goes on after its last finished step. @throws `TaskError` */
  resume(id: string): Promise<TaskInfo>;
  /** All tasks, in the order in which they were started. */
  list(): readonly TaskInfo[];
  /** @throws `TaskError` `TASK_NOT_FOUND` */
  get(id: string): TaskInfo;
  /** Reads the output from a byte on: whole characters, terminal escapes left out. @throws `TaskError` `TASK_NOT_FOUND` */
  read(id: string, options?: { readonly offset?: number; readonly maxBytes?: number }): TaskText;
  /** Reads the output as it grows, until the task has ended. */
  follow(
    id: string,
    options?: { readonly offset?: number; readonly signal?: AbortSignal },
  ): AsyncIterable<TaskText>;
  /**
   * Sends text: to a shell's standard input, to an agent. An agent has it in its mailbox then, and reads it once, also
   * if it is interrupted before and resumed. With a key, sending it again has no effect once an agent has it.
   * @throws `TaskError` `TASK_ENDED`, `TASK_REFUSED`
   */
  input(id: string, text: string, options?: { readonly key?: string }): Promise<void>;
  /** Ends a task; resolves when nothing of it is left. One that has ended stays as it is. @throws `TaskError` `TASK_NOT_FOUND` */
  stop(id: string, reason?: string): Promise<TaskInfo>;
  /** Lets go of a task that was awaited: from now on the agent gets its notices. @throws `TaskError` `TASK_NOT_FOUND` */
  background(id: string): void;
  /** Resolves when the task has ended. @throws `ABORTED` */
  wait(id: string, options?: { readonly signal?: AbortSignal }): Promise<TaskInfo>;
  /** What the model calls of all tasks used together, those before a restart included; absent where none was reported. */
  readonly usage: Usage | undefined;
  /** Number of notices that the agent has not had yet; it gets them before its next call. */
  readonly pendingCount: number;
  /** Resolves when a task begins, says something, waits or ends. */
  changed(): Promise<void>;
  /** Tools by which a model starts tasks and looks after them; pass them to a turn. No model has them by itself. */
  tools(): readonly AgentTool[];
}

/** What the host gives the tasks of its sessions. */
export interface TaskWorld {
  /** Absent where no processes can be started. */
  readonly processes?: TaskProcesses;
  /** Absent where no requests can be sent. */
  readonly fetch?: HttpFetch;
  readonly identity: ProcessIdentity;
  readonly timer: Timer;
  readonly ids: IdSource;
  /** Opens sessions for agents, beside those of their parents. Absent where there are none. */
  readonly agentSessions?: AgentSessions;
  /** The sessions that a dream reads. */
  readonly dreamSessions?: DreamSessions;
  /** Keeps the tasks of a session whose store keeps none, for as long as it is open. */
  readonly filesInMemory: () => TaskFiles;
}

/** Sessions for agents that work for another one. */
export interface AgentSessions {
  create(about: AboutAgent): Promise<Session>;
  open(sessionId: string, about: AboutAgent): Promise<Session>;
}

/** The task of an agent whose session is opened. */
export interface AboutAgent {
  readonly parent: Session;
  readonly taskId: string;
}

/** The same for one session. */
export type TaskPorts = Omit<TaskWorld, "filesInMemory" | "agentSessions"> & { readonly files: TaskFiles };

/** Options of the background tasks of a session. */
export interface TasksOptions {
  /** Where shell commands run, or `off`. @defaultValue in the folder of this process */
  readonly shell?: ShellOptions | "off";
  /** Agents that tasks can run, on their own or as teammates, by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>>;
  /** MCP servers that can be watched, by name. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
  /** Agents on other machines, each served by `palimpsest worker`, by name. */
  readonly workers?: Readonly<Record<string, RemoteWorker>>;
  /** Limits that are to be others than `outputBytes`, `sessionOutputBytes`, `freeDiskBytes` and `runningCount`. */
  readonly limits?: Partial<TaskLimits>;
}
