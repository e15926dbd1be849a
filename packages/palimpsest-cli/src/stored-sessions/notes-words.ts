/** What is known of notes, in words. */
import { showOnOneLine } from "palimpsest/internal";
import { formatCount, formatQuantity, formatTokens } from "../terminal/figures.ts";
import type { KnownNotes, UnreadableNotes } from "./read-notes.ts";

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
