/**
 * The log of one session as its rows amount to it. Reading changes nothing.
 *
 * DESIGN. Rows are read in the order of their numbers as long as nothing contradicts it: each row that is whole holds
 * the entry of its number, which names the entry before. Otherwise all rows decide (`row-order.ts`). Entries are given
 * out once no later row can refuse them: before a gap, or in a long run.
 *
 * The session's row says where the log ends. Rows that go on behind that count all the same, and a log
 * that ends before it has lost its tail; both are reported.
 */

import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { addAll } from "../../../base/lists.ts";
import type { LogContents, LogDamage, StoredEntry } from "../../../ports/session-store.ts";
import type { OrderedPiece } from "../../shared/log-order.ts";
import { sessionNotFound } from "../../shared/store-failure.ts";
import type { LogEnds, ReaderRows } from "./reader-rows.ts";
import { missingAt, type RowBefore, type RowOrder, RowScan, TRUSTED_LINKS } from "./row-order.ts";

const START: RowBefore = { seq: 0, isVerified: true };

/** The end of a forward read. */
interface ForwardEnd {
  /** False if rows contradict their order. */
  readonly isInOrder: boolean;
  /** The last entry that was given out. */
  readonly last: RowBefore;
  /** The number after the last row. */
  readonly nextPlace: number;
}

export class LogRows {
  readonly #sessionId: string;
  readonly #rows: ReaderRows;

  constructor(sessionId: string, rows: ReaderRows) {
    this.#sessionId = sessionId;
    this.#rows = rows;
  }

  /** From the last checkpoint that can be read to the end; nothing where there is none. */
  async tail(key: number): Promise<LogContents> {
    let beforeSeq = Number.MAX_SAFE_INTEGER;
    for (let attempt = 1; attempt <= STORE_DEFAULTS.tailAttempts; attempt++) {
      const ends = await this.#ends(key, beforeSeq);
      if (ends.checkpointSeq === undefined) break;
      const tail = await this.#tailFrom(key, ends.checkpointSeq, ends);
      const first = tail.entries[0];
      if (first?.position === ends.checkpointSeq && first.entry.type === "checkpoint") return tail;
      beforeSeq = ends.checkpointSeq; // That one is damaged; the one before it does as well.
    }
    return { entries: [], damage: [] };
  }

  /** Entries `fromSeq` … `toSeq`. */
  async stretch(key: number, fromSeq: number, toSeq: number): Promise<LogContents> {
    const { contents, end } = await gather(this.#forward(key, fromSeq, toSeq));
    // To the end, wherever that is, nothing is expected.
    const isShort = toSeq < Number.MAX_SAFE_INTEGER && end.nextPlace <= toSeq;
    if (!end.isInOrder || (isShort && (await this.#rows.hasMisplaced(key))))
      return this.#within(key, fromSeq, toSeq);
    return isShort ? { ...contents, damage: [...contents.damage, missingAt(end.nextPlace)] } : contents;
  }

  /** Everything, a page at a time. */
  async *all(key: number): AsyncGenerator<LogContents> {
    yield* this.#toEnd(key, await this.#ends(key, 0), 1);
  }

  /** The last number according to the tail; `undefined` without one. */
  async tailEnd(key: number): Promise<number | undefined> {
    return (await this.tail(key)).entries.at(-1)?.entry.seq;
  }

  /** Reads everything, to tell where the log ends and which rows have to be moved. */
  async order(key: number): Promise<RowOrder> {
    return this.#order(key, START, await this.#ends(key, 0));
  }

  async #order(key: number, before: RowBefore, ends: LogEnds): Promise<RowOrder> {
    const scan = new RowScan(before);
    for await (const rows of this.#rows.pages(key, before.seq + 1, lastOf(ends)))
      for (const row of rows) scan.add(row);
    return scan.order();
  }

  /** The entry before the checkpoint is read, too: the checkpoint has to go on from it. */
  async #tailFrom(key: number, checkpointSeq: number, ends: LogEnds): Promise<LogContents> {
    const { contents, end } = await gather(this.#toEnd(key, ends, Math.max(1, checkpointSeq - 1)));
    const toSeq = Number.MAX_SAFE_INTEGER;
    return end ? cut(contents, checkpointSeq, toSeq) : this.#within(key, checkpointSeq, toSeq);
  }

  /** A stretch of the log as all of it tells: where the chain is broken, what lies before decides. */
  async #within(key: number, fromSeq: number, toSeq: number): Promise<LogContents> {
    const { contents } = await gather(this.#toEnd(key, await this.#ends(key, 0), 1));
    return cut(contents, fromSeq, toSeq);
  }

  /** Returns false if only reading from the start tells which rows count. */
  async *#toEnd(key: number, ends: LogEnds, fromSeq: number): AsyncGenerator<LogContents, boolean> {
    const { lastSeq, lastPlace } = ends;
    const { isInOrder, last } = yield* this.#forward(key, fromSeq, lastOf(ends));
    if (!isInOrder && fromSeq > 1) return false;
    let endSeq = last.seq;
    if (!isInOrder) {
      const order = await this.#order(key, last, ends);
      endSeq = order.endSeq;
      yield { entries: [], damage: order.damage };
      for (const part of order.kept) yield* this.#piece(key, part);
    }
    if (endSeq > lastSeq)
      yield { entries: [], damage: [{ position: lastSeq, bytes: 0, reason: "wrong-end" }] };
    // Unless an append was undone meanwhile.
    else if (lastPlace < lastSeq && endSeq < lastSeq && (await this.#ends(key, 0)).lastSeq >= lastSeq) {
      const position = Math.max(endSeq, lastPlace) + 1;
      yield { entries: [], damage: [{ position, bytes: 0, reason: "missing-tail" }] };
    }
    return true;
  }

  async *#piece(key: number, { piece, fromSeq, toSeq }: OrderedPiece): AsyncGenerator<LogContents> {
    const shift = piece.position - piece.fromSeq;
    for await (const rows of this.#rows.pages(key, fromSeq + shift, toSeq + shift))
      yield {
        entries: rows.flatMap(({ entry }) => (entry === undefined ? [] : { entry, position: entry.seq })),
        damage: [],
      };
  }

  /** Entries in the order of their numbers, until rows contradict it. */
  async *#forward(key: number, fromSeq: number, toSeq: number): AsyncGenerator<LogContents, ForwardEnd> {
    let last: RowBefore = { seq: fromSeq - 1, isVerified: true };
    let given = last;
    let nextPlace = fromSeq;
    let links = 0;
    let firm = nothing();
    let firmLast = last;
    let held = nothing();
    const settle = (): void => {
      addAll(firm.entries, held.entries);
      addAll(firm.damage, held.damage);
      firmLast = last;
      held = nothing();
    };
    for await (const rows of this.#rows.pages(key, fromSeq, toSeq)) {
      for (const { place, bytes, entry, reason, isVerified } of rows) {
        const isGap = place > nextPlace || entry === undefined;
        // In a gap, the entry may be in another row.
        const isElsewhere = entry === undefined ? false : entry.seq !== place;
        if (isElsewhere || (isGap && (await this.#rows.hasMisplaced(key))))
          return { isInOrder: false, last: given, nextPlace };
        if (isGap) settle();
        if (place > nextPlace) held.damage.push(missingAt(nextPlace));
        nextPlace = place + 1;
        if (entry === undefined) {
          held.damage.push({ position: place, bytes, reason: reason! });
          continue;
        }
        const isNext = last.seq === place - 1 && last.id !== undefined;
        const isBroken = isNext && entry.parentId !== undefined && entry.parentId !== last.id;
        if (isBroken && isVerified && last.isVerified) return { isInOrder: false, last: given, nextPlace };
        if (isBroken) held.damage.push(missingAt(place));
        links = isNext ? links + 1 : 0;
        last = { seq: place, id: entry.id, isVerified };
        held.entries.push({ entry, position: place });
      }
      if (links > TRUSTED_LINKS) settle();
      if (firm.entries.length === 0 && firm.damage.length === 0) continue;
      given = firmLast;
      yield firm;
      firm = nothing();
    }
    settle();
    yield firm;
    return { isInOrder: true, last, nextPlace };
  }

  async #ends(key: number, beforeSeq: number): Promise<LogEnds> {
    const ends = await this.#rows.ends(key, beforeSeq);
    if (ends === undefined) throw sessionNotFound(this.#sessionId, "the database");
    return ends;
  }
}

interface Gathered {
  readonly entries: StoredEntry[];
  readonly damage: LogDamage[];
}

const nothing = (): Gathered => ({ entries: [], damage: [] });

const lastOf = ({ lastSeq, lastPlace }: LogEnds): number => Math.max(lastSeq, lastPlace);

function cut({ entries, damage }: LogContents, fromSeq: number, toSeq: number): LogContents {
  const isWithin = ({ position }: { readonly position: number }) => position >= fromSeq && position <= toSeq;
  // The end that a session's row tells may lie before all of it.
  const isReported = (one: LogDamage) =>
    isWithin(one) || (one.reason === "wrong-end" && toSeq >= Number.MAX_SAFE_INTEGER);
  return { entries: entries.filter(isWithin), damage: damage.filter(isReported) };
}

/** All pages, and what the generator returns. */
async function gather<End>(
  pages: AsyncGenerator<LogContents, End>,
): Promise<{ contents: LogContents; end: End }> {
  const contents = nothing();
  for (;;) {
    const page = await pages.next();
    if (page.done === true) return { contents, end: page.value };
    addAll(contents.entries, page.value.entries);
    addAll(contents.damage, page.value.damage);
  }
}
