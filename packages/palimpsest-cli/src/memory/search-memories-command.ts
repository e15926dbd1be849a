/** `palimpsest memory search`: which memories fit some words, and why; history and quarantine among them. */
import type { Command } from "commander";
import { MEMORY_RECALL_DEFAULTS, showOnOneLine } from "palimpsest/internal";
import type { FoundMemory } from "palimpsest/memory";
import { type CommandShell, helpText, parseCount } from "../command-line/command-options.ts";
import { cutToColumns } from "../terminal/columns.ts";
import { type CliContext, layoutOf, printJson } from "../terminal/terminal.ts";
import {
  addMemoryOptions,
  factsOf,
  MEMORY_JSON_VERSION,
  type MemoryFlags,
  withMemory,
} from "./memory-place.ts";

interface SearchFlags extends MemoryFlags {
  readonly limit: number;
}

/** Exit code where nothing was found. */
const NOTHING_FOUND = 3;

export function addMemorySearch(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("search")
    .description("search memories by words, the best match first")
    .argument("<text>", "words or a question");
  addMemoryOptions(command)
    .option(
      "-n, --limit <count>",
      "memories to show",
      parseCount("--limit", { min: 1, max: 100_000 }),
      MEMORY_RECALL_DEFAULTS.searchedCount,
    )
    .addHelpText(
      "after",
      helpText({
        examples: ["memory search deploy", 'memory search "release branch" --json'],
        exitCodes: { [NOTHING_FOUND]: "nothing was found" },
      }),
    )
    .action(async (text: string, flags: SearchFlags) => exitWith(await runSearch(text, flags, context)));
}

async function runSearch(text: string, flags: SearchFlags, context: CliContext): Promise<number> {
  return withMemory(flags, context, async (memory) => {
    const found = await memory.search(text, { limit: flags.limit });
    if (flags.json === true) {
      const memories = found.map(({ body: _, ...facts }) => facts);
      printJson(context.out, { version: MEMORY_JSON_VERSION, memories });
    } else print(found, context);
    return found.length === 0 ? NOTHING_FOUND : 0;
  });
}

function print(found: readonly FoundMemory[], { out, err }: CliContext): void {
  const { columns, styles } = layoutOf(out);
  for (const memory of found) {
    const words = memory.why.words.map(({ word }) => showOnOneLine(word)).join(" ");
    out.write(`${cutToColumns(`${showOnOneLine(memory.path)}  ${showOnOneLine(memory.name)}`, columns)}\n`);
    out.write(`${styles.dim(cutToColumns(`  ${factsOf(memory)}; shares: ${words}`, columns))}\n`);
  }
  if (found.length === 0) err.write("No memory has one of these words.\n");
}
