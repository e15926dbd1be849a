/**
 * Decides which rows continue the log where the chain of parent ids is broken.
 *
 * DESIGN. Each entry names the one before it. Entries that do so, number by number, form a run. Where two
 * runs touch and the second does not name the end of the first, one of them is foreign: rows of a backup,
 * or of another writer. The runs with the most links count, and the rest is reported as `forked`. Where no
 * run has a link there is no evidence: all of them count, and the break is reported as `missing`. Rows
 * without a checksum are no evidence either: one damaged letter of an id would hide all that follows.
 *
 * A run of `runLinksTrusted` links is never given up, so that memory stays bounded: a cluster of runs is
 * decided at the next gap, once a run is that long, or at `clusterRowsHeld` rows.
 */
import { POSTGRES_DEFAULTS } from "../../base/defaults/postgres.ts";
import type { LogDamage, StoredEntry } from "../../ports/session-store.ts";

/** A whole entry at its number, with the size of its row. */
export interface PlacedEntry extends StoredEntry {
  readonly bytes: number;
  readonly isVerified: boolean;
}

interface Run {
  readonly placed: PlacedEntry[];
  links: number;
  /** Its first entries are out already, so it counts. */
  isDecided: boolean;
}

export interface ChooserOutput {
  entry(stored: StoredEntry): void;
  damage(damage: LogDamage): void;
}

export class RunChooser {
  readonly #output: ChooserOutput;
  #isFirstTrusted: boolean;
  #runs: Run[] = [];
  #heldCount = 0;
  #last: PlacedEntry | undefined;

  /** `isFirstTrusted`: reading begins inside of a log, so the length of the first run is not known. */
  constructor(output: ChooserOutput, isFirstTrusted: boolean) {
    this.#output = output;
    this.#isFirstTrusted = isFirstTrusted;
  }

  /** True if `placed` has the next number and does not name the entry before it. */
  breaksAt({ entry }: Pick<PlacedEntry, "entry">): boolean {
    const last = this.#last?.entry;
    return last?.seq === entry.seq - 1 && entry.parentId !== undefined && entry.parentId !== last.id;
  }

  /** The entry with the number before `seq`, if there is one. */
  before(seq: number): PlacedEntry | undefined {
    return this.#last?.entry.seq === seq - 1 ? this.#last : undefined;
  }

  add(placed: PlacedEntry): void {
    const before = this.before(placed.entry.seq);
    if (before === undefined) this.finish();
    const isBroken = this.breaksAt(placed);
    const isBreak = isBroken && before?.isVerified === true && placed.isVerified;
    if (isBroken && !isBreak) this.#output.damage({ position: placed.position, bytes: 0, reason: "missing" });
    this.#last = placed;
    let run = this.#runs.at(-1);
    if (run === undefined || isBreak) {
      run = { placed: [], links: 0, isDecided: this.#isFirstTrusted };
      this.#isFirstTrusted = false;
      this.#runs.push(run);
    } else run.links++;
    if (run.isDecided && this.#runs.length === 1) {
      this.#output.entry(storedOf(placed));
      return;
    }
    run.placed.push(placed);
    this.#heldCount++;
    if (run.links >= POSTGRES_DEFAULTS.runLinksTrusted) this.#decide(run);
    else if (this.#heldCount >= POSTGRES_DEFAULTS.clusterRowsHeld) this.#decide(undefined);
  }

  /** A gap, or the end: what was held is decided. */
  finish(): void {
    this.#decide(undefined);
    this.#runs = [];
    this.#last = undefined;
  }

  /** Puts out what counts. `trusted` is the newest run and goes on. */
  #decide(trusted: Run | undefined): void {
    if (trusted !== undefined) trusted.isDecided = true;
    const counts = chosen(this.#runs);
    for (const [index, run] of this.#runs.entries()) {
      if (counts[index] !== true) for (const placed of run.placed) this.#refuse(placed);
      else {
        const [first] = run.placed;
        if (index > 0 && counts[index - 1] === true && first !== undefined)
          this.#output.damage({ position: first.position, bytes: 0, reason: "missing" });
        for (const placed of run.placed) this.#output.entry(storedOf(placed));
      }
    }
    const newest = this.#runs.at(-1);
    const isKept = newest !== undefined && counts.at(-1) === true;
    this.#runs = isKept ? [{ placed: [], links: newest.links, isDecided: true }] : [];
    if (!isKept) this.#last = undefined;
    this.#heldCount = 0;
  }

  #refuse({ position, bytes }: PlacedEntry): void {
    this.#output.damage({ position, bytes, reason: "forked" });
  }
}

function storedOf({ entry, position }: PlacedEntry): StoredEntry {
  return { entry, position };
}

/** The runs that count: of neighbours with evidence one at most, with the most links in all, the earlier of equals. */
function chosen(runs: readonly Run[]): readonly boolean[] {
  const best: { taken: number; left: number }[] = [];
  for (const [index, run] of runs.entries()) {
    const before = best[index - 1] ?? { taken: 0, left: 0 };
    const most = Math.max(before.taken, before.left);
    const weight = run.isDecided ? DECIDED_WEIGHT : run.links * LINK_WEIGHT + 1;
    best.push({ taken: weight + (excludes(runs[index - 1], run) ? before.left : most), left: most });
  }
  const counts: boolean[] = [];
  let mustLeave = false;
  for (let index = runs.length - 1; index >= 0; index--) {
    const { taken, left } = best[index]!;
    const counting: boolean = !mustLeave && taken > left;
    counts[index] = counting;
    mustLeave = counting && excludes(runs[index - 1], runs[index]!);
  }
  return counts;
}

const LINK_WEIGHT = 10_000;
const DECIDED_WEIGHT = 1e12;

function excludes(before: Run | undefined, run: Run): boolean {
  if (before === undefined || (before.isDecided && run.isDecided)) return false;
  return before.isDecided || run.isDecided || before.links > 0 || run.links > 0;
}
