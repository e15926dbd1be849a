/**
 * Values of frontmatter, read and written: plain, quoted, on several lines, or as a list on one line.
 *
 * They are read as people mean them, not by the letter of YAML: a plain value extends to the end of its line, with
 * every `#` and `:` in it, and `no`, `010` or a date are text. Written values are quoted if YAML would read them
 * differently. No value leaves its line.
 */

/** A value that can follow a key. */
export type FrontmatterValue = string | number | boolean | readonly string[];

/** A quoted value, and where in `text` it ends. */
interface Quoted {
  readonly value: string;
  readonly end: number;
}

/** Reads the value on a key's line. `undefined` if a quote opens there and does not close. */
export function readInlineValue(
  text: string,
): { readonly value: string; readonly items?: readonly string[]; readonly end: number } | undefined {
  const quote = text[0];
  if (quote === '"' || quote === "'") {
    const quoted = readQuoted(text);
    if (quoted === undefined) return undefined;
    // `"so-called" things`, as people write it: the quotes belong to the text.
    return isBehindValue(text, quoted.end) ? quoted : { value: text, end: text.length };
  }
  if (quote === "[" && text.endsWith("]")) {
    const items = readFlowList(text);
    if (items !== undefined) return { value: items.join(", "), items, end: text.length };
  }
  return { value: text, end: text.length };
}

/** The lines of a block scalar as one text; they are given without their ends. */
export function readBlockScalar(indicator: string, lines: readonly string[]): string {
  const first = lines.find((line) => line.trim() !== "") ?? "";
  const indent = first.length - first.trimStart().length;
  const texts = lines.map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length)));
  while (texts.length > 0 && texts.at(-1)!.trim() === "") texts.pop();
  return indicator.startsWith("|") ? texts.join("\n") : fold(texts);
}

/** Lines as one: an end of a line is a blank, an empty line is an end of a line. */
export function fold(lines: readonly string[]): string {
  const parts: string[] = [];
  let glue = "";
  for (const line of lines) {
    const text = line.trim();
    if (text === "") {
      glue = `${glue === " " ? "" : glue}\n`;
      continue;
    }
    parts.push(parts.length === 0 ? text : `${glue}${text}`);
    glue = " ";
  }
  return parts.join("");
}

/** Formats a value for `key: `, always on one line. */
export function formatValue(value: FrontmatterValue): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return formatText(value, NEEDS_QUOTES);
  return `[${value.map((item) => formatText(item, NEEDS_QUOTES_IN_LIST)).join(", ")}]`;
}

/** Formats a value that is followed by lines of another kind: quoted, so that it ends on its line. */
export function formatClosedValue(value: FrontmatterValue): string {
  return Array.isArray(value) ? formatValue(value) : quoted(String(value));
}

/** Starts that mean something in YAML, `: ` and ` #` inside, ends that would be lost. */
const NEEDS_QUOTES = /^$|^[\s\-?:,[\]{}#&*!|>'"%@`]|[:\s]$|:\s|\s#/;
const NEEDS_QUOTES_IN_LIST = new RegExp(`${NEEDS_QUOTES.source}|[,[\\]{}]`);
/** Text that YAML reads as a number, a date, a boolean or null. */
const IS_OTHER_THAN_TEXT =
  /^(?:[-+.\d][\d._:,]*(?:e[-+]?\d+)?|0[xob][\da-f_]+|\d{4}-\d\d?-\d\d?|true|false|yes|no|on|off|y|n|null|~|<<|=|[-+]?\.(?:inf|nan))$/i;
/** Characters that end a line for some reader, control a terminal, or are invalid. */
const MUST_BE_ESCAPED = /[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/u;

function formatText(text: string, needsQuotes: RegExp): string {
  if (!needsQuotes.test(text) && !IS_OTHER_THAN_TEXT.test(text) && !MUST_BE_ESCAPED.test(text)) return text;
  return quoted(text);
}

function quoted(text: string): string {
  const escaped = text.replace(/["\\]|[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/gu, (found) => {
    if (found === '"' || found === "\\") return `\\${found}`;
    if (found === "\n") return "\\n";
    if (found === "\t") return "\\t";
    return `\\u${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  });
  return `"${escaped}"`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ n: "\n", t: "\t", r: "\r", "0": "\0", a: "\x07", b: "\b", f: "\f", v: "\v" }),
  ...Object.entries({ e: "\x1B", N: "\x85", _: "\xA0", L: "\u2028", P: "\u2029" }),
  ...Object.entries({ '"': '"', "\\": "\\", "/": "/", " ": " " }),
]);
const CODE_LENGTHS: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

/** A text in quotes at the start of `text`; `undefined` where they are not closed. */
export function readQuoted(text: string): Quoted | undefined {
  return text[0] === "'" ? readSingleQuoted(text) : readDoubleQuoted(text);
}

function readSingleQuoted(text: string): Quoted | undefined {
  const parts: string[] = [];
  for (let from = 1; ; ) {
    const quote = text.indexOf("'", from);
    if (quote === -1) return undefined;
    parts.push(text.slice(from, quote));
    if (text[quote + 1] !== "'") return { value: parts.join("'"), end: quote + 1 };
    from = quote + 2;
  }
}

function readDoubleQuoted(text: string): Quoted | undefined {
  const parts: string[] = [];
  let from = 1;
  for (let at = 1; at < text.length; at++) {
    if (text[at] === '"') return { value: `${parts.join("")}${text.slice(from, at)}`, end: at + 1 };
    if (text[at] !== "\\") continue;
    const { character, length } = readEscape(text, at + 1);
    parts.push(text.slice(from, at), character);
    at += length;
    from = at + 1;
  }
  return undefined;
}

/** Reads the character behind a backslash. An unknown escape is text: `C:\dir` in quotes is a frequent mistake. */
function readEscape(text: string, at: number): { readonly character: string; readonly length: number } {
  const letter = text[at] ?? "";
  const plain = ESCAPES.get(letter);
  if (plain !== undefined) return { character: plain, length: 1 };
  const digits = text.slice(at + 1, at + 1 + (CODE_LENGTHS.get(letter) ?? 0));
  const code = /^[\da-fA-F]+$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
  if (digits.length !== CODE_LENGTHS.get(letter) || !(code <= 0x10ffff))
    return { character: "\\", length: 0 };
  return { character: String.fromCodePoint(code), length: 1 + digits.length };
}

/** True if only a comment follows a quoted value. */
function isBehindValue(text: string, end: number): boolean {
  const rest = text.slice(end);
  return rest.trim() === "" || (/^\s/.test(rest) && rest.trimStart().startsWith("#"));
}

/** `[a, "b, c"]`; `undefined` for what is nested or no such list. */
function readFlowList(text: string): readonly string[] | undefined {
  const items: string[] = [];
  const end = text.length - 1;
  let at = 1;
  while (at < end) {
    while (at < end && /\s/.test(text[at]!)) at++;
    if (at === end) break;
    const isQuoted = text[at] === '"' || text[at] === "'";
    const quoted = isQuoted ? readQuoted(text.slice(at, end)) : undefined;
    if (isQuoted && quoted === undefined) return undefined;
    const comma = text.indexOf(",", at + (quoted?.end ?? 0));
    const stop = comma === -1 ? end : comma;
    const rest = text.slice(at + (quoted?.end ?? 0), stop).trim();
    if (quoted !== undefined && rest !== "") return undefined;
    if (quoted === undefined && (rest === "" || /[[\]{}]|^[&*!]/.test(rest))) return undefined;
    items.push(quoted?.value ?? rest);
    at = stop + 1;
  }
  return items;
}
