/**
 * What the log keeps of a session's notes: how far they tell, and what they and the session had cost by then.
 */
import { asNumber, asString, isObject, type JsonValue } from "../base/json.ts";

export interface NotesState {
  /** The last entry that the notes tell of, by number and id. */
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

/** The state as a log has it; `undefined` where it is none. */
export function parseNotesState(value: JsonValue | undefined): NotesState | undefined {
  if (!isObject(value)) return undefined;
  const number = (name: string): number => Math.max(0, asNumber(value[name]) ?? 0);
  const throughSeq = asNumber(value["throughSeq"]);
  const throughId = asString(value["throughId"]);
  if (throughSeq === undefined || throughId === undefined) return undefined;
  return {
    throughSeq,
    throughId,
    conversationTokens: number("conversationTokens"),
    sessionCost: number("sessionCost"),
    notesCost: number("notesCost"),
    notesTokens: number("notesTokens"),
    updatedBy: value["updatedBy"] === "model" ? "model" : "log",
  };
}
