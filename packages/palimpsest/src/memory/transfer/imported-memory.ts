/**
 * The result of every importer of memories: new memories, and a list of what was not imported.
 *
 * Anyone may have written another program's memories, so an import is trusted less than a user's words here: nothing
 * is confirmed, and quarantined memories stay so. Texts are unchanged; the store's writer cleans them, as always.
 */
import { FORMATS_DEFAULTS } from "../../base/defaults/formats.ts";
import { InputError } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import { showOnOneLine } from "../../base/text/hidden-characters.ts";
import { splitLines } from "../../base/text/markdown-lines.ts";
import { shorten } from "../../base/text/text.ts";
import type { NewMemory } from "../files/memory-file.ts";

/** Characters of the name that an imported text without one is given. Our choice: a title. */
const IMPORTED_NAME_CHARACTERS = 60;
/** Characters of the description that an imported text without one is given. Our choice: with a title it fits on one line of the index. */
const IMPORTED_DESCRIPTION_CHARACTERS = 150;
/** Items that an import could not carry and reports one by one. Our choice: as with repairs of recorded sessions, but of all kinds together. */
const NOT_CARRIED_COUNT = 1_000;
/** Characters of one such item that are reported. Our choice: two or three lines of a terminal. */
const NOT_CARRIED_CHARACTERS = 200;

/** Programs whose memories can be imported, in the words of messages. */
export type MemoryFormat = "palimpsest" | "claude-code" | "mcp-memory" | "mem0";

export interface ImportedMemory {
  readonly memory: NewMemory;
  /** The folder that it lay in, below the one that was imported: a role's, or a topic's. Absent, it lay in no other. */
  readonly folder?: string;
  /** Its place in the imported data: a path, a line, an id. */
  readonly origin: string;
}

/** One thing that did not come over. */
export interface NotCarried {
  readonly origin: string;
  /** Its kind and, if that is not obvious, the reason. */
  readonly what: string;
}

export interface MemoryImport {
  readonly format: MemoryFormat;
  readonly memories: readonly ImportedMemory[];
  /** The first ones of a long list. */
  readonly notCarried: readonly NotCarried[];
  readonly notCarriedCount: number;
  /** The number of lost items: damaged records, lines of text. The others mean nothing here, or are history. */
  readonly refusedCount: number;
}

/** Collects an import while it is read. @internal */
export class ImportLog {
  readonly #memories: ImportedMemory[] = [];
  readonly #notCarried: NotCarried[] = [];
  #notCarriedCount = 0;
  #refusedCount = 0;

  add(origin: string, memory: NewMemory, folder = ""): void {
    const placed = folder === "" ? {} : { folder };
    this.#memories.push({ origin, memory: { ...memory, isConfirmed: false }, ...placed });
  }

  leave(origin: string, what: string): void {
    this.#notCarriedCount++;
    if (this.#notCarried.length >= NOT_CARRIED_COUNT) return;
    const lineOf = (text: string): string => shorten(showOnOneLine(text), NOT_CARRIED_CHARACTERS);
    this.#notCarried.push({ origin: lineOf(origin), what: lineOf(what) });
  }

  /** Notes an item that could not be imported. */
  refuse(origin: string, what: string): void {
    this.#refusedCount++;
    this.leave(origin, what);
  }

  end(format: MemoryFormat): MemoryImport {
    return {
      format,
      memories: this.#memories,
      notCarried: this.#notCarried,
      notCarriedCount: this.#notCarriedCount,
      refusedCount: this.#refusedCount,
    };
  }
}

/** A name for a text that has none: its beginning. */
export function nameOfText(text: string): string {
  return shorten(plainStart(text), IMPORTED_NAME_CHARACTERS);
}

/** A description for a text that has none: more of its beginning. */
export function descriptionOfText(text: string): string {
  return shorten(plainStart(text), IMPORTED_DESCRIPTION_CHARACTERS);
}

/** The first line that is not a heading, or else the first one, without list marks. */
function plainStart(text: string): string {
  const lines = splitLines(text.trim()).map((line) => line.text);
  const start = lines.find((line) => line.trim() !== "" && !HEADING.test(line)) ?? lines[0] ?? "";
  return start
    .trim()
    .replace(HEADING, "")
    .replace(/^(?:[-*+>]|\d{1,9}[.)])\s+/, "")
    .trim();
}

const HEADING = /^\s*#{1,6}\s+/;

export interface JsonRecord {
  readonly origin: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * Reads the records of a text of any kind. @internal
 * @param lists - members of a document that hold records
 * @throws InputError `INPUT_EMPTY`, `INPUT_TOO_LARGE`
 */
export function readJsonRecords(
  text: string,
  lists: readonly string[],
  log: ImportLog,
): readonly JsonRecord[] {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (body.trim() === "")
    throw new InputError("INPUT_EMPTY", {
      message: "There is no text to import.",
      hint: "Give the file that the other program keeps its memories in, or its export.",
    });
  if (body.length > FORMATS_DEFAULTS.maxDocumentChars)
    throw new InputError("INPUT_TOO_LARGE", {
      message: `The export has ${body.length} characters; at most ${FORMATS_DEFAULTS.maxDocumentChars} are read at once.`,
      hint: "Export the memories in several files.",
    });
  const document = parseBounded(body);
  if (!document.ok) return readLines(body, log);
  const { value } = document;
  if (Array.isArray(value)) return recordsOf(value, "item", log);
  if (!isObject(value)) return [];
  const found = lists.filter((name) => Array.isArray(value[name]));
  if (found.length === 0) return [{ origin: "line 1", value }];
  return found.flatMap((name) => recordsOf(value[name] as readonly unknown[], name, log));
}

function recordsOf(items: readonly unknown[], name: string, log: ImportLog): readonly JsonRecord[] {
  return items.flatMap((value, index): readonly JsonRecord[] => {
    const origin = `${name} ${index + 1}`;
    if (isObject(value)) return [{ origin, value }];
    log.refuse(origin, "it is not an object");
    return [];
  });
}

function readLines(text: string, log: ImportLog): readonly JsonRecord[] {
  return text.split("\n").flatMap((line, index): readonly JsonRecord[] => {
    if (line.trim() === "") return [];
    const origin = `line ${index + 1}`;
    const parsed = parseBounded(line);
    if (parsed.ok && isObject(parsed.value)) return [{ origin, value: parsed.value }];
    log.refuse(
      origin,
      parsed.ok ? "it is not an object" : `it cannot be read: ${shorten(parsed.reason, 80)}`,
    );
    return [];
  });
}

/** The strings in a list; empty if it is not a list. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
