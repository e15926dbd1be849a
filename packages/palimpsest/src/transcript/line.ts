/**
 * The line: which entries of the log the session stands on.
 *
 * The log only grows; a rewind moves the head back, and what was appended after that point leaves
 * the line without leaving the log. The line is therefore a list of stretches of sequence numbers.
 * Every rewind starts a new epoch that branches off where it went back to, so a later rewind can go
 * to any entry, also to one that an earlier rewind left behind.
 */
import type { SeqRange } from "./edits.ts";

interface Epoch {
  readonly startSeq: number;
  /** The epoch that this one branched off, and the entry it did so at; none below the first. */
  readonly parent?: { readonly epoch: number; readonly toSeq: number };
}

export class Line {
  readonly #epochs: Epoch[] = [];
  /** Content below the first epoch: the log was opened from a checkpoint. */
  readonly #below: readonly SeqRange[];
  readonly #startsAtCheckpoint: boolean;
  #headSeq: number;
  #ranges: readonly SeqRange[] | undefined;

  constructor(known?: { readonly ranges: readonly SeqRange[] }) {
    const ranges = known?.ranges ?? [];
    const last = ranges.at(-1);
    this.#startsAtCheckpoint = known !== undefined;
    this.#below = ranges.slice(0, -1);
    this.#headSeq = last?.to ?? 0;
    this.#epochs.push({ startSeq: last?.from ?? 1 });
  }

  /** Sequence number of the newest entry on the line; 0 before the first. */
  get headSeq(): number {
    return this.#headSeq;
  }

  /** The stretches of the line, oldest first. */
  ranges(): readonly SeqRange[] {
    this.#ranges ??= this.#at(this.#headSeq) ?? [];
    return this.#ranges;
  }

  /** Takes the next entry of the log onto the line. */
  extend(seq: number): void {
    this.#headSeq = seq;
    this.#ranges = undefined;
  }

  /** True if {@link rewind} to `toSeq` can be worked out from what is known here. */
  canRewind(toSeq: number): boolean {
    return toSeq >= 1 && toSeq <= this.#headSeq && this.#at(toSeq) !== undefined;
  }

  /** Goes back to `toSeq`; the entry that says so, `seq`, is the next one on the line. */
  rewind(toSeq: number, seq: number): void {
    this.#epochs.push({ startSeq: seq, parent: { epoch: this.#epochOf(toSeq), toSeq } });
    this.extend(seq);
  }

  /** The line as it was when `seq` was its newest entry; `undefined` where that is not known. */
  #at(seq: number): readonly SeqRange[] | undefined {
    if (seq === 0) return [];
    const newestFirst: SeqRange[] = [];
    let to = seq;
    for (let index = this.#epochOf(seq); index >= 0; ) {
      const { startSeq, parent } = this.#epochs[index]!;
      newestFirst.push({ from: startSeq, to });
      if (parent === undefined) return [...this.#below, ...newestFirst.toReversed()];
      index = parent.epoch;
      to = parent.toSeq;
    }
    const below = this.#belowUpTo(to);
    return below === undefined ? undefined : [...below, ...newestFirst.toReversed()];
  }

  /** Below the first epoch the line is known where the checkpoint names it; without one there is nothing. */
  #belowUpTo(seq: number): readonly SeqRange[] | undefined {
    if (!this.#startsAtCheckpoint) return undefined;
    const within = this.#below.findIndex((range) => seq >= range.from && seq <= range.to);
    return within === -1
      ? undefined
      : [...this.#below.slice(0, within), { from: this.#below[within]!.from, to: seq }];
  }

  /** The epoch that `seq` was appended in; -1 below the first. */
  #epochOf(seq: number): number {
    let low = 0;
    let high = this.#epochs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#epochs[middle]!.startSeq <= seq) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** True if one of `ranges`, which ascend, holds `seq`. */
export function isWithin(ranges: readonly SeqRange[], seq: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]!.from <= seq) low = middle + 1;
    else high = middle;
  }
  return low > 0 && seq <= ranges[low - 1]!.to;
}
