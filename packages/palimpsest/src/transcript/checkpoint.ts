/**
 * Checkpoints: which stretches of the log a window is made of.
 *
 * Opening a session reads these stretches and the tail, so what it costs depends on the window, not
 * on how long the session is. Nothing is copied: visible messages, and the edits that shape what
 * lies between the first of them and the head, are named by where they are.
 */
import type { SeqRange } from "./edits.ts";
import type { CheckpointEntry, CheckpointRun, Entry } from "./entries.ts";
import { isWithin } from "./line.ts";
import { Projection } from "./projection.ts";

/** Entries that may lie between two needed ones without starting a new stretch: reading them is cheaper than a seek. */
const BRIDGED_ENTRIES = 32;

type CheckpointIndex = Pick<CheckpointEntry, "runs" | "line" | "undone" | "pins" | "visibleCount">;

/** The checkpoint of `projection` as it is now. `positionOf` tells where the store put an entry. */
export function planCheckpoint(
  projection: Projection,
  positionOf: (seq: number) => number | undefined,
): CheckpointIndex | undefined {
  const runs: CheckpointRun[] = [];
  for (const seq of neededSeqs(projection)) {
    const last = runs.at(-1);
    if (last !== undefined && seq - last.to <= BRIDGED_ENTRIES) {
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

/** True if a checkpoint can be right by itself: its stretches go up, stay apart and lie before it. */
export function isPossibleCheckpoint({ seq, runs, line }: CheckpointEntry): boolean {
  const end = line.at(-1)?.to ?? 0;
  const goesUp = (ranges: readonly SeqRange[]): boolean =>
    ranges.every(({ from, to }, index) => from <= to && from > (ranges[index - 1]?.to ?? 0));
  return (
    (end === seq - 1 || end === seq) &&
    goesUp(line) &&
    goesUp(runs) &&
    runs.every(({ from, to }) => isWithin(line, from) && isWithin(line, to))
  );
}

/** The window that a checkpoint names. `entries` are those of its runs, in order. */
export function restoreCheckpoint(checkpoint: CheckpointEntry, entries: Iterable<Entry>): Projection {
  const projection = new Projection(checkpoint);
  for (const entry of entries) projection.restore(entry);
  projection.finishRestore();
  return projection;
}

function neededSeqs(projection: Projection): readonly number[] {
  const messages = projection.visible
    .filter((message) => message.insertedBy === undefined)
    .map((message) => message.seq);
  const inserting = new Set(projection.visible.flatMap((message) => message.insertedBy ?? []));
  const first = messages[0] ?? projection.headSeq;
  const shown = new Set(messages);
  const isNeeded = (active: Projection["activeEdits"][number]): boolean => {
    const { hide = [], forms = [] } = active.edit.effect;
    return (
      inserting.has(active.seq) ||
      hide.some((range: SeqRange) => range.to >= first) ||
      // What an edit inserted may be shown where the message it stands after is not.
      forms.some(
        ({ seq, insertedBy }) => shown.has(seq) || (insertedBy !== undefined && inserting.has(insertedBy)),
      )
    );
  };
  const edits: number[] = [];
  for (const active of projection.activeEdits) {
    // An edit that hides what a needed one inserted is needed with it; it always comes later.
    const hidesNeeded = active.edit.effect.hideInserted?.some((seq) => edits.includes(seq)) === true;
    if (isNeeded(active) || hidesNeeded) edits.push(active.seq);
  }
  const needed = [...messages, ...edits].sort((one, other) => one - other);
  return withCallsBetween(needed, projection);
}

/** The last call after a message stays known, even if nothing else before the next message is needed. */
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
