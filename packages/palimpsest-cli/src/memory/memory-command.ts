/**
 * `palimpsest memory`: the commands about long-term memory.
 */
import { type CommandLoaders, groupOf } from "../command-line/command.ts";

const reading = async () => (await import("./read-memory-commands.ts")).READ_MEMORY_COMMANDS;
const changing = async () => (await import("./change-memory-commands.ts")).CHANGE_MEMORY_COMMANDS;
const dreaming = async () => (await import("./dream-commands.ts")).DREAM_COMMANDS;
const transfer = async () => (await import("./transfer-memory-commands.ts")).TRANSFER_MEMORY_COMMANDS;

const COMMANDS: CommandLoaders = {
  list: async () => (await reading()).list,
  show: async () => (await reading()).show,
  add: async () => (await changing()).add,
  search: async () => (await reading()).search,
  recall: async () => (await reading()).recall,
  forget: async () => (await changing()).forget,
  restore: async () => (await changing()).restore,
  confirm: async () => (await changing()).confirm,
  audit: async () => (await reading()).audit,
  dream: async () => (await dreaming()).dream,
  dreams: async () => (await dreaming()).dreams,
  revert: async () => (await dreaming()).revert,
  import: async () => (await transfer()).import,
  export: async () => (await transfer()).export,
  path: async () => (await reading()).path,
};

const HELP = `
Memories are facts that outlive a session: Markdown files in the project's memory directory, and an index
of them, MEMORY.md. Edit them with any editor; the next command, and the next session, sees it.

Examples:
  palimpsest memory add "We deploy on Tuesdays only." --type project
  palimpsest memory list
  palimpsest memory recall "When can I deploy?"
  palimpsest memory forget we-deploy-on-tuesdays-only.md
  palimpsest memory restore we-deploy-on-tuesdays-only.md`;

export const MEMORY_COMMAND = groupOf("memory", "manage memories that outlive a session", HELP, COMMANDS);
