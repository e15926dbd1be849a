/**
 * What a home does by itself while a program runs: cleans up once a day, dreams when a dream is due, goes on with
 * extractions that a crash cut short, and shows new sessions the project's instructions. At its start it kills the
 * processes of background tasks whose program died.
 *
 * DESIGN. The clean-up and the dream know themselves when they are due, across processes; this asks them now and then.
 * One runs at a time, nothing waits for it, and each is an event. A process that ends in between loses nothing:
 * unfinished work is due again.
 */

import { storedSessions } from "../../agent/memory/consolidation/dream-sessions.ts";
import type { PersistentMemory } from "../../agent/memory/persistent-memory.ts";
import { errorMessage } from "../../base/errors.ts";
import type { ProcessIdentity, Timer } from "../../ports/runtime.ts";
import type { TaskProcesses } from "../../ports/tasks.ts";
import { notify, type SessionEvent, type SessionObserver } from "../../session/events/events.ts";
import type { CleanUpReport } from "../../session/lifecycle/clean-up-run.ts";
import { FileSessionStore } from "../../stores/files/file-session-store.ts";
import type { PalimpsestHome } from "../home/home-types.ts";
import { sweepTasks } from "./sweep-tasks.ts";

/** How often it asks. Source: our choice: both are due once a day at the most. */
const LOOK_EVERY_MS = 3_600_000;

/** What a home does by itself. */
export interface BackgroundOptions {
  /** Once a day, sessions without recent activity go to the trash, and old ones in the trash are deleted. @defaultValue true */
  readonly cleanUp?: boolean;
  /** The memory is consolidated after `restHours` and `sessionsCount` sessions. @defaultValue true where there is a memory */
  readonly dreams?: boolean;
  /** At the start, processes are killed that belong to background tasks of a program that died. @defaultValue true */
  readonly sweep?: boolean;
  /** Messages that a crash kept from being read for memories are read once their session is open again; otherwise with its next turn. @defaultValue true where there is a memory */
  readonly extraction?: boolean;
  /** A new session begins with the project's instruction files and the state of version control. @defaultValue as `isBare`, `PALIMPSEST_BARE` and the settings of the home say, true */
  readonly startContext?: boolean;
  /** Sessions are closed when the process receives a signal to end. @defaultValue true */
  readonly closeOnExit?: boolean;
}

/** Work that a home does by itself. */
type Job = Extract<SessionEvent, { readonly type: "background" }>["job"];

interface BackgroundSetup {
  readonly home: PalimpsestHome;
  readonly memory: PersistentMemory | undefined;
  readonly options: BackgroundOptions;
  readonly observer: SessionObserver | undefined;
  readonly timer: Timer;
  readonly tasks: { readonly processes: Pick<TaskProcesses, "sweep">; readonly identity: ProcessIdentity };
}

function describeCleanUp(reports: readonly CleanUpReport[]): string {
  const sum = (field: "trashed" | "purged"): number =>
    reports.reduce((total, report) => total + report[field], 0);
  return `${sum("trashed")} sessions were moved to the trash, ${sum("purged")} were deleted from it`;
}

export class BackgroundWork {
  readonly #setup: BackgroundSetup;
  #abort = new AbortController();
  #stopTimer: (() => void) | undefined;
  readonly #swept: Promise<void>;
  #running: Promise<void> | undefined;

  constructor(setup: BackgroundSetup) {
    this.#setup = setup;
    this.#swept = this.#sweep();
  }

  /** A session was opened: begins what is due, and goes on with what a crash cut short. Waits for nothing. */
  sessionOpened(resumeExtraction: () => Promise<number>): void {
    this.#stopTimer ??= this.#setup.timer.every(LOOK_EVERY_MS, () => this.#look());
    this.#look();
    if (this.#setup.options.extraction !== false)
      void this.#run("extraction", async () => {
        const count = await resumeExtraction();
        return count === 0
          ? undefined
          : `${count} messages from before the session was opened are read for memories`;
      });
  }

  /** The start context as text. Never rejects: a session begins without it rather than not at all. */
  async startContext(): Promise<string> {
    let text = "";
    await this.#run("start-context", async () => {
      const { blocks, instructions, problems } = await this.#setup.home.startContext();
      text = blocks.join("\n\n");
      if (blocks.length === 0 && problems.length === 0) return undefined;
      const git = blocks.length > instructions.length ? " and the state of version control" : "";
      const left = problems.map(({ subject, detail }) => `; ${subject}: ${detail}`);
      return `${instructions.length} instruction files${git} were read${left.join("")}`;
    });
    return text;
  }

  #look(): void {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
  }

  /** Stops what runs, and resolves when it has ended. A session that is opened later begins it again. */
  async stop(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#abort.abort();
    await Promise.all([this.#running, this.#swept]);
    this.#abort = new AbortController();
  }

  async #sweep(): Promise<void> {
    const { home, options, tasks } = this.#setup;
    const { signal } = this.#abort;
    await new Promise((resolve) => setImmediate(resolve));
    if (options.sweep === false) return;
    await this.#run("sweep", async () => {
      const store = home.storeOf();
      if (!(store instanceof FileSessionStore)) return undefined;
      const killed = await sweepTasks({
        list: () => store.list(),
        tasksOf: (id) => store.tasksOf(id),
        ...tasks,
        signal,
      });
      return killed === 0 ? undefined : `${killed} processes of tasks whose program had died were killed`;
    });
  }

  async #runAll(): Promise<void> {
    const { home, memory, options, observer } = this.#setup;
    const { signal } = this.#abort;
    // The caller does not wait for any of this.
    await new Promise((resolve) => setImmediate(resolve));
    if (options.cleanUp !== false)
      await this.#run("clean-up", async () => {
        const cleaned = await home.cleanUp({ onlyIfDue: true, signal });
        const done = cleaned.filter(({ report }) => report.outcome === "done");
        return done.length === 0 ? undefined : describeCleanUp(done.map(({ report }) => report));
      });
    if (options.dreams !== false && memory !== undefined && home.persistence.isOn)
      for (const place of memory.dreamPlaces)
        await this.#run("dream", async () => {
          const sessions = storedSessions(home.storeOf(), undefined, observer);
          const { status, reason } = await memory.dream({ place, sessions, signal });
          if (status === "not-due") return undefined;
          return place === "team" ? `The team's memory: ${reason}` : reason;
        });
  }

  /** Tells what it did, if it did anything. */
  async #run(job: Job, work: () => Promise<string | undefined>): Promise<void> {
    const { signal } = this.#abort;
    if (signal.aborted) return;
    const { observer } = this.#setup;
    try {
      const detail = await work();
      if (detail !== undefined) notify(observer, { type: "background", job, outcome: "done", detail });
    } catch (error) {
      if (signal.aborted) return;
      notify(observer, { type: "background", job, outcome: "failed", detail: errorMessage(error) });
    }
  }
}
