/**
 * `palimpsest notes`: the commands about the notes of a session.
 */
import { type CommandLoaders, groupOf } from "../command-line/command.ts";

const COMMANDS: CommandLoaders = {
  show: async () => (await import("./show-notes-command.ts")).showNotesCommand,
  edit: async () => (await import("./edit-notes-command.ts")).editNotesCommand,
  path: async () => (await import("./show-notes-command.ts")).notesPathCommand,
};

const HELP = `
The notes of a session say what is needed to go on without the conversation. They are a Markdown file
beside the session. You may edit it while a program keeps it up to date.

Examples:
  palimpsest notes show             the notes of the latest session of this folder
  palimpsest notes edit 3f2a91c0    in $VISUAL or $EDITOR
  palimpsest notes path 3f2a91c0    the path of the file`;

export const NOTES_COMMAND = groupOf("notes", "show and edit the notes of a session", HELP, COMMANDS);
