/**
 * Passwords and tokens in a column of a table: CSV with a line of names, the output of a database's shell, and SQL that
 * inserts rows. The name may be many lines above the value, so no pattern beside a value finds it.
 *
 * A line is looked at a fixed number of times, and a long one is not looked at: linear in any text.
 */
import type { ContextSpan, SecretContext } from "./secret-contexts.ts";
import { startOfLine, type TextLine, textLines } from "./text-lines.ts";

/** Places that are found while a text is gone through, so that a text without one costs next to nothing. */
export const COLUMN_PLACES: Readonly<Record<"name" | "insert", Pick<SecretContext, "words" | "pattern">>> = {
  /** The end of such a name at the end of a cell. */
  name: {
    words: [
      ...["password", "passwort", "passwd", "passphrase", "passcode", "kennwort", "secret", "token"],
      ...["_key", "-key", " key", "apikey", "credential"],
    ],
    pattern:
      /(?:passwor[dt]|passwd|passphrase|passcode|kennwort|secrets?|tokens?|[_ -]keys?|apikeys?|credentials?)["'`]?[ \t]{0,40}(?:[,;|\t\r\n]|\\|$)/iy,
  },
  /** Up to the rows of an SQL statement. */
  insert: {
    words: ["insert into"],
    pattern: /insert into [^\s(]{1,128}\s{0,4}\([^()]{1,2000}\)\s{0,9}values\s{0,9}/iy,
  },
};
const PASSWORD_NAME = /^(?:\w{0,30}[_ -])?(?:password|passwd|passphrase|passcode|passwort|kennwort)$/i;
const TOKEN_NAME =
  /^(?:\w{0,30}[_ -])?(?:secret|token|(?:api|secret|access|private)[_ -]?key|credential)s?$/i;
/** The name of a column, of any kind. */
const NAME = /^[\p{L}_][\p{L}\d_ .-]{0,39}$/u;
/** A letter and a digit: no word, no mask, no hash with its method. */
const PASSWORD_VALUE = /^(?=.{0,64}\d)(?=.{0,64}[A-Za-z])(?![[$<{%])[^\s"'()]{6,256}$/;
/** A digit, a letter and a digit in this order. */
const TOKEN_VALUE = /^(?![[$<{%/~])(?=\D{0,40}\d[^A-Za-z]{0,40}[A-Za-z]\D{0,40}\d)[\w~+/=.%-]{16,4000}$/;
/** Words and numbers with signs between them, as variables, models and parts of a design are named; and an address of a contract. */
const NAME_VALUE =
  /^(?:-{0,2}(?:[A-Za-z]+\d{0,2}|\d{1,8}[a-z]{0,2})(?:[-_.](?:[A-Za-z]+\d{0,2}|\d{1,8}[a-z]{0,2}))+|0x[\da-f]{40})$/i;
/** Blanks and quotes around a cell. Not one pattern for many: it would be tried from each of them. */
const EDGE = /[\s"'`\\]/;
const DELIMITERS = [",", ";", "\t", "|"] as const;
const RULE = /^[\s+|:-]{3,}$/;
/** One row of values; text in quotes may have brackets. */
const TUPLE = /,?\s{0,9}\(((?:'(?:[^'\\\n]|\\.|''){0,2000}'|[^()'\n]){1,200})\)/y;

interface Columns {
  readonly delimiter: string;
  readonly count: number;
  /** Columns of secrets, by their place. */
  readonly kinds: ReadonlyMap<number, "password" | "variable">;
}

/** The secrets in the rows below one of these names. */
export function* findInColumns(
  text: string,
  names: readonly Pick<ContextSpan, "from" | "to">[],
): Iterable<ContextSpan> {
  let reached = 0;
  for (const name of names) {
    if (name.from < reached) continue;
    let columns: Columns | undefined;
    reached = name.to;
    for (const line of textLines(text, startOfLine(text, name.from))) {
      const cells = columns === undefined ? [] : cellsOf(line, columns.delimiter);
      if (columns === undefined) columns = namesIn(line);
      else if (cells.length === columns.count) yield* inRow(cells, columns);
      else if (!RULE.test(line.text)) break;
      reached = Math.max(reached, line.from + line.text.length);
      if (columns === undefined) break;
    }
  }
}

/** The columns that a line of names has, if one of them is of secrets. */
function namesIn({ text, from }: TextLine): Columns | undefined {
  // Words may introduce the table on its first line.
  const start = text.lastIndexOf(": ") + 1;
  const line = { text: text.slice(start), from: from + start };
  for (const delimiter of DELIMITERS) {
    const columns = columnsOf(cellsOf(line, delimiter), delimiter);
    if (columns !== undefined) return columns;
  }
  return undefined;
}

function columnsOf(names: readonly TextLine[], delimiter: string): Columns | undefined {
  const kinds = new Map<number, "password" | "variable">();
  for (const [place, { text }] of names.entries()) {
    if (PASSWORD_NAME.test(text)) kinds.set(place, "password");
    else if (TOKEN_NAME.test(text)) kinds.set(place, "variable");
    else if (!NAME.test(text) && !(text === "" && delimiter === "|" && isOuter(place, names)))
      return undefined;
  }
  const count = names.filter(({ text }) => text !== "").length;
  return kinds.size === 0 || count < 2 ? undefined : { delimiter, count: names.length, kinds };
}

/** True at both ends, where a table of Markdown has a delimiter. */
const isOuter = (place: number, { length }: { readonly length: number }): boolean =>
  place === 0 || place === length - 1;

/** The cells of a line, without blanks and quotes around them. A delimiter between quotes is not known as such. */
function cellsOf({ text, from }: TextLine, delimiter: string): readonly TextLine[] {
  let at = from;
  return text.split(delimiter).map((part) => {
    let [start, end] = [0, part.length];
    while (start < end && EDGE.test(part[start]!)) start++;
    while (end > start && EDGE.test(part[end - 1]!)) end--;
    const place = at + start;
    at += part.length + delimiter.length;
    return { text: part.slice(start, end), from: place };
  });
}

function* inRow(cells: readonly TextLine[], { kinds }: Columns): Iterable<ContextSpan> {
  for (const [place, family] of kinds) {
    const { text, from } = cells[place]!;
    const isSecret =
      family === "password" ? PASSWORD_VALUE.test(text) : TOKEN_VALUE.test(text) && !NAME_VALUE.test(text);
    if (isSecret) yield { family, from, to: from + text.length };
  }
}

/** The secrets in the rows behind these beginnings of a statement. */
export function* findInInserts(
  text: string,
  inserts: readonly Pick<ContextSpan, "from" | "to">[],
): Iterable<ContextSpan> {
  let reached = 0;
  for (const { from: start, to } of inserts) {
    if (start < reached) continue;
    const names = text.slice(text.indexOf("(", start) + 1, text.lastIndexOf(")", to));
    const columns = columnsOf(cellsOf({ text: names, from: 0 }, ","), ",");
    if (columns === undefined) continue;
    TUPLE.lastIndex = to;
    for (let from = TUPLE.lastIndex; ; from = TUPLE.lastIndex) {
      const row = TUPLE.exec(text);
      if (row === null) break;
      reached = TUPLE.lastIndex;
      const cells = cellsOf({ text: row[1]!, from: from + row[0].indexOf("(") + 1 }, ",");
      if (cells.length === columns.count) yield* inRow(cells, columns);
    }
  }
}
