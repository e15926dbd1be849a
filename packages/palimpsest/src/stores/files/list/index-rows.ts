/**
 * Reads and writes the sorted rows of a folder's index, `[id, lastActivityAt, bytes, modifiedAt, title?]` a line.
 *
 * A usual row is parsed directly from its bytes. The strings and arrays that `JSON.parse` makes would be most of the cost
 * of listing all sessions. Unusual rows are left to JSON.
 */
import { parseJson } from "../../../base/json/json.ts";
import type { OverviewRow } from "../../../ports/session-store.ts";
import { plausibleTime } from "../../shared/session-info.ts";
import { isSessionId } from "../../shared/session-paths.ts";

/** One session as it was at the last look. */
export interface IndexRow extends OverviewRow {
  /** Time of the log file's last change, in milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** Rows parsed at once: many, but few more than a page shows. */
const PIECE_ROWS = 200;
/** Lengths of usual ids: longer than every reserved name. */
const [PLAIN_ID_LEAST_CHARS, PLAIN_ID_MOST_CHARS] = [8, 64];
/** 1 for each byte that a usual id may have. */
const IS_IN_PLAIN_ID = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9_-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
/** Longest number parsed here, in characters: its digits and its divisor are exact as doubles. */
const NUMBER_LIMIT_CHARS = 17;
const [NEWLINE, SPACE, QUOTE, COMMA, DOT, DIGIT_0, DIGIT_9, BRACKET_OPEN, BACKSLASH, BRACKET_CLOSE] = [
  0x0a, 0x20, 0x22, 0x2c, 0x2e, 0x30, 0x39, 0x5b, 0x5c, 0x5d,
];

/** The JSON value of a row. */
export function rowFields(row: IndexRow): readonly unknown[] {
  const { sessionId, lastActivityAt, bytes, modifiedAt, title } = row;
  return [sessionId, lastActivityAt, bytes, modifiedAt, ...(title === undefined ? [] : [title])];
}

/** Returns `undefined` for a value that is not a row. */
export function parseRow(value: unknown): IndexRow | undefined {
  if (!Array.isArray(value)) return undefined;
  const [sessionId, lastActivityAt, bytes, modifiedAt, title] = value as readonly unknown[];
  if (!isSessionId(sessionId) || (title !== undefined && typeof title !== "string")) return undefined;
  const isNumbered =
    typeof lastActivityAt === "number" && typeof bytes === "number" && typeof modifiedAt === "number";
  if (!isNumbered || plausibleTime(lastActivityAt) !== lastActivityAt) return undefined;
  return { sessionId, lastActivityAt, bytes, modifiedAt, ...(title === undefined ? {} : { title }) };
}

/** Yields the rows of a body in their order, many at a time. Skips lines that are not rows. */
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

/** Parses rows as this library writes them, if neither id nor title needs an escape. */
class PlainRows {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** The row of the line from `start` to `end`; `undefined` for an unusual one. */
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

  /** Reads a string without an escape. */
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

  /** Parses a number exactly as JSON does: all digits as one integer, divided by a power of ten, which rounds once. */
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
    // JSON numbers have no dot at either end and no leading zero.
    const hasEnds = body[start] !== DOT && body[at - 1] !== DOT;
    const isPadded = body[start] === DIGIT_0 && at - start > 1 && body[start + 1] !== DOT;
    if (!isWritten || !hasEnds || isPadded) return undefined;
    return scale === 0 ? digits : digits / scale;
  }
}
