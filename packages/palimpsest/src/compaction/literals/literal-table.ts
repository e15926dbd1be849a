/**
 * Strings with numbers about each: the rows of the literals ledger.
 *
 * An open session keeps tens of thousands of them. As objects in a map they take three times as much memory, and a string
 * that was cut out of a line keeps the line. So the letters of all strings lie one after another in one array, the numbers
 * in another, and a table of hashes finds a string.
 */
import { minOf } from "../../base/lists.ts";
import type { LiteralKind } from "./literals.ts";

/** The facts about one string. */
export interface LiteralRecord {
  readonly kind: LiteralKind;
  /** Messages that hold it. */
  readonly messageCount: number;
  readonly lastSeq: number;
  /** Last time that the assistant wrote it, in text or arguments; 0 for never. */
  readonly lastAssistantSeq: number;
  readonly assistantCount: number;
  readonly userCount: number;
  readonly lastUserSeq: number;
  readonly isDefined: boolean;
}

/** Places of a row's numbers in {@link LiteralTable.numbers}. */
export const MESSAGE_COUNT = 0;
export const LAST_SEQ = 1;
export const LAST_ASSISTANT_SEQ = 2;
export const ASSISTANT_COUNT = 3;
export const USER_COUNT = 4;
export const LAST_USER_SEQ = 5;
const FLAGS = 6;
/** The place of its first letter. */
const START = 7;
/** Numbers of one row. */
export const ROW_NUMBERS = 8;
/** Numbers of a row that are stored: those up to its kind, and the bytes of its letters. */
export const SAVED_NUMBERS = 8;

const KINDS: readonly LiteralKind[] = ["identifier", "path", "quoted", "number", "url", "hash"];
const KIND_MASK = 7;
const IS_DEFINED = 8;
/** Its letters take two bytes each. */
const IS_WIDE = 16;
const FLAGS_MASK = KIND_MASK | IS_DEFINED | IS_WIDE;
/** The other bits of the flags are the string's hash. */
const HASH_MASK = 0xffffff00;
const HASH_SHIFT = 8;

/** @internal */
export const isLiteralKind = (kind: string): kind is LiteralKind =>
  (KINDS as readonly string[]).includes(kind);

const FIRST_ROWS = 64;
const FIRST_BYTES = 1_024;
/** Room for more is a quarter of what there is. */
const GROWTH = 1.25;
/** Slots for each row at least: with more of them in use, searches become long. */
const LEAST_SLOTS = 1.5;
/** A search is never this long, except for strings that were chosen for it: then all get other slots. */
const MOST_PROBES = 256;
const NO_ROW = 0;
/** Letters that become a string at once. */
const LETTERS_AT_ONCE = 4_096;

export class LiteralTable {
  #size = 0;
  #numbers = new Uint32Array(FIRST_ROWS * ROW_NUMBERS);
  #letters = new Uint8Array(FIRST_BYTES);
  #lettersEnd = 0;
  /** By hash, the number of a row and one; 0 for none. */
  #slots = new Int32Array(2 * FIRST_ROWS);
  #seed = 0x811c9dc5;

  /** Strings in the table. Their rows are 0, 1, 2 … */
  get size(): number {
    return this.#size;
  }

  /** Bytes of all arrays. */
  get bytes(): number {
    return this.#numbers.byteLength + this.#letters.byteLength + this.#slots.byteLength;
  }

  /** The numbers of all rows, {@link ROW_NUMBERS} each. Another array after {@link put}. */
  get numbers(): Uint32Array {
    return this.#numbers;
  }

  /** The row of the string; a new one without any counts if there is none. */
  put(text: string, kind: LiteralKind): number {
    let hash = this.#hash(text);
    for (let probe = 1, at = hash >>> HASH_SHIFT; ; at += probe++) {
      const row = this.#slots[at & (this.#slots.length - 1)]! - 1;
      if (row < 0) break;
      if (this.#isAt(row, text, hash)) return row;
      if (probe < MOST_PROBES) continue;
      this.#takeOtherHashes();
      hash = this.#hash(text);
      at = hash >>> HASH_SHIFT;
      probe = 0;
    }
    return this.#add(text, KINDS.indexOf(kind), hash);
  }

  /** Adds a string with its facts. */
  set(text: string, record: LiteralRecord): void {
    const at = this.put(text, record.kind) * ROW_NUMBERS;
    const numbers = this.#numbers;
    numbers[at + MESSAGE_COUNT] = record.messageCount;
    numbers[at + LAST_SEQ] = record.lastSeq;
    numbers[at + LAST_ASSISTANT_SEQ] = record.lastAssistantSeq;
    numbers[at + ASSISTANT_COUNT] = record.assistantCount;
    numbers[at + USER_COUNT] = record.userCount;
    numbers[at + LAST_USER_SEQ] = record.lastUserSeq;
    if (record.isDefined) numbers[at + FLAGS]! |= IS_DEFINED;
  }

  recordAt(row: number): LiteralRecord {
    const at = row * ROW_NUMBERS;
    const numbers = this.#numbers;
    return {
      kind: this.kindAt(row),
      messageCount: numbers[at + MESSAGE_COUNT]!,
      lastSeq: numbers[at + LAST_SEQ]!,
      lastAssistantSeq: numbers[at + LAST_ASSISTANT_SEQ]!,
      assistantCount: numbers[at + ASSISTANT_COUNT]!,
      userCount: numbers[at + USER_COUNT]!,
      lastUserSeq: numbers[at + LAST_USER_SEQ]!,
      isDefined: this.isDefinedAt(row),
    };
  }

  kindAt(row: number): LiteralKind {
    return KINDS[this.#numbers[row * ROW_NUMBERS + FLAGS]! & KIND_MASK]!;
  }

  isDefinedAt(row: number): boolean {
    return (this.#numbers[row * ROW_NUMBERS + FLAGS]! & IS_DEFINED) !== 0;
  }

  /** One of the lines that hold the string defines something. */
  markDefined(row: number): void {
    this.#numbers[row * ROW_NUMBERS + FLAGS]! |= IS_DEFINED;
  }

  /** Decides the hashes of the strings. */
  get seed(): number {
    return this.#seed >>> 0;
  }

  /** One of the {@link SAVED_NUMBERS} of a row. */
  savedNumberAt(row: number, column: number): number {
    if (column === START) return this.lettersAt(row).length;
    const number = this.#numbers[row * ROW_NUMBERS + column]!;
    return column === FLAGS ? (number & ~HASH_MASK) >>> 0 : number;
  }

  /** The letters of a row, as a view. */
  lettersAt(row: number): Uint8Array {
    return this.#letters.subarray(this.#numbers[row * ROW_NUMBERS + START], this.#endOf(row));
  }

  /** The table of stored numbers, a column each, and letters; `undefined` if they do not fit each other. */
  static ofColumns(
    columns: readonly Uint32Array[],
    letters: Uint8Array,
    seed: number,
  ): LiteralTable | undefined {
    const table = new LiteralTable();
    const size = columns[START]!.length;
    const numbers = new Uint32Array(Math.max(FIRST_ROWS, size) * ROW_NUMBERS);
    table.#letters = new Uint8Array(letters);
    table.#seed = seed | 0;
    table.#numbers = numbers;
    for (let row = 0; row < size; row++) {
      const at = row * ROW_NUMBERS;
      for (let column = 0; column < START; column++) numbers[at + column] = columns[column]![row]!;
      const [flags, bytes] = [columns[FLAGS]![row]!, columns[START]![row]!];
      if ((flags & KIND_MASK) >= KINDS.length || flags > FLAGS_MASK) return undefined;
      if ((flags & IS_WIDE) !== 0 && bytes % 2 !== 0) return undefined;
      numbers[at + START] = table.#lettersEnd;
      table.#lettersEnd += bytes;
      table.#size++;
      if (table.#lettersEnd > letters.length) return undefined;
      numbers[at + FLAGS] = flags | table.#hashAt(row);
    }
    if (table.#lettersEnd !== letters.length) return undefined;
    table.#fillSlots(slotsFor(size));
    return table;
  }

  textAt(row: number): string {
    const letters = this.lettersAt(row);
    const codes = this.#isWide(row) ? wideCodes(letters) : letters;
    let text = "";
    for (let from = 0; from < codes.length; from += LETTERS_AT_ONCE)
      text += String.fromCharCode.apply(undefined, codes.subarray(from, from + LETTERS_AT_ONCE) as never);
    return text;
  }

  /** Negative if the string of `one` comes before that of `other` in the order of `<`; they differ. */
  compareTexts(one: number, other: number): number {
    const lengths = [this.#lengthAt(one), this.#lengthAt(other)] as const;
    const shorter = minOf(lengths);
    for (let index = 0; index < shorter; index++) {
      const difference = this.#codeAt(one, index) - this.#codeAt(other, index);
      if (difference !== 0) return difference;
    }
    return lengths[0] - lengths[1];
  }

  /** A table of some of the rows, in their order. */
  filter(isKept: (row: number) => boolean): LiteralTable {
    const kept = new LiteralTable();
    for (let row = 0; row < this.#size; row++) {
      if (!isKept(row)) continue;
      const at = row * ROW_NUMBERS;
      const letters = this.lettersAt(row);
      kept.#reserve(letters.length);
      kept.#numbers.set(this.#numbers.subarray(at, at + ROW_NUMBERS), kept.#size * ROW_NUMBERS);
      kept.#numbers[kept.#size * ROW_NUMBERS + START] = kept.#lettersEnd;
      kept.#letters.set(letters, kept.#lettersEnd);
      kept.#lettersEnd += letters.length;
      kept.#size++;
    }
    kept.#seed = this.#seed;
    kept.#fillSlots(slotsFor(kept.#size));
    return kept;
  }

  #add(text: string, kind: number, hash: number): number {
    const isWide = hasWideLetter(text);
    this.#reserve(isWide ? 2 * text.length : text.length);
    const row = this.#size++;
    const at = row * ROW_NUMBERS;
    this.#numbers.fill(0, at, at + ROW_NUMBERS);
    this.#numbers[at + FLAGS] = kind | (isWide ? IS_WIDE : 0) | hash;
    this.#numbers[at + START] = this.#lettersEnd;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (isWide) this.#letters[this.#lettersEnd++] = code >> 8;
      this.#letters[this.#lettersEnd++] = code;
    }
    if (this.#size * LEAST_SLOTS > this.#slots.length) this.#fillSlots(slotsFor(this.#size));
    else this.#takeSlot(row);
    return row;
  }

  #reserve(bytes: number): void {
    const numbers = (this.#size + 1) * ROW_NUMBERS;
    if (numbers > this.#numbers.length) {
      const larger = new Uint32Array(Math.ceil((this.#size + 1) * GROWTH) * ROW_NUMBERS);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    const end = this.#lettersEnd + bytes;
    if (end > this.#letters.length) {
      const larger = new Uint8Array(Math.ceil(end * GROWTH));
      larger.set(this.#letters);
      this.#letters = larger;
    }
  }

  #takeOtherHashes(): void {
    this.#seed = Math.imul(this.#seed, 0x85ebca6b) ^ this.#size;
    for (let row = 0; row < this.#size; row++) {
      const at = row * ROW_NUMBERS + FLAGS;
      this.#numbers[at] = (this.#numbers[at]! & ~HASH_MASK) | this.#hashAt(row);
    }
    this.#fillSlots(this.#slots.length);
  }

  #fillSlots(count: number): void {
    this.#slots = new Int32Array(count);
    for (let row = 0; row < this.#size; row++) this.#takeSlot(row);
  }

  #takeSlot(row: number): void {
    const mask = this.#slots.length - 1;
    let at = this.#numbers[row * ROW_NUMBERS + FLAGS]! >>> HASH_SHIFT;
    for (let probe = 1; this.#slots[at & mask] !== NO_ROW; probe++) at += probe;
    this.#slots[at & mask] = row + 1;
  }

  #isAt(row: number, text: string, hash: number): boolean {
    const flags = this.#numbers[row * ROW_NUMBERS + FLAGS]!;
    if (((flags ^ hash) & HASH_MASK) !== 0 || this.#lengthAt(row) !== text.length) return false;
    for (let index = 0; index < text.length; index++)
      if (this.#codeAt(row, index) !== text.charCodeAt(index)) return false;
    return true;
  }

  #endOf(row: number): number {
    return row + 1 === this.#size ? this.#lettersEnd : this.#numbers[(row + 1) * ROW_NUMBERS + START]!;
  }

  #isWide(row: number): boolean {
    return (this.#numbers[row * ROW_NUMBERS + FLAGS]! & IS_WIDE) !== 0;
  }

  #lengthAt(row: number): number {
    const bytes = this.#endOf(row) - this.#numbers[row * ROW_NUMBERS + START]!;
    return this.#isWide(row) ? bytes / 2 : bytes;
  }

  #codeAt(row: number, index: number): number {
    const start = this.#numbers[row * ROW_NUMBERS + START]!;
    if (!this.#isWide(row)) return this.#letters[start + index]!;
    return (this.#letters[start + 2 * index]! << 8) | this.#letters[start + 2 * index + 1]!;
  }

  /** A hash in the bits of {@link HASH_MASK}. */
  #hash(text: string): number {
    let hash = this.#seed;
    for (let index = 0; index < text.length; index++)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    return (hash ^ (hash >>> 15)) & HASH_MASK;
  }

  /** The same of a row's letters. */
  #hashAt(row: number): number {
    let hash = this.#seed;
    for (let index = 0, length = this.#lengthAt(row); index < length; index++)
      hash = Math.imul(hash ^ this.#codeAt(row, index), 0x01000193);
    return (hash ^ (hash >>> 15)) & HASH_MASK;
  }
}

function wideCodes(letters: Uint8Array): Uint16Array {
  const codes = new Uint16Array(letters.length / 2);
  for (let index = 0; index < codes.length; index++)
    codes[index] = (letters[2 * index]! << 8) | letters[2 * index + 1]!;
  return codes;
}

function hasWideLetter(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 255) return true;
  return false;
}

/** A power of two. */
function slotsFor(rows: number): number {
  let count = 2 * FIRST_ROWS;
  while (count < rows * LEAST_SLOTS) count *= 2;
  return count;
}
