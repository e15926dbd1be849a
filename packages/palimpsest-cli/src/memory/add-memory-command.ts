/** `palimpsest memory add`: remembers a fact that a person says. */
import { text as readAll } from "node:stream/consumers";
import type { Command } from "commander";
import { MEMORY_SOURCES, MEMORY_TYPES } from "palimpsest/internal";
import type { MemorySource, MemoryType, RememberOptions } from "palimpsest/memory";
import { type CommandShell, helpText } from "../command-line/command-options.ts";
import type { CliContext } from "../terminal/terminal.ts";
import { parseChoice } from "./list-memories-command.ts";
import { addMemoryOptions, type MemoryFlags, printReceipt, withMemory } from "./memory-place.ts";

interface AddFlags extends MemoryFlags {
  readonly name?: string;
  readonly description?: string;
  readonly type: MemoryType;
  readonly source: MemorySource;
  readonly keep?: boolean;
  readonly share?: boolean;
  readonly supersede?: readonly string[];
}

export function addAdd(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("add")
    .description("remember a fact")
    .argument("<text>", "the fact, or - to read it from standard input");
  addMemoryOptions(command)
    .option("--name <name>", "file name (default: the first words)")
    .option("--description <line>", "when it matters, in one line")
    .option(
      "--type <type>",
      MEMORY_TYPES.join(", "),
      parseChoice("--type", MEMORY_TYPES),
      "project" as MemoryType,
    )
    .option(
      "--source <source>",
      `who said it: ${MEMORY_SOURCES.join(", ")}`,
      parseChoice("--source", MEMORY_SOURCES),
      "user" as MemorySource,
    )
    .option("--keep", "it does not lose relevance with age (default for facts from a user)")
    .option("--no-keep", "it loses relevance with age")
    .option("--share", "share it with the team of --team")
    .option("--supersede <path...>", "replace these memories")
    .addHelpText(
      "after",
      helpText({
        examples: [
          'memory add "We deploy on Tuesdays only."',
          'memory add "We deploy on Thursdays." --supersede we-deploy-on-tuesdays-only.md',
          "memory add - --name Styleguide --type feedback < style.md",
        ],
        exitCodes: { 1: "nothing was remembered" },
      }),
    )
    .action(async (text: string, flags: AddFlags) => exitWith(await runAdd(text, flags, context)));
}

async function runAdd(given: string, flags: AddFlags, context: CliContext): Promise<number> {
  const text = given === "-" ? await readAll(process.stdin) : given;
  const { name, description, type, source, keep, share, supersede } = flags;
  const options: RememberOptions = {
    name,
    description,
    ...{ type, source },
    decays: keep === undefined ? undefined : !keep,
    ...(share === true ? { isTeam: true } : {}),
  };
  return withMemory(flags, context, async (memory) => {
    const receipt =
      supersede === undefined
        ? await memory.remember(text, options)
        : await memory.supersede(supersede, text, options);
    return printReceipt(receipt, flags.json, context);
  });
}
