/**
 * What the log keeps of a session's notes: how far they tell, and what they and the session had cost by then.
 */
import { asNumber, asString, isObject, type JsonValue } from "../../base/json/json.ts";

export interface NotesState {
  /** The last entry that the notes tell of, by number and id; 0 where they tell of none yet. */
  readonly throughSeq: number;
  readonly throughId: string;
  /** Size of the conversation when that update began. */
  readonly conversationTokens: number;
  /** In input-token-equivalents, updates included. */
  readonly sessionCost: number;
  readonly notesCost: number;
  /** Size of the notes. */
  readonly notesTokens: number;
  /** Who wrote it: a model, or the log's own facts. */
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
