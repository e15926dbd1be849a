/** Places in a host where it stands still, so that it is killed there and nowhere else. */
import { writeSync } from "node:fs";
import { TaskFolder } from "#palimpsest/stores/files/tasks/task-folder.ts";

/** Says that it is there, and waits to be killed. */
export function standStill(): void {
  writeSync(1, "here\n");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** A record of the journal, as far as a host looks at it. */
export interface WrittenRecord {
  readonly id: string;
  readonly type: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Calls these before and after each record of any journal, and after a journal was synced. */
export function watchJournals(points: {
  readonly before?: (record: WrittenRecord) => void;
  readonly after: (record: WrittenRecord) => void;
  readonly synced: () => void;
}): void {
  const { appendJournal, syncJournal } = TaskFolder.prototype;
  TaskFolder.prototype.appendJournal = function (line) {
    const record: WrittenRecord = { facts: {}, ...JSON.parse(line) };
    points.before?.(record);
    appendJournal.call(this, line);
    points.after(record);
  };
  TaskFolder.prototype.syncJournal = async function () {
    await syncJournal.call(this);
    points.synced();
  };
}
