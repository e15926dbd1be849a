/** `palimpsest memory import`: memories of another program, or of an export, with a report of what stayed behind. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { showOnOneLine } from "palimpsest/internal";
import type { MemoryImportReport } from "palimpsest/memory";
import { type CommandShell, helpText } from "../command-line/command-options.ts";
import { type CliContext, printJson } from "../terminal/terminal.ts";
import { readForeignMemories } from "./foreign-memories.ts";
import { addMemoryOptions, MEMORY_JSON_VERSION, type MemoryFlags, withMemory } from "./memory-place.ts";

/** Exit code where something that should have come over did not, or not whole. */
const REFUSED = 3;

export function addMemoryImport(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("import")
    .description("import memories; existing ones stay as they are")
    .argument(
      "<path>",
      "a memory directory of Claude Code, or an export of palimpsest, mem0 or the MCP memory server",
    );
  addMemoryOptions(command)
    .addHelpText(
      "after",
      helpText({
        examples: ["memory import ~/.claude/projects/my-app/memory", "memory import memory.jsonl --json"],
        exitCodes: { [REFUSED]: "something was refused, cut or not imported; the rest was imported" },
        notes: [
          "From a directory it reads Markdown files, but no links, no files with several hard links, no binaries.",
          "An export of palimpsest keeps its sources and confirmations.",
          "Memories in a subfolder stay in it, and are not merged with those of another folder.",
          "Memories of other programs rank below those a user said here, and are not confirmed.",
        ],
      }),
    )
    .action(async (path: string, flags: MemoryFlags) => exitWith(await runImport(path, flags, context)));
}

async function runImport(path: string, flags: MemoryFlags, context: CliContext): Promise<number> {
  const { from, refused } = readForeignMemories(resolve(context.folder, path));
  const imported = await withMemory(flags, context, (memory) => memory.import(from));
  const report: MemoryImportReport = {
    ...imported,
    notCarried: [...refused, ...imported.notCarried],
    notCarriedCount: refused.length + imported.notCarriedCount,
    refusedCount: refused.length + imported.refusedCount,
  };
  if (flags.json === true) printJson(context.out, { version: MEMORY_JSON_VERSION, ...report });
  else print(report, context);
  return report.refusedCount > 0 ? REFUSED : 0;
}

function print(report: MemoryImportReport, { out, err }: CliContext): void {
  const { receipts, notCarried, notCarriedCount } = report;
  const warn = (text: string): void => {
    err.write(`${err.styles.yellow(showOnOneLine(text))}\n`);
  };
  for (const { status, path, origin, reason, cleaned } of receipts) {
    const from = showOnOneLine(origin);
    out.write(
      status === "rejected" || path === undefined
        ? `${status} ${from}: ${showOnOneLine(reason)}\n`
        : `${status} ${showOnOneLine(path)} (from ${from})\n`,
    );
    // Cuts are reported below.
    const removed = cleaned.filter((change) => change !== "length");
    if (removed.length > 0) warn(`${path ?? origin}: Removed: ${removed.join(", ")}.`);
  }
  // Each memory is written by itself, and each may say the same of the index.
  for (const warning of new Set(receipts.flatMap(({ warnings }) => warnings))) warn(warning);
  for (const { origin, what } of notCarried) warn(`not imported: ${origin}: ${what}`);
  const more = notCarriedCount - notCarried.length;
  if (more > 0) warn(`and ${more} more`);
  const rest = notCarriedCount === 0 ? "everything was imported" : `${notCarriedCount} not imported`;
  err.write(`${receipts.length} memories read, ${rest}.\n`);
}
