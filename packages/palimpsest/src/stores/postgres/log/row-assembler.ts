/**
 * Turns rows into entries: decides which rows count.
 *
 * DESIGN. A row counts if it is whole and its entry has the number of the row. If the row of a number is damaged, missing,
 * or has another entry, the entry is searched in the misplaced rows of the session, so that swapped or moved rows hide
 * nothing. It counts if it continues the entry before it. Copies and entries without a place are reported, and so is each
 * stretch of missing numbers. If the chain of parent ids is broken, `run-chooser.ts` decides.
 */
import type { LogContents, LogDamage, StoredEntry } from "../../../ports/session-store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import type { ReadRow } from "./entry-rows.ts";
import { type PlacedRow, RunChooser } from "./run-chooser.ts";

/** A row that holds the entry of another number, as far as its first bytes tell. */
export interface MisplacedRow {
  readonly seq: number;
  readonly place: number;
}

/** The order of a log's rows. */
export interface RowOrder {
  /** The number of the last entry that counts; 0 where none does. */
  readonly endSeq: number;
  /** Rows with the entry of another number whose own row has none. */
  readonly misplaced: readonly MisplacedRow[];
}

/** The misplaced rows of one session, looked for when they are needed. */
interface MisplacedRows {
  /** Sorted by the number of the entry. */
  find(): Promise<readonly MisplacedRow[]>;
  /** The rows at these places. */
  read(rows: readonly MisplacedRow[]): Promise<readonly ReadRow[]>;
}

interface RowAssemblerOptions {
  /** The first number that is asked for. */
  readonly fromSeq: number;
  readonly misplaced: MisplacedRows;
  /** Misplaced rows read at once. */
  readonly readCount: number;
}

export class RowAssembler {
  readonly #options: RowAssemblerOptions;
  readonly #chooser: RunChooser;
  #entries: StoredEntry[] = [];
  #damage: LogDamage[] = [];
  #nextSeq: number;
  #lastSeq: number;
  #known: readonly MisplacedRow[] | undefined;
  readonly #read = new Map<number, ReadRow>();
  /** The misplaced rows whose entries are put where they belong, by place. */
  readonly #used = new Map<number, number>();

  constructor(options: RowAssemblerOptions) {
    this.#options = options;
    this.#nextSeq = options.fromSeq;
    this.#lastSeq = options.fromSeq - 1;
    const output = {
      entry: (stored: StoredEntry) => {
        this.#entries.push(stored);
        this.#lastSeq = stored.entry.seq;
      },
      damage: (one: LogDamage) => void this.#damage.push(one),
    };
    this.#chooser = new RunChooser(output);
  }

  /** The number of the last entry that counts; the one before the first that was asked for where none does. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** True if the chain of parent ids is broken: then a part of the log tells less than all of it. */
  get hasBreak(): boolean {
    return this.#chooser.hasBreak;
  }

  /** The misplaced rows that were read in the place of others. */
  get used(): readonly MisplacedRow[] {
    return Array.from(this.#used, ([place, seq]) => ({ place, seq }));
  }

  /** The next row, in the order of their numbers. */
  async add(row: ReadRow): Promise<void> {
    await this.#fill(row.place - 1, "gap");
    const { place, bytes, entry, isVerified } = row;
    if (entry?.seq !== place) {
      this.#report(row);
      await this.#fill(place, "damaged");
    } else {
      const placed = { entry, position: place, bytes, isVerified };
      const other = this.#chooser.breaksAt(placed) ? await this.#misplacedEntry(place) : undefined;
      if (other !== undefined) {
        this.#damage.push({ position: place, bytes, reason: "forked" });
        this.#chooser.add(other);
      } else this.#chooser.add(placed);
    }
    this.#nextSeq = place + 1;
  }

  /** Nothing follows of a stretch up to `toSeq`. */
  async finishStretch(toSeq: number): Promise<void> {
    await this.#fill(toSeq, "gap");
    this.#chooser.finish();
  }

  /** Nothing follows of the log, which should end at `lastSeq`; the caller reports a tail that is missing. */
  async finishLog(lastSeq: number): Promise<void> {
    await this.#fill(lastSeq, "tail");
    if (this.#known !== undefined) await this.#goOn();
    this.#chooser.finish();
  }

  /** Everything that is decided since the last time. */
  take(): LogContents {
    const contents = { entries: this.#entries, damage: this.#damage };
    this.#entries = [];
    this.#damage = [];
    return contents;
  }

  /**
   * Fills numbers up to `toSeq`, whose rows are not whole, from misplaced rows. Reports the others if they are a `gap`; in
   * a `tail` only those before another entry; a `damaged` row has been reported already.
   */
  async #fill(toSeq: number, kind: "gap" | "tail" | "damaged"): Promise<void> {
    if (this.#nextSeq > toSeq) return;
    const known = await this.#findMisplaced();
    let missingFrom: number | undefined;
    while (this.#nextSeq <= toSeq) {
      const seq = this.#nextSeq;
      const placed = await this.#misplacedEntry(seq);
      if (placed !== undefined) {
        if (missingFrom !== undefined) this.#reportMissing(missingFrom);
        missingFrom = undefined;
        this.#chooser.add(placed);
        this.#nextSeq = seq + 1;
        continue;
      }
      this.#chooser.finish();
      missingFrom ??= seq;
      this.#nextSeq = Math.min(known[this.#firstAt(seq + 1)]?.seq ?? toSeq + 1, toSeq + 1);
    }
    if (missingFrom !== undefined && kind === "gap") this.#reportMissing(missingFrom);
  }

  #reportMissing(position: number): void {
    this.#damage.push({ position, bytes: 0, reason: "missing" });
  }

  /** Adds entries from misplaced rows that continue the last row. */
  async #goOn(): Promise<void> {
    while (this.#chooser.before(this.#nextSeq) !== undefined) {
      const placed = await this.#misplacedEntry(this.#nextSeq);
      if (placed === undefined) return;
      this.#chooser.add(placed);
      this.#nextSeq++;
    }
  }

  async #findMisplaced(): Promise<readonly MisplacedRow[]> {
    this.#known ??= await this.#options.misplaced.find();
    return this.#known;
  }

  /** The entry `seq` in another row than its own, if it goes on from the entry before. */
  async #misplacedEntry(seq: number): Promise<PlacedRow | undefined> {
    const known = await this.#findMisplaced();
    const before = this.#chooser.before(seq)?.entry;
    for (let at = this.#firstAt(seq); known[at]?.seq === seq; at++) {
      const { place } = known[at]!;
      const row = await this.#rowAt(at);
      if (row?.entry?.seq !== seq || !goesOn(row.entry, before)) continue;
      this.#used.set(place, seq);
      return { entry: row.entry, position: seq, bytes: row.bytes, isVerified: row.isVerified };
    }
    return undefined;
  }

  async #rowAt(index: number): Promise<ReadRow | undefined> {
    const { place } = this.#known![index]!;
    if (!this.#read.has(place)) {
      this.#read.clear();
      const wanted = this.#known!.slice(index, index + this.#options.readCount);
      for (const row of await this.#options.misplaced.read(wanted)) this.#read.set(row.place, row);
    }
    return this.#read.get(place);
  }

  /** Index of the first misplaced entry with a number of `seq` or above. */
  #firstAt(seq: number): number {
    let low = 0;
    let high = this.#known!.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#known![middle]!.seq < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #report({ place, bytes, entry, reason }: ReadRow): void {
    const isCopy = entry !== undefined && entry.seq < place && !this.#used.has(place);
    this.#damage.push({
      position: place,
      bytes,
      reason: reason ?? (isCopy ? "duplicate-seq" : "out-of-order"),
    });
  }
}

function goesOn({ parentId }: Entry, before: Entry | undefined): boolean {
  return before === undefined || parentId === undefined || parentId === before.id;
}
