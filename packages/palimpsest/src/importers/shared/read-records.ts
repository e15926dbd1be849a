/**
 * From text to records: one JSON object per line, or one JSON document for the whole text.
 *
 * Which of the two it is shows in the first line that is not blank: a line that is a complete
 * object is a record; an opening bracket alone, or a complete array on the only line, is a
 * document. Damaged lines are reported and left out; an incomplete document is an error, because
 * nothing in the middle of it can be trusted.
 */
import { FORMATS_DEFAULTS } from "../../base/defaults/formats.ts";
import { InputError } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import { shorten } from "../../base/text/text.ts";
import type { ImportRepair, NotRead } from "./imported-session.ts";
import type { RepairLog } from "./repair-log.ts";

/** One line of a file; `number` counts from 1, blank and skipped lines included. */
export interface SourceLine {
  readonly number: number;
  readonly text: string;
}

/** Decoded text from anywhere. `name` is what messages call it. */
export interface TextSource {
  readonly name: string;
  readonly lines?: readonly SourceLine[];
  readonly text?: string;
  /** Repairs before this was text; they are reported with the rest. */
  readonly repairs?: readonly ImportRepair[];
  /** Losses before this was text; they are counted with the rest. */
  readonly notRead?: NotRead;
}

type NotParsed = Extract<ReturnType<typeof parseBounded>, { readonly ok: false }>;

/** @internal */
export interface SourceRecord {
  readonly line?: number;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A file whose only lines are too long to read is not an empty one. */
function nothingToRead({ name, repairs = [] }: TextSource): InputError {
  const tooLong = repairs.find((repair) => repair.kind === "oversized-line");
  if (tooLong === undefined) {
    return new InputError("INPUT_EMPTY", {
      message: `${name} holds no text.`,
      hint: "Give a recorded session; an empty file has nothing to replay.",
    });
  }
  return new InputError("INPUT_TOO_LARGE", {
    message: `${name} has nothing but lines that are too long to read: ${tooLong.detail}.`,
    hint: "A recorded session has one record a line; check that this is one.",
  });
}

/**
 * Reads records from lines as they arrive. A line of records is forgotten once it was read; only of a document the
 * text is kept, up to its limit.
 *
 * @throws InputError `INPUT_EMPTY`, `INPUT_UNREADABLE` or `INPUT_TOO_LARGE`, from `end`. @internal
 */
export class RecordReader {
  readonly #name: string;
  readonly #repairs: RepairLog;
  readonly #onRecord: (record: SourceRecord) => void;
  /** The first line, until the second one tells what the text is. */
  #first: SourceLine | undefined;
  #kind: "unknown" | "lines" | "document" = "unknown";
  /** A damaged line, reported when it is known whether it is the last one. */
  #damaged: { readonly line: SourceLine; readonly parsed: NotParsed } | undefined;
  #documentLines: string[] = [];
  #documentChars = 0;

  constructor(name: string, repairs: RepairLog, onRecord: (record: SourceRecord) => void) {
    this.#name = name;
    this.#repairs = repairs;
    this.#onRecord = onRecord;
  }

  take(line: SourceLine): void {
    if (isBlank(line.text)) return;
    if (this.#kind === "lines") this.#readLine(line);
    else if (this.#kind === "document") this.#keep(line);
    else if (this.#first === undefined) this.#first = line;
    else {
      this.#decide(this.#first, line);
      this.take(line);
    }
  }

  /** Ends the text. `source` may say why there was nothing to read. */
  end(source: Omit<TextSource, "name">): void {
    if (this.#first === undefined) throw nothingToRead({ ...source, name: this.#name });
    if (this.#kind === "unknown") this.#decide(this.#first, undefined);
    if (this.#kind === "document") this.#readDocument();
    else this.#reportDamaged(true);
  }

  #decide(first: SourceLine, second: SourceLine | undefined): void {
    this.#kind = isDocument(first, second) ? "document" : "lines";
    this.take(first);
  }

  #keep({ text }: SourceLine): void {
    this.#documentChars += text.length + 1;
    if (this.#documentChars <= FORMATS_DEFAULTS.maxDocumentChars) this.#documentLines.push(text);
    else this.#documentLines = [];
  }

  #readDocument(): void {
    if (this.#documentChars > FORMATS_DEFAULTS.maxDocumentChars) {
      throw new InputError("INPUT_TOO_LARGE", {
        message: `${this.#name} is one JSON document of ${this.#documentChars} characters; at most ${FORMATS_DEFAULTS.maxDocumentChars} are read at once.`,
        hint: "Store the session as JSON Lines, one message a line; those are read piece by piece.",
      });
    }
    const parsed = parseBounded(this.#documentLines.join("\n"));
    this.#documentLines = [];
    if (!parsed.ok) {
      throw new InputError("INPUT_UNREADABLE", {
        message: `${this.#name} looks like one JSON document, but it is damaged or cut off: ${shorten(parsed.reason, 160)}.`,
        hint: "Export the session again. Of a damaged file in JSON Lines, the intact lines could still be read.",
      });
    }
    for (const record of recordsOf(parsed.value, this.#repairs)) this.#onRecord(record);
  }

  #readLine(line: SourceLine): void {
    this.#reportDamaged(false);
    const text = withoutZeros(line.text);
    const parsed = parseBounded(text);
    if (!parsed.ok) {
      this.#damaged = { line, parsed };
      return;
    }
    if (!isObject(parsed.value)) {
      this.#repairs.countNotRead(line.text.length);
      this.#repairs.add("not-an-object", `the line is ${describe(parsed.value)}; left out`, line.number);
      return;
    }
    if (text !== line.text)
      this.#repairs.add(
        "bad-encoding",
        "zero bytes around the record, as after a power loss; dropped",
        line.number,
      );
    this.#onRecord({ line: line.number, value: parsed.value });
  }

  #reportDamaged(isLast: boolean): void {
    if (this.#damaged === undefined) return;
    const { line, parsed } = this.#damaged;
    this.#damaged = undefined;
    this.#repairs.countNotRead(line.text.length);
    if (line.text.includes("\0")) {
      this.#repairs.add("bad-json", "zero bytes, as after a power loss; the line is left out", line.number);
    } else if (parsed.kind === "bad-json" && isLast) {
      this.#repairs.add("torn-tail", "the last line is incomplete, as after a crash; left out", line.number);
    } else {
      this.#repairs.add(parsed.kind, `${shorten(parsed.reason, 160)}; the line is left out`, line.number);
    }
  }
}

/** Splits at line feeds only: U+2028 and U+2029 stand inside JSON strings. @internal */
export function sourceLines(text: string): readonly SourceLine[] {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  return body.split("\n").map((line, index) => ({ number: index + 1, text: line }));
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

function isDocument(first: SourceLine, second: SourceLine | undefined): boolean {
  const start = first.text.trim();
  if (!BEGINS_JSON.test(start)) return false;
  if (second === undefined || start === "[" || start === "{") return true;
  return !second.text.startsWith("{") && !parseBounded(start).ok;
}

/** The start of a list or an object, not of a log's line such as `[info] started`. */
const BEGINS_JSON = /^(?:\[\s*(?:[[\]{"\d-]|true\b|false\b|null\b|$)|\{)/;

/** The records of a document: itself, or the elements of its list. */
function recordsOf(value: unknown, repairs: RepairLog): readonly SourceRecord[] {
  if (isObject(value)) return [{ value }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((element: unknown, index): readonly SourceRecord[] => {
    if (isObject(element)) return [{ value: element }];
    if (Array.isArray(element)) return [{ value: { messages: element } }];
    repairs.add("not-an-object", `element ${index} of the document is ${describe(element)}; left out`);
    repairs.countNotRead(JSON.stringify(element)?.length ?? 0);
    return [];
  });
}

/** The line without the zero bytes that a file system leaves where data never reached the disk. */
function withoutZeros(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) === 0) start++;
  while (end > start && text.charCodeAt(end - 1) === 0) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
