/**
 * What the tasks of a session refuse, and what to do instead.
 */
import { TaskError } from "../../base/errors.ts";
import type { TaskState } from "../../tasks/fold-tasks.ts";
import { TASK_KINDS } from "../../tasks/task-record.ts";

export const cannotResume = (id: string, status: "running" | "done"): TaskError =>
  new TaskError("TASK_REFUSED", {
    message: `Task ${id} is ${status}.`,
    hint: "Only a task that was interrupted, was stopped or failed can be resumed.",
  });

export const isNotRunningHere = ({ id, status }: TaskState): TaskError =>
  new TaskError("TASK_ENDED", {
    message: `Task ${id} is not running here: it is ${status}.`,
    hint: "Resume it, or start another one with the input in its command or prompt.",
  });

export const takesNoInput = (id: string): TaskError =>
  new TaskError("TASK_REFUSED", {
    message: `Task ${id} takes no input.`,
    hint: 'A shell command takes input if it was started with `stdin: "open"`.',
  });

export const closedToTasks = (): TaskError =>
  new TaskError("TASK_REFUSED", { message: "The session is closed.", hint: "Open it again." });

export const tooManyRun = (count: number): TaskError =>
  new TaskError("TASK_REFUSED", {
    message: `${count} tasks of this session run already, which is the most.`,
    hint: "Wait for one of them, or stop one.",
  });

export const outputsFull = (bytes: number, limit: number): TaskError =>
  new TaskError("TASK_REFUSED", {
    message: `The outputs of this session's tasks are ${bytes} bytes; the limit is ${limit}.`,
    hint: "Remove outputs with `palimpsest tasks clean`.",
  });

export const noSuchKind = (name: string): TaskError =>
  new TaskError("TASK_INVALID", {
    message: `There is no kind of task ${JSON.stringify(name)}.`,
    hint: `The kinds are ${TASK_KINDS.join(", ")}.`,
  });

export const kindIsMissing = (name: string, hint: string): TaskError =>
  new TaskError("TASK_REFUSED", { message: `Tasks of the kind ${name} cannot be run here.`, hint });

export const noSuchTask = (id: string): TaskError =>
  new TaskError("TASK_NOT_FOUND", {
    message: `There is no task ${JSON.stringify(id)} in this session.`,
    hint: "`tasks.list()` has those that there are.",
  });
