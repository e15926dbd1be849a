/** What a person changed of the frame of notes: headings, and the lines in italics below them. It is theirs to change. */

import type { NotesSection, NotesTemplate } from "palimpsest/internal";
import { type NotesPart, parseNotes } from "palimpsest/internal";

/** One sentence for each heading and description that is another than before. */
export function changedFrames(before: string, after: string, template: NotesTemplate): readonly string[] {
  const old = framesOf(before, template);
  const now = framesOf(after, template);
  return [
    ...[...old].flatMap(([name, part]) => {
      const same = now.get(name);
      if (same === undefined)
        return [
          part.section === undefined
            ? `The heading ${name} is gone.`
            : `The section ${name} is gone: it comes back when there is something to write in it.`,
        ];
      if (same.heading.trim() !== part.heading.trim())
        return [`The heading of ${name} is spelled another way.`];
      if (same.description.trim() !== part.description.trim())
        return [`The description of ${name} was changed, and stays as it is now.`];
      return [];
    }),
    ...[...now].flatMap(([name, { section }]) =>
      old.has(name)
        ? []
        : [
            `The ${section === undefined ? "heading" : "section"} ${name} is new${section === undefined ? ": it is yours, and no update touches it" : ""}.`,
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
