/**
 * Checks that the end of a log, which was read backward, is really its end.
 *
 * Opening reads only the end of a log. Old lines may be there (a page written to the wrong place, a tail restored from
 * an older state), and each of them is whole. Then the file has higher numbers before them, or the same checkpoint at
 * its original place. Both checks have a bounded cost; the verification of the whole log finds the rest.
 */
import { maxOf } from "../../../base/lists.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import type { LogContents, LogDamage } from "../../../ports/session-store.ts";
import type { CheckpointEntry } from "../../../transcript/entries.ts";
import { explainsGap } from "../../shared/log-order.ts";
import { readBuffer } from "../replace/whole-file.ts";
import { NEWLINE } from "./log-line.ts";

/** The number at the start of a line of ours. Does not verify the checksum: a wrong match only costs a scan. */
export const LINE_SEQ =
  /\n\{"crc":"[0-9a-f]{8}",(?:"batch":"\d{1,7}\/\d{1,7}",)?"type":"[a-z-]{1,40}","seq":(\d{1,15}),/;
/** Bytes read at each place; most lines are shorter. */
const PROBE_BYTES = 8_192;
/** Growth of the distances: finds a stretch of old lines that is at least half as long as the log before it. */
const DISTANCE_FACTOR = Math.SQRT2;
const FIRST_DISTANCE_BYTES = 2_048;
/** Bytes after the newest message of a checkpoint to search for its original place. */
const COPY_LIMIT_BYTES = 8_388_608;

/** True if nothing contradicts that `tail`, which begins with a checkpoint, is the end of the log. */
export function isTailInPlace(file: OpenFile, tail: LogContents): boolean {
  const first = tail.entries[0];
  if (first?.entry.type !== "checkpoint") return true;
  return (
    isInOrder(tail) &&
    !hasHigherBefore(file, { position: first.position, seq: first.entry.seq }) &&
    !isCopy(file, first.entry, first.position)
  );
}

/** True if every whole line counts and the damage explains all missing numbers. */
export function isInOrder({ entries, damage }: LogContents): boolean {
  if (damage.some(({ reason }) => PASSED_OVER.has(reason))) return false;
  const damagedBytes = damage.reduce((sum, { bytes }) => sum + bytes, 0);
  return entries.every(({ entry }, index) => {
    const before = entries[index - 1]?.entry.seq ?? entry.seq - 1;
    return explainsGap(entry.seq - before - 1, damagedBytes);
  });
}

const PASSED_OVER: ReadonlySet<LogDamage["reason"]> = new Set(["duplicate-seq", "forked", "out-of-order"]);

/** Probes lines at growing distances before `position` for a number that is not below `seq`. */
function hasHigherBefore(
  file: OpenFile,
  { position, seq }: { readonly position: number; readonly seq: number },
): boolean {
  for (let distance = FIRST_DISTANCE_BYTES; distance < position; distance *= DISTANCE_FACTOR) {
    const from = Math.floor(position - distance);
    const piece = readBuffer(file, from, Math.min(PROBE_BYTES, position - from));
    const found = LINE_SEQ.exec(piece.toString("latin1"));
    // The piece may cut the line, but not its number.
    if (found !== null && Number(found[1]) >= seq) return true;
  }
  return false;
}

/** True if the checkpoint is also directly after the newest message that it names, which is its original place. */
function isCopy(file: OpenFile, checkpoint: CheckpointEntry, position: number): boolean {
  const start = Math.max(0, maxOf(checkpoint.runs.map((run) => run.position)));
  if (checkpoint.runs.length === 0 || start >= position) return false;
  const piece = readBuffer(file, start, Math.min(COPY_LIMIT_BYTES, position - start));
  const at = piece.indexOf(`"seq":${checkpoint.seq},"id":${JSON.stringify(checkpoint.id)}`, 0, "latin1");
  return at !== -1 && piece.subarray(0, at).includes(NEWLINE);
}
