/**
 * `palimpsest notes show` and `path`: the notes as they are stored on standard output, facts about them on standard
 * error; or only their path.
 */
import { existsSync } from "node:fs";
import { showOnOneLine } from "palimpsest/internal";
import { notesJson, notesWords } from "../stored-sessions/notes-report.ts";
import { notesCommand, readNotes, templateOf } from "../stored-sessions/read-notes.ts";
import { terminalText } from "../terminal/terminal.ts";

export const showNotesCommand = notesCommand(
  {
    name: "show",
    description: "print the notes, the entries they cover, and sections over their limit",
    examples: ["notes show", "notes show 3f2a91c0 > notes.md", "notes show 3f2a91c0 --json"],
    notes: ["The notes go to standard output as they are stored; facts about them go to standard error."],
  },
  async ({ place, flags, context }, opened, notes) => {
    const known = await readNotes(opened, notes, templateOf(place, flags, context));
    const { sessionId } = opened.info;
    const id = showOnOneLine(sessionId);
    const { text } = known;
    const words = notesWords(known).map(context.err.styles.dim);
    return {
      json: { sessionId, ...notesJson(known), text },
      out: text && (context.out.isInteractive ? terminalText(text, context.out) : text),
      err:
        text === undefined
          ? [`Session ${id} has no notes. palimpsest notes edit ${id} creates them.`, ...words.slice(1)]
          : words,
    };
  },
);

export const notesPathCommand = notesCommand(
  {
    name: "path",
    description: "print the path of the notes, even if there are none yet",
    examples: ["notes path", 'grep -n error "$(palimpsest notes path)"'],
  },
  async (_, { info: { sessionId } }, { path }) => ({
    json: { sessionId, path, isThere: existsSync(path) },
    out: [path],
  }),
);
