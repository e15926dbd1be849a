/**
 * The background tasks of a stored session, beside the process that runs them: that one alone writes the journal, so
 * this reads, and asks it for the rest. Reading takes no lease.
 */
import { setTimeout as delay } from "node:timers/promises";
import { nodeProcess, randomIds } from "palimpsest";
import {
  answerTo,
  foldTasks,
  LINE_LIMIT_BYTES,
  NodeTaskProcesses,
  processMarks,
  readIncrement,
  statusOf,
  TaskError,
  type TaskFiles,
  type TaskRequest,
  type TaskState,
} from "palimpsest/internal";
import { withLog } from "../stored-sessions/read-session.ts";
import type { SessionPlace } from "../stored-sessions/session-place.ts";

/** A task, with its state now. */
export interface StoredTask extends TaskState {
  readonly outputBytes: number;
  readonly outputPath: string | undefined;
}

/** A piece of an output, without terminal escapes. */
interface TaskPiece {
  /** Finished lines. */
  readonly text: string;
  /** The last line so far; the next piece begins with it again. */
  readonly pending: string;
  readonly nextOffset: number;
}

/** The owner looks for requests every second. It may be in the middle of something. */
const PATIENCE_MS = 15_000;
/** Below what a person notices. */
const LOOK_MS = 200;
/** Read at a time. */
const READ_BYTES = 65_536;

/** Waits; ends early when the command is stopped. Tests pass their own. */
type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

const sleepReally: Sleep = (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined);

export class StoredTasks {
  readonly sessionId: string;
  readonly #files: TaskFiles | undefined;
  /** True while a process has the session open. */
  readonly #isInUse: () => Promise<boolean>;
  readonly #sleep: Sleep;

  constructor(
    sessionId: string,
    files: TaskFiles | undefined,
    isInUse: () => Promise<boolean>,
    sleep: Sleep = sleepReally,
  ) {
    this.sessionId = sessionId;
    this.#files = files;
    this.#isInUse = isInUse;
    this.#sleep = sleep;
  }

  /** The tasks of the session that `which` names. */
  static open(place: SessionPlace, which: string): Promise<StoredTasks> {
    return withLog(place, which, async ({ info: { sessionId }, project, log }) => {
      const store = place.storeOf(project);
      const isInUse = async () => (await store.find(sessionId)).isInUse;
      return new StoredTasks(sessionId, log.tasks, isInUse);
    });
  }

  /** All tasks, in the order in which they were started. */
  async list(): Promise<readonly StoredTask[]> {
    const files = this.#files;
    if (files?.hasJournal() !== true) return [];
    const states = [...foldTasks(files.readJournal().lines).tasks.values()];
    // Only the machine that runs a task can tell if its process is alive; for the others, the lease does.
    const isElsewhere = states.some(
      ({ status, owner }) => status === "running" && owner.space !== nodeProcess.space,
    );
    const isInUse = isElsewhere && (await this.#isInUse());
    return states.map((state) => ({
      ...state,
      status: statusOf(state, ({ space, pid, startedAt }) =>
        space === nodeProcess.space ? nodeProcess.isAlive(pid, startedAt) : isInUse,
      ),
      outputBytes: files.outputBytes(state.id),
      outputPath: files.outputPath(state.id),
    }));
  }

  /** @throws `TaskError` `TASK_NOT_FOUND` */
  async get(id: string): Promise<StoredTask> {
    const task = (await this.list()).find((one) => one.id === id);
    if (task !== undefined) return task;
    throw new TaskError("TASK_NOT_FOUND", {
      message: `There is no task ${JSON.stringify(id)} in session ${this.sessionId}.`,
      hint: `palimpsest tasks list ${this.sessionId} has those that there are.`,
    });
  }

  /** Reads the output from a byte on. `isEnd`: nothing will be added to what is there. */
  read(id: string, { offset, isEnd }: { readonly offset: number; readonly isEnd: boolean }): TaskPiece {
    const bytes = this.#files?.readOutput(id, offset, READ_BYTES) ?? new Uint8Array(0);
    const isLast = isEnd && offset + bytes.length >= (this.#files?.outputBytes(id) ?? 0);
    return readIncrement(bytes, { offset, isEnd: isLast });
  }

  /** The beginning of the last lines, about `bytes` before the end. */
  lastLines(id: string, bytes: number): number {
    const from = Math.max(0, (this.#files?.outputBytes(id) ?? 0) - Math.max(bytes, LINE_LIMIT_BYTES));
    if (from === 0) return 0;
    return from + (this.#files?.readOutput(id, from, bytes).indexOf(0x0a) ?? -1) + 1;
  }

  /** Reads the output as it grows, until the task has ended or the command is stopped. */
  async *follow(id: string, offset: number, signal: AbortSignal): AsyncGenerator<TaskPiece> {
    let at = offset;
    let pending = "";
    while (!signal.aborted) {
      // The state before the output: an end comes after the last byte.
      const isEnd = (await this.get(id)).status !== "running";
      let isMore = true;
      while (isMore && !signal.aborted) {
        const piece = this.read(id, { offset: at, isEnd });
        isMore = piece.nextOffset > at;
        if (piece.text !== "" || piece.pending !== pending) yield piece;
        at = piece.nextOffset;
        pending = piece.pending;
      }
      if (isEnd) return;
      await this.#sleep(LOOK_MS, signal);
    }
  }

  /**
   * Asks the process that runs a task for something, and waits until it did it or refused.
   * @throws `TaskError` `TASK_REFUSED` where it refuses or does not answer, `TASK_ENDED` where the task has ended
   */
  async ask(asked: Omit<TaskRequest, "request">, signal: AbortSignal): Promise<StoredTask> {
    const { id } = asked;
    const { owner } = await this.#running(id);
    const request = randomIds.entryId();
    this.#files?.appendInbox(JSON.stringify({ ...asked, request }));
    for (let waited = 0; waited < PATIENCE_MS && !signal.aborted; waited += LOOK_MS) {
      const task = await this.get(id);
      const answer = answerTo(request, task);
      if (answer?.refusal !== undefined) throw refused(answer.refusal);
      if (answer !== undefined || (asked.stop !== undefined && task.status !== "running")) return task;
      if (task.status !== "running") throw ended(task);
      await this.#sleep(LOOK_MS, signal);
    }
    throw new TaskError("TASK_REFUSED", {
      message: `Process ${owner.pid} on ${owner.host}, which runs task ${id}, has not answered.`,
      hint: "The request stays: it is done when that process goes on. Look with palimpsest tasks show.",
    });
  }

  /** Kills what a dead process left of a task; resolves with how many processes that were. */
  async sweep(task: StoredTask): Promise<number> {
    const processes = new NodeTaskProcesses(nodeProcess);
    let killed = 0;
    for (const mark of processMarks(task)) killed += await processes.sweep(mark);
    return killed;
  }

  async #running(id: string): Promise<StoredTask> {
    const task = await this.get(id);
    if (task.status === "running") return task;
    throw ended(task);
  }
}

function ended({ id, status }: StoredTask): TaskError {
  return new TaskError("TASK_ENDED", {
    message: `Task ${id} does not run: it is ${status}.`,
    hint: "palimpsest tasks tail shows its output.",
  });
}

function refused(refusal: string): TaskError {
  return new TaskError("TASK_REFUSED", {
    message: refusal,
    hint: "palimpsest tasks show has what is known of the task.",
  });
}
