/** The shapes of `--json` of the commands about notes; `docs/reference/sessions-json.md` is about them. */
import { type NotesState, showOnOneLine } from "palimpsest/internal";
import { formatCount, formatQuantity, formatTokens } from "../terminal/figures.ts";
import { withoutAbsent } from "../terminal/terminal.ts";
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

/** What a session's page says of its notes: their title, where the work stands, how large they are, where they lie. */
export function notesFacts(
  notes: KnownNotes | UnreadableNotes | undefined,
): readonly (readonly [string, string])[] {
  if (notes === undefined) return [];
  if ("problem" in notes) return [["Notes", `cannot be read: ${notes.problem}`]];
  if (notes.text === undefined) return [];
  const [title, state] = [notes.lineOf("title"), notes.lineOf("state")];
  return [
    ["Notes", `${title ?? "(no title)"}, about ${formatTokens(notes.tokens)} tokens, in ${notes.path}`],
    ...(state === undefined ? [] : [["State", state] as const]),
  ];
}

/** One sentence a line: how large they are, how far they tell, what is over its limit, what lies beside them. */
export function notesWords({
  tokens,
  state,
  lastSeq,
  over,
  limits,
  conflicts,
}: KnownNotes): readonly string[] {
  const size = `About ${formatTokens(tokens)} tokens of ${formatTokens(limits.totalTokens)}.`;
  const behind = state === undefined ? 0 : lastSeq - state.throughSeq;
  const words =
    state === undefined
      ? "No program has brought them up to date yet."
      : `They tell up to entry ${formatCount(state.throughSeq)} of ${formatCount(lastSeq)}${behind > 0 ? `, ${formatQuantity(behind, "entry", "entries")} ago` : ""}, ${state.updatedBy === "model" ? "written by a model" : "taken from the log"}.`;
  return [
    `${size} ${words}`,
    ...over.sections.map(
      (section) =>
        `${showOnOneLine(section.title)} has about ${formatTokens(section.tokens)} tokens, and ${formatTokens(limits.sectionTokens)} is the limit.`,
    ),
    ...(over.totalTokens === undefined
      ? []
      : [
          `They are over their limit of ${formatTokens(limits.totalTokens)} tokens: the next update shortens them.`,
        ]),
    ...conflicts.map(
      (path) =>
        `Somebody saved ${showOnOneLine(path)} while the notes were replaced: take over what is needed, then remove it.`,
    ),
  ];
}
