/**
 * The journal of a session's tasks, and what it folds to.
 */
import type { ProcessIdentity } from "../../ports/runtime.ts";
import type { TaskFiles } from "../../ports/tasks.ts";
import { foldTasks, isReported, type TaskFold, type TaskState } from "../../tasks/fold-tasks.ts";
import type { EndRecord, NoticeRecord, TaskRecord } from "../../tasks/task-record.ts";

export class TaskJournal {
  readonly #files: TaskFiles;
  readonly #identity: ProcessIdentity;
  readonly #fold: TaskFold;
  /** Records that could not be written yet. */
  readonly #unwritten: string[] = [];

  constructor(files: TaskFiles, identity: ProcessIdentity) {
    this.#files = files;
    this.#identity = identity;
    this.#fold = foldTasks(files.readJournal().lines);
  }

  /** All tasks, in the order in which they were started first. */
  get tasks(): readonly TaskState[] {
    return [...this.#fold.tasks.values()];
  }

  find(id: string): TaskState | undefined {
    return this.#fold.tasks.get(id);
  }

  /** True if the process that ran the task died, and the journal does not say so yet. */
  isLeft({ status, owner }: TaskState, isRunningHere: boolean): boolean {
    if (status !== "running" || isRunningHere) return false;
    const { pid, startedAt, space, isAlive } = this.#identity;
    if (owner.space !== space || (owner.pid === pid && owner.startedAt === startedAt)) return true;
    return !isAlive(owner.pid, owner.startedAt);
  }

  statusOf(task: TaskState, isRunningHere: boolean): TaskState["status"] {
    return this.isLeft(task, isRunningHere) ? "interrupted" : task.status;
  }

  newId(): string {
    return this.#fold.nextTaskId;
  }

  /** The number of the next notice: above all that were delivered, even if the journal was lost. */
  nextNotice(deliveredNo: number): number {
    return Math.max(this.#fold.nextNoticeNo, deliveredNo + 1);
  }

  /** The notices after the one of this number, in order, without those of tasks that their callers report. */
  noticesAfter(no: number): readonly (NoticeRecord | EndRecord)[] {
    const isForAgent = ({ id }: NoticeRecord | EndRecord): boolean => {
      const task = this.find(id);
      return task === undefined || isReported(task);
    };
    return this.#fold.noticesAfter(no).filter(isForAgent);
  }

  /**
   * Makes everything durable, before the session's log says that the agent has had it: an end that was delivered and
   * then lost would be delivered again, as an interruption. @throws `StoreError`
   */
  async sync(): Promise<void> {
    this.#flush();
    await this.#files.syncJournal();
  }

  /** Appends a record. @throws the platform's error where it cannot be written */
  append(record: TaskRecord): void {
    this.#flush();
    this.#files.appendJournal(JSON.stringify(record));
    this.#fold.add(record);
  }

  /** Appends a record of something that has happened: where it cannot be written now, it is tried again. */
  appendSurely(record: TaskRecord): void {
    this.#fold.add(record);
    this.#unwritten.push(JSON.stringify(record));
    this.retry();
  }

  /** Writes what could not be written before. */
  retry(): void {
    try {
      this.#flush();
    } catch {
      // The disk may have room later. Without it, the task counts as interrupted when the session is opened again.
    }
  }

  #flush(): void {
    for (let line = this.#unwritten[0]; line !== undefined; line = this.#unwritten[0]) {
      this.#files.appendJournal(line);
      this.#unwritten.shift();
    }
  }
}
