/**
 * The background tasks of one session: starts them, keeps their journal, looks at them while they run, and has the
 * notices for the agent.
 *
 * DESIGN. The journal is the truth, as the log is for the conversation; this folds it and appends to it. A task whose
 * process died is found when the session is opened: its remaining processes are killed, and the journal says that it
 * was interrupted. One timer runs while tasks do; nothing waits on it.
 */
import { TASK_DEFAULTS } from "../../base/defaults/tasks.ts";
import { errorMessage } from "../../base/errors.ts";
import type { JsonObject, JsonValue } from "../../base/json/json.ts";
import { stopIfAborted } from "../../base/stop-if-aborted.ts";
import type { Deadline } from "../../ports/runtime.ts";
import { type TaskState, taskUsage } from "../../tasks/fold-tasks.ts";
import { LINE_LIMIT_BYTES, readIncrement } from "../../tasks/output-text.ts";
import type { NoticeRecord, TaskEnd, TaskKindName, TaskOwner } from "../../tasks/task-record.ts";
import { processMarks, type TaskRequest } from "../../tasks/task-request.ts";
import { sumUsage, type Usage } from "../../transcript/blocks.ts";
import type { AgentTool } from "../options/turn/turn-options.ts";
import type { TaskKind } from "./kind/task-kind.ts";
import { TaskInbox } from "./task-inbox.ts";
import { TaskJournal } from "./task-journal.ts";
import {
  type StartTaskOptions,
  type TaskInfo,
  type TaskPorts,
  type Tasks,
  type TaskText,
  taskInfo,
} from "./task-options.ts";
import {
  closedToTasks,
  isNotRunningHere,
  isRunning,
  kindIsMissing,
  noSuchKind,
  noSuchTask,
  outputsFull,
  takesNoInput,
  tooManyRun,
} from "./task-refusals.ts";
import { TaskInProgress, type TaskLimits } from "./task-run.ts";
import { taskTools } from "./task-tools.ts";

/** What a session's tasks need. */
interface SessionTasksSetup {
  readonly ports: TaskPorts;
  /** The kinds that can be run here; for the others, why they cannot. */
  readonly kinds: ReadonlyMap<TaskKindName, TaskKind | { readonly missing: string }>;
  readonly limits?: Partial<TaskLimits> | undefined;
  /** The number of the last notice that the agent has had; the session's log has it. */
  readonly deliveredNo: number;
  readonly deadline: Deadline;
  readonly now: () => number;
  /** Receives errors of work that no caller waits for. */
  readonly onProblem: (error: unknown) => void;
  /** Told whenever a task begins, waits, says something or ends. */
  readonly onChange: (change: TaskChange) => void;
}

/** Something that happened to a task. */
interface TaskChange {
  readonly what: "started" | "waiting" | "message" | "state" | "ended";
  readonly task: TaskInfo;
}

/** An output is followed by looking this often. Source: our choice: below what a person notices. */
const FOLLOW_MS = 200;
/** The inbox is looked at this often while tasks run. Source: our choice: a person waits for the answer. */
const INBOX_MS = 1_000;

export class SessionTasks implements Tasks {
  readonly #setup: SessionTasksSetup;
  readonly #limits: TaskLimits;
  readonly #journal: TaskJournal;
  readonly #running = new Map<string, TaskInProgress>();
  readonly #written: { bytes: number };
  readonly #inbox: TaskInbox;
  /** The number of the last notice that the agent has had. */
  deliveredNo: number;
  #stopLooking: (() => void) | undefined;
  #isClosed = false;
  readonly #waiters = new Set<() => void>();

  constructor(setup: SessionTasksSetup) {
    this.#setup = setup;
    this.deliveredNo = setup.deliveredNo;
    this.#limits = { ...TASK_DEFAULTS, ...setup.limits };
    this.#journal = new TaskJournal(setup.ports.files, setup.ports.identity);
    this.#written = { bytes: setup.ports.files.totalBytes() };
    this.#inbox = new TaskInbox(setup.ports.files);
  }

  /** Finds tasks whose process died: kills what is left of them, and says so in the journal. */
  async recover(): Promise<void> {
    for (const task of this.#journal.tasks)
      if (this.#journal.isLeft(task, this.#running.has(task.id)))
        try {
          for (const mark of processMarks(task)) await this.#setup.ports.processes?.sweep(mark);
          this.#ended(task.id, { outcome: "interrupted", reason: "the process that ran it ended" });
        } catch (error) {
          this.#setup.onProblem(error);
        }
  }

  async start(
    kindName: TaskKindName,
    input: JsonValue,
    { title, timeoutMs }: StartTaskOptions = {},
  ): Promise<TaskInfo> {
    const kind = this.#kind(kindName);
    const checked = kind.check(input);
    return this.#run(this.#journal.newId(), kind, { input: checked, title, timeoutMs });
  }

  async resume(id: string): Promise<TaskInfo> {
    const { kind, input, status, title } = this.#state(id);
    if (status === "running") throw isRunning(id);
    const known = this.#kind(kind);
    return this.#run(id, known, { input: known.check(input), title });
  }

  list(): readonly TaskInfo[] {
    return this.#journal.tasks.map((task) => this.#info(task));
  }

  get(id: string): TaskInfo {
    return this.#info(this.#state(id));
  }

  read(
    id: string,
    {
      offset = 0,
      maxBytes = TASK_DEFAULTS.readBytes,
    }: { readonly offset?: number; readonly maxBytes?: number } = {},
  ): TaskText {
    const hasEnded = this.#journal.statusOf(this.#state(id), this.#running.has(id)) !== "running";
    const { files } = this.#setup.ports;
    const bytes = files.readOutput(id, offset, Math.max(maxBytes, LINE_LIMIT_BYTES));
    const isEnd = hasEnded && offset + bytes.length >= files.outputBytes(id);
    return { ...readIncrement(bytes, { offset, isEnd }), isEnd };
  }

  async *follow(
    id: string,
    { offset = 0, signal }: { readonly offset?: number; readonly signal?: AbortSignal } = {},
  ): AsyncIterable<TaskText> {
    let last: TaskText | undefined;
    for (let at = offset; signal?.aborted !== true; at = last.nextOffset) {
      const piece = this.read(id, { offset: at });
      const isNew = piece.text !== "" || piece.pending !== last?.pending || piece.isEnd;
      last = piece;
      if (isNew) yield piece;
      if (piece.isEnd) return;
      if (piece.nextOffset === at) await this.#sleep(FOLLOW_MS, signal);
    }
  }

  async input(id: string, text: string): Promise<void> {
    const task = this.#state(id);
    const running = this.#running.get(id);
    if (running === undefined) throw isNotRunningHere(task);
    if (!running.takesInput) throw takesNoInput(id);
    await running.input(text);
  }

  async stop(id: string, reason = "it was asked to stop"): Promise<TaskInfo> {
    this.#state(id);
    const running = this.#running.get(id);
    await running?.stop(reason);
    await running?.ended;
    return this.get(id);
  }

  async wait(id: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<TaskInfo> {
    this.#state(id);
    const running = this.#running.get(id);
    if (running !== undefined)
      await Promise.race([running.ended, ...(signal === undefined ? [] : [abortOf(signal)])]);
    stopIfAborted(signal, {
      what: "Waiting for the task",
      hint: "The task goes on; wait again when you like.",
    });
    return this.get(id);
  }

  get usage(): Usage | undefined {
    const usages = this.#journal.tasks.flatMap((task) => taskUsage(task) ?? []);
    return usages.length === 0 ? undefined : sumUsage(usages);
  }

  /** The kinds that can be run here. */
  #kinds(): readonly TaskKind[] {
    return [...this.#setup.kinds.values()].flatMap((kind) => ("missing" in kind ? [] : [kind]));
  }

  tools(): readonly AgentTool[] {
    return taskTools(this, { kinds: this.#kinds(), now: this.#setup.now });
  }

  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  get pendingCount(): number {
    return this.#journal.noticesAfter(this.deliveredNo).length;
  }

  /** The journal, for notices. */
  get journal(): TaskJournal {
    return this.#journal;
  }

  /** The session ends: so do its tasks. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    await Promise.all(
      running.map(async (task) => {
        await task.stop("the session was closed");
        await task.ended;
      }),
    );
    this.#stopLooking?.();
    if (running.length > 0) await this.#setup.ports.files.syncJournal();
  }

  async #run(
    id: string,
    kind: TaskKind,
    {
      input,
      title = kind.title(input),
      timeoutMs,
    }: {
      readonly input: JsonObject;
      readonly title: string | undefined;
      readonly timeoutMs?: number | undefined;
    },
  ): Promise<TaskInfo> {
    if (this.#isClosed) throw closedToTasks();
    const { runningCount, sessionOutputBytes } = this.#limits;
    if (this.#running.size >= runningCount) throw tooManyRun(this.#running.size);
    // Outputs may have been removed meanwhile.
    if (this.#written.bytes >= sessionOutputBytes) this.#written.bytes = this.#setup.ports.files.totalBytes();
    if (this.#written.bytes >= sessionOutputBytes) throw outputsFull(this.#written.bytes, sessionOutputBytes);
    const { files, identity } = this.#setup.ports;
    const { pid, startedAt, space, host } = identity;
    const owner: TaskOwner = { pid, startedAt, space, host };
    const earlier = this.#journal.find(id)?.facts ?? [];
    const at = this.#setup.now();
    this.#journal.append({ type: "start", id, at, kind: kind.kind, title, input, owner });
    const place = {
      files,
      limits: this.#limits,
      written: this.#written,
      deadline: this.#setup.deadline,
      now: this.#setup.now,
      // What cannot be recorded could not be found again after a crash: the kind gives up.
      record: (facts: JsonObject) =>
        this.#journal.append({ type: "facts", id, at: this.#setup.now(), facts }),
      notify: (what: NoticeRecord["what"], text: string) => this.#notify(id, what, text),
      waits: (silence: { readonly lastText: string }) => this.#notify(id, "waiting", silence.lastText),
      ended: (end: TaskEnd) => this.#ended(id, end),
    };
    let running: TaskInProgress;
    try {
      running = new TaskInProgress(id, place);
    } catch (error) {
      // Its output cannot be opened.
      this.#ended(id, { outcome: "failed", reason: errorMessage(error) });
      throw error;
    }
    this.#running.set(id, running);
    this.#stopLooking ??= this.#startLooking();
    this.#announce("started", id);
    running.start(kind, input, { earlier, timeoutMs });
    return this.get(id);
  }

  #ended(id: string, end: TaskEnd): void {
    this.#running.delete(id);
    const outputBytes = this.#outputBytes(id);
    const no = this.#journal.nextNotice(this.deliveredNo);
    this.#journal.appendSurely({ type: "end", id, at: this.#setup.now(), no, outputBytes, ...end });
    if (this.#running.size === 0) {
      this.#stopLooking?.();
      this.#stopLooking = undefined;
    }
    this.#announce("ended", id);
  }

  /** Its size does not decide whether a task may end, or be listed. */
  #outputBytes(id: string): number {
    try {
      return this.#setup.ports.files.outputBytes(id);
    } catch (error) {
      this.#setup.onProblem(error);
      return 0;
    }
  }

  #notify(id: string, what: "waiting" | "message" | "state", text: string): void {
    const no = this.#journal.nextNotice(this.deliveredNo);
    this.#journal.appendSurely({ type: "notice", id, at: this.#setup.now(), no, what, text });
    this.#announce(what, id);
  }

  #announce(what: TaskChange["what"], id: string): void {
    this.#setup.onChange({ what, task: this.get(id) });
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const wake of waiters) wake();
  }

  #startLooking(): () => void {
    this.#inbox.skip();
    const { timer } = this.#setup.ports;
    const stops = [
      timer.every(TASK_DEFAULTS.lookEveryMs, () => this.#look()),
      timer.every(INBOX_MS, () => this.#lookIntoInbox()),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Files that cannot be read now may be readable at the next look. */
  #look(): void {
    this.#journal.retry();
    try {
      for (const running of this.#running.values()) running.look();
    } catch (error) {
      this.#setup.onProblem(error);
    }
  }

  #lookIntoInbox(): void {
    for (const request of this.#inbox.take()) if (this.#running.has(request.id)) void this.#answer(request);
  }

  /** Does what another process asks for; the journal says what became of it. */
  async #answer({ id, request, stop, input = "" }: TaskRequest): Promise<void> {
    let refusal: string | undefined;
    try {
      await (stop === undefined ? this.input(id, input) : this.stop(id, stop));
    } catch (error) {
      refusal = errorMessage(error);
    }
    const at = this.#setup.now();
    if (request !== undefined)
      this.#journal.appendSurely({ type: "facts", id, at, facts: { request, refusal: refusal ?? null } });
    else if (refusal !== undefined) this.#notify(id, "state", refusal);
  }

  #kind(name: TaskKindName): TaskKind {
    const kind = this.#setup.kinds.get(name);
    if (kind === undefined) throw noSuchKind(name);
    if ("missing" in kind) throw kindIsMissing(name, kind.missing);
    return kind;
  }

  #state(id: string): TaskState {
    const task = this.#journal.find(id);
    if (task !== undefined) return task;
    throw noSuchTask(id);
  }

  #info(task: TaskState): TaskInfo {
    const running = this.#running.get(task.id);
    const status = this.#journal.statusOf(task, running !== undefined);
    const outputBytes = running?.outputBytes ?? this.#outputBytes(task.id);
    const outputPath = this.#setup.ports.files.outputPath(task.id);
    return taskInfo(task, { status, outputBytes, outputPath, silence: running?.silence });
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#setup.deadline.after(ms, () => wake());
      const wake = (): void => {
        cancel();
        signal?.removeEventListener("abort", wake);
        this.#waiters.delete(wake);
        resolve();
      };
      signal?.addEventListener("abort", wake, { once: true });
      this.#waiters.add(wake);
    });
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
