/**
 * From lines to entries: decides which lines count.
 *
 * DESIGN. A line counts if it is whole, and a batch if its last line arrived. A write that was cut
 * (by a kill, a full disk) leaves the first lines of a batch, then half a line or nothing: half a line
 * is either at the very end or was made void by the next writer, and both read the same. So a batch
 * that is left open is dropped where nothing but such a cut follows. If a damaged line stands inside it
 * instead, the write did go on and one line was spoiled later: then the others are kept. So they are
 * where a later entry counts on from the whole batch: only an acknowledged one is gone on from.
 *
 * Numbers grow, and each entry names the one before it. Where two writers went on with one log, the first
 * append in the file counts: another with the same number, or one that goes on from an entry that does not
 * count, came too late, and so did everything that goes on from it. An entry that names no parent, as old
 * logs have them, is judged by its number alone.
 *
 * An entry that leaves a gap waits for the next one: if that stands before it, lines were moved, or the
 * number is wrong and must not hide all the entries behind it.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { LogContents, LogDamage, StoredEntry } from "../../../ports/session-store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import { type BatchMark, findParts, isVoid, type LinePart, parseLine } from "./log-line.ts";
import type { RawLine } from "./raw-lines.ts";

interface OpenBatch {
  readonly count: number;
  readonly position: number;
  index: number;
  end: number;
  isSpoiledInside: boolean;
  readonly entries: PlacedEntry[];
}

/** A whole line: its entry, and where it lies in the file. */
export interface PlacedEntry {
  readonly entry: Entry;
  readonly batch: BatchMark | undefined;
  readonly position: number;
  readonly end: number;
}

/** The entry that the next one goes on from. */
export interface LastEntry {
  readonly seq: number;
  readonly id: string | undefined;
}

/** Told of every line in the order of the file, before anything is decided. */
interface LineListener {
  entry(placed: PlacedEntry): void;
  /** A write that did not finish. */
  cut(bytes: number): void;
  damage(bytes: number): void;
  /** Whole lines of an append whose last lines are not there. With a listener they are not reported here. */
  dropped(damage: LogDamage): void;
}

/** How many lines of entries that came too late are followed; a log that was not made up has one or two. */
const LATE_LINES = 64;

/** Takes lines in order; gives what they amount to. */
export class LogAssembler {
  #entries: StoredEntry[] = [];
  #damage: LogDamage[] = [];
  #batch: OpenBatch | undefined;
  #last: LastEntry;
  /** Ids of the newest entries that came too late: what goes on from them does not count either. */
  readonly #late = new Set<string>();
  /** An entry whose number leaves a gap, and whether others were kept since. */
  #ahead: { readonly placed: PlacedEntry; isPassed: boolean } | undefined;
  /** Damage since the last entry says already why numbers are missing. */
  #isGapReported = false;
  /** Stretches since the last entry that counts. */
  #reportedCount = 0;

  readonly #isOutline: boolean;
  readonly #listener: LineListener | undefined;
  #hasRefused = false;

  /**
   * `last` is the entry before the first line; without it the first entry is taken as it is. With
   * `isOutline`, messages, calls and answers come without what they hold.
   */
  constructor(last: LastEntry = { seq: 0, id: undefined }, isOutline = false, listener?: LineListener) {
    this.#last = last;
    this.#isOutline = isOutline;
    this.#listener = listener;
  }

  /** Whole lines were passed over: the file is not in the order of the log, or two wrote it. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  add(line: RawLine): void {
    const { bytes, position, length } = line;
    if (bytes === undefined) this.#addDamage({ position, bytes: length, reason: "too-long" });
    else if (bytes.length > 0) this.#addLine(line, bytes);
  }

  /** Nothing follows any more. */
  finish(): void {
    this.#closeBatch();
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead === undefined) return;
    if (ahead.isPassed) this.#refuse(ahead.placed, "out-of-order");
    else this.#take(ahead.placed);
  }

  /** Everything that is decided since the last time. */
  take(): LogContents {
    const contents = { entries: this.#entries, damage: this.#damage };
    this.#entries = [];
    this.#damage = [];
    return contents;
  }

  #addLine(line: RawLine, bytes: Buffer): void {
    const { position, length } = line;
    const parsed = parseLine(bytes, this.#isOutline);
    if (parsed.ok) {
      const { entry, batch } = parsed;
      this.#addEntry({ entry, batch, position, end: position + length });
      return;
    }
    const parts = isVoid(bytes) ? [] : findParts(bytes);
    const hasEntries = parts.some((part) => part.parsed.ok);
    if (isVoid(bytes) || (!line.isTerminated && !hasEntries))
      this.#addCut({ position, bytes: length, reason: "torn-tail" });
    else for (const part of parts) this.#addPart(part, position);
  }

  #addPart({ offset, bytes, parsed }: LinePart, linePosition: number): void {
    const position = linePosition + offset;
    if (parsed.ok) this.#addEntry({ ...parsed, position, end: position + bytes });
    else this.#addDamage({ position, bytes, reason: parsed.reason });
  }

  #addEntry(placed: PlacedEntry): void {
    this.#listener?.entry(placed);
    const { batch, position, end } = placed;
    if (batch === undefined) {
      this.#closeBatch(placed.entry.seq);
      this.#keep(placed);
      return;
    }
    const open = this.#batch;
    if (open !== undefined && open.count === batch.count && batch.index > open.index) {
      open.entries.push(placed);
      open.index = batch.index;
      open.end = end;
    } else {
      this.#closeBatch(placed.entry.seq);
      this.#batch = {
        ...batch,
        position,
        end,
        isSpoiledInside: false,
        entries: [placed],
      };
    }
    if (batch.index === batch.count) this.#keepBatch();
  }

  /** A line whose write did not finish: neither did the batch before it. */
  #addCut(damage: LogDamage): void {
    this.#listener?.cut(damage.bytes);
    this.#closeBatch();
    this.#report(damage);
  }

  #addDamage(damage: LogDamage): void {
    this.#listener?.damage(damage.bytes);
    if (this.#batch !== undefined) this.#batch.isSpoiledInside = true;
    this.#report(damage);
  }

  /** Reports a stretch; stretches that touch and have one reason are one, and so are very many without an entry. */
  #report(damage: LogDamage): void {
    const last = this.#damage.at(-1);
    const goesOn = last !== undefined && this.#goesOn(last, damage);
    if (goesOn)
      this.#damage[this.#damage.length - 1] = {
        ...last,
        bytes: damage.position + damage.bytes - last.position,
      };
    else this.#damage.push(damage);
    this.#reportedCount++;
    this.#isGapReported = true;
  }

  #goesOn(last: LogDamage, { position, reason }: LogDamage): boolean {
    const end = last.position + last.bytes;
    if (last.reason === reason && position === end) return true;
    return this.#reportedCount >= STORE_DEFAULTS.damageStretchesReported && position >= end;
  }

  #closeBatch(nextSeq = 0): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    if (batch.isSpoiledInside || nextSeq > lastSeqOf(batch)) this.#keepBatch();
    else {
      // Also at the end of the file, where it begins with a number that came before: then it was moved there.
      this.#hasRefused ||= nextSeq > 0 || batch.entries[0]!.entry.seq <= this.#last.seq;
      const { position, end } = batch;
      const dropped = { position, bytes: end - position, reason: "torn-tail" } as const;
      if (this.#listener === undefined) this.#report(dropped);
      else this.#listener.dropped(dropped);
    }
    this.#batch = undefined;
  }

  #keepBatch(): void {
    for (const placed of this.#batch?.entries ?? []) this.#keep(placed);
    this.#batch = undefined;
  }

  #keep(placed: PlacedEntry): void {
    const { seq, parentId } = placed.entry;
    const ahead = this.#ahead;
    const aheadSeq = ahead?.placed.entry.seq ?? Number.POSITIVE_INFINITY;
    if (seq <= this.#last.seq || seq === aheadSeq) this.#refuse(placed, "duplicate-seq");
    else if (parentId !== undefined && this.#late.has(parentId)) this.#refuse(placed, "forked");
    else if (ahead !== undefined && seq > aheadSeq) {
      this.#ahead = undefined;
      this.#take(ahead.placed);
      this.#keep(placed);
    } else if (seq === this.#last.seq + 1 || this.#isFirstAskedFor(placed) || ahead !== undefined) {
      this.#take(placed);
      this.#passAhead();
    } else this.#ahead = { placed, isPassed: false };
  }

  /** Where reading begins inside of a log, the first entry says what its number is. */
  #isFirstAskedFor({ position }: PlacedEntry): boolean {
    return this.#last.seq === 0 && position > 0;
  }

  #passAhead(): void {
    const ahead = this.#ahead;
    if (ahead === undefined) return;
    ahead.isPassed = true;
    if (ahead.placed.entry.seq !== this.#last.seq + 1) return;
    this.#ahead = undefined;
    this.#take(ahead.placed);
  }

  #take(placed: PlacedEntry): void {
    const { entry, position } = placed;
    const hasGap = entry.seq > this.#last.seq + 1 && !this.#isFirstAskedFor(placed);
    if (hasGap && !this.#isGapReported && this.#ahead === undefined)
      this.#report({ position, bytes: 0, reason: "missing" });
    this.#last = { seq: entry.seq, id: entry.id };
    this.#entries.push({ entry, position });
    this.#isGapReported = false;
    this.#reportedCount = 0;
  }

  #refuse({ entry, position, end }: PlacedEntry, reason: "duplicate-seq" | "forked" | "out-of-order"): void {
    this.#hasRefused = true;
    this.#report({ position, bytes: end - position, reason });
    // Only its number is wrong where it goes on from what counts: what goes on from it does, too.
    if (reason === "out-of-order" || entry.parentId === this.#last.id) return;
    // Of a line that came too late the newest is remembered. A copy of what counts is not such a line.
    if (entry.parentId !== undefined) this.#late.delete(entry.parentId);
    if (entry.id === this.#last.id || entry.id === this.#ahead?.placed.entry.id) return;
    this.#late.add(entry.id);
    const [oldest] = this.#late;
    if (this.#late.size > LATE_LINES && oldest !== undefined) this.#late.delete(oldest);
  }
}

/** The number of the last entry that was written with the batch. */
function lastSeqOf({ entries, count }: OpenBatch): number {
  const { entry, batch } = entries[0]!;
  return entry.seq + count - (batch?.index ?? 1);
}
