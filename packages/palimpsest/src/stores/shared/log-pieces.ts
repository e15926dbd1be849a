/**
 * The pieces of a log, in a file or in rows: stretches of whole lines, each of which continues the one before it.
 *
 * DESIGN. A sound log of any size is one piece. Damage splits it, and so do lines that were moved, repeated or restored
 * from an older state. `log-order.ts` decides which pieces count, and in which order.
 */
import type { LogDamage } from "../../ports/session-store.ts";
import type { Entry } from "../../transcript/entries.ts";

/** The place of an entry among those that were appended with it: 1 is the first, `count` the last. */
export interface BatchMark {
  readonly index: number;
  readonly count: number;
}

/** A whole line and its position: all that decides if it counts. */
interface PlacedLine {
  readonly entry: Pick<Entry, "seq" | "id" | "parentId" | "at">;
  readonly batch: BatchMark | undefined;
  readonly position: number;
  readonly end: number;
  /** False for a row without a checksum. */
  readonly isVerified?: boolean;
}

/** Entries of one append whose last lines are missing. */
interface OpenAppend {
  readonly fromSeq: number;
  /** The number of the last entry that was written with it. */
  readonly throughSeq: number;
}

/** Whole lines, each of which continues the one before it in the file. */
export interface LogPiece {
  readonly fromSeq: number;
  toSeq: number;
  /** The parent id of the first entry. */
  readonly parentId: string | undefined;
  lastId: string;
  /** Time of the last entry. */
  lastAt: number;
  /** Number of appends; a batch counts once. */
  appendCount: number;
  /** Start of the first line; `end` is the end of the last one. */
  readonly position: number;
  end: number;
  /** An append that is cut off by the end of the piece. */
  open: OpenAppend | undefined;
  /** Damage is directly before the piece; `isBeforeDamage`: directly after it. */
  readonly isAfterDamage: boolean;
  isBeforeDamage: boolean;
  /** The checksum of the first line proves its parent id; that of the last line, its id. */
  readonly isFirstVerified: boolean;
  isLastVerified: boolean;
}

/** Takes whole lines and damage in the order of the file. */
export class PieceCollector {
  readonly pieces: LogPiece[] = [];
  /** Bytes of all damaged stretches. */
  damagedBytes = 0;
  /** Whole lines of interrupted appends, which the forward reader drops. */
  readonly droppedLines: LogDamage[] = [];
  #isAfterDamage = false;
  #isSplit = false;

  /** The next line begins a new piece. */
  split(): void {
    this.#isSplit = true;
  }

  entry({ entry, batch, position, end, isVerified = true }: PlacedLine): void {
    const { seq, id, parentId, at } = entry;
    const piece = this.pieces.at(-1);
    const isFirst = batch === undefined || batch.index === 1;
    const isOpen = batch !== undefined && batch.index < batch.count;
    const isNamed = parentId === undefined || parentId === piece?.lastId;
    const goesOn = piece?.toSeq === seq - 1 && isNamed && !this.#isSplit;
    this.#isSplit = false;
    if (piece !== undefined && goesOn) {
      const fromSeq = isFirst ? seq : (piece.open?.fromSeq ?? seq);
      piece.open = isOpen ? { fromSeq, throughSeq: seq + batch.count - batch.index } : undefined;
      piece.toSeq = seq;
      piece.lastId = id;
      piece.lastAt = at;
      piece.end = end;
      if (isFirst) piece.appendCount++;
      piece.isBeforeDamage = false;
      piece.isLastVerified = isVerified;
    } else
      this.pieces.push({
        ...{ fromSeq: seq, toSeq: seq, parentId, lastId: id, lastAt: at, appendCount: 1, position, end },
        open: isOpen ? { fromSeq: seq, throughSeq: seq + batch.count - batch.index } : undefined,
        isAfterDamage: this.#isAfterDamage,
        isBeforeDamage: false,
        isFirstVerified: isVerified,
        isLastVerified: isVerified,
      });
    this.#isAfterDamage = false;
  }

  /** An unfinished write; it explains nothing about the lines around it. */
  cut(bytes: number): void {
    this.damagedBytes += bytes;
  }

  dropped(damage: LogDamage): void {
    this.droppedLines.push(damage);
  }

  damage(bytes: number): void {
    this.damagedBytes += bytes;
    this.#isAfterDamage = true;
    const piece = this.pieces.at(-1);
    if (piece !== undefined) piece.isBeforeDamage = true;
  }
}
