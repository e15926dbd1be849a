/**
 * Records of an export in JSON: one document, a list in one, or one record a line. Damaged lines are told and left
 * out; the rest is read.
 */
import { FORMATS_DEFAULTS } from "../../base/defaults/formats.ts";
import { InputError } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import { shorten } from "../../base/text/text.ts";
import type { ImportLog } from "./imported-memory.ts";

export interface JsonRecord {
  readonly origin: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The records of a text, which may be anything.
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
    log.refuse(origin, "it is no object");
    return [];
  });
}

function readLines(text: string, log: ImportLog): readonly JsonRecord[] {
  return text.split("\n").flatMap((line, index): readonly JsonRecord[] => {
    if (line.trim() === "") return [];
    const origin = `line ${index + 1}`;
    const parsed = parseBounded(line);
    if (parsed.ok && isObject(parsed.value)) return [{ origin, value: parsed.value }];
    log.refuse(origin, parsed.ok ? "it is no object" : `it cannot be read: ${shorten(parsed.reason, 80)}`);
    return [];
  });
}

/** The values of a list that are texts; none where it is no list. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
