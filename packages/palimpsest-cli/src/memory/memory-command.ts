/**
 * `palimpsest memory`: the commands about long-term memory.
 */
import type { Command } from "commander";
import { addNamed, type CommandLoaders, type CommandShell } from "../command-line/command-options.ts";

const COMMANDS: CommandLoaders = {
  list: async () => (await import("./list-memories-command.ts")).addMemoryList,
  show: async () => (await import("./show-memory-command.ts")).addMemoryShow,
  add: async () => (await import("./add-memory-command.ts")).addAdd,
  search: async () => (await import("./search-memories-command.ts")).addMemorySearch,
  recall: async () => (await import("./recall-memories-command.ts")).addRecall,
  forget: async () => (await import("./one-memory-commands.ts")).addForget,
  restore: async () => (await import("./one-memory-commands.ts")).addMemoryRestore,
  confirm: async () => (await import("./one-memory-commands.ts")).addConfirm,
  audit: async () => (await import("./audit-memories-command.ts")).addAudit,
  dream: async () => (await import("./dream-commands.ts")).addDream,
  dreams: async () => (await import("./dream-commands.ts")).addDreams,
  revert: async () => (await import("./dream-commands.ts")).addRevert,
  import: async () => (await import("./import-memories-command.ts")).addMemoryImport,
  export: async () => (await import("./export-memories-command.ts")).addMemoryExport,
  path: async () => (await import("./show-memory-command.ts")).addMemoryPath,
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

export async function addMemory(program: Command, shell: CommandShell): Promise<void> {
  const memory = program
    .command("memory")
    .description("manage memories that outlive a session")
    .addHelpText("after", HELP);
  if (shell.words !== undefined) await addNamed(memory, COMMANDS, shell);
}
