/**
 * Reads a whole log file in the order of the log, even if the lines of the file are in another order.
 *
 * DESIGN. First a scan without the content of messages verifies checksums and splits the lines into pieces
 * (`log-pieces.ts`). If the file is in order, as it nearly always is, it is then read forward (`log-reader.ts`). If the
 * forward reader would refuse whole lines, the pieces are sorted (`log-order.ts`) and read one after the other. A scan
 * holds only the pieces in memory, and a sound log of any size is one piece.
 */
import { setImmediate } from "node:timers/promises";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { OpenFile } from "../../../ports/file-system.ts";
import type { LogContents, LogDamage, StoredEntry } from "../../../ports/session-store.ts";
import { type OrderedPiece, orderPieces, type RefusedPiece } from "../../shared/log-order.ts";
import { type LogPiece, PieceCollector } from "../../shared/log-pieces.ts";
import { type LastEntry, LogAssembler, type PlacedEntry } from "./log-assembler.ts";
import { readLog } from "./log-reader.ts";
import { readRawLines } from "./raw-lines.ts";

/** The result of a scan. */
export interface LogScan {
  readonly size: number;
  readonly damage: readonly LogDamage[];
  /** The pieces in their order; absent if the lines of the file are in order. */
  readonly pieces: readonly OrderedPiece[] | undefined;
  readonly last: LastEntry | undefined;
}

/** Scans the first `size` bytes, a chunk at a time. */
export function* scanLog(file: OpenFile, size: number): Generator<undefined, LogScan> {
  const quick = yield* scanOnce(file, { size, isOutline: true });
  if (!quick.hasRefused) return quick.scan();
  // A line with a correct checksum may still not be an entry; it must not win over one that is.
  return (yield* scanOnce(file, { size, isOutline: false })).scan();
}

interface ScannedOnce {
  readonly hasRefused: boolean;
  scan(): LogScan;
}

function* scanOnce(
  file: OpenFile,
  { size, isOutline }: { readonly size: number; readonly isOutline: boolean },
): Generator<undefined, ScannedOnce> {
  const collector = new PieceCollector();
  const assembler = new LogAssembler(undefined, isOutline, collector);
  const damage: LogDamage[] = [];
  let last: LastEntry | undefined;
  let keptCount = 0;
  let readBytes = 0;
  const take = (): void => {
    const part = assembler.take();
    for (const one of part.damage) damage.push(one);
    keptCount += part.entries.length;
    last = part.entries.at(-1)?.entry ?? last;
  };
  for (const line of readRawLines(file, { from: 0, to: size })) {
    assembler.add(line);
    readBytes += line.length;
    if (readBytes < STORE_DEFAULTS.readChunkBytes) continue;
    readBytes = 0;
    take();
    yield undefined;
  }
  assembler.finish();
  take();
  const scan = (): LogScan => {
    const inOrder = assembler.hasRefused ? ordered(file, collector, { damage, keptCount }) : undefined;
    if (inOrder !== undefined) return { size, ...inOrder };
    const all = [...damage, ...collector.droppedLines].sort((a, b) => a.position - b.position);
    return { size, damage: all, pieces: undefined, last: last && { seq: last.seq, id: last.id } };
  };
  return { hasRefused: assembler.hasRefused, scan };
}

/** Scans the whole file synchronously. */
export function scanAtOnce(file: OpenFile, size: number): LogScan {
  const steps = scanLog(file, size);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Scans the whole file without blocking the process. */
export async function scanInSteps(file: OpenFile, size: number): Promise<LogScan> {
  const steps = scanLog(file, size);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}

/** Entries in the order of the log, a chunk at a time, and all damage with the first. */
export function* readScanned(
  file: OpenFile,
  { size, pieces, damage }: LogScan,
  isOutline: boolean,
): Generator<LogContents> {
  if (pieces === undefined) {
    yield* readLog(file, { from: 0, to: size, isOutline });
    return;
  }
  yield { entries: [], damage };
  for (const piece of pieces) yield* readPiece(file, piece, isOutline);
}

/** Entries `fromSeq` to `toSeq` of a scanned log whose lines are not in order, and its damage. */
export function readSeqs(
  file: OpenFile,
  { pieces = [], damage }: LogScan,
  { fromSeq, toSeq }: { readonly fromSeq: number; readonly toSeq: number },
): LogContents {
  const wanted = pieces.filter((piece) => piece.toSeq >= fromSeq && piece.fromSeq <= toSeq);
  const entries: StoredEntry[] = [];
  for (const { piece, ...range } of wanted) {
    const part = { piece, fromSeq: Math.max(fromSeq, range.fromSeq), toSeq: Math.min(toSeq, range.toSeq) };
    for (const read of readPiece(file, part, false)) for (const stored of read.entries) entries.push(stored);
  }
  return { entries, damage };
}

/** Entries from the last checkpoint on; `undefined` without one. Reads everything. */
export function readTailOf(file: OpenFile, scan: LogScan): LogContents | undefined {
  let entries: StoredEntry[] | undefined;
  for (const part of readScanned(file, scan, false))
    for (const stored of part.entries) {
      if (stored.entry.type === "checkpoint") entries = [];
      entries?.push(stored);
    }
  return entries && { entries, damage: scan.damage };
}

/** The number of the entry at `position`, which may be a copy of one that counts. */
export function seqAt(file: OpenFile, { size }: LogScan, position: number): number | undefined {
  for (const placed of readPlaced(file, { from: position, to: size, isOutline: true }))
    return placed.position === position ? placed.entry.seq : undefined;
  return undefined;
}

const NOTHING_ELSE = { cut: () => undefined, damage: () => undefined, dropped: () => undefined };

function* readPiece(file: OpenFile, part: OrderedPiece, isOutline: boolean): Generator<LogContents> {
  const { piece, fromSeq, toSeq } = part;
  let entries: StoredEntry[] = [];
  const listener = {
    entry: ({ entry, position }: PlacedEntry): void => {
      if (entry.seq >= fromSeq && entry.seq <= toSeq) entries.push({ entry, position });
    },
    ...NOTHING_ELSE,
  };
  const assembler = new LogAssembler(undefined, isOutline, listener);
  let readBytes = 0;
  for (const line of readRawLines(file, { from: piece.position, to: piece.end })) {
    assembler.add(line);
    assembler.take();
    readBytes += line.length;
    if (readBytes < STORE_DEFAULTS.readChunkBytes) continue;
    yield { entries, damage: [] };
    entries = [];
    readBytes = 0;
  }
  yield { entries, damage: [] };
}

/** Every whole line of a stretch of the file. */
function* readPlaced(
  file: OpenFile,
  range: { readonly from: number; readonly to: number; readonly isOutline?: boolean },
): Generator<PlacedEntry> {
  let found: PlacedEntry[] = [];
  const keep = {
    entry: (placed: PlacedEntry) => void found.push(placed),
    ...NOTHING_ELSE,
  };
  const assembler = new LogAssembler(undefined, range.isOutline, keep);
  for (const line of readRawLines(file, range)) {
    assembler.add(line);
    assembler.take();
    yield* found;
    found = [];
  }
}

/** Returns `undefined` if the forward reader keeps as many lines: then its result is right and has more details. */
function ordered(
  file: OpenFile,
  { pieces, damagedBytes }: PieceCollector,
  forward: { readonly damage: readonly LogDamage[]; readonly keptCount: number },
): Pick<LogScan, "pieces" | "damage" | "last"> | undefined {
  const findId = (piece: LogPiece, seq: number) => idAt(file, piece, seq);
  const { kept, refused } = orderPieces(pieces, { damagedBytes, findId });
  const keptCount = kept.reduce((sum, { fromSeq, toSeq }) => sum + toSeq - fromSeq + 1, 0);
  if (keptCount === forward.keptCount) return undefined;
  const unreadable = forward.damage.filter(({ reason }) => !ABOUT_ORDER.has(reason));
  const damage = [...unreadable, ...refused.map((one) => refusalOf(file, one)), ...gapsBetween(kept)];
  const last = kept.at(-1);
  return {
    pieces: kept,
    damage: damage.sort((a, b) => a.position - b.position),
    last: last && { seq: last.toSeq, id: idAt(file, last.piece, last.toSeq) },
  };
}

/** Reasons that the forward reader gives for misplaced lines. */
const ABOUT_ORDER: ReadonlySet<LogDamage["reason"]> = new Set([
  "duplicate-seq",
  "forked",
  "out-of-order",
  "missing",
]);

function refusalOf(file: OpenFile, { piece, fromSeq, toSeq, reason }: RefusedPiece): LogDamage {
  const position = fromSeq === piece.fromSeq ? piece.position : positionOf(file, piece, fromSeq);
  const end = toSeq === piece.toSeq ? piece.end : positionOf(file, piece, toSeq + 1);
  return { position, bytes: end - position, reason };
}

function positionOf(file: OpenFile, piece: LogPiece, seq: number): number {
  const range = { from: piece.position, to: piece.end, isOutline: true };
  for (const { entry, position } of readPlaced(file, range)) if (entry.seq === seq) return position;
  return piece.position;
}

function idAt(file: OpenFile, piece: LogPiece, seq: number): string | undefined {
  if (seq === piece.toSeq) return piece.lastId;
  const range = { from: piece.position, to: piece.end, isOutline: true };
  for (const { entry } of readPlaced(file, range)) if (entry.seq === seq) return entry.id;
  return undefined;
}

/** Missing numbers without damage beside them. */
function gapsBetween(kept: readonly OrderedPiece[]): readonly LogDamage[] {
  return kept.flatMap(({ piece, fromSeq }, index) => {
    const before = kept[index - 1];
    const isExplained = piece.isAfterDamage || before?.piece.isBeforeDamage === true;
    const isGap = fromSeq > (before?.toSeq ?? 0) + 1;
    return isGap && !isExplained ? [{ position: piece.position, bytes: 0, reason: "missing" } as const] : [];
  });
}
