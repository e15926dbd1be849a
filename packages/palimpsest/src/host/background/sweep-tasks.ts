/**
 * Kills the processes of tasks whose program died, also in sessions that are never opened again.
 *
 * Only processes end here. The journal is for the session's writer: it says that the task was interrupted when the
 * session is opened.
 */
import type { ProcessIdentity } from "../../ports/runtime.ts";
import type { TaskFiles, TaskProcesses } from "../../ports/tasks.ts";
import { foldTasks } from "../../tasks/fold-tasks.ts";
import { processMarks } from "../../tasks/task-request.ts";

/** Sessions that are looked at without a break. */
const LOOKED_AT_ONCE = 32;

interface SweepPlace {
  /** Ids of sessions. */
  readonly list: () => Promise<readonly string[]>;
  readonly tasksOf: (sessionId: string) => TaskFiles | undefined;
  readonly processes: Pick<TaskProcesses, "sweep">;
  readonly identity: ProcessIdentity;
  readonly signal: AbortSignal;
}

/** Resolves with how many processes it killed. Costs one listing, and a look at each session. */
export async function sweepTasks({
  list,
  tasksOf,
  processes,
  identity,
  signal,
}: SweepPlace): Promise<number> {
  let killed = 0;
  for (const [index, sessionId] of (await list()).entries()) {
    if (index % LOOKED_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) break;
    for (const task of tasksIn(tasksOf(sessionId))) {
      const { space, pid, startedAt } = task.owner;
      // What another machine or container runs cannot be judged from here.
      const isOrphan = task.status === "running" && space === identity.space;
      if (!isOrphan || identity.isAlive(pid, startedAt)) continue;
      for (const mark of processMarks(task)) killed += await processes.sweep(mark);
    }
  }
  return killed;
}

function tasksIn(files: TaskFiles | undefined) {
  try {
    return files?.hasJournal() === true ? foldTasks(files.readJournal().lines).tasks.values() : [];
  } catch {
    // The doctor reports it.
    return [];
  }
}
