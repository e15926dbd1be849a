/**
 * Decides which pieces of a damaged log count, and in which order.
 *
 * DESIGN. Numbers order the pieces; parent ids decide between two pieces with the same numbers.
 * - A piece whose numbers no other piece has counts, wherever it is in the file: moved lines are put back.
 * - Of two pieces with the same numbers, the one that was continued counts. A late writer leaves one append that
 *   nothing continues. So if one of the two is a single append, the longer counts. Otherwise the one written last
 *   counts: a log that was cut and continued may get its old tail back. Of equals the first in the file counts, as
 *   between two writers.
 * - Entries after one that does not count do not count either.
 * - An append whose last lines are missing counts if something follows it, or a damaged line explains them.
 * - A single line with a number far above all others and without an explanation has a wrong number. Lines that name one
 *   another confirm their numbers: they count, however many entries before them are missing.
 *
 * The decision never reads the content of entries, and every step is `n log n` in the number of pieces.
 */
import type { LogDamage } from "../../ports/session-store.ts";
import type { LogPiece } from "./log-pieces.ts";

/** Entries `fromSeq` to `toSeq` of a piece. */
export interface OrderedPiece {
  readonly piece: LogPiece;
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** Entries of a piece that do not count. */
export interface RefusedPiece extends OrderedPiece {
  readonly reason: Extract<LogDamage["reason"], "duplicate-seq" | "forked" | "out-of-order" | "torn-tail">;
}

interface PieceOrder {
  /** By number, without overlap. */
  readonly kept: readonly OrderedPiece[];
  readonly refused: readonly RefusedPiece[];
}

/** Fewest bytes of a line: damage explains a gap only if that many entries fit into it. */
const SHORTEST_LINE_BYTES = 64;

/** True if the missing entries fit into the damaged bytes. */
export function explainsGap(missingCount: number, damagedBytes: number): boolean {
  return missingCount * SHORTEST_LINE_BYTES <= damagedBytes;
}

/** Reads the id of one entry of a piece; needed if a copy was continued. */
type FindId = (piece: LogPiece, seq: number) => string | undefined;

export function orderPieces(
  pieces: readonly LogPiece[],
  { damagedBytes, findId }: { readonly damagedBytes: number; readonly findId: FindId },
): PieceOrder {
  const order = new Order(pieces, findId);
  // Sorting is stable: of two pieces that begin with the same number, the first in the file comes first.
  for (const piece of pieces.toSorted((a, b) => a.fromSeq - b.fromSeq)) order.add(piece);
  order.finish(damagedBytes);
  return { kept: order.kept, refused: order.refused };
}

/** A piece with everything that continues it: the number of entries, and the time of the last one. */
interface Reach {
  readonly count: number;
  readonly lastAt: number;
}

class Order {
  readonly kept: OrderedPiece[] = [];
  readonly refused: RefusedPiece[] = [];
  /** Keys (number and parent id) of entries that would follow one that does not count. */
  readonly #refusedNext = new Set<string>();
  readonly #reaches: ReadonlyMap<LogPiece, Reach>;

  readonly #findId: FindId;

  constructor(pieces: readonly LogPiece[], findId: FindId) {
    this.#findId = findId;
    this.#reaches = reachesOf(pieces);
  }

  add(piece: LogPiece): void {
    const top = this.kept.at(-1);
    if (this.#isForked(piece, top)) this.#refuse({ ...wholeOf(piece), reason: "forked" });
    else if (top === undefined || piece.fromSeq > top.toSeq) this.#keep(piece);
    else if (this.#isStronger(piece, top)) {
      this.#cut(top, piece.fromSeq, isCutOff(top, piece.fromSeq) ? "torn-tail" : "duplicate-seq");
      this.#keep(piece);
    } else if (this.#isGoneOnWith(piece, top)) {
      this.refused.push({ ...wholeOf(piece), toSeq: top.toSeq, reason: "duplicate-seq" });
      this.kept.push({ ...wholeOf(piece), fromSeq: top.toSeq + 1 });
    } else this.#refuse({ ...wholeOf(piece), reason: "duplicate-seq" });
  }

  /** True if `piece` begins as a copy of the end of `top` and then continues it. */
  #isGoneOnWith(piece: LogPiece, top: OrderedPiece): boolean {
    if (piece.toSeq <= top.toSeq || top.toSeq < top.piece.toSeq) return false;
    return this.#findId(piece, top.toSeq) === top.piece.lastId;
  }

  finish(damagedBytes: number): void {
    this.#dropWrongNumbers(damagedBytes);
    const last = this.kept.at(-1);
    const open = last?.piece.open;
    if (last === undefined || open === undefined || last.piece.isBeforeDamage) return;
    if (last.toSeq === last.piece.toSeq) this.#cut(last, open.fromSeq, "torn-tail");
  }

  #keep(piece: LogPiece): void {
    this.kept.push(wholeOf(piece));
  }

  #isForked({ fromSeq, parentId }: LogPiece, top: OrderedPiece | undefined): boolean {
    if (parentId === undefined || !this.#refusedNext.has(`${fromSeq} ${parentId}`)) return false;
    return top?.piece.lastId !== parentId || top.toSeq < top.piece.toSeq;
  }

  /** True if `piece` counts instead of the entries of `top` from its first number on. */
  #isStronger(piece: LogPiece, top: OrderedPiece): boolean {
    if (isCutOff(top, piece.fromSeq)) return true;
    const theirs = this.#reaches.get(piece)!;
    const ours = this.#remainderOf(top, piece.fromSeq);
    if (theirs.count > 1 && ours.count > 1 && theirs.lastAt !== ours.lastAt)
      return theirs.lastAt > ours.lastAt;
    return theirs.count > ours.count;
  }

  #remainderOf(top: OrderedPiece, fromSeq: number): Reach {
    const { piece, toSeq } = top;
    const count = toSeq - fromSeq + 1;
    if (toSeq < piece.toSeq) return { count, lastAt: piece.lastAt };
    const whole = this.#reaches.get(piece)!;
    return { count: count + whole.count - countOf(piece), lastAt: whole.lastAt };
  }

  /** Removes the entries of `top` from `fromSeq` on. */
  #cut(top: OrderedPiece, fromSeq: number, reason: RefusedPiece["reason"]): void {
    this.kept.pop();
    if (fromSeq > top.fromSeq) this.kept.push({ ...top, toSeq: fromSeq - 1 });
    this.#refuse({ ...wholeOf(top.piece), fromSeq: Math.max(fromSeq, top.fromSeq), reason });
  }

  #refuse(refused: RefusedPiece): void {
    this.refused.push(refused);
    this.#refusedNext.add(nextOf(refused.piece));
  }

  #dropWrongNumbers(damagedBytes: number): void {
    for (;;) {
      const [before, last] = this.kept.slice(-2);
      if (before === undefined || last === undefined) return;
      const isMoved = last.piece.position < before.piece.position;
      const isSingle = last.piece.fromSeq === last.piece.toSeq;
      const missingCount = last.fromSeq - before.toSeq - 1;
      if (!isMoved || !isSingle || explainsGap(missingCount, damagedBytes)) return;
      this.kept.pop();
      this.#refuse({ ...last, reason: "out-of-order" });
    }
  }
}

/** True if the entries of `top` from `fromSeq` on belong to an append whose last lines are missing. */
function isCutOff({ piece, toSeq }: OrderedPiece, fromSeq: number): boolean {
  const { open, isBeforeDamage } = piece;
  return open !== undefined && !isBeforeDamage && toSeq === piece.toSeq && fromSeq >= open.fromSeq;
}

const wholeOf = (piece: LogPiece): OrderedPiece => ({ piece, fromSeq: piece.fromSeq, toSeq: piece.toSeq });

/** The entries of a piece. A single append counts as one: a late writer leaves one, however long. */
const countOf = ({ appendCount, fromSeq, toSeq }: LogPiece): number =>
  appendCount > 1 ? toSeq - fromSeq + 1 : 1;

/** The key of the entry that continues the piece: its number and parent id. */
function nextOf({ toSeq, lastId }: LogPiece): string {
  return `${toSeq + 1} ${lastId}`;
}

function reachesOf(pieces: readonly LogPiece[]): ReadonlyMap<LogPiece, Reach> {
  const reaches = new Map<LogPiece, Reach>();
  /** The longest continuation by key. */
  const next = new Map<string, Reach>();
  for (const piece of pieces.toSorted((a, b) => b.fromSeq - a.fromSeq)) {
    const after = next.get(nextOf(piece));
    const count = countOf(piece) + (after?.count ?? 0);
    const reach = { count, lastAt: Math.max(piece.lastAt, after?.lastAt ?? 0) };
    reaches.set(piece, reach);
    if (piece.parentId === undefined) continue;
    const key = `${piece.fromSeq} ${piece.parentId}`;
    if (reach.count > (next.get(key)?.count ?? 0)) next.set(key, reach);
  }
  return reaches;
}
