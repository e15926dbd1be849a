/**
 * Frontmatter of Markdown files, read flat and without a YAML library: keys with their values, one map below
 * `metadata`, and the position of each.
 *
 * People and other programs edit these files, so an edit replaces a value, removes a field's lines, or inserts one
 * (`edit-frontmatter.ts`), and never rewrites the rest. Unknown syntax stays where it is and is reported. Aliases,
 * tags, merge keys and programs have no meaning here; they are text. The time is linear in the file.
 */
import { showOnOneLine } from "../../base/text/hidden-characters.ts";
import { shorten } from "../../base/text/text.ts";
import { fold, readBlockScalar, readInlineValue, readQuoted } from "./frontmatter-value.ts";

/** Longest key of frontmatter that is read, in characters. Our choice: the keys in recorded memories have at most 15. */
const FRONTMATTER_KEY_CHARACTERS = 200;
/** Longest frontmatter that is read, in characters; the rest is kept and not read. Our choice: the longest in recorded memories has 500. */
const FRONTMATTER_CHARACTERS = 65_536;
/** Longest frontmatter that is read, in lines. Our choice: recorded memories have at most 7. */
const FRONTMATTER_LINES = 1_000;
/** Problems of one file that are reported one by one. Our choice: a file with more is not frontmatter. */
const FILE_PROBLEMS_COUNT = 20;

/** The only map whose keys are read. Claude Code puts `type` and the like there. */
export const NESTED_KEY = "metadata";

/** One key with its value. Places are offsets in the file's text. */
export interface FrontmatterField {
  readonly key: string;
  /** `metadata` where it stands below that. */
  readonly parent: string | undefined;
  /** The value as one text; a list's items with commas; empty where there is none or it is not understood. */
  readonly text: string;
  /** Absent if it is not a list. */
  readonly items?: readonly string[];
  /** Its lines, with their ends and with all that is indented below. */
  readonly from: number;
  readonly to: number;
  /** The value's position: without blanks, the line end and a comment behind it. */
  readonly valueFrom: number;
  readonly valueTo: number;
  /** True if the lines below are not part of its value: a new value must not continue there. */
  readonly isClosed: boolean;
  /** The text before its key. */
  readonly indent: string;
}

export interface Frontmatter {
  /** As they stand; of several with one key the last counts. */
  readonly fields: readonly FrontmatterField[];
  /** Start of the opening line; `undefined` without frontmatter. */
  readonly opensTo: number | undefined;
  /** Start of the closing line; `undefined` without frontmatter. */
  readonly closesAt: number | undefined;
  /** It has more than is read: what is to be read again must stand at its start. */
  readonly isLong: boolean;
  /** Start of the text behind it; without frontmatter the start of the file, behind a byte order mark. */
  readonly bodyFrom: number;
  /** The line ending. */
  readonly lineEnd: string;
  /** Lines that were not understood, with their numbers. */
  readonly problems: readonly string[];
}

interface Line {
  readonly text: string;
  readonly from: number;
  /** Behind its end. */
  readonly next: number;
  readonly number: number;
}

/** A line with a key, and the lines that belong to it. */
interface Block {
  readonly head: Line;
  readonly below: readonly Line[];
}

interface Key {
  readonly key: string;
  /** Position behind the value on its line. */
  readonly end: number;
}

/** The field that counts; `undefined` where there is none. */
export function findField(
  { fields }: Pick<Frontmatter, "fields">,
  key: string,
  parent?: string,
): FrontmatterField | undefined {
  return fields.findLast((field) => field.key === key && field.parent === parent);
}

/** Reads the frontmatter of a file, which may be anything. */
export function parseFrontmatter(text: string): Frontmatter {
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  const opening = lineAt(text, start, 1);
  const nowhere = { opensTo: undefined, closesAt: undefined, bodyFrom: start };
  const none = { ...nowhere, fields: [], isLong: false, lineEnd: lineEndOf(text), problems: [] };
  if (!isFence(opening.text))
    return /^---[A-Za-z]/.test(opening.text)
      ? { ...none, problems: ["line 1: frontmatter in another language is text here"] }
      : none;

  const inside = linesToFence(text, opening);
  const reading = new FieldReader();
  if (inside !== undefined) reading.readMap(inside.lines, { indent: 0, parent: undefined });
  const isEmptied =
    inside?.isLong === true || inside?.lines.every((line) => line.text.trim() === "") === true;
  if (inside === undefined || (reading.fields.length === 0 && !isEmptied)) {
    // Two rules with prose between them, or a rule alone, are Markdown.
    const isMeant = findKey(lineAt(text, opening.next, 2).text) !== undefined;
    return isMeant
      ? { ...none, problems: ["line 1: the frontmatter is not closed; all of it is text"] }
      : none;
  }
  if (inside.isLong)
    reading.tell(inside.lines.length + 2, "and those behind it are too many; they are kept and not read");
  return {
    fields: reading.fields,
    opensTo: opening.next,
    closesAt: inside.closing.from,
    isLong: inside.isLong,
    bodyFrom: inside.closing.next,
    lineEnd: text.slice(opening.from + opening.text.length, opening.next),
    problems: reading.problems,
  };
}

/** The line ending of a text, by its first line. */
export function lineEndOf(text: string): string {
  const feed = text.indexOf("\n");
  return feed > 0 && text[feed - 1] === "\r" ? "\r\n" : "\n";
}

function lineAt(text: string, from: number, number: number): Line {
  const feed = text.indexOf("\n", from);
  const next = feed === -1 ? text.length : feed + 1;
  const stop = feed === -1 ? text.length : feed;
  const end = stop > from && text[stop - 1] === "\r" ? stop - 1 : stop;
  return { text: text.slice(from, end), from, next, number };
}

function isFence(line: string): boolean {
  return line.startsWith("---") && line.slice(3).trim() === "";
}

interface Inside {
  /** The lines to be read. */
  readonly lines: readonly Line[];
  /** More lines than anybody's frontmatter has; those are kept and not read. */
  readonly isLong: boolean;
  readonly closing: Line;
}

/** The lines up to the next fence; `undefined` where there is none. */
function linesToFence(text: string, opening: Line): Inside | undefined {
  const lines: Line[] = [];
  let isLong = false;
  for (let from = opening.next; from < text.length; ) {
    if (text.startsWith("---", from) || text.startsWith("...", from)) {
      const line = lineAt(text, from, lines.length + 2);
      if (isFence(line.text) || line.text.trimEnd() === "...") return { lines, isLong, closing: line };
    }
    const feed = text.indexOf("\n", from);
    const next = feed === -1 ? text.length : feed + 1;
    isLong ||= next - opening.next > FRONTMATTER_CHARACTERS || lines.length === FRONTMATTER_LINES;
    if (!isLong) lines.push(lineAt(text, from, lines.length + 2));
    from = next;
  }
  return undefined;
}

/** Reads the fields of one file and keeps what it could not read. */
class FieldReader {
  readonly fields: FrontmatterField[] = [];
  readonly #problems: string[] = [];
  readonly #seen = new Set<string>();
  #problemsCount = 0;

  get problems(): readonly string[] {
    const more = this.#problemsCount - this.#problems.length;
    return more === 0 ? this.#problems : [...this.#problems, `and ${more} more of such lines`];
  }

  readMap(
    lines: readonly Line[],
    map: { readonly indent: number; readonly parent: string | undefined },
  ): void {
    for (const { head, below } of this.#blocksOf(lines, map.indent)) {
      const key = findKey(head.text, map.indent);
      if (key === undefined) this.tell(head.number, "is not a key with a value; it is kept as it is");
      else this.#readField({ head, below }, key, map.parent);
    }
  }

  /** Lines with a key at this indentation, each with what stands below it. */
  #blocksOf(lines: readonly Line[], indent: number): readonly Block[] {
    const blocks: { head: Line; below: Line[] }[] = [];
    let block: { head: Line; below: Line[] } | undefined;
    for (const line of lines) {
      // The items of a list may stand as far to the left as its key.
      const isBelow = indentOf(line.text) > indent || /^\s*-(?:\s|$)/.test(line.text);
      if (block !== undefined && (isEmpty(line) || isBelow)) block.below.push(line);
      else if (isEmpty(line)) continue;
      else if (isBelow) this.tell(line.number, "stands below nothing; it is kept as it is");
      else {
        block = { head: line, below: [] };
        blocks.push(block);
      }
    }
    return blocks;
  }

  #readField({ head, below }: Block, { key, end }: Key, parent: string | undefined): void {
    const seen = `${parent ?? ""}:${key}`;
    if (this.#seen.has(seen)) this.tell(head.number, `has ${named(key)} once more; the last one counts`);
    this.#seen.add(seen);

    const right = head.text.slice(end);
    const inline = right.trim();
    const valueFrom = head.from + end + (inline === "" ? 0 : right.length - right.trimStart().length);
    const value = this.#readValue({ head, below }, { key, inline });
    const last = value.below.at(-1);
    const lastFilled = withoutLast(below, isEmpty).at(-1) ?? head;
    // Remarks that are indented below it go with it: below a block they would be part of that.
    const isOutside = (line: Line): boolean => isEmpty(line) && indentOf(line.text) <= indentOf(head.text);
    const lastOwn = withoutLast(below, (line) => line.text.trim() === "" || isOutside(line)).at(-1) ?? head;
    this.fields.push({
      key,
      parent,
      text: value.text,
      items: value.items,
      from: head.from,
      to: Math.max(lastOwn.next, lastFilled.next, last?.next ?? 0),
      valueFrom,
      valueTo: last === undefined ? valueFrom + (value.end ?? inline.length) : last.from + last.text.length,
      isClosed: lastFilled.from > (last ?? head).from,
      indent: head.text.slice(0, indentOf(head.text)),
    });
    if (value.mapIndent === undefined) return;
    if (key === NESTED_KEY && parent === undefined)
      this.readMap(value.below, { indent: value.mapIndent, parent: key });
    else this.tell(head.number, `holds a map in ${named(key)}; it is kept and not read`);
  }

  #readValue(
    { head, below }: Block,
    { key, inline }: { readonly key: string; readonly inline: string },
  ): Value {
    if (/^[|>][-+\d]{0,2}(?:\s+#.*)?$/.test(inline)) {
      const isBlank = (line: Line): boolean => line.text.trim() === "";
      // A remark as far to the left as the key ends it.
      const stop = below.findIndex((line) => !isBlank(line) && indentOf(line.text) <= indentOf(head.text));
      const own = withoutLast(stop === -1 ? below : below.slice(0, stop), isBlank);
      return { text: readBlockScalar(inline, own.map(textOf)), below: own };
    }
    if (inline === "") return readBelow(key, withoutLast(below, isEmpty));
    if (key === "<<" || isMeaningless(inline))
      this.tell(head.number, `has in ${named(key)} what means something in YAML only; it is text`);

    const value = readInlineValue(inline);
    if (value === undefined) return this.#readLongQuoted(head, { below, inline });
    const isOpen = value.end === inline.length && value.items === undefined && value.value === inline;
    const more = isOpen ? continuation(below) : [];
    for (const line of below.slice(more.length))
      if (!isEmpty(line)) this.tell(line.number, "is below a value and not part of it; it is kept as it is");
    if (more.length === 0)
      return { text: value.value, end: value.end, below: [], ...(value.items && { items: value.items }) };
    return { text: fold([inline, ...more.map(textOf)]), below: more };
  }

  /** A quote that its first line does not close. */
  #readLongQuoted(
    head: Line,
    { below, inline }: { readonly below: readonly Line[]; readonly inline: string },
  ): Value {
    const own = withoutLast(below, isEmpty);
    const text = fold([inline, ...own.map(textOf)]);
    const quoted = readQuoted(text);
    if (quoted !== undefined && quoted.end === text.length) return { text: quoted.value, below: own };
    this.tell(head.number, "has a quote that is not closed; it is part of the text");
    return { text, below: own };
  }

  tell(lineNumber: number, what: string): void {
    this.#problemsCount++;
    if (this.#problems.length < FILE_PROBLEMS_COUNT) this.#problems.push(`line ${lineNumber} ${what}`);
  }
}

interface Value {
  readonly text: string;
  readonly items?: readonly string[];
  /** The lines below its key that belong to it. */
  readonly below: readonly Line[];
  /** Its end on its only line. */
  readonly end?: number;
  /** The indentation of its keys, if it is a map. */
  readonly mapIndent?: number;
}

/** Anchors, aliases, tags and maps on one line. */
function isMeaningless(inline: string): boolean {
  return /^(?:[&*][\w-]+(?:\s|$)|!)/.test(inline) || (inline.startsWith("{") && inline.endsWith("}"));
}

/** A value that begins on the line behind its key. */
function readBelow(key: string, below: readonly Line[]): Value {
  const lines = below.filter((line) => !isEmpty(line));
  const first = lines[0];
  if (first === undefined) return { text: "", below: [] };
  if (/^\s*-(?:\s|$)/.test(first.text) && key !== NESTED_KEY) {
    const items = lines.map(({ text }) => {
      const item = text.replace(/^\s*(?:-(?:\s+|$))?/, "").trim();
      return readInlineValue(item)?.value ?? item;
    });
    return { text: items.join(", "), items, below };
  }
  const hasKey = ({ text }: Line): boolean => findKey(text, indentOf(text)) !== undefined;
  // The map that is read stays one whatever stands above its first key.
  const keyed = key === NESTED_KEY ? lines.find(hasKey) : [first].find(hasKey);
  if (keyed !== undefined) return { text: "", below, mapIndent: indentOf(keyed.text) };
  return { text: fold(below.map(textOf)), below };
}

/** The lines that go on with a plain text: up to a remark, an item or another key. */
function continuation(below: readonly Line[]): readonly Line[] {
  const stop = below.findIndex(({ text }) => /^\s*(?:#|-(?:\s|$)|[\w-]+:(?:\s|$))/.test(text));
  return withoutLast(stop === -1 ? below : below.slice(0, stop), isEmpty);
}

/** The key of a line that is indented so far; `undefined` where it has none. */
function findKey(line: string, indent = 0): Key | undefined {
  if (indentOf(line) !== indent) return undefined;
  const quoted = /^["']/.test(line.slice(indent, indent + 1)) ? readQuoted(line.slice(indent)) : undefined;
  const most = indent + FRONTMATTER_KEY_CHARACTERS;
  let colon = quoted === undefined ? line.indexOf(":", indent) : indent + quoted.end;
  if (quoted !== undefined && line[colon] !== ":") return undefined;
  while (colon !== -1 && colon <= most && !/^\s?$/.test(line.charAt(colon + 1))) {
    if (quoted !== undefined) return undefined;
    colon = line.indexOf(":", colon + 1);
  }
  if (colon === -1 || colon > most) return undefined;
  const key = quoted?.value ?? line.slice(indent, colon).trim();
  const isKey = quoted !== undefined || /^[^\s[\]{}&*!|>%@`#"',?-]|^-[^\s]/.test(key);
  return isKey ? { key, end: colon + 1 } : undefined;
}

function named(key: string): string {
  return `\`${shorten(showOnOneLine(key), 40)}\``;
}

function textOf({ text }: Line): string {
  return text;
}

/** Characters of a line before its text. */
export function indentOf(text: string): number {
  let indent = 0;
  while (text[indent] === " " || text[indent] === "\t") indent++;
  return indent;
}

/** True if a line is blank or a comment. */
function isEmpty({ text }: Line): boolean {
  const shown = text.trimStart();
  return shown === "" || shown.startsWith("#");
}

function withoutLast(lines: readonly Line[], isLeftOut: (line: Line) => boolean): readonly Line[] {
  let end = lines.length;
  while (end > 0 && isLeftOut(lines[end - 1]!)) end--;
  return lines.slice(0, end);
}
