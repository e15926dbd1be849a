/**
 * From lines to entries: decides which lines count.
 *
 * DESIGN. A line counts if it is whole, and a batch if its last line arrived. A write that was cut
 * (by a kill, a full disk) leaves the first lines of a batch, then half a line or nothing: half a line
 * is either at the very end or was made void by the next writer, and both read the same. So a batch
 * that is left open is dropped where nothing but such a cut follows. If a damaged line stands inside it
 * instead, the write did go on and one line was spoiled later: then the others are kept.
 *
 * Numbers grow. Where two writers went on with one log, numbers come twice: the first is kept.
 */
import type { LogContents, LogDamage, StoredEntry } from "../../ports/session-store.ts";
import type { Entry } from "../../transcript/entries.ts";
import { type BatchMark, findParts, isVoid, type LinePart, parseLine } from "./log-line.ts";
import type { RawLine } from "./log-reader.ts";

interface OpenBatch {
  readonly count: number;
  readonly position: number;
  index: number;
  end: number;
  isSpoiledInside: boolean;
  readonly entries: PlacedEntry[];
}

interface PlacedEntry {
  readonly entry: Entry;
  readonly batch: BatchMark | undefined;
  readonly position: number;
  readonly end: number;
}

/** Takes lines in order; gives what they amount to. */
export class LogAssembler {
  #entries: StoredEntry[] = [];
  #damage: LogDamage[] = [];
  #batch: OpenBatch | undefined;
  #lastSeq = 0;

  add(line: RawLine): void {
    const { bytes, position, length } = line;
    if (bytes === undefined) this.#addDamage({ position, bytes: length, reason: "too-long" });
    else if (bytes.length > 0) this.#addLine(line, bytes);
  }

  /** Nothing follows any more. */
  finish(): void {
    this.#closeBatch();
  }

  /** Everything that is decided since the last time. */
  take(): LogContents {
    const contents = { entries: this.#entries, damage: this.#damage };
    this.#entries = [];
    this.#damage = [];
    return contents;
  }

  #addLine(line: RawLine, bytes: Buffer): void {
    const { position, length } = line;
    const parsed = parseLine(bytes);
    if (parsed.ok) {
      this.#addEntry({ ...parsed, position, end: position + length });
      return;
    }
    const parts = isVoid(bytes) ? [] : findParts(bytes);
    const hasEntries = parts.some((part) => part.parsed.ok);
    if (isVoid(bytes) || (!line.isTerminated && !hasEntries))
      this.#addCut({ position, bytes: length, reason: "torn-tail" });
    else for (const part of parts) this.#addPart(part, position);
  }

  #addPart({ offset, bytes, parsed }: LinePart, linePosition: number): void {
    const position = linePosition + offset;
    if (parsed.ok) this.#addEntry({ ...parsed, position, end: position + bytes });
    else this.#addDamage({ position, bytes, reason: parsed.reason });
  }

  #addEntry(placed: PlacedEntry): void {
    const { batch, position, end } = placed;
    if (batch === undefined) {
      this.#closeBatch();
      this.#keep(placed);
      return;
    }
    const open = this.#batch;
    if (open !== undefined && open.count === batch.count && batch.index > open.index) {
      open.entries.push(placed);
      open.index = batch.index;
      open.end = end;
    } else {
      this.#closeBatch();
      this.#batch = {
        ...batch,
        position,
        end,
        isSpoiledInside: false,
        entries: [placed],
      };
    }
    if (batch.index === batch.count) this.#keepBatch();
  }

  /** A line whose write did not finish: neither did the batch before it. */
  #addCut(damage: LogDamage): void {
    this.#closeBatch();
    this.#report(damage);
  }

  #addDamage(damage: LogDamage): void {
    if (this.#batch !== undefined) this.#batch.isSpoiledInside = true;
    this.#report(damage);
  }

  /** Reports a stretch; stretches that touch and have one reason are one. */
  #report(damage: LogDamage): void {
    const last = this.#damage.at(-1);
    const isContinued =
      last !== undefined && last.reason === damage.reason && last.position + last.bytes === damage.position;
    if (isContinued) this.#damage[this.#damage.length - 1] = { ...last, bytes: last.bytes + damage.bytes };
    else this.#damage.push(damage);
  }

  #closeBatch(): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    if (batch.isSpoiledInside) this.#keepBatch();
    else this.#report({ position: batch.position, bytes: batch.end - batch.position, reason: "torn-tail" });
    this.#batch = undefined;
  }

  #keepBatch(): void {
    for (const placed of this.#batch?.entries ?? []) this.#keep(placed);
    this.#batch = undefined;
  }

  #keep({ entry, position, end }: PlacedEntry): void {
    if (entry.seq <= this.#lastSeq) {
      this.#report({ position, bytes: end - position, reason: "duplicate-seq" });
      return;
    }
    this.#lastSeq = entry.seq;
    this.#entries.push({ entry, position });
  }
}
