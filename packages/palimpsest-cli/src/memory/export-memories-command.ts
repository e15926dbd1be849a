/**
 * `palimpsest memory export`: all memories as one text. It may be the only copy that a user keeps, so the command lists
 * everything that is missing from it, and the end of the text says so.
 */
import type { Command } from "commander";
import type { MemoryProblem } from "palimpsest/internal";
import { parseMemoryBundle, showOnOneLine } from "palimpsest/internal";
import type { PersistentMemory } from "palimpsest/memory";
import { type CommandShell, helpText } from "../command-line/command-options.ts";
import type { CliContext } from "../terminal/terminal.ts";
import { parseChoice } from "./list-memories-command.ts";
import { addMemoryPlace, type MemoryFlags, withMemory } from "./memory-place.ts";

/** Exit code if some files are not in the export. */
const INCOMPLETE = 3;

type Format = "jsonl" | "md";

interface ExportFlags extends MemoryFlags {
  readonly format: Format;
}

export function addMemoryExport(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("export")
    .description(
      "write all memories to standard output: jsonl to be imported again to the byte, md for people",
    );
  addMemoryPlace(command)
    .option(
      "--format <format>",
      "jsonl or md",
      parseChoice<Format>("--format", ["jsonl", "md"]),
      "jsonl" as Format,
    )
    .addHelpText(
      "after",
      helpText({
        examples: ["memory export > memories.jsonl", "memory export --format md > memories.md"],
        exitCodes: { [INCOMPLETE]: "some files are not in the export" },
      }),
    )
    .action(async (flags: ExportFlags) => exitWith(await runExport(flags, context)));
}

async function runExport(flags: ExportFlags, context: CliContext): Promise<number> {
  const { out, err } = context;
  const { text, left } = await withMemory(flags, context, async (memory) => ({
    text: await memory.export(flags.format),
    left: await notExported(memory),
  }));
  out.write(text);
  for (const { path, detail } of left)
    err.write(`${err.styles.yellow(`not exported: ${showOnOneLine(path)}: ${showOnOneLine(detail)}`)}\n`);
  return left.length > 0 ? INCOMPLETE : 0;
}

/** Lists files that are not exported. Parts of a file that were not understood are exported with their file. */
async function notExported(memory: PersistentMemory): Promise<readonly MemoryProblem[]> {
  const exported = new Set(parseMemoryBundle(await memory.export()).files.map(({ path }) => path));
  const { problems } = await memory.list();
  return problems.filter(({ path }) => !exported.has(path));
}
