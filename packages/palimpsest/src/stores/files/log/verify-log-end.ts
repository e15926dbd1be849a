/**
 * Tells whether the end of a log that was read backward is where it belongs.
 *
 * Opening reads only the end of a log. Old lines may have come to stand there (a page that was written to the
 * wrong place, a tail that was restored from an older state), and each of them is whole. Then the file holds
 * higher numbers before them, or the same checkpoint at its own place. Both are looked for at a bounded cost;
 * what they cannot find is found by the verification of the whole log.
 */
import type { OpenFile } from "../../../ports/file-system.ts";
import type { LogContents, LogDamage } from "../../../ports/session-store.ts";
import type { CheckpointEntry } from "../../../transcript/entries.ts";
import { readBuffer } from "../replace/whole-file.ts";
import { NEWLINE } from "./log-line.ts";
import { explainsGap } from "./log-order.ts";

/** The number that a line begins with, if it is one of ours. Its checksum is not asked: a wrong answer costs a scan. */
const LINE_SEQ =
  /\n\{"crc":"[0-9a-f]{8}",(?:"batch":"\d{1,7}\/\d{1,7}",)?"type":"[a-z-]{1,40}","seq":(\d{1,15}),/;
/** Bytes read at each place; most lines are shorter. */
const PROBE_BYTES = 8_192;
/** Distances grow by this factor, so that a stretch of old lines half as long as what stands before it is found. */
const DISTANCE_FACTOR = Math.SQRT2;
const FIRST_DISTANCE_BYTES = 2_048;
/** Bytes behind the newest message of a checkpoint in which its own place is looked for. */
const COPY_LIMIT_BYTES = 8_388_608;

/** True if nothing speaks against `tail`, which begins with a checkpoint, being the end of the log. */
export function isTailInPlace(file: OpenFile, tail: LogContents): boolean {
  const first = tail.entries[0];
  if (first?.entry.type !== "checkpoint") return true;
  return (
    isInOrder(tail) &&
    !hasHigherBefore(file, { position: first.position, seq: first.entry.seq }) &&
    !isCopy(file, first.entry, first.position)
  );
}

/** True if no whole line was passed over, and what cannot be read explains the numbers that are missing. */
export function isInOrder({ entries, damage }: LogContents): boolean {
  if (damage.some(({ reason }) => PASSED_OVER.has(reason))) return false;
  const damagedBytes = damage.reduce((sum, { bytes }) => sum + bytes, 0);
  return entries.every(({ entry }, index) => {
    const before = entries[index - 1]?.entry.seq ?? entry.seq - 1;
    return explainsGap(entry.seq - before - 1, damagedBytes);
  });
}

const PASSED_OVER: ReadonlySet<LogDamage["reason"]> = new Set(["duplicate-seq", "forked", "out-of-order"]);

/** Looks at lines ever farther before `position` for a number that is not below `seq`. */
function hasHigherBefore(
  file: OpenFile,
  { position, seq }: { readonly position: number; readonly seq: number },
): boolean {
  for (let distance = FIRST_DISTANCE_BYTES; distance < position; distance *= DISTANCE_FACTOR) {
    const from = Math.floor(position - distance);
    const piece = readBuffer(file, from, Math.min(PROBE_BYTES, position - from));
    const found = LINE_SEQ.exec(piece.toString("latin1"));
    // The line may be cut off by the end of the piece, but not its number.
    if (found !== null && Number(found[1]) >= seq) return true;
  }
  return false;
}

/** Whether the checkpoint also stands behind the newest message that it names: there is its own place. */
function isCopy(file: OpenFile, checkpoint: CheckpointEntry, position: number): boolean {
  const start = Math.max(0, ...checkpoint.runs.map((run) => run.position));
  if (checkpoint.runs.length === 0 || start >= position) return false;
  const piece = readBuffer(file, start, Math.min(COPY_LIMIT_BYTES, position - start));
  const at = piece.indexOf(`"seq":${checkpoint.seq},"id":${JSON.stringify(checkpoint.id)}`, 0, "latin1");
  return at !== -1 && piece.subarray(0, at).includes(NEWLINE);
}
