/**
 * What an index and the names in its folder amount to: every session there is, the latest activity first.
 *
 * Names decide which sessions there are, the index only in which order. Where the two agree, which is
 * usual, no row is parsed before it is asked for: that keeps the first page of a very large folder cheap.
 */
import { SESSION_LIST_DEFAULTS } from "../../../base/defaults/session-list.ts";
import { compareByActivity } from "../../shared/session-info.ts";
import { IdSetHash, type IndexLines, type IndexNote, UNKNOWN_WRITER } from "./index-lines.ts";
import { type IndexRow, parseRows } from "./index-rows.ts";

/** How the view looks at sessions that the index does not tell enough of. */
export interface SessionLooks {
  /** The row of a session of which only the file is known; `undefined` where there is none. */
  readonly glance: (sessionId: string) => IndexRow | undefined;
  /** The row of a session as it is now; `known` itself where its file has not changed since. */
  readonly refresh: (sessionId: string, known: IndexRow | undefined) => IndexRow | undefined;
}

/** Sessions in the order of a list, and what the index lacks. */
export interface IndexView {
  /** Many rows at a time, in their order; may be gone through once only. */
  readonly pieces: Iterable<readonly IndexRow[]>;
  /** What would make the index agree with the folder. */
  readonly corrections: readonly IndexNote[];
  /** The index is missing or damaged, or most of it is loose lines. */
  readonly isWorn: boolean;
}

/** What the loose lines say of one session. */
interface Loose {
  row: IndexRow | undefined;
  readonly writers: Set<string>;
}

/** `names` are the ids in the folder; without them the index is believed. */
export function viewIndex(
  index: IndexLines | undefined,
  names: readonly string[] | undefined,
  looks: SessionLooks,
): IndexView {
  const folded = new FoldedNotes(index?.notes ?? []);
  const body = index?.body ?? Buffer.alloc(0);
  const loose = looseRows(folded, looks);
  const held = mergedRows(body, folded, loose.rows);
  const isComplete = names === undefined || folded.holdsExactly(names, body);
  const completed = isComplete ? undefined : completedRows(names, held, looks.glance);
  const corrections = [...loose.corrections, ...(completed?.corrections ?? [])];
  const looseCount = (index?.notes.length ?? 0) + corrections.length;
  const isWorn =
    index === undefined ||
    (looseCount > SESSION_LIST_DEFAULTS.indexLooseLines && looseCount * LOOSE_BYTES > body.length);
  return { pieces: completed === undefined ? held : [completed.rows], corrections, isWorn };
}

/** Of a loose line, about: where all of them together outweigh the sorted rows, sorting pays. */
const LOOSE_BYTES = 150;

/** All that a new index has to hold: the rows, and who may be writing which session. */
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
    if (notes.length >= SESSION_LIST_DEFAULTS.indexUncertainSessions) break;
    // Of a session that nobody has closed for long, whoever opened it is gone.
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
      // Whoever has written it since has said so.
      loose.writers.delete(UNKNOWN_WRITER);
    } else if (note.by !== undefined) loose.writers.add(note.by);
  }

  /** Whether there is something newer than the sorted row of the session. */
  hides(sessionId: string): boolean {
    return this.#loose.has(sessionId) || this.#gone.has(sessionId);
  }

  writersOf(sessionId: string): Iterable<string> {
    return this.#loose.get(sessionId)?.writers ?? [];
  }

  /** Whether body and notes together name these sessions and no others. */
  holdsExactly(names: readonly string[], body: Buffer): boolean {
    const held = new IdSetHash();
    held.addBody(body);
    for (const id of this.#added) held.toggle(id, true);
    for (const id of this.#gone) held.toggle(id, false);
    const wanted = new IdSetHash();
    for (const id of names) wanted.toggle(id, true);
    return held.equals(wanted);
  }
}

/** Whoever made a list may have looked before the session was closed, and have said so afterwards. */
function isLate(
  { on, row }: Extract<IndexNote, { readonly row: IndexRow }>,
  known: IndexRow | undefined,
): boolean {
  return on === "row" && known !== undefined && row.modifiedAt < known.modifiedAt;
}

interface LooseRows {
  /** Sorted. */
  readonly rows: readonly IndexRow[];
  /** Of sessions that were not as the index has them. */
  readonly corrections: readonly IndexNote[];
}

/** What the loose lines tell, and how sessions with a writer are now. */
function looseRows(folded: FoldedNotes, looks: SessionLooks): LooseRows {
  const rows: IndexRow[] = [];
  const corrections: IndexNote[] = [];
  for (const [sessionId, { row: known, writers }] of folded.sessions) {
    const row = writers.size === 0 ? known : looks.refresh(sessionId, known);
    if (row === undefined) continue;
    rows.push(row);
    // The next list need not read it again.
    if (row !== known) corrections.push({ on: "row", row, isNew: false });
  }
  return { rows: rows.sort(compareByActivity), corrections };
}

/** The sorted rows of the body, and between them those that the loose lines tell. */
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

/** Rows of exactly the sessions that are there, and what the index has to be told. */
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
    const isUncertain = place < SESSION_LIST_DEFAULTS.indexUncertainSessions;
    corrections.push({ on: "row", row, isNew: true, ...(isUncertain ? { by: UNKNOWN_WRITER } : {}) });
  }
  return { rows: rows.sort(compareByActivity), corrections };
}
