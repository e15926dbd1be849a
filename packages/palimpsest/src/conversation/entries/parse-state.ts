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

/** Reads a field; `undefined` if it is not what `says` says. */
interface FieldRule<Value> {
  readonly read: (value: unknown) => Value | undefined;
  readonly says: string;
}

const ruleOf = <Value>(isFit: (value: unknown) => boolean, says: string): FieldRule<Value> => ({
  read: (value) => (isFit(value) ? (value as Value) : undefined),
  says,
});
const FIELDS = ruleOf<Fields>(isObject, "an object");
const LIST = ruleOf<readonly unknown[]>(Array.isArray, "a list");
const TEXT = ruleOf<string>((value) => typeof value === "string", "a string");
const FLAG = ruleOf<boolean>((value) => typeof value === "boolean", "`true` or `false`");
const ID = ruleOf<string>(
  (value) => typeof value === "string" && value !== "",
  "an id, a string with something in it",
);
const IDS = ruleOf<readonly string[]>(
  (value) => Array.isArray(value) && value.every((id) => typeof id === "string"),
  "a list of ids",
);
const COUNT = ruleOf<number>(
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  "a number of tokens, whole and from 0 on",
);
const RATIO = ruleOf<number>(
  (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
  "a ratio, original tokens ÷ tokens of the summary",
);
const DATE: FieldRule<Date> = {
  read: (value) => {
    const date = typeof value === "string" || typeof value === "number" ? new Date(value) : undefined;
    return Number.isNaN(date?.getTime()) ? undefined : date;
  },
  says: "a `Date`, or its ISO string",
};
const TYPE = oneOf(Object.keys(MEMORY_ROLES) as readonly ConversationEntryType[]);

function oneOf<Word extends string>(words: readonly Word[]): FieldRule<Word> {
  return ruleOf((value) => words.includes(value as Word), `one of ${words.join(", ")}`);
}

/** @throws `InputError` `INPUT_UNREADABLE` that names the first place that cannot be used. */
export function parseMemoryState(value: unknown): MirroredState & { readonly sessionId: string } {
  const state = read(value, FIELDS, "state");
  const sessionId = at(state, "sessionId", ID, "state");
  const entries = at(state, "entries", LIST, "state").map((entry, index) =>
    parseEntry(entry, `state.entries[${index}]`),
  );
  const summaries = at(state, "summaries", LIST, "state").map((summary, index) =>
    parseSummary(summary, `state.summaries[${index}]`),
  );
  checkLinks(entries, summaries);
  // A host that keeps what `entry:added` gives has an entry for each summary, too: it would be in the context twice.
  const summaryIds = new Set(summaries.map(({ id }) => id));
  const added = entries.filter(({ id, type }) => type !== "summary" || !summaryIds.has(id));
  return { sessionId, entries: added, summaries };
}

function parseEntry(value: unknown, path: string): ConversationEntry {
  const fields = read(value, FIELDS, path);
  const type = at(fields, "type", TYPE, path);
  const role = at(fields, "role", oneOf(MEMORY_ROLES[type]), path);
  const compressed = at(fields, "compressed", FLAG, path);
  const { metadata, summaryId } = fields;
  if (compressed === isAbsent(summaryId))
    throw refused(`${path}.summaryId`, "has to be there where `compressed` is true, and only there");
  return {
    ...{ id: at(fields, "id", ID, path), type, role, content: at(fields, "content", TEXT, path) },
    timestamp: at(fields, "timestamp", DATE, path),
    tokenCount: at(fields, "tokenCount", COUNT, path),
    compressed,
    ...(isAbsent(metadata) ? {} : { metadata: at(fields, "metadata", FIELDS, path) as JsonObject }),
    ...(isAbsent(summaryId) ? {} : { summaryId: at(fields, "summaryId", TEXT, path) }),
  };
}

function parseSummary(value: unknown, path: string): MemorySummary {
  const fields = read(value, FIELDS, path);
  const range = at(fields, "timeRange", FIELDS, path);
  const [start, end] = ["start", "end"].map((name) => at(range, name, DATE, `${path}.timeRange`));
  if (start! > end!) throw refused(`${path}.timeRange`, "ends before it starts");
  return {
    id: at(fields, "id", ID, path),
    content: at(fields, "content", TEXT, path),
    originalEntryIds: at(fields, "originalEntryIds", IDS, path),
    tokenCount: at(fields, "tokenCount", COUNT, path),
    originalTokenCount: at(fields, "originalTokenCount", COUNT, path),
    compressionRatio: at(fields, "compressionRatio", RATIO, path),
    createdAt: at(fields, "createdAt", DATE, path),
    timeRange: { start: start!, end: end! },
  };
}

/** Ids are there once, and an entry and its summary name each other. */
function checkLinks(entries: readonly ConversationEntry[], summaries: readonly MemorySummary[]): void {
  for (const [list, all] of Object.entries({ entries, summaries })) {
    const seen = new Set<string>();
    const repeated = all.findIndex(({ id }) => seen.has(id) || !seen.add(id));
    if (repeated !== -1) throw refused(`state.${list}[${repeated}].id`, "is there a second time");
  }
  const summaryOf = new Map<string, string>();
  for (const [index, { id, originalEntryIds }] of summaries.entries())
    for (const entryId of originalEntryIds) {
      if (summaryOf.has(entryId))
        throw refused(`state.summaries[${index}].originalEntryIds`, "names an entry that was named already");
      summaryOf.set(entryId, id);
    }
  const wrong = entries.findIndex(({ id, summaryId }) => summaryOf.get(id) !== summaryId);
  if (wrong !== -1)
    throw refused(`state.entries[${wrong}].summaryId`, "and the summary that names the entry do not agree");
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function at<Value>(fields: Fields, name: string, rule: FieldRule<Value>, path: string): Value {
  return read(fields[name], rule, `${path}.${name}`);
}

function read<Value>(value: unknown, rule: FieldRule<Value>, path: string): Value {
  const found = rule.read(value);
  if (found === undefined) throw refused(path, `is not ${rule.says}`);
  return found;
}

function refused(path: string, problem: string): InputError {
  return new InputError("INPUT_UNREADABLE", {
    message: `The session was not imported: \`${path}\` ${problem}.`,
    hint: "Pass what `exportSession` gave, also through JSON. The session is unchanged.",
  });
}
