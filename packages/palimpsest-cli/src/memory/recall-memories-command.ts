/** `palimpsest memory recall`: the text that a message would be given, and why each memory is in it. */
import type { Command } from "commander";
import { MEMORY_RECALL_DEFAULTS, showHidden, showOnOneLine } from "palimpsest/internal";
import { type CommandShell, helpText, parseCount } from "../command-line/command-options.ts";
import { type CliContext, printJson } from "../terminal/terminal.ts";
import { addMemoryOptions, MEMORY_JSON_VERSION, type MemoryFlags, withMemory } from "./memory-place.ts";

interface RecallFlags extends MemoryFlags {
  readonly tokens: number;
}

/** Exit code where nothing fits. */
const NOTHING_FITS = 3;

export function addRecall(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("recall")
    .description("print the memories for a message, as the model would see them")
    .argument("<message>", "a message of a user");
  addMemoryOptions(command)
    .option(
      "--tokens <count>",
      "limit of the text",
      parseCount("--tokens", { min: 1, max: 1_000_000 }),
      MEMORY_RECALL_DEFAULTS.recallTokens,
    )
    .addHelpText(
      "after",
      helpText({
        examples: ['memory recall "When can I deploy?"', 'memory recall "style" --tokens 500 --json'],
        exitCodes: { [NOTHING_FITS]: "no memory fits" },
      }),
    )
    .action(async (message: string, flags: RecallFlags) =>
      exitWith(await runRecall(message, flags, context)),
    );
}

async function runRecall(message: string, flags: RecallFlags, context: CliContext): Promise<number> {
  const { out, err } = context;
  return withMemory(flags, context, async (memory) => {
    const recall = await memory.recall(message, { budgetTokens: flags.tokens, isLogged: false });
    if (flags.json === true)
      printJson(out, { version: MEMORY_JSON_VERSION, ...recall, memories: recall.memories.map(asJson) });
    else {
      if (recall.text !== "") out.write(`${out.isInteractive ? showHidden(recall.text) : recall.text}\n`);
      for (const { path, why, relevanceScore } of recall.memories) {
        const words = why.words.map(({ word }) => showOnOneLine(word)).join(" ");
        err.write(
          `${err.styles.dim(`${showOnOneLine(path)}: shares ${words}; worth ${relevanceScore.toFixed(2)}`)}\n`,
        );
      }
      if (recall.text === "") err.write("No memory fits this message.\n");
    }
    return recall.memories.length === 0 ? NOTHING_FITS : 0;
  });
}

/** A recalled memory as `--json` shows it: the score is `worth` there. */
function asJson<M extends { readonly relevanceScore: number }>({ relevanceScore, ...memory }: M) {
  return { ...memory, ["worth"]: relevanceScore };
}
