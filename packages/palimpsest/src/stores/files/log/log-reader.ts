/**
 * Reads a log file forward: whole entries, and a report of every stretch that is not one.
 *
 * One chunk and the longest allowed line bound the memory, whatever the file holds; a longer line is skipped. Nothing in
 * a file makes reading fail: only the disk can.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import type { LogContents, LogDamage, StoredEntry } from "../../../ports/session-store.ts";
import { type LastEntry, LogAssembler } from "./log-assembler.ts";
import { type ByteRange, nextChunkBytes, readRawLines } from "./raw-lines.ts";

/** The stretch of a log to read. */
interface LogRange extends ByteRange {
  /** The entry before the range, if known. */
  readonly after?: LastEntry;
  /** Messages, calls and answers have no content. */
  readonly isOutline?: boolean;
}

/** Entries and damage in order, about one chunk of the file at a time. */
export function* readLog(file: OpenFile, range: LogRange): Generator<LogContents> {
  const assembler = new LogAssembler(range.after, range.isOutline);
  let partBytes = range.firstChunkBytes ?? STORE_DEFAULTS.readChunkBytes;
  let readBytes = 0;
  for (const line of readRawLines(file, range)) {
    assembler.add(line);
    readBytes += line.length;
    if (readBytes < partBytes) continue;
    readBytes = 0;
    partBytes = nextChunkBytes(partBytes);
    yield assembler.take();
  }
  assembler.finish();
  yield assembler.take();
}

/** All entries of the range at once. */
export function readWholeLog(file: OpenFile, range: LogRange): LogContents {
  const contents = [...readLog(file, range)];
  return {
    entries: contents.flatMap((part) => part.entries),
    damage: contents.flatMap((part) => part.damage),
  };
}

/** Entries of the range up to and including `toSeq`, and the damage between them. */
export function readLogUntil(file: OpenFile, range: LogRange & { readonly toSeq: number }): LogContents {
  const entries: StoredEntry[] = [];
  const damage: LogDamage[] = [];
  const firstChunkBytes = STORE_DEFAULTS.lineProbeBytes;
  for (const part of readLog(file, { ...range, from: Math.max(0, range.from), firstChunkBytes })) {
    for (const found of part.damage) damage.push(found);
    for (const stored of part.entries) {
      if (stored.entry.seq <= range.toSeq) entries.push(stored);
      if (stored.entry.seq >= range.toSeq)
        return { entries, damage: damage.filter(({ position }) => position < stored.position) };
    }
  }
  return { entries, damage };
}
