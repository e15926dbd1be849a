/** Notes in reports: the JSON of commands about notes (`docs/reference/sessions-json.md`), and the same in words. */
import { showOnOneLine } from "palimpsest/internal";
import { formatCount, formatQuantity, formatTokens } from "../terminal/figures.ts";
import type { KnownNotes, UnreadableNotes } from "./read-notes.ts";

/** Notes in JSON, without their text. Notes that cannot be read have only a path and a reason. */
export function anyNotesJson(notes: KnownNotes | UnreadableNotes): object {
  return "problem" in notes ? notes : notesJson(notes);
}

/** Facts about the notes of a session, without their text. */
export function notesJson(known: KnownNotes) {
  const { path, text, tokens, limits, over, state, lastSeq, conflicts } = known;
  return {
    path,
    isThere: text !== undefined,
    title: known.lineOf("title"),
    currentState: known.lineOf("state"),
    tokens,
    // In a window of 200,000 tokens or more; they are lower in smaller ones.
    limits,
    over,
    tellsThrough: state && { seq: state.throughSeq, lastSeq, by: state.updatedBy },
    conflicts,
  };
}

/** Facts about notes for `sessions show`: title, state of the work, size, path. */
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

/** One sentence a line: size, covered entries, sections over their limit, conflicting files. */
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
      ? "No program has updated them yet."
      : `They cover entries up to ${formatCount(state.throughSeq)} of ${formatCount(lastSeq)}${behind > 0 ? `, ${formatQuantity(behind, "entry", "entries")} ago` : ""}, ${state.updatedBy === "model" ? "written by a model" : "taken from the log"}.`;
  return [
    `${size} ${words}`,
    ...over.sections.map(
      (section) =>
        `${showOnOneLine(section.title)} has about ${formatTokens(section.tokens)} tokens; the limit is ${formatTokens(limits.sectionTokens)}.`,
    ),
    ...(over.totalTokens === undefined
      ? []
      : [
          `They are over their limit of ${formatTokens(limits.totalTokens)} tokens: the next update shortens them.`,
        ]),
    ...conflicts.map(
      (path) =>
        `${showOnOneLine(path)} was saved while the notes were replaced: copy what is needed, then delete it.`,
    ),
  ];
}
