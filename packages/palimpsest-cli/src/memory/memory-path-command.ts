/** `palimpsest memory path`: where the memories lie, and nothing else. */
import type { Command } from "commander";
import { type CommandShell, helpText } from "../command-line/command-options.ts";
import { printJson } from "../terminal/print-json.ts";
import { addMemoryOptions, MEMORY_JSON_VERSION, type MemoryFlags, withMemory } from "./memory-place.ts";

export function addMemoryPath(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("path")
    .description("print where the memories lie, whether or not there are any");
  addMemoryOptions(command)
    .addHelpText(
      "after",
      helpText({
        examples: ["memory path", "memory path --team core"],
        notes: ["It is alone on its line, for other programs:", '  ls "$(palimpsest memory path)"'],
      }),
    )
    .action(async (flags: MemoryFlags) =>
      exitWith(
        await withMemory(flags, context, async ({ path }) => {
          if (flags.json === true) printJson(context.out, { version: MEMORY_JSON_VERSION, path });
          else context.out.write(`${path}\n`);
          return 0;
        }),
      ),
    );
}
