/**
 * `palimpsest sessions`: the commands about stored sessions, one file each.
 */
import type { Command } from "commander";
import { addClean } from "./clean-command.ts";
import type { CommandShell } from "./command-shell.ts";
import { addExport } from "./export-command.ts";
import { addFork } from "./fork-command.ts";
import { addImport } from "./import-command.ts";
import { addList } from "./list-command.ts";
import { addRename } from "./rename-command.ts";
import { addRestore } from "./restore-command.ts";
import { addResumeInfo } from "./resume-info-command.ts";
import { addSearch } from "./search-command.ts";
import { addShow } from "./show-command.ts";
import { addTag } from "./tag-command.ts";

const HELP = `
Sessions lie in a home (--home, $PALIMPSEST_HOME or ~/.palimpsest), by the folder that was worked on
(--project, or this one), or in a plain folder (--folder). Commands that only read take no lease and
change no session, so they may be run beside a program that is writing.

Examples:
  palimpsest sessions list                     the latest sessions of this folder
  palimpsest sessions show 3f2a91c0            what one holds, and what was said last
  palimpsest sessions search ECONNRESET --all  where something was said, in every project
  palimpsest sessions export 3f2a91c0 -o s.html  a page to read or to send`;

export function addSessions(program: Command, shell: CommandShell): void {
  const sessions = program
    .command("sessions")
    .description("list, read, search, change, move and clean up stored sessions")
    .addHelpText("after", HELP);
  addList(sessions, shell);
  addShow(sessions, shell);
  addSearch(sessions, shell);
  addResumeInfo(sessions, shell);
  addFork(sessions, shell);
  addRename(sessions, shell);
  addTag(sessions, shell);
  addExport(sessions, shell);
  addImport(sessions, shell);
  addClean(sessions, shell);
  addRestore(sessions, shell);
}
