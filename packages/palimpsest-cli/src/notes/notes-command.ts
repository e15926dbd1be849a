/**
 * `palimpsest notes`: the commands about the notes of a session.
 */
import type { Command } from "commander";
import { addNamed, type CommandLoaders, type CommandShell } from "../command-line/command-options.ts";

const COMMANDS: CommandLoaders = {
  show: async () => (await import("./show-notes-command.ts")).addNotesShow,
  edit: async () => (await import("./edit-notes-command.ts")).addEdit,
  path: async () => (await import("./show-notes-command.ts")).addPath,
};

const HELP = `
The notes of a session say what is needed to go on without the conversation. They are a Markdown file
beside the session. You may edit it while a program keeps it up to date.

Examples:
  palimpsest notes show             the notes of the latest session of this folder
  palimpsest notes edit 3f2a91c0    in $VISUAL or $EDITOR
  palimpsest notes path 3f2a91c0    the path of the file`;

export async function addNotes(program: Command, shell: CommandShell): Promise<void> {
  const notes = program
    .command("notes")
    .description("show and edit the notes of a session")
    .addHelpText("after", HELP);
  if (shell.words !== undefined) await addNamed(notes, COMMANDS, shell);
}
