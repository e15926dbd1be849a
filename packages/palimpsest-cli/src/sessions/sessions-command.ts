/**
 * `palimpsest sessions`: the commands about stored sessions.
 */
import { type CommandLoaders, groupOf } from "../command-line/command.ts";

const changing = async () => (await import("./change-session-commands.ts")).CHANGE_SESSION_COMMANDS;

const COMMANDS: CommandLoaders = {
  list: async () => (await import("./list-sessions-command.ts")).listSessionsCommand,
  show: async () => (await import("./show-session-command.ts")).showSessionCommand,
  search: async () => (await import("./search-sessions-command.ts")).searchSessionsCommand,
  "resume-info": async () => (await import("./resume-info-command.ts")).resumeInfoCommand,
  fork: async () => (await changing()).fork,
  rename: async () => (await changing()).rename,
  tag: async () => (await changing()).tag,
  export: async () => (await import("./export-session-command.ts")).exportSessionCommand,
  import: async () => (await import("./import-session-command.ts")).importSessionsCommand,
  clean: async () => (await import("./clean-sessions-command.ts")).cleanSessionsCommand,
  trash: async () => (await changing()).trash,
  restore: async () => (await changing()).restore,
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

export const SESSIONS_COMMAND = groupOf(
  "sessions",
  "list, read, search, change, move and clean up stored sessions",
  HELP,
  COMMANDS,
);
