/**
 * The regular looks at the tasks that run: at the silence of each, and at the inbox, where other processes leave
 * requests, such as `palimpsest tasks kill`.
 *
 * Programs of the tasks can write to the inbox, too: whatever is wrong with it, the tasks go on.
 */
import { TASK_DEFAULTS } from "../../base/defaults/tasks.ts";
import { errorMessage } from "../../base/errors.ts";
import type { TaskFiles } from "../../ports/tasks.ts";
import { parseTaskRequest, type TaskRequest } from "../../tasks/task-request.ts";
import type { TaskJournal } from "./task-journal.ts";
import type { TaskPorts } from "./task-options.ts";
import type { TaskInProgress } from "./task-run.ts";

/** The inbox is looked at this often while tasks run. Source: our choice: a person waits for the answer. */
const INBOX_MS = 1_000;

interface LooksSetup {
  readonly ports: Pick<TaskPorts, "files" | "timer">;
  readonly journal: TaskJournal;
  readonly running: ReadonlyMap<string, TaskInProgress>;
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
  readonly input: (id: string, text: string, key: string | undefined) => Promise<void>;
  readonly stop: (id: string, reason: string) => Promise<unknown>;
  /** Tells the agent of a request that could not be done. */
  readonly refused: (id: string, reason: string) => void;
}

/** The timers of a session's tasks. They are set while tasks run. */
export class TaskLooks {
  readonly #setup: LooksSetup;
  readonly #inbox: TaskInbox;
  #stopTimers: readonly (() => void)[] = [];

  constructor(setup: LooksSetup) {
    this.#setup = setup;
    this.#inbox = new TaskInbox(setup.ports.files);
  }

  /** Begins, unless it has. */
  begin(): void {
    if (this.#stopTimers.length > 0) return;
    this.#inbox.skip();
    const { timer } = this.#setup.ports;
    this.#stopTimers = [
      timer.every(TASK_DEFAULTS.lookEveryMs, () => this.#look()),
      timer.every(INBOX_MS, () => this.#lookIntoInbox()),
    ];
  }

  end(): void {
    for (const stop of this.#stopTimers) stop();
    this.#stopTimers = [];
  }

  /** Files that cannot be read now may be readable at the next look. */
  #look(): void {
    const { journal, running, onProblem } = this.#setup;
    journal.retry();
    try {
      for (const task of running.values()) task.look();
    } catch (error) {
      onProblem(error);
    }
  }

  #lookIntoInbox(): void {
    const { running } = this.#setup;
    for (const request of this.#inbox.take()) if (running.has(request.id)) void this.#answer(request);
  }

  /** Does what another process asks for; the journal says what became of it. */
  async #answer({ id, request, stop, input = "" }: TaskRequest): Promise<void> {
    const setup = this.#setup;
    let refusal: string | undefined;
    try {
      await (stop === undefined ? setup.input(id, input, request) : setup.stop(id, stop));
    } catch (error) {
      refusal = errorMessage(error);
    }
    if (request !== undefined) {
      const facts = { request, refusal: refusal ?? null };
      setup.journal.appendSurely({ type: "facts", id, at: setup.now(), facts });
    } else if (refusal !== undefined) setup.refused(id, refusal);
  }
}

class TaskInbox {
  readonly #files: Pick<TaskFiles, "readInbox">;
  #at = 0;

  constructor(files: Pick<TaskFiles, "readInbox">) {
    this.#files = files;
  }

  /** Passes over all that was asked for so far: it was not meant for what runs from now on. */
  skip(): void {
    let from: number;
    do {
      from = this.#at;
      this.take();
    } while (this.#at > from);
  }

  /** The requests since the last look. Without any, it costs one look at a file. */
  take(): readonly TaskRequest[] {
    try {
      const { lines, next } = this.#files.readInbox(this.#at);
      this.#at = next;
      return lines.flatMap((line) => parseTaskRequest(line) ?? []);
    } catch {
      // It cannot be read, for instance because it is a link: nothing is asked for.
      return [];
    }
  }
}
