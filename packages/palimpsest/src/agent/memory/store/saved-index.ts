/**
 * The index of a cache of memories, as pieces of bytes that a store keeps for the next process: for each
 * memory its place, stamp and links, and the search index. No texts: they are read from the files.
 *
 * It is never a truth. A memory whose file has another stamp is read again; a file that has another text than was
 * indexed is found out when it is shown; pieces of another version, or that do not fit each other, are ignored.
 */
import { StoreError } from "../../../base/errors.ts";
import { fingerprint } from "../../../base/fingerprint.ts";
import { asString, isObject, parseJson } from "../../../base/json/json.ts";
import { OTHER_FORMS, STOP_WORDS } from "../../../base/search/english-words.ts";
import { createMemorySearch, type MemorySearch } from "../../../base/search/memory-search.ts";
import { isWhole, type RestoredSearch, SAVED_ARRAYS } from "../../../base/search/saved-search.ts";
import { parseMemoryFile } from "../../../memory/files/memory-file.ts";
import { searchFields } from "../../../memory/recall/search-fields.ts";
import type { CachedMemory, MemoryHead } from "./memory-view.ts";

/** The index cannot be used, or not be saved now: it is made again. */
export function unusableIndex(message: string): StoreError {
  return new StoreError("STORE_FAILED", {
    message,
    hint: "Nothing is to be done: memories are read instead.",
  });
}

/** Rows in one piece. Our choice: a millisecond of work. */
const PIECE_ROWS_COUNT = 256;
const PIECE_TERMS_COUNT = 4_096;

/** One memory in the index. */
export interface SavedRow extends MemoryHead {
  /** Empty if its file has to be read again. */
  readonly stamp: string;
  /** Parts of the file that were not understood. */
  readonly odd: readonly string[] | undefined;
}

/** The parts of a row that few memories have. */
interface RareParts extends Partial<Pick<MemoryHead, "supersededBy" | "follows" | "sessionId">> {
  readonly isQuarantined?: true;
  readonly revises?: readonly string[];
  readonly odd?: readonly string[];
}

/** Rows as they are written: lists of what each has, and by its place in them what only some have. */
interface WrittenRows {
  readonly paths: readonly string[];
  readonly stamps: readonly string[];
  readonly versions: readonly string[];
  readonly modified: readonly number[];
  readonly rare: readonly (readonly [at: number, parts: RareParts])[];
}

interface SavedIndex {
  /** To be taken over by their reader. */
  readonly memories: readonly CachedMemory[];
  /** Parts of files that were not understood, by path. */
  readonly odd: ReadonlyMap<string, readonly string[]>;
  /** A search with these memories. */
  readonly search: MemorySearch;
}

/** @param rowOf - `undefined` for an id that is not there; then the result is not whole, and is not read */
export function* composeSavedIndex(
  search: MemorySearch,
  rowOf: (id: string) => SavedRow | undefined,
): Iterable<Uint8Array> {
  const { ids, terms, counts, parts } = search.save();
  yield jsonPiece({ format: formatName(), rows: ids.length, terms: terms.length, counts });
  for (let from = 0; from < ids.length; from += PIECE_ROWS_COUNT)
    yield jsonPiece(writtenRows(ids.slice(from, from + PIECE_ROWS_COUNT).map(rowOf)));
  for (let from = 0; from < terms.length; from += PIECE_TERMS_COUNT)
    yield jsonPiece(terms.slice(from, from + PIECE_TERMS_COUNT));
  for (const name of SAVED_ARRAYS)
    for (const part of parts(name)) yield new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
}

function writtenRows(rows: readonly (SavedRow | undefined)[]): WrittenRows {
  const rare = rows.flatMap((row, at): WrittenRows["rare"] => {
    if (row === undefined) return [];
    const { supersededBy, follows, sessionId, odd } = row;
    const isQuarantined = row.isQuarantined || undefined;
    const revises = row.revises.length > 0 ? row.revises : undefined;
    const parts: RareParts = { supersededBy, follows, sessionId, isQuarantined, revises, odd };
    return Object.values(parts).some((part) => part !== undefined) ? [[at, parts]] : [];
  });
  return {
    // A missing row is written as `null`, which a reader refuses.
    paths: rows.map((row) => row?.path as string),
    stamps: rows.map((row) => row?.stamp as string),
    versions: rows.map((row) => row?.version as string),
    modified: rows.map((row) => row?.modifiedMs as number),
    rare,
  };
}

/** `undefined` if the pieces are none, of another version, or do not fit each other. Throws what the pieces throw. */
export async function readIndex(
  pieces: Iterable<Uint8Array>,
  yieldTurn: () => Promise<void>,
): Promise<SavedIndex | undefined> {
  const reading = pieces[Symbol.iterator]();
  try {
    const next = async (): Promise<Uint8Array> => {
      await yieldTurn();
      const { value, done } = reading.next();
      if (done === true) throw unusableIndex("It ends too early.");
      return value;
    };
    const first = reading.next();
    if (first.done === true) return undefined;
    const head = parsed(first.value);
    if (!isObject(head) || asString(head["format"]) !== formatName()) return undefined;
    const memories: CachedMemory[] = [];
    const odd = new Map<string, readonly string[]>();
    while (memories.length < Number(head["rows"])) takeRows(parsed(await next()), memories, odd);
    const documents = await documentsOf(memories, yieldTurn);
    const terms = await readList<string>(Number(head["terms"]), next);
    const counts = isObject(head["counts"]) ? head["counts"] : {};
    const arrays: Record<string, Uint32Array> = {};
    for (const name of SAVED_ARRAYS) arrays[name] = await readArray(Number(counts[name]), next);
    const saved = { documents, terms, ...arrays } as unknown as RestoredSearch;
    if (!(await isWhole(saved, yieldTurn))) return undefined;
    const search = createMemorySearch();
    return (await search.restore(saved, yieldTurn)) ? { memories, odd, search } : undefined;
  } finally {
    reading.return?.();
  }
}

/** Adds the memories of one piece. Each is written out: copies of objects would be most of the cost of a first look. */
function takeRows(piece: unknown, memories: CachedMemory[], odd: Map<string, readonly string[]>): void {
  if (!isWritten(piece)) throw unusableIndex("It is damaged.");
  const { paths, stamps, versions, modified, rare } = piece;
  const from = memories.length;
  for (let at = 0; at < paths.length; at++) {
    const [path, stamp, version, modifiedMs] = [paths[at]!, stamps[at]!, versions[at]!, modified[at]!];
    if (typeof path !== "string" || typeof stamp !== "string" || typeof version !== "string")
      throw unusableIndex("It is damaged.");
    memories.push({
      path,
      supersededBy: undefined,
      isQuarantined: false,
      follows: undefined,
      revises: NO_PATHS,
      sessionId: undefined,
      version,
      modifiedMs,
      stamp,
      known: undefined,
    });
  }
  for (const [at, parts] of rare) {
    const plain = memories[from + at];
    if (plain === undefined || !isObject(parts)) throw unusableIndex("It is damaged.");
    const {
      supersededBy,
      follows,
      sessionId,
      isQuarantined = false,
      revises = NO_PATHS,
    } = parts as RareParts;
    if (!Array.isArray(revises)) throw unusableIndex("It is damaged.");
    memories[from + at] = { ...plain, supersededBy, isQuarantined, follows, revises, sessionId };
    const details = (parts as RareParts).odd;
    if (details !== undefined) odd.set(plain.path, details);
  }
}

const NO_PATHS: readonly string[] = [];

function isWritten(piece: unknown): piece is WrittenRows {
  if (!isObject(piece)) return false;
  const { paths, stamps, versions, modified, rare } = piece;
  const lists = [paths, stamps, versions, modified];
  if (!Array.isArray(paths) || !Array.isArray(rare) || paths.length === 0) return false;
  return lists.every((list) => Array.isArray(list) && list.length === paths.length);
}

/** The links of each memory, as `searchFields` gives them. */
async function documentsOf(
  memories: readonly MemoryHead[],
  yieldTurn: () => Promise<void>,
): Promise<RestoredSearch["documents"]> {
  const followed = new Set<string>();
  for (const { follows } of memories) if (follows !== undefined) followed.add(follows);
  const documents: RestoredSearch["documents"][number][] = [];
  for (const { path, follows, sessionId } of memories) {
    const before = follows === path ? undefined : follows;
    const group = follows === undefined && !followed.has(path) ? undefined : sessionId;
    documents.push({ id: path, before, group });
    if (documents.length % PIECE_TERMS_COUNT === 0) await yieldTurn();
  }
  return documents;
}

async function readList<Item>(count: number, next: () => Promise<Uint8Array>): Promise<readonly Item[]> {
  const items: Item[] = [];
  while (items.length < count) {
    const list = parsed(await next());
    if (!Array.isArray(list) || list.length === 0) throw unusableIndex("It is damaged.");
    for (const item of list as readonly Item[]) items.push(item);
  }
  return items;
}

async function readArray(count: number, next: () => Promise<Uint8Array>): Promise<Uint32Array> {
  const array = new Uint32Array(count);
  const bytes = new Uint8Array(array.buffer);
  for (let at = 0; at < bytes.length; ) {
    const piece = await next();
    bytes.set(piece, at);
    at += piece.length;
  }
  return array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const jsonPiece = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));

function parsed(bytes: Uint8Array): unknown {
  const read = parseJson(decoder.decode(bytes));
  return read.ok ? read.value : undefined;
}

let format: string | undefined;

/** Differs where this version would index a text otherwise: it is made of the index of some texts. */
function formatName(): string {
  if (format !== undefined) return format;
  const search = createMemorySearch();
  const texts = [
    [...STOP_WORDS, ...OTHER_FORMS.keys()].join(" "),
    "parseJson HTTPServer2 src/a-b.ts snake_case x@y.z Straße Ärger naïve 東京都 ภาษาไทย deployments running happily conflated",
    "---\nname: A name\ndescription: when\nsessionId: s\nfollows: 0.md\ncreatedAt: 2026-03-02T09:15:00.000Z\n---\n\nA text.",
  ];
  for (const [at, text] of texts.entries()) {
    const { memory } = parseMemoryFile(`${at}.md`, text);
    search.set(memory.path, searchFields(memory));
  }
  const { ids, terms, parts } = search.save();
  const arrays = SAVED_ARRAYS.map((name) => [...parts(name)].map((part) => [...part]));
  // The order of bytes of this machine.
  const order = [...new Uint8Array(new Uint32Array([1]).buffer)];
  format = `2 ${fingerprint(JSON.stringify([order, ids, terms, arrays]))}`;
  return format;
}
