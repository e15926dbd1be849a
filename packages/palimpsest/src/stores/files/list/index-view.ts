/**
 * Combines an index with the names in its folder: every session, the latest activity first.
 *
 * The names decide which sessions exist, the index only decides their order. If the two agree, as they usually do, rows
 * are parsed only on demand, which keeps the first page of a very large folder cheap.
 */
import { compareByActivity } from "../../shared/session-info.ts";
import { type IndexLines, type IndexNote, idHash, UNKNOWN_WRITER } from "./index-lines.ts";
import { type IndexRow, parseRows } from "./index-rows.ts";

/**
 * Lines behind an index's sorted part before it is sorted again; also, at least half of that part. Source: our
 * choice, about 200 KB.
 */
const INDEX_LOOSE_LINES = 1_000;
/**
 * Sessions found without an index, the newest, whose writers may be at work still: they are looked at again for each
 * list. Source: our choice, far above the writers of one folder; under a millisecond.
 */
const INDEX_UNCERTAIN_SESSIONS = 100;

/** Reads sessions that the index does not know, or not certainly. */
export interface SessionLooks {
  /** The row of a session from its file alone; `undefined` if there is none. */
  readonly glance: (sessionId: string) => IndexRow | undefined;
  /** The row of a session as it is now; `known` itself if its file is unchanged. */
  readonly refresh: (sessionId: string, known: IndexRow | undefined) => IndexRow | undefined;
}

/** Sessions in the order of a list, and corrections of the index. */
export interface IndexView {
  /** Rows in their order, many at a time; can be iterated once only. */
  readonly pieces: Iterable<readonly IndexRow[]>;
  /** Lines that make the index agree with the folder. */
  readonly corrections: readonly IndexNote[];
  /** The index is missing or damaged, or most of it is loose lines. */
  readonly isWorn: boolean;
}

/** One session in the loose lines. */
interface Loose {
  row: IndexRow | undefined;
  readonly writers: Set<string>;
}

/** `names` are the ids in the folder; without them the index is trusted. */
export function viewIndex(
  index: IndexLines | undefined,
  names: readonly string[] | undefined,
  looks: SessionLooks,
): IndexView {
  const folded = new FoldedNotes(index?.notes ?? []);
  const body = index?.body ?? Buffer.alloc(0);
  const loose = looseRows(folded, looks);
  const held = mergedRows(body, folded, loose.rows);
  const isComplete = names === undefined || folded.holdsExactly(names, index?.ids ?? 0);
  const completed = isComplete ? undefined : completedRows(names, held, looks.glance);
  const corrections = [...loose.corrections, ...(completed?.corrections ?? [])];
  const looseCount = (index?.notes.length ?? 0) + corrections.length;
  const isWorn =
    index === undefined || (looseCount > INDEX_LOOSE_LINES && looseCount * LOOSE_BYTES > body.length);
  return { pieces: completed === undefined ? held : [completed.rows], corrections, isWorn };
}

/** Approximate size of a loose line: sorting pays once all of them are larger than the sorted rows. */
const LOOSE_BYTES = 150;

/** The content of a rebuilt index: the rows, and the possible writers of each session. */
export function rebuildIndex(
  index: IndexLines | undefined,
  names: readonly string[],
  looks: SessionLooks,
): { readonly rows: readonly IndexRow[]; readonly notes: readonly IndexNote[] } {
  const folded = new FoldedNotes(index?.notes ?? []);
  const body = index?.body ?? Buffer.alloc(0);
  const held = mergedRows(body, folded, looseRows(folded, looks).rows);
  const { rows, corrections } = completedRows(names, held, looks.glance);
  for (const note of corrections) folded.apply(note);
  const notes: IndexNote[] = [];
  for (const row of rows) {
    if (notes.length >= INDEX_UNCERTAIN_SESSIONS) break;
    // The writer of a session that stayed open for long is gone.
    for (const by of folded.writersOf(row.sessionId)) notes.push({ on: "row", row, isNew: false, by });
  }
  return { rows, notes };
}

class FoldedNotes {
  readonly #loose = new Map<string, Loose>();
  readonly #added = new Set<string>();
  readonly #gone = new Set<string>();

  constructor(notes: readonly IndexNote[]) {
    for (const note of notes) this.apply(note);
  }

  get sessions(): Iterable<readonly [string, Loose]> {
    return this.#loose;
  }

  apply(note: IndexNote): void {
    const sessionId = "row" in note ? note.row.sessionId : note.sessionId;
    if (note.on === "gone") {
      this.#loose.delete(sessionId);
      if (!this.#added.delete(sessionId)) this.#gone.add(sessionId);
      return;
    }
    if (!this.#gone.delete(sessionId) && "isNew" in note && note.isNew) this.#added.add(sessionId);
    const loose = this.#loose.get(sessionId) ?? { row: undefined, writers: new Set() };
    this.#loose.set(sessionId, loose);
    if ("row" in note && !isLate(note, loose.row)) loose.row = note.row;
    if (note.on === "close") {
      loose.writers.delete(note.by);
      // Later writers have lines.
      loose.writers.delete(UNKNOWN_WRITER);
    } else if (note.by !== undefined) loose.writers.add(note.by);
  }

  /** True if a loose line is newer than the sorted row of the session. */
  hides(sessionId: string): boolean {
    return this.#loose.has(sessionId) || this.#gone.has(sessionId);
  }

  writersOf(sessionId: string): Iterable<string> {
    return this.#loose.get(sessionId)?.writers ?? [];
  }

  /** True if body and notes together name exactly these sessions; `bodyIds` is the sum of the ids of the body. */
  holdsExactly(names: readonly string[], bodyIds: number): boolean {
    return sumOf(names) === bodyIds + sumOf(this.#added) - sumOf(this.#gone);
  }
}

function sumOf(ids: Iterable<string>): number {
  let sum = 0;
  for (const id of ids) sum += idHash(id);
  return sum;
}

/** True for a row of a list that read the session before its close and was written after it. */
function isLate(
  { on, row }: Extract<IndexNote, { readonly row: IndexRow }>,
  known: IndexRow | undefined,
): boolean {
  return on === "row" && known !== undefined && row.modifiedAt < known.modifiedAt;
}

interface LooseRows {
  /** Sorted. */
  readonly rows: readonly IndexRow[];
  /** Lines for sessions that differ from the index. */
  readonly corrections: readonly IndexNote[];
}

/** The rows of the loose lines; sessions with a writer are read again. */
function looseRows(folded: FoldedNotes, looks: SessionLooks): LooseRows {
  const rows: IndexRow[] = [];
  const corrections: IndexNote[] = [];
  for (const [sessionId, { row: known, writers }] of folded.sessions) {
    const row = writers.size === 0 ? known : looks.refresh(sessionId, known);
    if (row === undefined) continue;
    rows.push(row);
    // Saves the next list from reading it again.
    if (row !== known) corrections.push({ on: "row", row, isNew: false });
  }
  return { rows: rows.sort(compareByActivity), corrections };
}

/** Merges the sorted rows of the body with those of the loose lines. */
function* mergedRows(
  body: Buffer,
  folded: FoldedNotes,
  loose: readonly IndexRow[],
): Generator<readonly IndexRow[]> {
  let next = 0;
  for (const rows of parseRows(body)) {
    const merged: IndexRow[] = [];
    for (const row of rows) {
      if (folded.hides(row.sessionId)) continue;
      while (next < loose.length && compareByActivity(loose[next]!, row) < 0) merged.push(loose[next++]!);
      merged.push(row);
    }
    yield merged;
  }
  yield loose.slice(next);
}

/** Rows of exactly the existing sessions, and the corrections of the index. */
function completedRows(
  names: readonly string[],
  held: Iterable<readonly IndexRow[]>,
  glance: SessionLooks["glance"],
): { readonly rows: readonly IndexRow[]; readonly corrections: readonly IndexNote[] } {
  const known = new Map<string, IndexRow>();
  for (const piece of held) for (const row of piece) known.set(row.sessionId, row);
  const rows: IndexRow[] = [];
  const found: IndexRow[] = [];
  for (const sessionId of names) {
    const row = known.get(sessionId) ?? glance(sessionId);
    if (row === undefined) continue;
    rows.push(row);
    if (!known.delete(sessionId)) found.push(row);
  }
  found.sort(compareByActivity);
  const corrections: IndexNote[] = [...known.keys()].map((sessionId) => ({ on: "gone", sessionId }));
  for (const [place, row] of found.entries()) {
    const isUncertain = place < INDEX_UNCERTAIN_SESSIONS;
    corrections.push({ on: "row", row, isNew: true, ...(isUncertain ? { by: UNKNOWN_WRITER } : {}) });
  }
  return { rows: rows.sort(compareByActivity), corrections };
}
