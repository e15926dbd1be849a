/** The window of a checkpoint, read from the log; and the window as it was after any entry. */
import type { SessionLog } from "../../ports/session-store.ts";
import { BRIDGED_ENTRIES, isPossibleCheckpoint, restoreCheckpoint } from "../../transcript/checkpoint.ts";
import type { CheckpointEntry, CheckpointRun, Entry } from "../../transcript/entries.ts";
import { isWithin } from "../../transcript/line.ts";
import { type Projection, project } from "../../transcript/projection.ts";
import { hydrate, needsHydrating } from "./hydrate.ts";

/**
 * Reads the entries that a checkpoint names, and makes its window of them; `undefined` where some are missing. `onEntry` is
 * called with each as it is shown.
 */
export async function restoreWindow(
  checkpoint: CheckpointEntry,
  log: SessionLog,
  onEntry: (shown: Entry, position: number) => void = () => undefined,
): Promise<Projection | undefined> {
  const entries: Entry[] = [];
  for (const runs of nearRuns(checkpoint.runs)) {
    const contents = await log.readFrom(runs[0]!.position, runs.at(-1)!.to);
    const found = contents.entries.filter(({ entry }) => isWithin(runs, entry.seq));
    const seqs = new Set(found.map(({ entry }) => entry.seq));
    if (!runs.every(({ from, to }) => seqs.has(from) && seqs.has(to))) return undefined;
    for (const { entry, position } of found) {
      const shown = await hydrate(entry, log);
      entries.push(shown);
      onEntry(shown, position);
    }
  }
  const projection = restoreCheckpoint(checkpoint, entries);
  const hasAll = projection.visible.length === (checkpoint.visibleCount ?? projection.visible.length);
  return hasAll ? projection : undefined;
}

/** Runs that are read together: a host that leaves something out at each turn has thousands, each with a seek. */
function* nearRuns(runs: readonly CheckpointRun[]): Generator<readonly CheckpointRun[]> {
  let near: CheckpointRun[] = [];
  for (const run of runs) {
    const last = near.at(-1);
    if (last !== undefined && run.from - last.to > BRIDGED_ENTRIES) {
      yield near;
      near = [];
    }
    near.push(run);
  }
  if (near.length > 0) yield near;
}

/** Entries of a log that are read at once where there is no checkpoint yet. Our choice: a few megabytes of an agent's log at most. */
const EARLY_ENTRIES = 2_000;

/** The window as it was after entry `throughSeq`, from the checkpoint before; `undefined` where that is not enough. */
export async function windowAfter(log: SessionLog, throughSeq: number): Promise<Projection | undefined> {
  const { entries } = await log.readTail(throughSeq);
  const first = entries[0]?.entry;
  if (first === undefined) return earlyWindow(log, throughSeq);
  if (entries.at(-1)?.entry.seq !== throughSeq) return undefined;
  if (first.type !== "checkpoint" || !isPossibleCheckpoint(first)) return undefined;
  const projection = await restoreWindow(first, log);
  for (const { entry } of entries) {
    const shown = needsHydrating(entry) ? await hydrate(entry, log) : entry;
    if (projection?.canApply(shown) !== true) return undefined;
    projection.apply(shown);
  }
  return projection;
}

/** The same for an entry near the start of the log. */
async function earlyWindow(log: SessionLog, throughSeq: number): Promise<Projection | undefined> {
  const start = throughSeq > EARLY_ENTRIES ? undefined : await log.find?.(1);
  if (start === undefined) return undefined;
  const { entries } = await log.readFrom(start.position, throughSeq);
  if (entries[0]?.entry.seq !== 1 || entries.at(-1)?.entry.seq !== throughSeq) return undefined;
  return project(await Promise.all(entries.map(({ entry }) => hydrate(entry, log))));
}
