/**
 * The metadata that the library keeps in a log for itself: how far the session's notes have come, how far memory
 * extraction has read, and whether a fork is complete. Checkpoints repeat the first two.
 */
import { asNumber, asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { SMALLEST_WINDOW_TOKENS } from "../../tokens/models/model-catalogue.ts";
import { type Entry, RESERVED_KEY_PREFIX } from "../../transcript/entries.ts";
import { BREAKERS_MARK } from "./breakers.ts";
import type { LogWriter } from "./entry-writer.ts";

export const NOTES_MARK = `${RESERVED_KEY_PREFIX}notes`;

export const MEMORY_MARK = `${RESERVED_KEY_PREFIX}memory`;

/** Metadata key of a complete fork; its value is the fork's id. A fork that a crash interrupted does not have it. */
export const FORK_MARK = "palimpsest.fork";

/** The last notice of a background task that the agent has had. */
export const TASKS_MARK = `${RESERVED_KEY_PREFIX}tasks`;

/** The last text of its mailbox that an agent has had, which works as a background task. */
export const MAIL_MARK = `${RESERVED_KEY_PREFIX}mail`;

/** What summaries, notes and memories have cost so far; only in checkpoints. */
export const SPENT_MARK = `${RESERVED_KEY_PREFIX}spent`;

/** The skills that the model has invoked, and the places of their texts; only in checkpoints. */
export const SKILLS_MARK = `${RESERVED_KEY_PREFIX}skills`;

/** Windows that refusals named, by model; only in checkpoints. */
export const WINDOWS_MARK = "learnedWindows";

/** The windows that refusals named, of what checkpoints carry. */
export function learnedWindows(carried: JsonValue | undefined): Readonly<Record<string, number>> {
  const usable = Object.entries(isObject(carried) ? carried : {}).filter(
    (one): one is [string, number] => typeof one[1] === "number" && one[1] >= SMALLEST_WINDOW_TOKENS,
  );
  return Object.fromEntries(usable);
}

const MARKS: ReadonlySet<string> = new Set([NOTES_MARK, MEMORY_MARK, BREAKERS_MARK, TASKS_MARK, MAIL_MARK]);

/** The metadata that the next checkpoint repeats, after this entry. */
export function carryMarks(carried: JsonObject, entry: Entry): JsonObject {
  return entry.type === "metadata" && MARKS.has(entry.key)
    ? { ...carried, [entry.key]: entry.value }
    : carried;
}

/** The parts of a session that write a mark. */
interface MarkedParts {
  readonly carried: Map<string, JsonValue>;
  readonly writer: Pick<LogWriter, "appendOne">;
}

/** Has the next checkpoint say it; with `isUrgent` an entry, at once. */
export async function carry(
  session: MarkedParts & { inTurn<Result>(operation: () => Promise<Result>): Promise<Result> },
  key: string,
  value: JsonValue,
  isUrgent: boolean,
): Promise<void> {
  const { carried, writer } = session;
  carried.set(key, value);
  if (isUrgent) await session.inTurn(() => writer.appendOne({ type: "metadata", key, value }));
}

/** The state of the notes by the newest entries of a log, from its last checkpoint on. */
export function notesStateIn(entries: readonly Entry[]): NotesState | undefined {
  let carried: JsonObject = {};
  for (const entry of entries)
    carried = entry.type === "checkpoint" ? (entry.carried ?? {}) : carryMarks(carried, entry);
  return parseNotesState(carried[NOTES_MARK]);
}

/** Marks notes that describe another log: they are not used or shown until they are updated. */
export async function markNotesForeign({ carried, writer }: MarkedParts): Promise<void> {
  carried.set(NOTES_MARK, null);
  await writer.appendOne({ type: "metadata", key: NOTES_MARK, value: null });
}

export interface NotesState {
  /** The last entry that the notes cover, by number and id; 0 if they cover none yet. */
  readonly throughSeq: number;
  readonly throughId: string;
  /** Size of the conversation when that update began. */
  readonly conversationTokens: number;
  /** In input-token-equivalents, updates included. */
  readonly sessionCost: number;
  readonly notesCost: number;
  /** Size of the notes. */
  readonly notesTokens: number;
  /** The writer: a model, or the facts of the log. */
  readonly updatedBy: "model" | "log";
}

/** Before the first update. */
export const NOTHING_COVERED: NotesState = {
  throughSeq: 0,
  throughId: "",
  conversationTokens: 0,
  sessionCost: 0,
  notesCost: 0,
  notesTokens: 0,
  updatedBy: "log",
};

/** The state as a log has it; `undefined` where it is none, or says what cannot be. */
export function parseNotesState(value: JsonValue | undefined): NotesState | undefined {
  if (!isObject(value)) return undefined;
  const figure = (name: string): number => {
    const number = asNumber(value[name]) ?? Number.NaN;
    return number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : Number.NaN;
  };
  const throughId = asString(value["throughId"]);
  const figures = {
    throughSeq: figure("throughSeq"),
    conversationTokens: figure("conversationTokens"),
    sessionCost: figure("sessionCost"),
    notesCost: figure("notesCost"),
    notesTokens: figure("notesTokens"),
  };
  const areSound = Object.values(figures).every((number) => !Number.isNaN(number));
  const isPlace = Number.isInteger(figures.throughSeq);
  if (throughId === undefined || !isPlace || !areSound || figures.notesCost > figures.sessionCost)
    return undefined;
  return {
    ...figures,
    throughId,
    updatedBy: value["updatedBy"] === "model" ? "model" : "log",
  };
}
