/**
 * Imports memories of mem0: results of `get_all`, from the platform and the open source library, in Python's and
 * TypeScript's spelling, and records of its vector stores; as a list, a page with `results`, or one a line.
 *
 * Such a memory is a sentence with an id. Its owner, categories and attachments have no place here, and are reported
 * one by one.
 */
import { InputError } from "../../base/errors.ts";
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import { MEMORY_TYPES } from "../files/memory.ts";
import { parseTime } from "../files/memory-fields.ts";
import {
  descriptionOfText,
  ImportLog,
  type JsonRecord,
  type MemoryImport,
  nameOfText,
  readJsonRecords,
  textsOf,
} from "./imported-memory.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Imported fields, and fields without a meaning in another program. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  (
    "id memory data text type created_at createdAt updated_at updatedAt run_id " +
    "runId metadata payload hash score input textLemmatized text_lemmatized"
  ).split(" "),
);

/** True if a record is a memory of mem0. */
export function isMem0Record(value: Fields): boolean {
  return textOf(fieldsOf(value)) !== undefined && (value["id"] !== undefined || value["hash"] !== undefined);
}

/**
 * Reads an export, whatever the text is.
 * @throws InputError `INPUT_EMPTY`, `INPUT_TOO_LARGE`, `FORMAT_UNKNOWN`
 */
export function importMem0(text: string): MemoryImport {
  const log = new ImportLog();
  const all = readJsonRecords(text, ["results", "memories", "relations"], log);
  const isOfGraph = ({ origin }: JsonRecord): boolean => origin.startsWith("relations ");
  const records = all.filter((record) => !isOfGraph(record));
  if (records.length > 0 && !records.some(({ value }) => isMem0Record(value)))
    throw new InputError("FORMAT_UNKNOWN", {
      message: "There is no record in it with an id and a memory, as mem0 returns them.",
      hint: "Give what mem0's `get_all` returned, as JSON.",
    });
  const seen = new Map<string, string>();
  for (const record of records) importRecord(record, seen, log);
  for (const { origin, value } of all.filter(isOfGraph))
    log.leave(
      origin,
      `a relation of the graph: ${["source", "relationship", "target"].map((name) => value[name]).join(" ")}`,
    );
  return log.end("mem0");
}

function importRecord({ origin: place, value }: JsonRecord, seen: Map<string, string>, log: ImportLog): void {
  const fields = fieldsOf(value);
  const origin = asString(value["id"]) ?? place;
  const body = textOf(fields)?.trim() ?? "";
  const reason = reasonToLeave(fields, body, seen);
  if (reason !== undefined) {
    log.leave(origin, reason);
    return;
  }
  seen.set(body, origin);

  const metadata = isObject(fields["metadata"]) ? fields["metadata"] : {};
  const labels = [metadata["type"], fields["type"], metadata["category"]].map((one) =>
    asString(one)?.toLowerCase(),
  );
  const type = MEMORY_TYPES.find((each) => labels.includes(each));
  log.add(origin, {
    name: nameOfText(body),
    description: descriptionOfText(body),
    body,
    type,
    createdAtMs: timeOf(fields["created_at"] ?? fields["createdAt"]),
    updatedAtMs: timeOf(fields["updated_at"] ?? fields["updatedAt"]),
    sessionId: asString(fields["run_id"] ?? fields["runId"]),
    // What the other program never changes does not age.
    decays: fields["immutable"] !== true,
    source: "import",
  });
  const attached = Object.entries(metadata).filter(([name, each]) => !(name === "type" && each === type));
  const others = Object.entries(fields).filter(([name]) => !KNOWN_FIELDS.has(name) && name !== "immutable");
  for (const [name, each] of [
    ...others,
    ...attached.map(([name, one]) => [`metadata.${name}`, one] as const),
  ])
    if (!isNothing(each)) log.leave(origin, `${name}: ${shown(each)}`);
}

function reasonToLeave(fields: Fields, body: string, seen: ReadonlyMap<string, string>): string | undefined {
  if (body === "") return "a record without a text";
  if (typeof fields["deleted_at"] === "string") return "it is deleted";
  const same = seen.get(body);
  return same === undefined ? undefined : `it says the same as ${same}`;
}

/** A record of a vector store holds all but its id in `payload`. */
function fieldsOf(value: Fields): Fields {
  return isObject(value["payload"]) ? value["payload"] : value;
}

function textOf(fields: Fields): string | undefined {
  return asString(fields["memory"]) ?? asString(fields["data"]) ?? asString(fields["text"]);
}

const SECOND_MS = 1_000;
/** Seconds since the epoch stay below it for thousands of years; milliseconds have been above it since 1973. */
const LEAST_MS = 1e11;

function timeOf(value: unknown): number | undefined {
  const text = asString(value);
  if (text !== undefined) return parseTime(text);
  const number = asNumber(value);
  if (number === undefined || number <= 0) return undefined;
  return Math.round(number < LEAST_MS ? number * SECOND_MS : number);
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function shown(value: unknown): string {
  const texts = textsOf(value);
  if (texts.length > 0) return texts.join(", ");
  return typeof value === "object" ? (JSON.stringify(value) ?? "") : String(value);
}
