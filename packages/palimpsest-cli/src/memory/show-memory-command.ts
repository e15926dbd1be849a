/** `palimpsest memory show`: one memory as its file is, or the index. */
import type { Command } from "commander";
import { OptionError } from "palimpsest";
import { showHidden } from "palimpsest/internal";
import { type CommandShell, helpText } from "../command-line/command-options.ts";
import { type CliContext, printJson } from "../terminal/terminal.ts";
import {
  addMemoryOptions,
  factsOf,
  MEMORY_JSON_VERSION,
  type MemoryFlags,
  withMemory,
} from "./memory-place.ts";

interface ShowFlags extends MemoryFlags {
  readonly archived?: boolean;
}

export function addMemoryShow(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("show")
    .description("print a memory's file, or the index as a session sees it")
    .argument("[path]", "path, as memory list shows it (default: the index)");
  addMemoryOptions(command)
    .option("--archived", "an archived memory, by its former path or its id")
    .addHelpText(
      "after",
      helpText({
        examples: ["memory show", "memory show deploy-days.md", "memory show deploy-days.md --archived"],
      }),
    )
    .action(async (path: string | undefined, flags: ShowFlags) =>
      exitWith(await (path === undefined ? showIndex(flags, context) : showOne(path, flags, context))),
    );
}

async function showIndex(flags: ShowFlags, context: CliContext): Promise<number> {
  if (flags.archived === true)
    throw new OptionError({
      message: "--archived needs the path or id of a memory.",
      hint: "Give a path or an id; `palimpsest memory list --archived` has them.",
    });
  return withMemory(flags, context, async (memory) => {
    const index = await memory.index();
    if (flags.json === true) printJson(context.out, { version: MEMORY_JSON_VERSION, ...index });
    else if (index.text === "") context.err.write("There is no index yet, because there are no memories.\n");
    else writeText(index.text, context);
    return 0;
  });
}

async function showOne(path: string, flags: ShowFlags, context: CliContext): Promise<number> {
  return withMemory(flags, context, async (memory) => {
    if (flags.archived === true) {
      const archived = await memory.showArchived(path);
      if (flags.json === true) printJson(context.out, { version: MEMORY_JSON_VERSION, ...archived });
      else writeText(archived.text, context);
      return 0;
    }
    const shown = await memory.show(path);
    if (flags.json === true) printJson(context.out, { version: MEMORY_JSON_VERSION, ...shown });
    else {
      writeText(shown.text, context);
      context.err.write(`${context.err.styles.dim(factsOf(shown))}\n`);
    }
    return 0;
  });
}

/** Pipes and files get the bytes; for a terminal, characters that could control it are escaped. */
function writeText(text: string, { out }: CliContext): void {
  const shown = out.isInteractive ? showHidden(text.replaceAll("\r\n", "\n")) : text;
  out.write(shown.endsWith("\n") ? shown : `${shown}\n`);
}

export function addMemoryPath(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("path")
    .description("print the path of the memories, even if there are none yet");
  addMemoryOptions(command)
    .addHelpText(
      "after",
      helpText({
        examples: ["memory path", "memory path --team core"],
        notes: ["The output is one line, for other programs:", '  ls "$(palimpsest memory path)"'],
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
