/** The shapes of `--json` of the commands about notes; `docs/reference/sessions-json.md` is about them. */
import type { NotesState } from "palimpsest/internal";
import { withoutAbsent } from "../terminal/print-json.ts";
import type { KnownNotes, UnreadableNotes } from "./read-notes.ts";

/** What is known of the notes of a session, without their text. */
export interface NotesJson {
  readonly path: string;
  /** There is something in the file. */
  readonly isThere: boolean;
  readonly title?: string;
  /** First line of the section Current State. */
  readonly currentState?: string;
  readonly tokens: number;
  /** Limits in a window of 200,000 tokens or more; they are lower in smaller ones. */
  readonly limits: { readonly sectionTokens: number; readonly totalTokens: number };
  readonly over: {
    readonly sections: readonly { readonly title: string; readonly tokens: number }[];
    readonly totalTokens?: number;
  };
  /** The entry that they tell up to, and the last one there is. */
  readonly tellsThrough?: {
    readonly seq: number;
    readonly lastSeq: number;
    readonly by: NotesState["updatedBy"];
  };
  /** Files with what somebody saved while the notes were replaced. */
  readonly conflicts: readonly string[];
}

/** Of notes that cannot be read, only where they are and why. */
export function anyNotesJson(notes: KnownNotes | UnreadableNotes): NotesJson | UnreadableNotes {
  return "problem" in notes ? notes : notesJson(notes);
}

export function notesJson(known: KnownNotes): NotesJson {
  const { path, text, tokens, limits, over, state, lastSeq, conflicts } = known;
  return withoutAbsent<NotesJson>({
    path,
    isThere: text !== undefined,
    title: known.lineOf("title"),
    currentState: known.lineOf("state"),
    tokens,
    limits,
    over: withoutAbsent<NotesJson["over"]>({ sections: over.sections, totalTokens: over.totalTokens }),
    tellsThrough: state && { seq: state.throughSeq, lastSeq, by: state.updatedBy },
    conflicts,
  });
}
