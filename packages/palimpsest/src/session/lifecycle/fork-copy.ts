/**
 * Copies entries and their blobs from one log to another and keeps their numbers.
 *
 * References are updated: checkpoints name positions in the copy, and each entry names the one before it. In place of a
 * damaged entry the copy has a mark with its number, so that there are no gaps. It holds one batch of the log and one
 * blob in memory at a time.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import type { IdSource } from "../../ports/runtime.ts";
import type { SessionLog } from "../../ports/session-store.ts";
import {
  type CheckpointEntry,
  ENTRY_VERSION,
  type Entry,
  type HeaderEntry,
} from "../../transcript/entries.ts";
import { isUnknownEntry, type UnknownEntry } from "../../transcript/entry-line.ts";
import { withoutDigest } from "../history/digest-store.ts";

/** Metadata key of the mark in place of an unreadable entry. */
const LOST_MARK = "palimpsest.lost";
const HASH_PATTERN = /^[0-9a-f]{64}$/;

/** Copies one log. Call `begin`, then `add` for each batch, then `fillUpTo` and `describe`. */
export class ForkCopy {
  readonly #from: Pick<SessionLog, "getBlob">;
  readonly #to: SessionLog;
  readonly #ids: IdSource;
  /** Positions of entries in the copy, by their numbers. */
  readonly #positions: number[] = [];
  readonly #copiedBlobs = new Set<string>();
  #last: Entry | undefined;
  #waiting: Entry[] = [];
  missingBlobs = 0;

  constructor({
    from,
    to,
    ids,
  }: { readonly from: Pick<SessionLog, "getBlob">; readonly to: SessionLog; readonly ids: IdSource }) {
    this.#from = from;
    this.#to = to;
    this.#ids = ids;
  }

  get lastSeq(): number {
    return this.#last?.seq ?? 0;
  }

  async begin(header: HeaderEntry): Promise<void> {
    this.#push(header);
    await this.#flush();
  }

  /** Copies the next entries. `check` is called before each blob and may throw. */
  async add(entries: readonly Entry[], check: () => void): Promise<void> {
    for (const entry of entries) {
      if (entry.seq <= this.lastSeq) continue;
      this.#fill(entry.seq - 1, entry.parentId);
      for (const hash of blobHashes(entry)) {
        check();
        await this.#copyBlob(hash);
      }
      if (entry.type === "checkpoint") await this.#copyCheckpoint(entry);
      else this.#push(entry);
    }
    await this.#flush();
  }

  /** Adds marks up to `seq`, because the last entries may be damaged. */
  async fillUpTo(seq: number): Promise<void> {
    this.#fill(seq, undefined);
    await this.#flush();
  }

  /** Adds metadata. */
  async describe(metadata: JsonObject, at: number): Promise<void> {
    for (const [key, value] of Object.entries(metadata))
      if (value !== undefined) this.#pushMetadata(key, value, { at });
    await this.#flush();
  }

  async #copyCheckpoint(entry: CheckpointEntry): Promise<void> {
    await this.#flush();
    const runs = entry.runs.map((run) => ({ ...run, position: this.#positions[run.from] }));
    if (runs.every(({ position }) => position !== undefined))
      this.#push({ ...withoutDigest(entry), runs } as Entry);
    else this.#pushMetadata(LOST_MARK, entry.seq, entry);
    // A checkpoint is appended alone, like the original: readers search for it from the end.
    await this.#flush();
  }

  async #copyBlob(hash: string): Promise<void> {
    if (this.#copiedBlobs.has(hash)) return;
    this.#copiedBlobs.add(hash);
    try {
      const text = await this.#from.getBlob(hash);
      if (text !== undefined) return await this.#to.putBlob(hash, text);
    } catch (error) {
      // A damaged blob: the fork shows its preview, like the original.
      if ((error as { readonly code?: unknown }).code !== "BLOB_MISSING") throw error;
    }
    this.missingBlobs++;
  }

  /**
   * Adds marks for missing numbers up to `seq`. The last mark gets `lastId`, which the next entry names as its
   * parent.
   */
  #fill(seq: number, lastId: string | undefined): void {
    while (this.lastSeq < seq) {
      const lost = this.lastSeq + 1;
      const id = lost === seq && lastId !== this.#last?.id ? lastId : undefined;
      this.#pushMetadata(LOST_MARK, lost, { at: this.#last?.at ?? 0, id });
    }
  }

  #pushMetadata(
    key: string,
    value: JsonValue,
    { at, id = this.#ids.entryId() }: { readonly at: number; readonly id?: string },
  ): void {
    this.#push({ type: "metadata", seq: this.lastSeq + 1, id, v: ENTRY_VERSION, at, key, value });
  }

  #push(entry: Entry): void {
    const chained = withParent(entry, this.#last?.id);
    this.#waiting.push(chained);
    this.#last = chained;
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const positions = await this.#to.append(this.#waiting);
    for (const [index, { seq }] of this.#waiting.entries()) this.#positions[seq] = positions[index]!;
    this.#waiting = [];
  }
}

/** Sets the parent id; returns the same entry if it has it already, as in every sound log. */
function withParent(entry: Entry, parentId: string | undefined): Entry {
  if (parentId === undefined || entry.parentId === parentId) return entry;
  if (!isUnknownEntry(entry)) return { ...entry, parentId };
  const unknown = entry as unknown as UnknownEntry;
  const original: JsonObject = { ...unknown.original, parentId };
  return { ...unknown, parentId, original } as unknown as Entry;
}

/** Hashes of the entry's blobs, even in entries that this version cannot read. */
function blobHashes(entry: Entry): ReadonlySet<string> {
  const found = new Set<string>();
  const left: unknown[] = [entry];
  while (left.length > 0) {
    const value = left.pop();
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === "object") left.push(item);
    } else if (isObject(value)) {
      const { hash, bytes } = value;
      if (typeof hash === "string" && typeof bytes === "number" && HASH_PATTERN.test(hash)) found.add(hash);
      for (const name in value) if (typeof value[name] === "object") left.push(value[name]);
    }
  }
  return found;
}
