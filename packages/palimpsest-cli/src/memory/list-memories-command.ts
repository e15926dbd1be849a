/** `palimpsest memory list`: what is remembered, by type. */
import type { Command } from "commander";
import { OptionError } from "palimpsest";
import { MEMORY_TYPES, type MemoryList, showOnOneLine } from "palimpsest/internal";
import type { ListedMemory, ListOptions, MemoryType } from "palimpsest/memory";
import { type CommandShell, helpText } from "../command-line/command-options.ts";
import { cutToColumns } from "../terminal/columns.ts";
import { type CliContext, layoutOf, printJson } from "../terminal/terminal.ts";
import {
  addMemoryOptions,
  factsOf,
  MEMORY_JSON_VERSION,
  type MemoryFlags,
  withMemory,
} from "./memory-place.ts";

interface ListFlags extends MemoryFlags {
  readonly type?: MemoryType;
  readonly state?: ListedMemory["state"];
  readonly archived?: boolean;
}

const STATES: readonly ListedMemory["state"][] = ["active", "superseded", "quarantined"];

export function addMemoryList(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent.command("list").alias("ls").description("list memories");
  addMemoryOptions(command)
    .option(
      "--type <type>",
      `only of one type: ${MEMORY_TYPES.join(", ")}`,
      parseChoice("--type", MEMORY_TYPES),
    )
    .option("--state <state>", `only in one state: ${STATES.join(", ")}`, parseChoice("--state", STATES))
    .option("--archived", "list the archive instead: forgotten, merged or pruned memories")
    .addHelpText(
      "after",
      helpText({
        examples: [
          "memory list",
          "memory list --state quarantined",
          "memory list --type user --json",
          "memory list --archived",
        ],
      }),
    )
    .action(async (flags: ListFlags) =>
      exitWith(await (flags.archived === true ? listArchive(flags, context) : runList(flags, context))),
    );
}

/** One of the values that an option may have. @throws `OptionError` */
export function parseChoice<Value extends string>(option: string, values: readonly Value[]) {
  return (text: string): Value => {
    const found = values.find((value) => value === text);
    if (found !== undefined) return found;
    throw new OptionError({
      message: `${option} has ${JSON.stringify(text)}.`,
      hint: `It is one of ${values.join(", ")}.`,
    });
  };
}

async function runList(flags: ListFlags, context: CliContext): Promise<number> {
  const { type, state } = flags;
  const wanted: ListOptions = {
    type,
    state,
  };
  return withMemory(flags, context, async (memory) => {
    const list = await memory.list(wanted);
    const index = await memory.index();
    if (flags.json === true) {
      const memories = list.memories.map(({ body: _, ...facts }) => facts);
      printJson(context.out, {
        version: MEMORY_JSON_VERSION,
        path: memory.path,
        memories,
        problems: list.problems,
        warnings: index.warnings,
      });
    } else print(list, index.warnings, memory.path ?? "", context);
    return 0;
  });
}

async function listArchive(flags: ListFlags, context: CliContext): Promise<number> {
  if (flags.type !== undefined || flags.state !== undefined)
    throw new OptionError({
      message: `--archived cannot be combined with ${flags.type === undefined ? "--state" : "--type"}.`,
      hint: "Leave one of them out: the archive is listed as a whole.",
    });
  const { out, err } = context;
  return withMemory(flags, context, async (memory) => {
    const archived = await memory.archived();
    if (flags.json === true) printJson(out, { version: MEMORY_JSON_VERSION, archived });
    else if (archived.length === 0) err.write("The archive is empty.\n");
    else
      for (const { id, path, archivedMs, isReplaced } of archived) {
        out.write(`${showOnOneLine(path)}  ${new Date(archivedMs).toISOString().slice(0, 16)}Z\n`);
        const note = isReplaced ? ", a memory has this path again" : "";
        out.write(`${out.styles.dim(`  ${showOnOneLine(id)}${note}`)}\n`);
      }
    return 0;
  });
}

function print(list: MemoryList, warnings: readonly string[], path: string, { out, err }: CliContext): void {
  const { columns, styles } = layoutOf(out);
  const line = (text: string): void => out.write(`${cutToColumns(text, columns)}\n`);
  for (const memory of list.memories) {
    line(`${showOnOneLine(memory.path)}  ${styles.bold(showOnOneLine(memory.name))}`);
    if (memory.description !== "") line(`  ${showOnOneLine(memory.description)}`);
    out.write(`${styles.dim(`  ${factsOf(memory)}`)}\n`);
  }
  if (list.memories.length === 0) err.write(`Nothing is remembered in ${showOnOneLine(path)}.\n`);
  for (const { path: at, detail } of list.problems)
    err.write(`${err.styles.yellow(`${showOnOneLine(at)}: ${showOnOneLine(detail)}`)}\n`);
  for (const warning of warnings) err.write(`${err.styles.yellow(showOnOneLine(warning))}\n`);
}
