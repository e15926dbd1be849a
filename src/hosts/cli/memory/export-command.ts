/** `palimpsest memory export`: all memories as one text. */
import type { Command } from "commander";
import { type CommandShell, helpText } from "../sessions/command-shell.ts";
import { oneOf } from "./list-command.ts";
import { addMemoryOptions, type MemoryFlags, withMemory } from "./memory-place.ts";

type Format = "jsonl" | "md";

interface ExportFlags extends MemoryFlags {
  readonly format: Format;
}

export function addExport(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("export")
    .description(
      "write all memories to standard output: jsonl to be imported again to the byte, md for people",
    );
  addMemoryOptions(command)
    .option("--format <format>", "jsonl or md", oneOf<Format>("--format", ["jsonl", "md"]), "jsonl" as Format)
    .addHelpText(
      "after",
      helpText({ examples: ["memory export > memories.jsonl", "memory export --format md > memories.md"] }),
    )
    .action(async (flags: ExportFlags) => {
      context.out.write(await withMemory(flags, context, (memory) => memory.export(flags.format)));
      exitWith(0);
    });
}
