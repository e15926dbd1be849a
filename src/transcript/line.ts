/**
 * The line: which entries of the log the session stands on.
 *
 * The log only grows; a rewind moves the head back, and what was appended after that point leaves
 * the line without leaving the log. The line is therefore a list of stretches of sequence numbers.
 * Every rewind starts a new epoch whose first stretches are the line as it was at its target, so
 * a later rewind can go to any entry, also to one that an earlier rewind left behind.
 */
import type { SeqRange } from "./edits.ts";

interface Epoch {
  readonly startSeq: number;
  /** The line below the first entry of this epoch. */
  readonly base: readonly SeqRange[];
}

export class Line {
  #epochs: Epoch[];
  #headSeq: number;
  /** Epochs before the first one known here are unknown: the log was opened from a checkpoint. */
  readonly #startsAtCheckpoint: boolean;

  constructor(known?: { readonly ranges: readonly SeqRange[] }) {
    const ranges = known?.ranges ?? [];
    const last = ranges.at(-1);
    this.#startsAtCheckpoint = known !== undefined;
    this.#headSeq = last?.to ?? 0;
    this.#epochs = [{ startSeq: last?.from ?? 1, base: ranges.slice(0, -1) }];
  }

  /** Sequence number of the newest entry on the line; 0 before the first. */
  get headSeq(): number {
    return this.#headSeq;
  }

  /** The stretches of the line, oldest first. */
  ranges(): readonly SeqRange[] {
    return this.#at(this.#headSeq) ?? [];
  }

  has(seq: number): boolean {
    return this.ranges().some((range) => seq >= range.from && seq <= range.to);
  }

  /** Takes the next entry of the log onto the line. */
  extend(seq: number): void {
    this.#headSeq = seq;
  }

  /** Whether {@link rewind} to `toSeq` can be worked out from what is known here. */
  canRewind(toSeq: number): boolean {
    return toSeq >= 1 && toSeq <= this.#headSeq && this.#at(toSeq) !== undefined;
  }

  /** Goes back to `toSeq`; the entry that says so, `seq`, is the next one on the line. */
  rewind(toSeq: number, seq: number): void {
    const base = this.#at(toSeq) ?? [];
    this.#epochs.push({ startSeq: seq, base });
    this.#headSeq = seq;
  }

  /** The line as it was when `seq` was its newest entry; `undefined` where that is not known. */
  #at(seq: number): readonly SeqRange[] | undefined {
    for (let index = this.#epochs.length - 1; index >= 0; index--) {
      const epoch = this.#epochs[index]!;
      if (seq < epoch.startSeq) continue;
      return [...epoch.base, { from: epoch.startSeq, to: seq }];
    }
    if (!this.#startsAtCheckpoint) return seq === 0 ? [] : undefined;
    const base = this.#epochs[0]!.base;
    const within = base.findIndex((range) => seq >= range.from && seq <= range.to);
    return within === -1 ? undefined : [...base.slice(0, within), { from: base[within]!.from, to: seq }];
  }
}
