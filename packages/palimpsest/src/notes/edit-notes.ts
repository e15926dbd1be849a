/**
 * Applies one edit (search and replace) to the notes, inside the bodies of sections only.
 *
 * The searched text may match anywhere in the file. So the result is checked: headings, descriptions and a
 * person's own text must be unchanged and in the same order, and nothing may have grown over its limit.
 * Otherwise the edit is refused as a whole.
 */
import { toWellFormed } from "../base/text/text.ts";
import { cleanFragment } from "./clean-text.ts";
import {
  formatNotes,
  type MeasureNotes,
  measureNotes,
  type NotesDocument,
  type NotesLimits,
  type NotesPart,
  parseNotes,
} from "./notes-document.ts";
import type { NotesEdit } from "./permissions.ts";

/** Characters that the notes may have after an edit, before anything is measured. Our choice: far beyond any limit in tokens, so that one letter replaced everywhere costs little. */
const EDITED_CHARACTERS = 4_000_000;

type EditRefusal = "empty" | "not-found" | "ambiguous" | "outside-sections" | "unclean" | "too-long";

type EditedNotes =
  | { readonly isApplied: true; readonly document: NotesDocument }
  | { readonly isApplied: false; readonly reason: EditRefusal };

/** Applies one edit. Returns the reason if it is refused. */
export function applyNotesEdit(
  document: NotesDocument,
  { oldText, newText, replaceAll }: NotesEdit,
  { limits, measure = measureNotes }: { readonly limits: NotesLimits; readonly measure?: MeasureNotes },
): EditedNotes {
  const before = formatNotes(document);
  const inFile = (text: string): string => text.replace(/\r\n?/g, "\n").replaceAll("\n", document.newline);
  const searched = before.includes(oldText) ? oldText : inFile(oldText);
  if (searched === "") return refused("empty");
  // A lone surrogate matches half of a surrogate pair, and replacing it would break the pair.
  if (toWellFormed(searched) !== searched) return refused("not-found");
  const first = before.indexOf(searched);
  if (first === -1) return refused("not-found");
  if (!replaceAll && before.indexOf(searched, first + 1) !== -1) return refused("ambiguous");
  const clean = inFile(cleanFragment(newText));
  const pieces = before.split(searched);
  // Checked before the text is built: replacing a common letter by a long text could exhaust memory.
  if (before.length + (pieces.length - 1) * clean.length > EDITED_CHARACTERS) return refused("too-long");
  const after = parseNotes(pieces.join(clean), document.template);
  if (!haveSameFrame(document, after)) return refused("outside-sections");
  if (!isClean(document, after)) return refused("unclean");
  return isTooLong(document, after, limits, measure)
    ? refused("too-long")
    : { isApplied: true, document: after };
}

function haveSameFrame(before: NotesDocument, after: NotesDocument): boolean {
  return (
    before.parts.length === after.parts.length &&
    before.hasOpenFence === after.hasOpenFence &&
    before.parts.every((part, index) => frameOf(part) === frameOf(after.parts[index]!))
  );
}

/** Everything in a part that an edit must not change. */
function frameOf({ heading, description, body, section }: NotesPart): string {
  return JSON.stringify([heading, description, section?.title, section === undefined ? body : ""]);
}

/** True if joining the new text with the old creates no key, tag or hidden character. */
function isClean(before: NotesDocument, after: NotesDocument): boolean {
  return before.parts.every(({ body }, index) => {
    const now = after.parts[index]!.body;
    if (now === body || isCleanText(now)) return true;
    if (isCleanText(body)) return false;
    // Lines that were there before stay, even if they are not clean.
    const own = new Set(body.split("\n"));
    return now.split("\n").every((line) => own.has(line) || isCleanText(line));
  });
}

const isCleanText = (text: string): boolean => cleanFragment(text) === text.replace(/\r\n?/g, "\n");

function isTooLong(
  before: NotesDocument,
  after: NotesDocument,
  limits: NotesLimits,
  measure: MeasureNotes,
): boolean {
  const hasGrown = (old: string, now: string, limit: number): boolean => {
    const tokens = measure(now);
    return tokens > limit && tokens > measure(old);
  };
  return (
    hasGrown(formatNotes(before), formatNotes(after), limits.totalTokens) ||
    before.parts.some(
      ({ body }, index) =>
        body !== after.parts[index]!.body && hasGrown(body, after.parts[index]!.body, limits.sectionTokens),
    )
  );
}

function refused(reason: EditRefusal): EditedNotes {
  return { isApplied: false, reason };
}
