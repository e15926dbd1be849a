/**
 * What other processes ask of the one that runs a session's tasks, such as `palimpsest tasks kill`.
 *
 * Programs of the tasks can write to the inbox, too: whatever is wrong with it, the tasks go on.
 */
import type { TaskFiles } from "../../ports/tasks.ts";
import { parseTaskRequest, type TaskRequest } from "../../tasks/task-request.ts";

export class TaskInbox {
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
