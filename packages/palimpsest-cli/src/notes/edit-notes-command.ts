/**
 * `palimpsest notes edit`: opens the notes in the user's editor, and lists changed headings. The editor writes the
 * file itself; a program that keeps the notes notices the change before it writes.
 */
import { StoreError } from "palimpsest";
import {
  type NotesPart,
  type NotesSection,
  type NotesTemplate,
  parseNotes,
  showOnOneLine,
} from "palimpsest/internal";
import { notesJson, notesWords } from "../stored-sessions/notes-report.ts";
import { notesCommand, readNotes, type StoredNotes, templateOf } from "../stored-sessions/read-notes.ts";
import { editFile } from "./editor.ts";

export const editNotesCommand = notesCommand(
  {
    name: "edit",
    description: "edit the notes in $VISUAL or $EDITOR; creates them if there are none",
    examples: ["notes edit", 'EDITOR="code --wait" palimpsest notes edit 3f2a91c0'],
    notes: ["A program may have the session open meanwhile: it continues from the notes that you save."],
  },
  async ({ place, flags, context }, opened, notes) => {
    const template = templateOf(place, flags, context);
    const before = await begun(notes, template);
    await editFile(notes.path, context);
    const known = await readNotes(opened, notes, template);
    const isChanged = known.text !== before;
    const changed = changedFrames(before, known.text ?? "", template);
    return {
      json: { sessionId: opened.info.sessionId, isChanged, changed, ...notesJson(known) },
      out: [...(isChanged ? [] : ["Nothing was changed."]), ...changed.map(showOnOneLine)],
      err: notesWords(known).map(context.err.styles.dim),
    };
  },
);

/** The text that is edited. What cannot be read is not handed to an editor, which would save half of it. */
async function begun(notes: StoredNotes, { text }: NotesTemplate): Promise<string> {
  const there = await notes.read();
  if (there !== undefined) return there;
  // A program may have begun them in between.
  if (await notes.replace(undefined, text)) return text;
  const createdMeanwhile = await notes.read();
  if (createdMeanwhile !== undefined) return createdMeanwhile;
  throw new StoreError("STORE_FAILED", {
    message: `${notes.path} was not created: another process is writing it.`,
    hint: "Try again in a moment.",
  });
}

/** One sentence for each changed heading and description. A person may change them. */
function changedFrames(before: string, after: string, template: NotesTemplate): readonly string[] {
  const old = framesOf(before, template);
  const now = framesOf(after, template);
  return [
    ...[...old].flatMap(([name, part]) => {
      const same = now.get(name);
      if (same === undefined)
        return [
          part.section === undefined
            ? `The heading ${name} was removed.`
            : `The section ${name} was removed: the next update that has text for it adds it again.`,
        ];
      if (same.heading.trim() !== part.heading.trim()) return [`The heading of ${name} was changed.`];
      if (same.description.trim() !== part.description.trim())
        return [`The description of ${name} was changed; updates keep it.`];
      return [];
    }),
    ...[...now].flatMap(([name, { section }]) =>
      old.has(name)
        ? []
        : [
            `The ${section === undefined ? "heading" : "section"} ${name} is new${section === undefined ? ": no update changes it" : ""}.`,
          ],
    ),
  ];
}

function framesOf(text: string, template: NotesTemplate): ReadonlyMap<string, NotesPart> {
  const { parts } = parseNotes(text, template);
  return new Map(
    parts.flatMap((part) => (part.heading === "" ? [] : [[nameOf(part, part.section), part] as const])),
  );
}

function nameOf({ heading }: NotesPart, section: NotesSection | undefined): string {
  return section?.title ?? heading.replace(/^\s*#+\s*/, "").trim();
}
