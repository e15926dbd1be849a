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
import type { MemoryHead } from "./memory-view.ts";

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

interface SavedIndex {
  readonly rows: readonly SavedRow[];
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
    yield jsonPiece(ids.slice(from, from + PIECE_ROWS_COUNT).map(rowOf));
  for (let from = 0; from < terms.length; from += PIECE_TERMS_COUNT)
    yield jsonPiece(terms.slice(from, from + PIECE_TERMS_COUNT));
  for (const name of SAVED_ARRAYS)
    for (const part of parts(name)) yield new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
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
    const rows = await readList<SavedRow>(Number(head["rows"]), next);
    const documents = await documentsOf(rows, yieldTurn);
    if (documents === undefined) return undefined;
    const terms = await readList<string>(Number(head["terms"]), next);
    const counts = isObject(head["counts"]) ? head["counts"] : {};
    const arrays: Record<string, Uint32Array> = {};
    for (const name of SAVED_ARRAYS) arrays[name] = await readArray(Number(counts[name]), next);
    const saved = { documents, terms, ...arrays } as unknown as RestoredSearch;
    if (!(await isWhole(saved, yieldTurn))) return undefined;
    const search = createMemorySearch();
    await search.restore(saved, yieldTurn);
    return { rows, search };
  } finally {
    reading.return?.();
  }
}

/** The links of each memory, as `searchFields` gives them; `undefined` if a row is not one of ours. */
async function documentsOf(
  rows: readonly SavedRow[],
  yieldTurn: () => Promise<void>,
): Promise<RestoredSearch["documents"] | undefined> {
  const followed = new Set<string | undefined>();
  for (const [at, row] of rows.entries()) {
    if (!isRow(row)) return undefined;
    followed.add(row.follows);
    if (at % PIECE_TERMS_COUNT === 0) await yieldTurn();
  }
  const documents: RestoredSearch["documents"][number][] = [];
  for (const { path, follows, sessionId } of rows) {
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

function isRow(row: SavedRow | null): boolean {
  return (
    isObject(row) &&
    [row.path, row.stamp, row.version].every((text) => typeof text === "string") &&
    Array.isArray(row.revises)
  );
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
  format = `1 ${fingerprint(JSON.stringify([order, ids, terms, arrays]))}`;
  return format;
}
