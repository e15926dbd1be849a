/** Fails the 1st file operation, then the 2nd, … of the files of tasks: nothing acknowledged is lost, readers never break. */
import { faultyFileSystem, InMemoryFileSystem } from "palimpsest-testing";
import type { FileFault } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import type { TaskFiles } from "#ports/tasks.ts";
import { TaskFolder } from "#stores/files/tasks/task-folder.ts";
import { isLong } from "../../../../test/helpers/size-of-run.ts";

const open = (fs: FileSystem): TaskFiles => new TaskFolder({ fs, folder: "session/tasks" });

interface Acknowledged {
  readonly records: string[];
  readonly requests: string[];
  synced: number;
  outputBytes: number;
}

/** A life of tasks; what throws was not acknowledged. */
async function live(files: TaskFiles): Promise<Acknowledged> {
  const acknowledged: Acknowledged = { records: [], requests: [], synced: 0, outputBytes: 0 };
  const attempt = async (work: () => unknown, done: () => void = () => undefined) => {
    try {
      await work();
      done();
    } catch (error) {
      expect((error as { readonly code?: unknown }).code).toBeDefined();
    }
  };
  for (let step = 0; step < 4; step++) {
    const line = JSON.stringify({ step, text: "é".repeat(20) });
    await attempt(
      () => files.appendJournal(line),
      () => acknowledged.records.push(line),
    );
    await attempt(
      () => files.appendInbox(line),
      () => acknowledged.requests.push(line),
    );
    const { length } = acknowledged.records;
    await attempt(
      () => files.syncJournal(),
      () => {
        acknowledged.synced = length;
      },
    );
    await attempt(() => {
      const output = files.openOutput("t1");
      output.write(new Uint8Array(100).fill(0x61));
      acknowledged.outputBytes += 100;
      output.close();
    });
    await attempt(() => [
      files.readJournal(),
      files.readInbox(0),
      files.totalBytes(),
      files.readOutput("t1", 0, 50),
    ]);
  }
  return acknowledged;
}

/** By default every fifth operation; each kind of fault begins at another one. */
describe.each<[error: FileFault, first: number]>([
  ["ENOSPC", 2],
  ["EIO", 3],
  ["short", 4],
  ["kill", 1],
  ["torn", 5],
])("files of tasks on a disk that fails with %s", (error, first) => {
  it("keep everything acknowledged, whichever operation fails", async () => {
    let failAtCall = isLong ? 1 : first;
    for (; ; failAtCall += isLong ? 1 : 5) {
      const disk = new InMemoryFileSystem();
      const fs = faultyFileSystem(disk, { failAtCall, error });
      const { records, requests, synced, outputBytes } = await live(open(fs));
      const why = `${error} at operation ${failAtCall}`;

      const after = open(disk);
      expect(after.readJournal().lines, why).toEqual(expect.arrayContaining(records));
      expect(after.readInbox(0).lines, why).toEqual(expect.arrayContaining(requests));
      expect(after.outputBytes("t1"), why).toBeGreaterThanOrEqual(outputBytes);
      after.appendJournal('{"last":1}');
      expect(after.readJournal().lines.at(-1), why).toBe('{"last":1}');

      const afterPowerLoss = open(disk.crashedCopy("power")).readJournal().lines;
      expect(afterPowerLoss, why).toEqual(expect.arrayContaining(records.slice(0, synced)));
      if (!fs.didFail()) break;
    }
    expect(failAtCall).toBeGreaterThan(100);
  });
});
