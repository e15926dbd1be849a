/**
 * Decides which rows continue the log if the chain of parent ids is broken.
 *
 * DESIGN. Each entry names the one before it. Consecutive entries that do so form a run. If two runs touch and the second
 * does not name the end of the first, one of them is foreign: rows of a backup, or of another writer. A run is anchored if
 * it begins the log, or has {@link RUN_LINKS_TRUSTED} links. A run beside an anchored one with at least as many links is refused
 * and reported as `forked`. All other runs count, and the break is reported as `missing`: without evidence no whole entry
 * is hidden. A row without a checksum proves nothing: one damaged letter of an id would hide all later entries.
 *
 * Memory is bounded: held rows are decided at the next gap, once a run has {@link RUN_LINKS_TRUSTED} links, or at
 * {@link CLUSTER_ROWS_HELD} rows.
 */
import type { LogDamage, StoredEntry } from "../../../ports/session-store.ts";

/**
 * Entries of a broken chain that are held until it is clear which of them count. Source: our choice: some rows of a
 * backup, not a whole log.
 */
const CLUSTER_ROWS_HELD = 1_024;
/**
 * Links between entries after which a run of rows counts, whatever stands before it. Source: our choice: more than
 * any append by hand.
 */
const RUN_LINKS_TRUSTED = 64;

/** A whole entry at its number, with the size of its row. */
export interface PlacedRow extends StoredEntry {
  readonly bytes: number;
  readonly isVerified: boolean;
}

interface Run {
  readonly placed: PlacedRow[];
  links: number;
  /** It begins the log. */
  readonly isFirst: boolean;
  /** Its first entries are out already, so it counts. */
  isDecided: boolean;
}

interface ChooserOutput {
  entry(stored: StoredEntry): void;
  damage(damage: LogDamage): void;
}

export class RunChooser {
  readonly #output: ChooserOutput;
  #hasBreak = false;
  #runs: Run[] = [];
  #heldCount = 0;
  #last: PlacedRow | undefined;

  constructor(output: ChooserOutput) {
    this.#output = output;
  }

  /** True if a run had to be judged by another: then only reading from the start of the log tells which counts. */
  get hasBreak(): boolean {
    return this.#hasBreak;
  }

  /** True if `placed` has the next number and does not name the entry before it. */
  breaksAt({ entry }: Pick<PlacedRow, "entry">): boolean {
    const last = this.#last?.entry;
    return last?.seq === entry.seq - 1 && entry.parentId !== undefined && entry.parentId !== last.id;
  }

  /** The entry with the number before `seq`, if there is one. */
  before(seq: number): PlacedRow | undefined {
    return this.#last?.entry.seq === seq - 1 ? this.#last : undefined;
  }

  add(placed: PlacedRow): void {
    const before = this.before(placed.entry.seq);
    if (before === undefined) this.finish();
    const isBroken = this.breaksAt(placed);
    const isBreak = isBroken && before?.isVerified === true && placed.isVerified;
    if (isBroken && !isBreak) this.#output.damage({ position: placed.position, bytes: 0, reason: "missing" });
    this.#last = placed;
    this.#hasBreak ||= isBreak;
    let run = this.#runs.at(-1);
    if (run === undefined || isBreak) {
      const isFirst = placed.entry.seq === 1;
      run = { placed: [], links: 0, isFirst, isDecided: false };
      this.#runs.push(run);
    } else run.links++;
    if (run.isDecided && this.#runs.length === 1) {
      this.#output.entry(storedOf(placed));
      return;
    }
    run.placed.push(placed);
    this.#heldCount++;
    if (run.links >= RUN_LINKS_TRUSTED) this.#decide(run);
    else if (this.#heldCount >= CLUSTER_ROWS_HELD) this.#decide(undefined);
  }

  /** Decides held rows at a gap or the end. */
  finish(): void {
    this.#decide(undefined);
    this.#runs = [];
    this.#last = undefined;
  }

  /** Puts out what counts. `trusted` is the newest run and goes on. */
  #decide(trusted: Run | undefined): void {
    if (trusted !== undefined) trusted.isDecided = true;
    const runs = this.#runs;
    const counts = runs.map((run, at) => !isRefused(run, runs[at - 1]) && !isRefused(run, runs[at + 1]));
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
    this.#runs = isKept ? [{ ...newest, placed: [], isDecided: true }] : [];
    if (!isKept) this.#last = undefined;
    this.#heldCount = 0;
  }

  #refuse({ position, bytes }: PlacedRow): void {
    this.#output.damage({ position, bytes, reason: "forked" });
  }
}

function storedOf({ entry, position }: PlacedRow): StoredEntry {
  return { entry, position };
}

function isRefused(run: Run, beside: Run | undefined): boolean {
  if (beside === undefined || run.isDecided) return false;
  if (run.links >= RUN_LINKS_TRUSTED) return false;
  if (beside.isDecided || beside.links >= RUN_LINKS_TRUSTED) return true;
  return beside.isFirst && beside.links > 0 && beside.links >= run.links;
}
