/**
 * The journal of a session's tasks: one record a line, never changed once it is written.
 *
 * Folding the records gives the state of every task. Notices for the agent are numbered through the journal; the
 * session's log has the number of the last one delivered. So each reaches the agent once, even if a process dies in
 * between.
 */
import type { JsonObject } from "../base/json/json.ts";
import type { Usage } from "../transcript/blocks.ts";

/** The kinds of tasks. */
export const TASK_KINDS = [
  "local_bash",
  "local_agent",
  "remote_agent",
  "in_process_teammate",
  "local_workflow",
  "monitor_mcp",
  "dream",
] as const;

/** One of {@link TASK_KINDS}. */
export type TaskKindName = (typeof TASK_KINDS)[number];

/** The process that runs a task. */
export interface TaskOwner {
  readonly pid: number;
  readonly startedAt?: string;
  readonly space: string;
  readonly host: string;
}

/** How a task ended: by itself, well or not; because a request or a limit stopped it; or with the process that ran it. */
export type TaskOutcome = "done" | "failed" | "stopped" | "interrupted";

/** The end of a task. */
export interface TaskEnd {
  readonly outcome: TaskOutcome;
  /** Its result in words, for kinds that have one. */
  readonly result?: string;
  readonly exitCode?: number;
  readonly signal?: string;
  /** Why it failed, or was stopped. */
  readonly reason?: string;
  /** What its model calls used. */
  readonly usage?: Usage;
  /** Number and cost of these calls; see `spentFields`. */
  readonly spent?: JsonObject;
}

interface RecordBase {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A task begins, or goes on after it was interrupted. */
export interface StartRecord extends RecordBase {
  readonly type: "start";
  readonly kind: TaskKindName;
  readonly title: string;
  /** Its input, checked by its kind. */
  readonly input: JsonObject;
  readonly owner: TaskOwner;
  /** The request that it was started by; see `StartTaskOptions`. */
  readonly key?: string;
  /** How long it may take, in milliseconds, from each start on. */
  readonly timeoutMs?: number;
  /** True if its caller waits for it and reports its end; facts with `isAwaited: false` end that. */
  readonly isAwaited?: boolean;
}

/** Something that its kind has to know after a crash: the mark of a process, a finished step, the id of a session. */
interface FactsRecord extends RecordBase {
  readonly type: "facts";
  readonly facts: JsonObject;
}

/** A notice for the agent while the task runs. */
export interface NoticeRecord extends RecordBase {
  readonly type: "notice";
  readonly no: number;
  /** `waiting`: it waits for input. `message`: it says something itself. `state`: something changed, such as a server that is down. */
  readonly what: "waiting" | "message" | "state";
  readonly text: string;
}

/** A task has ended; this is a notice, too. */
export interface EndRecord extends RecordBase, TaskEnd {
  readonly type: "end";
  readonly no: number;
  readonly outputBytes: number;
}

/** A line of the journal. */
export type TaskRecord = StartRecord | FactsRecord | NoticeRecord | EndRecord;
