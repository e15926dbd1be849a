/**
 * Checkpoints: the ranges (*runs*) of the log that are needed to rebuild the window.
 *
 * Opening a session reads only these runs and the entries after the checkpoint, so the cost depends on the size of the
 * window, not on the length of the session. A checkpoint copies nothing: it has the positions of the visible messages and
 * of the edits that affect them.
 */
import type { SeqRange } from "./edits.ts";
import type { CheckpointEntry, CheckpointRun, Entry } from "./entries.ts";
import { isWithin } from "./line.ts";
import { Projection } from "./projection.ts";

/** Most entries between two needed ones that are read along: reading them is cheaper than a seek. @internal */
export const BRIDGED_ENTRIES = 32;

type CheckpointIndex = Pick<CheckpointEntry, "runs" | "line" | "undone" | "pins" | "visibleCount">;

/**
 * Plans a checkpoint of the current state of `projection`. `positionOf` returns the position of an entry in the store; if
 * it is not known for an entry, there is no checkpoint.
 */
export function planCheckpoint(
  projection: Projection,
  positionOf: (seq: number) => number | undefined,
): CheckpointIndex | undefined {
  const runs: CheckpointRun[] = [];
  const first = firstMessageSeq(projection);
  for (const seq of neededSeqs(projection, first)) {
    const last = runs.at(-1);
    // The edits that hide the messages before the first visible one are not needed, so none of these is read along.
    const bridged = last !== undefined && last.to >= first ? BRIDGED_ENTRIES : 1;
    if (last !== undefined && seq - last.to <= bridged) {
      runs[runs.length - 1] = { ...last, to: seq };
      continue;
    }
    const position = positionOf(seq);
    if (position === undefined) return undefined;
    runs.push({ from: seq, to: seq, position });
  }
  return {
    runs,
    line: projection.lineRanges,
    undone: projection.undoneEdits,
    pins: projection.pins,
    visibleCount: projection.visible.length,
  };
}

/** True if a checkpoint is consistent in itself: its ranges ascend, do not overlap and lie before it. */
export function isPossibleCheckpoint({ seq, runs, line }: CheckpointEntry): boolean {
  const end = line.at(-1)?.to ?? 0;
  const isAscending = (ranges: readonly SeqRange[]): boolean =>
    ranges.every(({ from, to }, index) => from <= to && from > (ranges[index - 1]?.to ?? 0));
  return (
    (end === seq - 1 || end === seq) &&
    isAscending(line) &&
    isAscending(runs) &&
    runs.every(({ from, to }) => isWithin(line, from) && isWithin(line, to))
  );
}

/** Rebuilds the window of a checkpoint. `entries` are those of its runs, in order. */
export function restoreCheckpoint(checkpoint: CheckpointEntry, entries: Iterable<Entry>): Projection {
  const projection = new Projection(checkpoint);
  for (const entry of entries) projection.restore(entry);
  projection.finishRestore();
  return projection;
}

/** Number of the first visible message that no edit inserted. */
function firstMessageSeq({ visible, headSeq }: Projection): number {
  return visible.find((message) => message.insertedBy === undefined)?.seq ?? headSeq;
}

/** Numbers of the entries from which the window can be rebuilt, in ascending order; `first` is that of its first message. */
function neededSeqs(projection: Projection, first: number): readonly number[] {
  const messages = projection.visible
    .filter((message) => message.insertedBy === undefined)
    .map((message) => message.seq);
  const inserting = new Set(projection.visible.flatMap((message) => message.insertedBy ?? []));
  const shown = new Set(messages);
  // A provider's summary inserts nothing, and what it replaced is shown again if another model goes on.
  const boundary = projection.activeEdits.findLast(({ edit }) => "isBoundary" in edit && edit.isBoundary);
  const isNeeded = (active: Projection["activeEdits"][number]): boolean => {
    const { hide = [], forms = [] } = active.edit.effect;
    return (
      // The host's own list is matched with what it did not take out, however long ago that was.
      active.edit.kind === "host" ||
      active === boundary ||
      clearsFrom(active.edit, first) ||
      inserting.has(active.seq) ||
      hide.some((range: SeqRange) => range.to >= first) ||
      // An inserted message may be visible although the message it follows is hidden.
      forms.some(
        ({ seq, insertedBy }) => shown.has(seq) || (insertedBy !== undefined && inserting.has(insertedBy)),
      )
    );
  };
  const edits: number[] = [];
  for (const active of projection.activeEdits) {
    // An edit that hides messages of a needed edit is needed, too. It always comes later.
    const hidesNeeded = active.edit.effect.hideInserted?.some((seq) => edits.includes(seq)) === true;
    if (isNeeded(active) || hidesNeeded) edits.push(active.seq);
  }
  const needed = [...messages, ...edits].sort((one, other) => one - other);
  return withCallsBetween(needed, projection);
}

/** True if the provider still clears something of the window. */
function clearsFrom(edit: Projection["activeEdits"][number]["edit"], firstSeq: number): boolean {
  if (!("cleared" in edit) || edit.cleared === undefined) return false;
  const { throughSeq, thinkingThroughSeq = 0 } = edit.cleared;
  return Math.max(throughSeq, thinkingThroughSeq) >= firstSeq;
}

/**
 * Adds one call to each gap between needed entries in which there are any: restoring a window has to know if a request
 * was sent there (`hasCallBetween`).
 */
function withCallsBetween(needed: readonly number[], { callSeqs, headSeq }: Projection): readonly number[] {
  const all: number[] = [];
  let call = 0;
  for (const seq of [...needed, headSeq + 1]) {
    const previous = all.at(-1) ?? seq;
    while (call < callSeqs.length && callSeqs[call]! < previous) call++;
    if (callSeqs[call] !== undefined && callSeqs[call]! < seq) all.push(callSeqs[call]!);
    if (seq <= headSeq) all.push(seq);
  }
  return all;
}
