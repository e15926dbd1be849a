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

/** Reads all records. @throws InputError `INPUT_EMPTY`, `INPUT_UNREADABLE` or `INPUT_TOO_LARGE`. */
export function readRecords(source: TextSource, repairs: RepairLog): readonly SourceRecord[] {
  const lines = (source.lines ?? splitLines(source.text ?? "")).filter((line) => !isBlank(line.text));
  const first = lines[0];
  if (first === undefined) throw nothingToRead(source);
  return isDocument(first, lines[1]) ? readDocument(source.name, lines, repairs) : readLines(lines, repairs);
}

/** Splits at line feeds only: U+2028 and U+2029 stand inside JSON strings. */
function splitLines(text: string): readonly SourceLine[] {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  return body.split("\n").map((line, index) => ({ number: index + 1, text: line }));
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

function isDocument(first: SourceLine, second: SourceLine | undefined): boolean {
  const start = first.text.trim();
  if (second === undefined) return start.startsWith("[") || start.startsWith("{");
  if (start === "[" || start === "{") return true;
  if (second.text.startsWith("{")) return false;
  return (start.startsWith("[") || start.startsWith("{")) && !parseBounded(start).ok;
}

function readDocument(
  name: string,
  lines: readonly SourceLine[],
  repairs: RepairLog,
): readonly SourceRecord[] {
  const chars = lines.reduce((sum, line) => sum + line.text.length + 1, 0);
  if (chars > FORMATS_DEFAULTS.maxDocumentChars) {
    throw new InputError("INPUT_TOO_LARGE", {
      message: `${name} is one JSON document of ${chars} characters; at most ${FORMATS_DEFAULTS.maxDocumentChars} are read at once.`,
      hint: "Store the session as JSON Lines, one message a line; those are read piece by piece.",
    });
  }
  const parsed = parseBounded(lines.map((line) => line.text).join("\n"));
  if (!parsed.ok) {
    throw new InputError("INPUT_UNREADABLE", {
      message: `${name} looks like one JSON document, but it is damaged or cut off: ${shorten(parsed.reason, 160)}.`,
      hint: "Export the session again. Of a damaged file in JSON Lines, the intact lines could still be read.",
    });
  }
  if (isObject(parsed.value)) return [{ value: parsed.value }];
  if (!Array.isArray(parsed.value)) return [];
  return parsed.value.flatMap((element: unknown, index): readonly SourceRecord[] => {
    if (isObject(element)) return [{ value: element }];
    if (Array.isArray(element)) return [{ value: { messages: element } }];
    repairs.add("not-an-object", `element ${index} of the document is ${describe(element)}; left out`);
    repairs.countNotRead(JSON.stringify(element)?.length ?? 0);
    return [];
  });
}

function readLines(lines: readonly SourceLine[], repairs: RepairLog): readonly SourceRecord[] {
  const records: SourceRecord[] = [];
  lines.forEach((line, index) => {
    const text = withoutZeros(line.text);
    const parsed = parseBounded(text);
    if (parsed.ok && isObject(parsed.value)) {
      if (text !== line.text)
        repairs.add(
          "bad-encoding",
          "zero bytes around the record, as after a power loss; dropped",
          line.number,
        );
      records.push({ line: line.number, value: parsed.value });
      return;
    }
    repairs.countNotRead(line.text.length);
    if (parsed.ok) {
      repairs.add("not-an-object", `the line is ${describe(parsed.value)}; left out`, line.number);
    } else if (line.text.includes("\0")) {
      repairs.add("bad-json", "zero bytes, as after a power loss; the line is left out", line.number);
    } else if (parsed.kind === "bad-json" && index === lines.length - 1) {
      repairs.add("torn-tail", "the last line is incomplete, as after a crash; left out", line.number);
    } else {
      repairs.add(parsed.kind, `${shorten(parsed.reason, 160)}; the line is left out`, line.number);
    }
  });
  return records;
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
