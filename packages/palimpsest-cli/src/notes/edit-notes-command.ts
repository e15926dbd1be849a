/**
 * `palimpsest notes edit`: opens the notes in the user's editor, and lists changed headings. The editor writes the
 * file itself; a program that keeps the notes notices the change before it writes.
 */
import type { Command } from "commander";
import { StoreError } from "palimpsest";
import {
  type NotesPart,
  type NotesSection,
  type NotesTemplate,
  parseNotes,
  showOnOneLine,
} from "palimpsest/internal";
import {
  addPlaceOptions,
  type CommandShell,
  helpText,
  type PlaceFlags,
} from "../command-line/command-options.ts";
import { notesJson, notesWords } from "../stored-sessions/notes-report.ts";
import { readNotes, type StoredNotes, templateOf, withSession } from "../stored-sessions/read-notes.ts";
import { inPlace } from "../stored-sessions/session-place.ts";
import { SESSIONS_JSON_VERSION } from "../stored-sessions/sessions-json.ts";
import { type CliContext, printJson } from "../terminal/terminal.ts";
import { editFile } from "./editor.ts";

export function addEdit(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("edit")
    .description("edit the notes in $VISUAL or $EDITOR; creates them if there are none")
    .argument("[session]", "id, the beginning of one, or a title (default: the latest session)");
  addPlaceOptions(command)
    .addHelpText(
      "after",
      helpText({
        examples: ["notes edit", 'EDITOR="code --wait" palimpsest notes edit 3f2a91c0'],
        notes: ["A program may have the session open meanwhile: it continues from the notes that you save."],
      }),
    )
    .action(async (which: string | undefined, flags: PlaceFlags) =>
      exitWith(await runEdit(which, flags, context)),
    );
}

async function runEdit(which: string | undefined, flags: PlaceFlags, context: CliContext): Promise<number> {
  return inPlace(flags, context, (place) =>
    withSession(place, which, async (opened, notes) => {
      const template = templateOf(place, flags, context);
      const before = await begun(notes, template);
      await editFile(notes.path, context);
      const known = await readNotes(opened, notes, template);
      const changed = changedFrames(before, known.text ?? "", template);
      if (flags.json === true) {
        const { sessionId } = opened.info;
        const isChanged = known.text !== before;
        printJson(context.out, {
          version: SESSIONS_JSON_VERSION,
          sessionId,
          isChanged,
          changed,
          ...notesJson(known),
        });
      } else {
        if (known.text === before) context.out.write("Nothing was changed.\n");
        for (const line of changed) context.out.write(`${showOnOneLine(line)}\n`);
        for (const line of notesWords(known)) context.err.write(`${context.err.styles.dim(line)}\n`);
      }
      return 0;
    }),
  );
}

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
