/**
 * Validates a state for `importSession`: plain data from anywhere, accepted whole or refused with the place of the
 * problem. Dates may be ISO strings or milliseconds.
 *
 * Totals are recalculated. The links between entries and summaries have to agree, or an entry would be in no context.
 */
import { InputError } from "../../base/errors.ts";
import { isObject, type JsonObject } from "../../base/json/json.ts";
import {
  type ConversationEntry,
  type ConversationEntryType,
  MEMORY_ROLES,
  type MemorySummary,
} from "./conversation-entry.ts";
import type { MirroredState } from "./conversation-mirror.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A state that can be taken over. */
type ParsedMemoryState = MirroredState & { readonly sessionId: string };

/** @throws `InputError` `INPUT_UNREADABLE` that names the first place that cannot be used. */
export function parseMemoryState(value: unknown): ParsedMemoryState {
  const state = fieldsAt(value, "state");
  const sessionId = textAt(state, "sessionId", "state");
  if (sessionId === "") throw refused("state.sessionId", "is empty", "the id of a session");
  const entries = listAt(state, "entries", "state").map((entry, index) =>
    parseEntry(entry, `state.entries[${index}]`),
  );
  const summaries = listAt(state, "summaries", "state").map((summary, index) =>
    parseSummary(summary, `state.summaries[${index}]`),
  );
  checkLinks(entries, summaries);
  // A host that keeps what `entry:added` gives has an entry for each summary, too: it would be in the context twice.
  const summaryIds = new Set(summaries.map(({ id }) => id));
  const added = entries.filter(({ id, type }) => type !== "summary" || !summaryIds.has(id));
  return { sessionId, entries: added, summaries };
}

function parseEntry(value: unknown, path: string): ConversationEntry {
  const fields = fieldsAt(value, path);
  const type = fields["type"];
  if (typeof type !== "string" || !Object.hasOwn(MEMORY_ROLES, type))
    throw refused(`${path}.type`, "is not a type of entry", Object.keys(MEMORY_ROLES).join(", "));
  const roles = MEMORY_ROLES[type as ConversationEntryType];
  const role = roles.find((one) => one === fields["role"]);
  if (role === undefined) throw refused(`${path}.role`, `is not a role of a ${type}`, roles.join(" or "));
  const compressed = fields["compressed"];
  if (typeof compressed !== "boolean") throw refused(`${path}.compressed`, "is missing", "`true` or `false`");
  const { metadata, summaryId } = fields;
  if (!isAbsent(metadata) && !isObject(metadata))
    throw refused(`${path}.metadata`, "is not an object", "an object, or leave it out");
  if (compressed === isAbsent(summaryId))
    throw refused(
      `${path}.summaryId`,
      "does not fit `compressed`",
      "the id of a summary where `compressed` is true, and none where not",
    );
  return {
    id: idAt(fields, path),
    type: type as ConversationEntryType,
    role,
    content: textAt(fields, "content", path),
    timestamp: dateAt(fields, "timestamp", path),
    tokenCount: countAt(fields, "tokenCount", path),
    compressed,
    ...(isAbsent(metadata) ? {} : { metadata: metadata as JsonObject }),
    ...(isAbsent(summaryId) ? {} : { summaryId: textAt(fields, "summaryId", path) }),
  };
}

function parseSummary(value: unknown, path: string): MemorySummary {
  const fields = fieldsAt(value, path);
  const range = fieldsAt(fields["timeRange"], `${path}.timeRange`);
  const originalEntryIds = listAt(fields, "originalEntryIds", path);
  if (!originalEntryIds.every((id) => typeof id === "string"))
    throw refused(`${path}.originalEntryIds`, "holds something else than ids", "a list of strings");
  const compressionRatio = fields["compressionRatio"];
  if (typeof compressionRatio !== "number" || !Number.isFinite(compressionRatio) || compressionRatio < 0)
    throw refused(
      `${path}.compressionRatio`,
      "is not a ratio",
      "original tokens ÷ tokens of the summary, a number from 0 on",
    );
  const timeRange = {
    start: dateAt(range, "start", `${path}.timeRange`),
    end: dateAt(range, "end", `${path}.timeRange`),
  };
  if (timeRange.start > timeRange.end)
    throw refused(`${path}.timeRange`, "ends before it starts", "the earlier date as `start`");
  return {
    id: idAt(fields, path),
    content: textAt(fields, "content", path),
    originalEntryIds: originalEntryIds as readonly string[],
    tokenCount: countAt(fields, "tokenCount", path),
    originalTokenCount: countAt(fields, "originalTokenCount", path),
    compressionRatio,
    createdAt: dateAt(fields, "createdAt", path),
    timeRange,
  };
}

/** Ids are there once, and an entry and its summary name each other. */
function checkLinks(entries: readonly ConversationEntry[], summaries: readonly MemorySummary[]): void {
  checkDistinct(entries, "entries");
  checkDistinct(summaries, "summaries");
  const summaryOf = new Map<string, string>();
  summaries.forEach(({ id, originalEntryIds }, index) => {
    for (const entryId of originalEntryIds) {
      const path = `state.summaries[${index}].originalEntryIds`;
      if (summaryOf.has(entryId))
        throw refused(path, "names an entry that was named already", "each entry once, in one summary");
      summaryOf.set(entryId, id);
    }
  });
  entries.forEach(({ id, summaryId }, index) => {
    if (summaryOf.get(id) === summaryId) return;
    const problem =
      summaryId === undefined
        ? "is missing, though a summary names the entry"
        : "names no summary that names the entry";
    throw refused(`state.entries[${index}].summaryId`, problem, "what `exportSession` gave for both");
  });
}

function checkDistinct(all: readonly { readonly id: string }[], list: string): void {
  const seen = new Set<string>();
  all.forEach(({ id }, index) => {
    if (seen.has(id))
      throw refused(
        `state.${list}[${index}].id`,
        "is there a second time",
        "ids that are unique in the session",
      );
    seen.add(id);
  });
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function fieldsAt(value: unknown, path: string): Fields {
  if (!isObject(value))
    throw refused(path, "is not an object", "what `exportSession` gave, also through JSON");
  return value;
}

function listAt(fields: Fields, name: string, path: string): readonly unknown[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw refused(`${path}.${name}`, "is not a list", "a list");
  return value;
}

function textAt(fields: Fields, name: string, path: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw refused(`${path}.${name}`, "is not a text", "a string");
  return value;
}

function idAt(fields: Fields, path: string): string {
  const id = textAt(fields, "id", path);
  if (id === "") throw refused(`${path}.id`, "is empty", "an id that is unique in the session");
  return id;
}

function countAt(fields: Fields, name: string, path: string): number {
  const value = fields[name];
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw refused(`${path}.${name}`, "is not a number of tokens", "a whole number from 0 on");
  return value as number;
}

function dateAt(fields: Fields, name: string, path: string): Date {
  const value = fields[name];
  const date = typeof value === "string" || typeof value === "number" ? new Date(value) : undefined;
  if (date === undefined || Number.isNaN(date.getTime()))
    throw refused(`${path}.${name}`, "is not a date", "a `Date`, or its ISO string");
  return date;
}

function refused(path: string, problem: string, pass: string): InputError {
  return new InputError("INPUT_UNREADABLE", {
    message: `The session was not imported: \`${path}\` ${problem}.`,
    hint: `Pass ${pass}. The session is unchanged.`,
  });
}
