/**
 * The log of one session as its rows amount to it. Reading changes nothing.
 *
 * The session's row says where the log ends. Rows that go on behind that count all the same, and a log
 * that ends before it has lost its tail; both are reported.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { LogContents, LogDamage, StoredEntry } from "../../../ports/session-store.ts";
import { sessionNotFound } from "../../shared/store-failure.ts";
import type { LogEnds, ReaderRows } from "./reader-rows.ts";
import { type MisplacedRow, RowAssembler, type RowOrder } from "./row-assembler.ts";

/**
 * Misplaced rows that are read at once when their numbers are asked for. Source: our choice: a page of entries of
 * usual size.
 */
const MISPLACED_ROWS_READ = 16;

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
    // To the end, wherever that is, nothing is expected.
    const isOpen = toSeq >= Number.MAX_SAFE_INTEGER;
    const assembler = this.#assembler(key, fromSeq);
    const finish = () => (isOpen ? assembler.finishLog(0) : assembler.finishStretch(toSeq));
    const contents = await gather(this.#read(key, { assembler, fromSeq, toSeq }, finish));
    return assembler.hasBreak ? this.#within(key, fromSeq, toSeq) : contents;
  }

  /** Everything, a page at a time. */
  async *all(key: number): AsyncGenerator<LogContents> {
    yield* this.#toEnd(key, { assembler: this.#assembler(key, 1), fromSeq: 1 }, await this.#ends(key, 0));
  }

  /** The last number according to the tail; `undefined` without one. */
  async tailEnd(key: number): Promise<number | undefined> {
    return (await this.tail(key)).entries.at(-1)?.entry.seq;
  }

  /** Reads everything, to tell where the log ends and which rows have to be moved. */
  async order(key: number): Promise<RowOrder> {
    const { lastSeq, lastPlace } = await this.#ends(key, 0);
    const assembler = this.#assembler(key, 1);
    for await (const rows of this.#rows.pages(key, 1, Math.max(lastSeq, lastPlace))) {
      for (const row of rows) await assembler.add(row);
      assembler.take();
    }
    await assembler.finishLog(lastSeq);
    return { endSeq: assembler.lastSeq, misplaced: assembler.used };
  }

  /** The entry before the checkpoint is read, too: the checkpoint has to go on from it. */
  async #tailFrom(key: number, checkpointSeq: number, ends: LogEnds): Promise<LogContents> {
    const fromSeq = Math.max(1, checkpointSeq - 1);
    const assembler = this.#assembler(key, fromSeq);
    const tail = await gather(this.#toEnd(key, { assembler, fromSeq }, ends));
    if (assembler.hasBreak) return this.#within(key, checkpointSeq, Number.MAX_SAFE_INTEGER);
    return cut(tail, checkpointSeq, Number.MAX_SAFE_INTEGER);
  }

  /** A stretch of the log as all of it tells: where the chain is broken, what lies before decides. */
  async #within(key: number, fromSeq: number, toSeq: number): Promise<LogContents> {
    const found: { entries: StoredEntry[]; damage: LogDamage[] } = { entries: [], damage: [] };
    for await (const page of this.all(key)) {
      const { entries, damage } = cut(page, fromSeq, toSeq);
      found.entries.push(...entries);
      found.damage.push(...damage);
    }
    return found;
  }

  async *#toEnd(
    key: number,
    { assembler, fromSeq }: { readonly assembler: RowAssembler; readonly fromSeq: number },
    { lastSeq, lastPlace }: LogEnds,
  ): AsyncGenerator<LogContents> {
    let endSeq = fromSeq - 1;
    const range = { assembler, fromSeq, toSeq: Math.max(lastSeq, lastPlace) };
    for await (const page of this.#read(key, range, () => assembler.finishLog(lastSeq))) {
      endSeq = page.entries.at(-1)?.entry.seq ?? endSeq;
      yield page;
    }
    if (endSeq > lastSeq) yield { entries: [], damage: [wrongEnd(lastSeq)] };
    // Unless an append was undone meanwhile.
    else if (lastPlace < lastSeq && endSeq < lastSeq && (await this.#ends(key, 0)).lastSeq >= lastSeq) {
      const position = Math.max(endSeq, lastPlace) + 1;
      yield { entries: [], damage: [{ position, bytes: 0, reason: "missing-tail" }] };
    }
  }

  async *#read(
    key: number,
    range: { readonly assembler: RowAssembler; readonly fromSeq: number; readonly toSeq: number },
    finish: () => Promise<void>,
  ): AsyncGenerator<LogContents> {
    const { assembler, fromSeq, toSeq } = range;
    for await (const rows of this.#rows.pages(key, fromSeq, toSeq)) {
      for (const row of rows) await assembler.add(row);
      yield assembler.take();
    }
    await finish();
    yield assembler.take();
  }

  #assembler(key: number, fromSeq: number): RowAssembler {
    const misplaced = {
      find: () => this.#rows.misplaced(key),
      read: (rows: readonly MisplacedRow[]) =>
        this.#rows.at(
          key,
          rows.map(({ place }) => place),
        ),
    };
    return new RowAssembler({ fromSeq, misplaced, readCount: MISPLACED_ROWS_READ });
  }

  async #ends(key: number, beforeSeq: number): Promise<LogEnds> {
    const ends = await this.#rows.ends(key, beforeSeq);
    if (ends === undefined) throw sessionNotFound(this.#sessionId, "the database");
    return ends;
  }
}

function wrongEnd(lastSeq: number): LogDamage {
  return { position: lastSeq, bytes: 0, reason: "wrong-end" };
}

function cut({ entries, damage }: LogContents, fromSeq: number, toSeq: number): LogContents {
  const isWithin = ({ position }: { readonly position: number }) => position >= fromSeq && position <= toSeq;
  // The end that a session's row tells may lie before all of it.
  const isReported = (one: LogDamage) =>
    isWithin(one) || (one.reason === "wrong-end" && toSeq >= Number.MAX_SAFE_INTEGER);
  return { entries: entries.filter(isWithin), damage: damage.filter(isReported) };
}

async function gather(pages: AsyncIterable<LogContents>): Promise<LogContents> {
  const entries: StoredEntry[] = [];
  const damage: LogDamage[] = [];
  for await (const page of pages) {
    entries.push(...page.entries);
    damage.push(...page.damage);
  }
  return { entries, damage };
}
