/**
 * The sorted rows of a folder's index, `[id, lastActivityAt, bytes, modifiedAt, title?]` a line.
 *
 * A row that looks as most do is read from its bytes: the texts and arrays that JSON would make of all, only to be
 * taken apart again, are most of what a list of all sessions takes. Whatever looks otherwise is left to JSON.
 */
import { parseJson } from "../../../base/json/json.ts";
import type { OverviewRow } from "../../../ports/session-store.ts";
import { plausibleTime } from "../../shared/session-info.ts";
import { isSessionId } from "../../shared/session-paths.ts";

/** One session, as it was when somebody last looked. */
export interface IndexRow extends OverviewRow {
  /** Of its log's file, in milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** Rows that are read at once: many, and no more than are asked for soon. */
const PIECE_ROWS = 200;
/** Lengths of ids as most are: longer than any name that is taken. */
const [PLAIN_ID_LEAST_CHARS, PLAIN_ID_MOST_CHARS] = [8, 64];
/** By byte whether a plain id may hold it. */
const IS_IN_PLAIN_ID = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9_-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
/** Longest number that is read here, in characters: its digits are one exact number, and so is what divides it. */
const NUMBER_LIMIT_CHARS = 17;
const [NEWLINE, SPACE, QUOTE, COMMA, DOT, DIGIT_0, DIGIT_9, BRACKET_OPEN, BACKSLASH, BRACKET_CLOSE] = [
  0x0a, 0x20, 0x22, 0x2c, 0x2e, 0x30, 0x39, 0x5b, 0x5c, 0x5d,
];

/** What a row is in JSON. */
export function rowFields(row: IndexRow): readonly unknown[] {
  const { sessionId, lastActivityAt, bytes, modifiedAt, title } = row;
  return [sessionId, lastActivityAt, bytes, modifiedAt, ...(title === undefined ? [] : [title])];
}

/** `undefined` where it is no row. */
export function parseRow(value: unknown): IndexRow | undefined {
  if (!Array.isArray(value)) return undefined;
  const [sessionId, lastActivityAt, bytes, modifiedAt, title] = value as readonly unknown[];
  if (!isSessionId(sessionId) || (title !== undefined && typeof title !== "string")) return undefined;
  const isNumbered =
    typeof lastActivityAt === "number" && typeof bytes === "number" && typeof modifiedAt === "number";
  if (!isNumbered || plausibleTime(lastActivityAt) !== lastActivityAt) return undefined;
  return { sessionId, lastActivityAt, bytes, modifiedAt, ...(title === undefined ? {} : { title }) };
}

/** The rows of a body in their order, many at a time. What is no row is passed over. */
export function* parseRows(body: Buffer): Generator<readonly IndexRow[]> {
  const plain = new PlainRows(body);
  let rows: IndexRow[] = [];
  for (let start = 0; start < body.length; ) {
    const end = body.indexOf(NEWLINE, start);
    if (end === -1) break;
    const row = plain.read(start, end) ?? parseLine(body.toString("utf8", start, end));
    if (row !== undefined) rows.push(row);
    start = end + 1;
    if (rows.length < PIECE_ROWS) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function parseLine(line: string): IndexRow | undefined {
  const parsed = parseJson(line);
  return parsed.ok ? parseRow(parsed.value) : undefined;
}

/** Reads rows as this library writes them, where neither id nor title needs an escape. */
class PlainRows {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** The row of the line from `start` to `end`; `undefined` where it does not look as most do. */
  read(start: number, end: number): IndexRow | undefined {
    this.#at = start;
    const sessionId = this.#takes(BRACKET_OPEN) ? this.#id() : undefined;
    if (sessionId === undefined || !this.#takes(COMMA)) return undefined;
    const lastActivityAt = this.#number();
    if (lastActivityAt === undefined || !Number.isInteger(lastActivityAt)) return undefined;
    const bytes = this.#takes(COMMA) ? this.#number() : undefined;
    if (bytes === undefined || !this.#takes(COMMA)) return undefined;
    const modifiedAt = this.#number();
    if (modifiedAt === undefined) return undefined;

    const hasTitle = this.#takes(COMMA);
    const title = hasTitle ? this.#text() : undefined;
    if (hasTitle !== (title !== undefined) || !this.#takes(BRACKET_CLOSE) || this.#at !== end)
      return undefined;
    return title === undefined
      ? { sessionId, lastActivityAt, bytes, modifiedAt }
      : { sessionId, lastActivityAt, bytes, modifiedAt, title };
  }

  #takes(byte: number): boolean {
    if (this.#body[this.#at] !== byte) return false;
    this.#at++;
    return true;
  }

  #id(): string | undefined {
    if (!this.#takes(QUOTE)) return undefined;
    const start = this.#at;
    let at = start;
    while (IS_IN_PLAIN_ID[this.#body[at]!] === 1) at++;
    this.#at = at;
    const length = at - start;
    if (!this.#takes(QUOTE) || length < PLAIN_ID_LEAST_CHARS || length > PLAIN_ID_MOST_CHARS)
      return undefined;
    return this.#body.toString("latin1", start, at);
  }

  /** Between quotes, without an escape. */
  #text(): string | undefined {
    if (!this.#takes(QUOTE)) return undefined;
    const body = this.#body;
    const start = this.#at;
    for (let at = start; at < body.length; at++) {
      const byte = body[at]!;
      if (byte < SPACE || byte === BACKSLASH) return undefined;
      if (byte !== QUOTE) continue;
      this.#at = at + 1;
      return body.toString("utf8", start, at);
    }
    return undefined;
  }

  /** As JSON has it: the digits as one whole number, by a power of ten, which rounds once. */
  #number(): number | undefined {
    const body = this.#body;
    const start = this.#at;
    let at = start;
    let digits = 0;
    let scale = 0;
    for (; ; at++) {
      const byte = body[at]!;
      if (byte >= DIGIT_0 && byte <= DIGIT_9) {
        digits = digits * 10 + (byte - DIGIT_0);
        scale *= 10;
      } else if (byte === DOT && scale === 0) scale = 1;
      else break;
    }
    this.#at = at;
    const isWritten = at > start && at - start <= NUMBER_LIMIT_CHARS && digits <= Number.MAX_SAFE_INTEGER;
    // JSON has no number that begins with a dot or ends with one, and no zero before other digits.
    const hasEnds = body[start] !== DOT && body[at - 1] !== DOT;
    const isPadded = body[start] === DIGIT_0 && at - start > 1 && body[start + 1] !== DOT;
    if (!isWritten || !hasEnds || isPadded) return undefined;
    return scale === 0 ? digits : digits / scale;
  }
}
