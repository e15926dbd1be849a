/**
 * The background tasks of one session: starts them, keeps their journal, and has the notices for the agent.
 *
 * DESIGN. The journal is the truth, as the log is for the conversation; this folds it and appends to it. A task whose
 * process died is found when the session is opened: its remaining processes are killed, and the journal says that it
 * was interrupted. One timer runs while tasks do; nothing waits on it.
 */
import { TASK_DEFAULTS } from "../../base/defaults/tasks.ts";
import { errorMessage } from "../../base/errors.ts";
import type { JsonObject, JsonValue } from "../../base/json/json.ts";
import { anyString, checkOptions, signal as signalRule } from "../../base/options/check-options.ts";
import { stopIfAborted } from "../../base/stop-if-aborted.ts";
import type { Deadline } from "../../ports/runtime.ts";
import type { TaskState } from "../../tasks/fold-tasks.ts";
import type { NoticeRecord, TaskEnd, TaskKindName, TaskOwner } from "../../tasks/task-record.ts";
import { hasMail, processMarks } from "../../tasks/task-request.ts";
import { taskSpent, taskUsage } from "../../tasks/task-spent.ts";
import { addSpent, NOTHING_SPENT, type SpentSum } from "../../tokens/price/spent.ts";
import { sumUsage, type Usage } from "../../transcript/blocks.ts";
import type { AgentTool } from "../options/turn/turn-options.ts";
import { checkInputNames, type TaskKind } from "./kind/task-kind.ts";
import { TaskJournal } from "./task-journal.ts";
import { TaskLooks } from "./task-looks.ts";
import {
  START_RULES,
  type StartTaskOptions,
  type TaskInfo,
  type TaskPorts,
  type Tasks,
  type TaskText,
  taskInfo,
} from "./task-options.ts";
import { TaskReaders } from "./task-readers.ts";
import {
  cannotResume,
  closedToTasks,
  isNotRunningHere,
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

export class SessionTasks implements Tasks {
  readonly #setup: SessionTasksSetup;
  readonly #limits: TaskLimits;
  readonly #journal: TaskJournal;
  readonly #running = new Map<string, TaskInProgress>();
  readonly #written: { bytes: number };
  readonly #looks: TaskLooks;
  readonly #readers: TaskReaders;
  /** The number of the last notice that the agent has had. */
  deliveredNo: number;
  #recovering: Promise<void> | undefined;
  #isClosed = false;

  constructor(setup: SessionTasksSetup) {
    this.#setup = setup;
    this.deliveredNo = setup.deliveredNo;
    const limits = { ...TASK_DEFAULTS, ...setup.limits };
    const { mostBytes = Number.POSITIVE_INFINITY } = setup.ports.files;
    this.#limits = { ...limits, sessionOutputBytes: Math.min(limits.sessionOutputBytes, mostBytes) };
    this.#journal = new TaskJournal(setup.ports.files, setup.ports.identity);
    this.#written = { bytes: setup.ports.files.totalBytes() };
    const { ports, now, onProblem } = setup;
    this.#looks = new TaskLooks({
      ports,
      journal: this.#journal,
      running: this.#running,
      now,
      onProblem,
      input: (id, text, key) => this.input(id, text, key === undefined ? {} : { key }),
      stop: (id, reason) => this.stop(id, reason),
      refused: (id, reason) => this.#notify(id, "state", reason),
    });
    this.#readers = new TaskReaders({
      files: ports.files,
      deadline: setup.deadline,
      hasEnded: (id) => this.#statusOf(this.#state(id)) !== "running",
    });
  }

  /**
   * Finds tasks whose process died: kills what is left of them, and says so in the journal. One pass at a time, so that
   * none kills what was started again after another.
   */
  recover(): Promise<void> {
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = undefined;
    });
    return this.#recovering;
  }

  async #recover(): Promise<void> {
    // Once the session is closed, another process may have resumed the task.
    for (const task of this.#journal.tasks)
      if (!this.#isClosed && this.#journal.isLeft(task, this.#running.has(task.id)))
        try {
          for (const mark of processMarks(task)) await this.#setup.ports.processes?.sweep(mark);
          this.#ended(task.id, { outcome: "interrupted", reason: "the process that ran it ended" });
        } catch (error) {
          this.#setup.onProblem(error);
        }
  }

  async start(kindName: TaskKindName, input: JsonValue, options: StartTaskOptions = {}): Promise<TaskInfo> {
    checkOptions("start", options, START_RULES);
    const { title, timeoutMs, key, isAwaited } = options;
    const known = key === undefined ? undefined : this.#journal.tasks.find((task) => task.key === key);
    if (known !== undefined) return this.#info(known);
    const kind = this.#kind(kindName);
    checkInputNames(kind, input);
    const checked = kind.check(input);
    return this.#run(this.#journal.newId(), kind, { input: checked, title, timeoutMs, key, isAwaited });
  }

  async resume(id: string): Promise<TaskInfo> {
    if (this.#isClosed) throw closedToTasks();
    // The session may have been opened just now, before a turn found what a crash left.
    if (!this.#running.has(id)) await this.recover();
    const { kind, input, status, title, timeoutMs } = this.#state(id);
    if (status === "running" || status === "done") throw cannotResume(id, status);
    const known = this.#kind(kind);
    return this.#run(id, known, { input: known.check(input), title, timeoutMs });
  }

  list(): readonly TaskInfo[] {
    return this.#journal.tasks.map((task) => this.#info(task));
  }

  get(id: string): TaskInfo {
    return this.#info(this.#state(id));
  }

  read(id: string, options?: Parameters<Tasks["read"]>[1]): TaskText {
    return this.#readers.read(id, options);
  }

  follow(id: string, options?: Parameters<Tasks["follow"]>[1]): AsyncIterable<TaskText> {
    return this.#readers.follow(id, options);
  }

  async input(id: string, text: string, options: { readonly key?: string } = {}): Promise<void> {
    checkOptions("input", options, { key: anyString });
    const { key } = options;
    const task = this.#state(id);
    if (key !== undefined && hasMail(task, key)) return;
    const running = this.#running.get(id);
    if (running === undefined) throw isNotRunningHere({ ...task, status: this.#statusOf(task) });
    if (!running.takesInput) throw takesNoInput(id);
    await running.input(text, key);
  }

  async stop(id: string, reason = "it was asked to stop"): Promise<TaskInfo> {
    this.#state(id);
    const running = this.#running.get(id);
    if (running === undefined) await this.recover();
    await running?.stop(reason);
    await running?.ended;
    return this.get(id);
  }

  background(id: string): void {
    if (this.#state(id).isAwaited !== true) return;
    this.#journal.append({ type: "facts", id, at: this.#setup.now(), facts: { isAwaited: false } });
  }

  async wait(id: string, options: { readonly signal?: AbortSignal } = {}): Promise<TaskInfo> {
    checkOptions("wait", options, { signal: signalRule });
    const { signal } = options;
    this.#state(id);
    const running = this.#running.get(id);
    if (running !== undefined)
      await (signal === undefined ? running.ended : endedOrAborted(running.ended, signal));
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

  /** The cost of all tasks' calls of models. */
  get spent(): SpentSum {
    return this.#journal.tasks.map(taskSpent).reduce(addSpent, NOTHING_SPENT);
  }

  /** The kinds that can be run here. */
  #kinds(): readonly TaskKind[] {
    return [...this.#setup.kinds.values()].flatMap((kind) => ("missing" in kind ? [] : [kind]));
  }

  tools(): readonly AgentTool[] {
    return taskTools(this, { kinds: this.#kinds(), now: this.#setup.now });
  }

  changed(): Promise<void> {
    return this.#readers.changed();
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
    this.#looks.end();
    if (running.length > 0) await this.#setup.ports.files.syncJournal();
  }

  async #run(
    id: string,
    kind: TaskKind,
    {
      input,
      title = kind.title(input),
      timeoutMs,
      key,
      isAwaited,
    }: {
      readonly input: JsonObject;
      readonly title: string | undefined;
      readonly timeoutMs?: number | undefined;
      readonly key?: string | undefined;
      readonly isAwaited?: boolean | undefined;
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
    const asked = { title, input, owner, key, timeoutMs, ...(isAwaited === true ? { isAwaited } : {}) };
    this.#journal.append({ type: "start", id, at, kind: kind.kind, ...asked });
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
    this.#looks.begin();
    this.#announce("started", id);
    running.start(kind, input, { earlier, timeoutMs });
    return this.get(id);
  }

  #ended(id: string, end: TaskEnd): void {
    this.#running.delete(id);
    const outputBytes = this.#outputBytes(id);
    const no = this.#journal.nextNotice(this.deliveredNo);
    this.#journal.appendSurely({ type: "end", id, at: this.#setup.now(), no, outputBytes, ...end });
    if (this.#running.size === 0) this.#looks.end();
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
    this.#readers.wake();
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

  #statusOf(task: TaskState): TaskState["status"] {
    return this.#journal.statusOf(task, this.#running.has(task.id));
  }

  #info(task: TaskState): TaskInfo {
    const running = this.#running.get(task.id);
    const status = this.#statusOf(task);
    const outputBytes = running?.outputBytes ?? this.#outputBytes(task.id);
    const outputPath = this.#setup.ports.files.outputPath(task.id);
    const { silence, detail } = running ?? {};
    return taskInfo(task, { status, outputBytes, outputPath, silence, detail });
  }
}

/** Resolves with whichever comes first. The signal may outlive many waits, so it keeps nothing of them. */
function endedOrAborted(ended: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener("abort", done);
      resolve();
    };
    if (signal.aborted) return done();
    signal.addEventListener("abort", done);
    void ended.then(done);
  });
}
