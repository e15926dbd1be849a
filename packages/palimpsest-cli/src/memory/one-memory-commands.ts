/** `palimpsest memory forget`, `restore` and `confirm`: what a person decides of one memory. */
import type { Command } from "commander";
import type { MemoryReceipt, PersistentMemory } from "palimpsest/memory";
import { type CommandShell, helpText } from "../command-line/command-options.ts";
import { addMemoryOptions, type MemoryFlags, printReceipt, withMemory } from "./memory-place.ts";

interface Decision {
  readonly name: string;
  readonly description: string;
  readonly decide: (memory: PersistentMemory, path: string) => Promise<MemoryReceipt>;
}

export const addForget = commandOf({
  name: "forget",
  description: "move a memory to the archive; `restore` brings it back",
  decide: (memory, path) => memory.forget(path),
});

export const addMemoryRestore = commandOf({
  name: "restore",
  description: "bring back the memory of that path that was archived last",
  decide: (memory, path) => memory.restore(path),
});

export const addConfirm = commandOf({
  name: "confirm",
  description: "confirm a memory; a quarantined one is shown to models again",
  decide: (memory, path) => memory.confirm(path),
});

function commandOf({ name, description, decide }: Decision) {
  return (parent: Command, { context, exitWith }: CommandShell): void => {
    const command = parent
      .command(name)
      .description(description)
      .argument("<path>", "path, as memory list shows it");
    addMemoryOptions(command)
      .addHelpText("after", helpText({ examples: [`memory ${name} deploy-days.md`] }))
      .action(async (path: string, flags: MemoryFlags) => {
        const decided = (memory: PersistentMemory) => decide(memory, path);
        const receipt = await withMemory(flags, context, decided);
        exitWith(printReceipt(receipt, flags.json, context));
      });
  };
}
