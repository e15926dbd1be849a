/**
 * `palimpsest sessions`: the commands about stored sessions.
 */
import type { Command } from "commander";
import { addNamed, type CommandLoaders, type CommandShell } from "../command-line/command-options.ts";

const COMMANDS: CommandLoaders = {
  list: async () => (await import("./list-sessions-command.ts")).addList,
  show: async () => (await import("./show-session-command.ts")).addShow,
  search: async () => (await import("./search-sessions-command.ts")).addSearch,
  "resume-info": async () => (await import("./resume-info-command.ts")).addResumeInfo,
  fork: async () => (await import("./change-session-commands.ts")).addFork,
  rename: async () => (await import("./change-session-commands.ts")).addRename,
  tag: async () => (await import("./change-session-commands.ts")).addTag,
  export: async () => (await import("./export-session-command.ts")).addExport,
  import: async () => (await import("./import-session-command.ts")).addImport,
  clean: async () => (await import("./clean-sessions-command.ts")).addClean,
  restore: async () => (await import("./change-session-commands.ts")).addRestore,
};

const HELP = `
Sessions are stored in a home (--home, $PALIMPSEST_HOME or ~/.palimpsest), by the folder that was worked on
(--project, or this one), or in a plain folder (--folder). Commands that only read take no lease and
change no session, so they may be run beside a program that is writing.

Examples:
  palimpsest sessions list                     the latest sessions of this folder
  palimpsest sessions show 3f2a91c0            what one holds, and what was said last
  palimpsest sessions search ECONNRESET --all  where something was said, in every project
  palimpsest sessions export 3f2a91c0 -o s.html  a page to read or to send`;

export async function addSessions(program: Command, shell: CommandShell): Promise<void> {
  const sessions = program
    .command("sessions")
    .description("list, read, search, change, move and clean up stored sessions")
    .addHelpText("after", HELP);
  if (shell.words !== undefined) await addNamed(sessions, COMMANDS, shell);
}
