/**
 * The pieces of a log: stretches of whole lines that go on from one another.
 *
 * DESIGN. A sound log is one piece, whatever its size. Damage inside it makes two of it, and so do lines that
 * were moved, repeated or restored from an older state. Pieces say which lines belong together; which pieces
 * make up the log, and in which order, is decided in `log-order.ts`.
 */
import type { LogDamage } from "../../../ports/session-store.ts";
import type { PlacedEntry } from "./log-assembler.ts";

/** Entries of one append, of which the last lines are not there. */
interface OpenAppend {
  readonly fromSeq: number;
  /** The number of the last entry that was written with it. */
  readonly throughSeq: number;
}

/** Whole lines, each of which goes on from the one before it in the file. */
export interface LogPiece {
  readonly fromSeq: number;
  toSeq: number;
  /** The entry before the first, as the first names it. */
  readonly parentId: string | undefined;
  lastId: string;
  /** When the last entry was appended. */
  lastAt: number;
  /** How often was appended; a batch counts once. */
  appendCount: number;
  /** Where the first line begins and the last one ends. */
  readonly position: number;
  end: number;
  /** An append that is cut off by the end of the piece. */
  open: OpenAppend | undefined;
  /** A stretch that cannot be read lies right before, or right behind it. */
  readonly isAfterDamage: boolean;
  isBeforeDamage: boolean;
}

/** Takes whole lines and damage in the order of the file. */
export class PieceCollector {
  readonly pieces: LogPiece[] = [];
  /** Bytes of all stretches that cannot be read. */
  damagedBytes = 0;
  /** What the forward reader would drop: whole lines of appends that were cut off. */
  readonly droppedLines: LogDamage[] = [];
  #isAfterDamage = false;

  entry({ entry, batch, position, end }: PlacedEntry): void {
    const { seq, id, parentId, at } = entry;
    const piece = this.pieces.at(-1);
    const isFirst = batch === undefined || batch.index === 1;
    const isOpen = batch !== undefined && batch.index < batch.count;
    const goesOn = piece?.toSeq === seq - 1 && (parentId === undefined || parentId === piece.lastId);
    if (piece !== undefined && goesOn) {
      const fromSeq = isFirst ? seq : (piece.open?.fromSeq ?? seq);
      piece.open = isOpen ? { fromSeq, throughSeq: seq + batch.count - batch.index } : undefined;
      piece.toSeq = seq;
      piece.lastId = id;
      piece.lastAt = at;
      piece.end = end;
      if (isFirst) piece.appendCount++;
      piece.isBeforeDamage = false;
    } else
      this.pieces.push({
        ...{ fromSeq: seq, toSeq: seq, parentId, lastId: id, lastAt: at, appendCount: 1, position, end },
        open: isOpen ? { fromSeq: seq, throughSeq: seq + batch.count - batch.index } : undefined,
        isAfterDamage: this.#isAfterDamage,
        isBeforeDamage: false,
      });
    this.#isAfterDamage = false;
  }

  /** What a write that did not finish left: it says nothing of the lines around it. */
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
