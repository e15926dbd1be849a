/**
 * The keys under which a log says how far its session's notes tell, and how far the long-term memory has looked at it:
 * metadata of the library's own, said again by checkpoints.
 */
import type { JsonObject, JsonValue } from "../../base/json/json.ts";
import { type Entry, RESERVED_KEY_PREFIX } from "../../transcript/entries.ts";
import { BREAKERS_MARK } from "./breakers.ts";
import type { LogWriter } from "./entry-writer.ts";
import { type NotesState, parseNotesState } from "./notes-progress-mark.ts";

export const NOTES_MARK = `${RESERVED_KEY_PREFIX}notes`;

export const MEMORY_MARK = `${RESERVED_KEY_PREFIX}memory`;

const MARKS: ReadonlySet<string> = new Set([NOTES_MARK, MEMORY_MARK, BREAKERS_MARK]);

/** What is carried on from an entry to the next checkpoint, with what the entry says of notes, memory and breakers. */
export function carryMarks(carried: JsonObject, entry: Entry): JsonObject {
  return entry.type === "metadata" && MARKS.has(entry.key)
    ? { ...carried, [entry.key]: entry.value }
    : carried;
}

/** What a mark is written with: what checkpoints carry on, and the log. */
interface MarkedParts {
  readonly carried: Map<string, JsonValue>;
  readonly writer: Pick<LogWriter, "appendOne">;
}

/** Has the next checkpoint say it; with `isUrgent` an entry, at once. */
export async function carry(
  session: {
    readonly parts: MarkedParts;
    inTurn<Result>(operation: () => Promise<Result>): Promise<Result>;
  },
  key: string,
  value: JsonValue,
  isUrgent: boolean,
): Promise<void> {
  const { carried, writer } = session.parts;
  carried.set(key, value);
  if (isUrgent) await session.inTurn(() => writer.appendOne({ type: "metadata", key, value }));
}

/** How far the notes tell by the newest entries of a log, from its last checkpoint on. */
export function notesStateIn(entries: readonly Entry[]): NotesState | undefined {
  let carried: JsonObject = {};
  for (const entry of entries)
    carried = entry.type === "checkpoint" ? (entry.carried ?? {}) : carryMarks(carried, entry);
  return parseNotesState(carried[NOTES_MARK]);
}

/** The notes tell of what is not in this log: they stand for nothing and are not shown until they are updated. */
export async function markNotesForeign({ carried, writer }: MarkedParts): Promise<void> {
  carried.set(NOTES_MARK, null);
  await writer.appendOne({ type: "metadata", key: NOTES_MARK, value: null });
}
