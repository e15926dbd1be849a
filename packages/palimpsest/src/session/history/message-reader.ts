/**
 * Reading original messages back out of a stored log, whole: what blobs hold is put back.
 *
 * The window may show a block cleared or shortened; here every block is what was said.
 */
import { StoreError } from "../../base/errors.ts";
import type { SessionLog } from "../../ports/session-store.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { Entry, MessageEntry, StoredBlock } from "../../transcript/entries.ts";
import { readBlock, shownOf } from "./hydrate.ts";

/** An original message of the log. */
export interface OriginalMessage {
  readonly entry: MessageEntry;
  readonly content: readonly ContentBlock[];
}

export class LogReader {
  readonly #log: SessionLog;
  readonly #positions: Map<number, number>;
  #knowsAllPositions = false;

  constructor(log: SessionLog, positions: Map<number, number>) {
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
    if (!this.#positions.has(seq) && !this.#knowsAllPositions) await this.#scanPositions();
    const position = this.#positions.get(seq);
    if (position === undefined) return undefined;
    const { entries } = await this.#log.readFrom(position, seq);
    return entries.find((stored) => stored.entry.seq === seq)?.entry;
  }

  /** All messages of the log with a number above `afterSeq`, oldest first; read from `position` on, where that is known. */
  async *messages(afterSeq = 0, position?: number): AsyncIterable<OriginalMessage> {
    const rest =
      position === undefined ? undefined : await this.#log.readFrom(position, Number.MAX_SAFE_INTEGER);
    // A position that does not hold what it should is of another log: all of it is read.
    const batches = rest?.entries[0]?.entry.seq === afterSeq ? [rest] : this.#log.readAll();
    for await (const batch of batches) {
      for (const { entry } of batch.entries) {
        if (entry.type !== "message" || entry.seq <= afterSeq) continue;
        yield { entry, content: await this.wholeContent(entry) };
      }
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

  /** All blocks of a message as they were said; `undefined` where there is none. */
  async findContent(seq: number): Promise<readonly ContentBlock[] | undefined> {
    const entry = await this.findMessage(seq);
    return entry && this.wholeContent(entry);
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
