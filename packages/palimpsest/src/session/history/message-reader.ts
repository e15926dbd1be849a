/**
 * Reading original messages back out of a stored log, whole: what blobs hold is put back.
 *
 * The window may show a block cleared or shortened; here every block is what was said.
 */
import { StoreError } from "../../base/errors.ts";
import type { LogContents, SessionLog, StoredEntry } from "../../ports/session-store.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { Entry, MessageEntry, StoredBlock } from "../../transcript/entries.ts";
import { readBlock, shownOf } from "./hydrate.ts";

/** Entries that are read at once behind a known place. Our choice: some 200 KB of an agent's log, a few milliseconds. */
const BATCH_ENTRIES = 200;
/** Entries between one that was found and the next that is read from there on. Our choice: a call and its result are rarely further apart. */
const NEAR_ENTRIES = 8;

/** An original message of the log. */
export interface OriginalMessage {
  readonly entry: MessageEntry;
  readonly content: readonly ContentBlock[];
  /** Its position in the log. */
  readonly position: number;
}

/** Numbers of one page. Source: our choice; a page with a single number is small, and a full one has little overhead. */
const PAGE_ENTRIES = 128;

/**
 * Places of entries in the log, by their numbers. They are kept for as long as the session is open, so they lie in pages of
 * numbers: a map takes six times as much.
 */
export class EntryPositions {
  readonly #pages = new Map<number, Float64Array>();

  get(seq: number): number | undefined {
    const position = this.#pages.get(Math.floor(seq / PAGE_ENTRIES))?.[seq % PAGE_ENTRIES];
    return position === undefined || Number.isNaN(position) ? undefined : position;
  }

  has(seq: number): boolean {
    return this.get(seq) !== undefined;
  }

  set(seq: number, position: number): void {
    const number = Math.floor(seq / PAGE_ENTRIES);
    const page = this.#pages.get(number) ?? new Float64Array(PAGE_ENTRIES).fill(Number.NaN);
    page[seq % PAGE_ENTRIES] = position;
    this.#pages.set(number, page);
  }
}

export class LogReader {
  readonly #log: SessionLog;
  readonly #positions: EntryPositions;
  #knowsAllPositions = false;
  #lastFoundSeq = 0;

  constructor(log: SessionLog, positions = new EntryPositions()) {
    this.#log = log;
    this.#positions = positions;
  }

  /** The message entry `seq`, or `undefined` where there is none. */
  async findMessage(seq: number): Promise<MessageEntry | undefined> {
    const found = await this.findEntry(seq);
    return found?.type === "message" ? found : undefined;
  }

  /** The entry `seq`, or `undefined` where the log has none. */
  async findEntry(seq: number): Promise<Entry | undefined> {
    if (!this.#positions.has(seq) && !this.#knowsAllPositions) {
      const found = (await this.#findBehindLast(seq)) ?? (await this.#log.find?.(seq));
      if (found !== undefined) {
        this.#positions.set(seq, found.position);
        this.#lastFoundSeq = seq;
        return found.entry;
      }
      await this.#scanPositions();
    }
    const position = this.#positions.get(seq);
    if (position === undefined) return undefined;
    const { entries } = await this.#log.readFrom(position, seq);
    return entries.find((stored) => stored.entry.seq === seq)?.entry;
  }

  /** Results follow their calls: an entry a little behind the one that was found last is read from there on. */
  async #findBehindLast(seq: number): Promise<StoredEntry | undefined> {
    const from = this.#positions.get(this.#lastFoundSeq);
    if (from === undefined || seq <= this.#lastFoundSeq || seq > this.#lastFoundSeq + NEAR_ENTRIES)
      return undefined;
    const { entries, damage } = await this.#log.readFrom(from, seq);
    const found = entries.at(-1);
    return found?.entry.seq === seq && damage.length === 0 ? found : undefined;
  }

  /** All messages of the log with a number above `afterSeq`, oldest first; read from `position` on, where that is known. */
  async *messages(afterSeq = 0, position?: number): AsyncIterable<OriginalMessage> {
    const first = position === undefined ? undefined : await this.#log.readFrom(position, afterSeq);
    // A position that does not hold what it should is of another log: all of it is read.
    const isThere = first?.entries[0]?.entry.seq === afterSeq;
    let last: StoredEntry | undefined;
    // A batch begins with the last entry of the one before.
    let readSeq = 0;
    for await (const batch of isThere ? this.#readOn(position!, afterSeq) : this.#log.readAll()) {
      for (const stored of batch.entries) {
        const { entry } = stored;
        if (entry.type !== "message" || entry.seq <= afterSeq || entry.seq <= readSeq) continue;
        readSeq = isThere ? entry.seq : 0;
        last = stored;
        yield { entry, content: await this.wholeContent(entry), position: stored.position };
      }
    }
    if (last !== undefined) this.#positions.set(last.entry.seq, last.position);
  }

  /** Reads from an entry to the end, in batches while the numbers go on; behind a gap all in one. */
  async *#readOn(position: number, seq: number): AsyncIterable<LogContents> {
    for (let [from, toSeq] = [position, seq + BATCH_ENTRIES]; ; toSeq += BATCH_ENTRIES) {
      const batch = await this.#log.readFrom(from, toSeq);
      const end = batch.entries.at(-1);
      if (end?.entry.seq !== toSeq || batch.damage.length > 0) {
        yield await this.#log.readFrom(from, Number.MAX_SAFE_INTEGER);
        return;
      }
      yield batch;
      from = end.position;
    }
  }

  /** The blocks of an entry as they were said; a block whose blob is gone as it is shown. */
  async wholeContent(entry: MessageEntry): Promise<readonly ContentBlock[]> {
    return Promise.all(entry.content.map(async (block) => (await this.#tryWhole(block)) ?? shownOf(block)));
  }

  /** One block as it was said. @throws `BLOB_MISSING` where its blob is gone. */
  async wholeBlock(entry: MessageEntry, index: number): Promise<ContentBlock | undefined> {
    const stored = entry.content[index];
    if (stored?.type !== "blob") return stored;
    const whole = await readBlock(stored, this.#log);
    if (whole !== undefined) return whole;
    throw new StoreError("BLOB_MISSING", {
      message: `Block ${index} of entry ${entry.seq} (${stored.blob.bytes} bytes) is not in the store any more: blob ${stored.blob.hash}.`,
      hint: "Restore the session's blobs folder from a backup; what the window shows of the block is not affected.",
    });
  }

  /** All blocks of a message as they were said; `undefined` where there is none. `position`: where it probably begins, if that is known. */
  async findContent(seq: number, position?: number): Promise<readonly ContentBlock[] | undefined> {
    const entry = (await this.#messageAt(seq, position)) ?? (await this.findMessage(seq));
    return entry && this.wholeContent(entry);
  }

  async #messageAt(seq: number, position: number | undefined): Promise<MessageEntry | undefined> {
    if (!position || this.#positions.has(seq)) return undefined;
    const entry = (await this.#log.readFrom(position, seq)).entries[0]?.entry;
    return entry?.seq === seq && entry.type === "message" ? entry : undefined;
  }

  async #tryWhole(block: StoredBlock): Promise<ContentBlock | undefined> {
    if (block.type !== "blob") return block;
    try {
      return await readBlock(block, this.#log);
    } catch {
      // A damaged blob must not hide the rest of the session; `wholeBlock` reports it to its callers.
      return undefined;
    }
  }

  async #scanPositions(): Promise<void> {
    for await (const batch of this.#log.readAll())
      for (const { entry, position } of batch.entries) this.#positions.set(entry.seq, position);
    this.#knowsAllPositions = true;
  }
}
