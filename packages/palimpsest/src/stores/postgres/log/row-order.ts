/**
 * Decides which rows count, and in which order, if the numbers of rows or the chain of parent ids contradict each other.
 *
 * DESIGN. Rows become pieces, and the same rules as for files order them (`log-order.ts`). So swapped or moved rows hide
 * nothing, and copies are refused. One rule more: each entry names the one before it. Pieces that do so form a run. If
 * two runs touch and the second does not name the end of the first, one of them is foreign: rows of a backup, or of
 * another writer. A run is anchored if it begins the log, or has {@link TRUSTED_LINKS} links. A run beside an anchored
 * one with at least as many links is refused and reported as `forked`. All other runs count, and the break is reported
 * as `missing`: without evidence no whole entry is hidden. A row without a checksum proves nothing: one damaged letter
 * of an id would hide all later entries.
 */
import { addAll } from "../../../base/lists.ts";
import type { LogDamage } from "../../../ports/session-store.ts";
import { type OrderedPiece, orderPieces } from "../../shared/log-order.ts";
import { type LogPiece, PieceCollector } from "../../shared/log-pieces.ts";
import type { ReadRow } from "./entry-rows.ts";

/** Links between entries after which a run counts, whatever precedes it. Source: our choice: more than any append by hand. */
export const TRUSTED_LINKS = 64;

/** A row that holds the entry of another number. */
interface MisplacedRow {
  readonly seq: number;
  readonly place: number;
}

/** The entry before the rows that are ordered; it counts. Number 0 at the start of a log. */
export interface RowBefore {
  readonly seq: number;
  readonly id?: string;
  readonly isVerified: boolean;
}

/** The order of a log's rows. */
export interface RowOrder {
  /** The number of the last entry that counts; 0 where none does. */
  readonly endSeq: number;
  readonly kept: readonly OrderedPiece[];
  readonly damage: readonly LogDamage[];
  /** Rows that count with the entry of another number. */
  readonly misplaced: readonly MisplacedRow[];
}

/** Takes rows by place. Holds the size of each row, and otherwise only pieces. */
export class RowScan {
  readonly #before: RowBefore;
  readonly #collector = new PieceCollector();
  readonly #damage: LogDamage[] = [];
  /** Places without a row. */
  readonly #holes: { readonly from: number; readonly to: number }[] = [];
  readonly #sizes: number[] = [];
  readonly #misplacedIds = new Map<number, string>();
  #nextPlace: number;
  #shift = 0;

  constructor(before: RowBefore) {
    this.#before = before;
    this.#nextPlace = before.seq + 1;
  }

  add({ place, bytes, entry, reason, isVerified }: ReadRow): void {
    if (place > this.#nextPlace) this.#holes.push({ from: this.#nextPlace, to: place - 1 });
    this.#nextPlace = place + 1;
    if (entry === undefined) {
      this.#collector.damage(bytes);
      this.#damage.push({ position: place, bytes, reason: reason! });
    } else if (entry.seq <= this.#before.seq)
      this.#damage.push({ position: place, bytes, reason: "duplicate-seq" });
    else {
      // In a piece, places and numbers differ by the same amount.
      if (place - entry.seq !== this.#shift) this.#collector.split();
      this.#shift = place - entry.seq;
      this.#sizes[place - this.#before.seq] = bytes;
      if (this.#shift !== 0) this.#misplacedIds.set(place, entry.id);
      this.#collector.entry({ entry, batch: undefined, position: place, end: place, isVerified });
    }
  }

  order(): RowOrder {
    const { pieces, damagedBytes } = this.#collector;
    const findId = (piece: LogPiece, seq: number) => this.#misplacedIds.get(placeOf(piece, seq));
    const ordered = orderPieces(pieces, { damagedBytes, findId });
    const { kept, foreign, breaks } = withoutForeign(ordered.kept, this.#before);
    const misplaced = kept.filter(({ piece }) => piece.position !== piece.fromSeq);
    const damage = [
      ...this.#damage,
      ...ordered.refused.flatMap((part) => this.#reportOf(part, part.reason)),
      ...foreign.flatMap((part) => this.#reportOf(part, "forked")),
      ...misplaced.flatMap((part) => this.#reportOf(part, "out-of-order")),
      ...[...breaks, ...this.#missingIn(kept)].map(missingAt),
    ];
    return {
      endSeq: kept.at(-1)?.toSeq ?? this.#before.seq,
      kept,
      damage: damage.sort((one, other) => one.position - other.position),
      misplaced: misplaced.flatMap((part) =>
        seqsOf(part).map((seq) => ({ seq, place: placeOf(part.piece, seq) })),
      ),
    };
  }

  #reportOf(part: OrderedPiece, reason: LogDamage["reason"]): readonly LogDamage[] {
    return seqsOf(part).map((seq) => {
      const position = placeOf(part.piece, seq);
      return { position, bytes: this.#sizes[position - this.#before.seq]!, reason };
    });
  }

  /** The first of each series of missing numbers. A number whose row holds something else is reported with that row. */
  #missingIn(kept: readonly OrderedPiece[]): readonly number[] {
    // A row far beyond the last entry is a sign that there were more.
    const ends = [...kept.map(({ fromSeq }) => fromSeq), Number.POSITIVE_INFINITY];
    return ends.flatMap((end, index) => {
      const from = (kept[index - 1]?.toSeq ?? this.#before.seq) + 1;
      const holes = this.#holes.filter((hole) => hole.from < end && hole.to >= from);
      return holes.map((hole) => Math.max(from, hole.from));
    });
  }
}

/** A damage report for missing entries. */
export function missingAt(position: number): LogDamage {
  return { position, bytes: 0, reason: "missing" };
}

function seqsOf({ fromSeq, toSeq }: OrderedPiece): readonly number[] {
  return Array.from({ length: toSeq - fromSeq + 1 }, (_, index) => fromSeq + index);
}

/** The place of an entry of a piece. */
function placeOf({ position, fromSeq }: LogPiece, seq: number): number {
  return position + seq - fromSeq;
}

interface Run {
  readonly parts: OrderedPiece[];
  links: number;
  /** It begins the log. */
  readonly isFirst: boolean;
}

interface Chain {
  readonly kept: readonly OrderedPiece[];
  readonly foreign: readonly OrderedPiece[];
  /** Numbers of entries that count and do not name the one before them. */
  readonly breaks: readonly number[];
}

/** Judges runs that touch. */
function withoutForeign(pieces: readonly OrderedPiece[], before: RowBefore): Chain {
  const breaks: number[] = [];
  const kept: OrderedPiece[] = [];
  const foreign: OrderedPiece[] = [];
  // What was read before counts.
  let runs: Run[] = [{ parts: [], links: TRUSTED_LINKS, isFirst: true }];
  let end: RowBefore = before;
  const judge = (): void => {
    const counts = runs.map((run, at) => !isRefused(run, runs[at - 1]) && !isRefused(run, runs[at + 1]));
    for (const [at, { parts }] of runs.entries()) {
      addAll(counts[at] === true ? kept : foreign, parts);
      if (at > 0 && counts[at] === true && counts[at - 1] === true) breaks.push(parts[0]!.fromSeq);
    }
  };
  for (const part of pieces) {
    const { piece, fromSeq, toSeq } = part;
    const parentId = fromSeq === piece.fromSeq ? piece.parentId : undefined;
    const touches = end.seq > 0 && fromSeq === end.seq + 1;
    const isBroken = touches && parentId !== undefined && end.id !== undefined && parentId !== end.id;
    const isBreak = isBroken && end.isVerified && piece.isFirstVerified;
    if (isBroken && !isBreak) breaks.push(fromSeq);
    if (!touches) {
      judge();
      runs = [];
    }
    if (!touches || isBreak) runs.push({ parts: [], links: -1, isFirst: fromSeq === 1 });
    const run = runs.at(-1)!;
    run.parts.push(part);
    run.links += toSeq - fromSeq + 1;
    end = {
      seq: toSeq,
      isVerified: piece.isLastVerified,
      ...(toSeq === piece.toSeq && { id: piece.lastId }),
    };
  }
  judge();
  return { kept, foreign, breaks };
}

function isRefused(run: Run, beside: Run | undefined): boolean {
  if (beside === undefined || run.links >= TRUSTED_LINKS) return false;
  if (beside.links >= TRUSTED_LINKS) return true;
  return beside.isFirst && beside.links > 0 && beside.links >= run.links;
}
