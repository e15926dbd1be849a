/**
 * The line: the entries of the log that are the session's current history.
 *
 * The log only grows. A rewind moves the head back, and the entries after that point leave the line but stay in the log.
 * So the line is a list of ranges of sequence numbers. Every rewind starts a new *epoch*, which branches off at the entry
 * that it went back to. So a later rewind can go to any entry, even to one that an earlier rewind left behind.
 */
import { firstIndex } from "../base/lists.ts";
import type { SeqRange } from "./edits.ts";

interface Epoch {
  readonly startSeq: number;
  /** The epoch and the entry at which this one branched off; absent for the first. */
  readonly parent?: { readonly epoch: number; readonly toSeq: number };
}

/** The line of one session, kept up to date entry by entry. */
export class Line {
  readonly #epochs: Epoch[] = [];
  /** Ranges before the first epoch, if the log was opened from a checkpoint. */
  readonly #below: readonly SeqRange[];
  readonly #startsAtCheckpoint: boolean;
  #headSeq: number;
  #ranges: readonly SeqRange[] | undefined;

  /** Starts an empty line, or continues the line that a checkpoint recorded. */
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

  /** The ranges of the line, oldest first. */
  ranges(): readonly SeqRange[] {
    this.#ranges ??= this.#at(this.#headSeq) ?? [];
    return this.#ranges;
  }

  /** Takes the next entry of the log onto the line. */
  extend(seq: number): void {
    this.#headSeq = seq;
    this.#ranges = undefined;
  }

  /** True if enough of the line is known to {@link rewind} to `toSeq`; after a checkpoint it may not be. */
  canRewind(toSeq: number): boolean {
    return toSeq >= 1 && toSeq <= this.#headSeq && this.#at(toSeq) !== undefined;
  }

  /** Goes back to `toSeq`. The entry of the rewind itself, `seq`, follows it on the line. */
  rewind(toSeq: number, seq: number): void {
    this.#epochs.push({ startSeq: seq, parent: { epoch: this.#epochOf(toSeq), toSeq } });
    this.extend(seq);
  }

  /** Returns the line as it was when `seq` was its newest entry; `undefined` if that is unknown. */
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

  /** Returns the checkpoint's ranges up to `seq`; `undefined` if they do not contain it, or without a checkpoint. */
  #belowUpTo(seq: number): readonly SeqRange[] | undefined {
    if (!this.#startsAtCheckpoint) return undefined;
    const within = this.#below.findIndex((range) => seq >= range.from && seq <= range.to);
    return within === -1
      ? undefined
      : [...this.#below.slice(0, within), { from: this.#below[within]!.from, to: seq }];
  }

  /** Returns the index of the epoch in which `seq` was appended; -1 if it is older than the first. */
  #epochOf(seq: number): number {
    return firstIndex(this.#epochs.length, (index) => this.#epochs[index]!.startSeq > seq) - 1;
  }
}

/** True if one of `ranges`, which are in ascending order, contains `seq`. */
export function isWithin(ranges: readonly SeqRange[], seq: number): boolean {
  const range = ranges[firstIndex(ranges.length, (index) => ranges[index]!.from > seq) - 1];
  return range !== undefined && seq <= range.to;
}
