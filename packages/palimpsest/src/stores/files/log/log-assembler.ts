/**
 * Turns the lines of a log into entries: decides which lines count.
 *
 * DESIGN. A line counts if it is whole, and a batch if its last line arrived. An interrupted write (a kill, a full disk)
 * leaves the first lines of a batch, then half a line or nothing. Half a line is at the end of the file, or the next
 * writer made it void; both read the same. So an open batch is dropped if only such a cut follows. If a damaged line is
 * inside the batch, the write did finish and the line was damaged later: the other lines are kept. They are also kept
 * if a later entry continues the numbers of the whole batch, because writers continue only acknowledged batches.
 *
 * Numbers grow, and each entry names the one before it. If two writers continued one log, the first append in the file
 * counts. An entry with the same number is late, and so is one whose parent does not count, and everything after it.
 * An entry without a parent, as in old logs, is judged by its number alone.
 *
 * Moved lines and wrong numbers hide later lines here. A reader notices that whole lines were refused, and then
 * `ordered-log.ts` decides.
 */
import type { LogContents, LogDamage, StoredEntry } from "../../../ports/session-store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import type { BatchMark } from "../../shared/log-pieces.ts";
import { findParts, isVoid, type LinePart, parseLine } from "./log-line.ts";
import type { RawLine } from "./raw-lines.ts";

/**
 * Stretches of damage that are reported one by one while no entry comes; later ones are reported as one. Source: our
 * choice; a damaged log has a handful, a file that is none has millions.
 */
const DAMAGE_STRETCHES_REPORTED = 1_000;

interface OpenBatch {
  readonly count: number;
  readonly position: number;
  index: number;
  end: number;
  isSpoiledInside: boolean;
  readonly entries: PlacedEntry[];
}

/** A whole line: its entry and its position in the file. */
export interface PlacedEntry {
  readonly entry: Entry;
  readonly batch: BatchMark | undefined;
  readonly position: number;
  readonly end: number;
}

/** The entry that the next one continues. */
export interface LastEntry {
  readonly seq: number;
  readonly id: string | undefined;
}

/** Receives every line in the order of the file, before it is judged. */
interface LineListener {
  entry(placed: PlacedEntry): void;
  /** An unfinished write. */
  cut(bytes: number): void;
  damage(bytes: number): void;
  /** Whole lines of an append whose last lines are missing. With a listener they are not reported as damage. */
  dropped(damage: LogDamage): void;
}

/** Late entries whose followers are recognised; a real log has one or two. */
const LATE_LINES = 64;

/** Takes lines in the order of the file and returns entries and damage. */
export class LogAssembler {
  #entries: StoredEntry[] = [];
  #damage: LogDamage[] = [];
  #batch: OpenBatch | undefined;
  #last: LastEntry;
  /** Ids of the newest late entries: entries after them do not count either. */
  readonly #late = new Set<string>();
  /** Damage since the last entry already explains missing numbers. */
  #isGapReported = false;
  /** Damaged stretches since the last entry that counts. */
  #reportedCount = 0;

  readonly #isOutline: boolean;
  readonly #listener: LineListener | undefined;
  #hasRefused = false;

  /**
   * `last` is the entry before the first line; without it the first entry is accepted as it is. With
   * `isOutline`, messages, calls and answers have no content.
   */
  constructor(last: LastEntry = { seq: 0, id: undefined }, isOutline = false, listener?: LineListener) {
    this.#last = last;
    this.#isOutline = isOutline;
    this.#listener = listener;
  }

  /** True if whole lines did not count: the file is not in the order of the log, or had two writers. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  add(line: RawLine): void {
    const { bytes, position, length } = line;
    if (bytes === undefined) this.#addDamage({ position, bytes: length, reason: "too-long" });
    else if (bytes.length > 0) this.#addLine(line, bytes);
  }

  /** The file ends here. */
  finish(): void {
    this.#closeBatch();
  }

  /** Entries and damage since the last call. */
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

  /** A line of an unfinished write: the batch before it is unfinished, too. */
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

  /** Reports a stretch. Joins adjacent ones with one reason, and all of a very long series without an entry. */
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
    return this.#reportedCount >= DAMAGE_STRETCHES_REPORTED && position >= end;
  }

  #closeBatch(nextSeq = 0): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    if (batch.isSpoiledInside || nextSeq > lastSeqOf(batch)) this.#keepBatch();
    else {
      // Also at the end of the file if it begins with an earlier number: then it was moved there.
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
    if (seq <= this.#last.seq) this.#refuse(placed, "duplicate-seq");
    else if (parentId !== undefined && this.#late.has(parentId)) this.#refuse(placed, "forked");
    else this.#take(placed);
  }

  /** Reading that begins inside a log accepts the number of the first entry. */
  #isFirstAskedFor({ position }: PlacedEntry): boolean {
    return this.#last.seq === 0 && position > 0;
  }

  #take(placed: PlacedEntry): void {
    const { entry, position } = placed;
    const hasGap = entry.seq > this.#last.seq + 1 && !this.#isFirstAskedFor(placed);
    if (hasGap && !this.#isGapReported) this.#report({ position, bytes: 0, reason: "missing" });
    this.#last = { seq: entry.seq, id: entry.id };
    this.#entries.push({ entry, position });
    this.#isGapReported = false;
    this.#reportedCount = 0;
  }

  #refuse({ entry, position, end }: PlacedEntry, reason: "duplicate-seq" | "forked"): void {
    this.#hasRefused = true;
    this.#report({ position, bytes: end - position, reason });
    // If its parent counts, only its number is wrong: entries after it may count.
    if (entry.parentId === this.#last.id) return;
    // Remember the newest late entry of a chain. A copy of an entry that counts is not late.
    if (entry.parentId !== undefined) this.#late.delete(entry.parentId);
    if (entry.id === this.#last.id) return;
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
