/**
 * What an index and the names in its folder amount to: every session there is, the latest activity first.
 *
 * Names decide which sessions there are, the index only in which order. Where the two agree, which is
 * usual, no row is parsed before it is asked for: that keeps the first page of a very large folder cheap.
 */
import { SESSION_LIST_DEFAULTS } from "../../base/defaults/session-list.ts";
import { compareByActivity } from "../shared/session-info.ts";
import {
  IdSetHash,
  type IndexLines,
  type IndexNote,
  type IndexRow,
  parseRows,
  UNKNOWN_WRITER,
} from "./index-lines.ts";

/** How the view looks at sessions that the index does not tell enough of. */
export interface SessionLooks {
  /** The row of a session of which only the file is known; `undefined` where there is none. */
  readonly glance: (sessionId: string) => IndexRow | undefined;
  /** The row of a session as it is now; `known` itself where its file has not changed since. */
  readonly refresh: (sessionId: string, known: IndexRow | undefined) => IndexRow | undefined;
}

/** Sessions in the order of a list, and what the index lacks. */
export interface IndexView {
  /** May be gone through once only. */
  readonly rows: Iterable<IndexRow>;
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
  const isComplete = names === undefined || folded.holdsExactly(names, body);
  const view = isComplete
    ? { rows: mergedRows(body, folded, looks), corrections: [] }
    : completedRows(names, { body, folded, looks });
  const looseCount = (index?.notes.length ?? 0) + view.corrections.length;
  const isWorn =
    index === undefined ||
    (looseCount > SESSION_LIST_DEFAULTS.indexLooseLines && looseCount * LOOSE_BYTES > body.length);
  return { ...view, isWorn };
}

/** Of a loose line, about: where all of them together outweigh the sorted rows, sorting pays. */
const LOOSE_BYTES = 150;

/** All that a new index has to hold: the rows, and who may be writing which session. */
export function indexAnew(
  index: IndexLines | undefined,
  names: readonly string[],
  looks: SessionLooks,
): { readonly rows: readonly IndexRow[]; readonly notes: readonly IndexNote[] } {
  const folded = new FoldedNotes(index?.notes ?? []);
  const body = index?.body ?? Buffer.alloc(0);
  const view = completedRows(names, { body, folded, looks });
  for (const note of view.corrections) folded.apply(note);
  const rows = [...view.rows];
  const notes: IndexNote[] = [];
  for (const { sessionId } of rows) {
    if (notes.length >= SESSION_LIST_DEFAULTS.indexUncertainSessions) break;
    // Of a session that nobody has closed for long, whoever opened it is gone.
    for (const by of folded.writersOf(sessionId)) notes.push({ on: "open", sessionId, by, isNew: false });
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
    if ("row" in note) loose.row = note.row;
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

/** The sorted rows, and between them those that the loose lines tell. */
function* mergedRows(body: Buffer, folded: FoldedNotes, looks: SessionLooks): Generator<IndexRow> {
  const loose: IndexRow[] = [];
  for (const [sessionId, { row, writers }] of folded.sessions) {
    const fresh = writers.size === 0 ? row : looks.refresh(sessionId, row);
    if (fresh !== undefined) loose.push(fresh);
  }
  loose.sort(compareByActivity);
  let next = 0;
  for (const row of parseRows(body)) {
    if (folded.hides(row.sessionId)) continue;
    while (next < loose.length && compareByActivity(loose[next]!, row) < 0) yield loose[next++]!;
    yield row;
  }
  while (next < loose.length) yield loose[next++]!;
}

/** Rows of exactly the sessions that are there, and what the index has to be told. */
function completedRows(
  names: readonly string[],
  {
    body,
    folded,
    looks,
  }: { readonly body: Buffer; readonly folded: FoldedNotes; readonly looks: SessionLooks },
): Pick<IndexView, "corrections"> & { readonly rows: readonly IndexRow[] } {
  const known = new Map<string, IndexRow>();
  for (const row of mergedRows(body, folded, looks)) known.set(row.sessionId, row);
  const rows: IndexRow[] = [];
  const found: IndexRow[] = [];
  for (const sessionId of names) {
    const row = known.get(sessionId) ?? looks.glance(sessionId);
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
