/** `palimpsest memory dream`, `dreams` and `revert`: memories looked through and put right, shown first and undone with one call. */
import type { Command } from "commander";
import { type DreamPlaceOptions, showHidden, showOnOneLine } from "palimpsest/internal";
import type { DreamRecord, DreamReport } from "palimpsest/memory";
import { type CommandShell, helpText } from "../command-line/command-options.ts";
import { type CliContext, printJson } from "../terminal/terminal.ts";
import { addMemoryOptions, MEMORY_JSON_VERSION, type MemoryFlags, withMemory } from "./memory-place.ts";

interface DreamFlags extends MemoryFlags {
  readonly dryRun?: boolean;
  readonly ifDue?: boolean;
}

/** Exit code if there was nothing to do, or no dream is due. */
const NOTHING_DONE = 3;

export function addDream(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("dream")
    .description(
      "consolidate memories: merge duplicates, apply corrections, archive what is no longer useful",
    );
  addMemoryOptions(command)
    .option("--dry-run", "show what would change, and change nothing")
    .option("--if-due", "only if a day and five sessions have passed since the last one")
    .addHelpText(
      "after",
      helpText({
        examples: ["memory dream --dry-run", "memory dream", "memory dream --team core", "memory revert"],
        exitCodes: { [NOTHING_DONE]: "there was nothing to do" },
        notes: [
          "No model is called. Nothing is destroyed: removed memories are in the archive, and revert restores them.",
          "With --team it consolidates the memories of that team, not the project's.",
        ],
      }),
    )
    .action(async (flags: DreamFlags) => exitWith(await runDream(flags, context)));
}

async function runDream(flags: DreamFlags, context: CliContext): Promise<number> {
  const report = await withMemory(flags, context, (memory, sessions) =>
    memory.dream({
      ...placeOf(flags),
      dryRun: flags.dryRun === true,
      force: flags.ifDue !== true,
      sessions,
      signal: context.signal,
    }),
  );
  return print(report, flags, context);
}

export function addRevert(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("revert")
    .description("undo a dream: every file is restored byte for byte")
    .argument("[id]", "id of the dream (default: the last one)");
  addMemoryOptions(command)
    .addHelpText("after", helpText({ examples: ["memory revert", "memory revert --team core"] }))
    .action(async (id: string | undefined, flags: MemoryFlags) => {
      const report = await withMemory(flags, context, (memory) => memory.revertDream(id, placeOf(flags)));
      exitWith(print(report, flags, context));
    });
}

/** A dream is about one directory: the team's if one is named. */
function placeOf({ team }: MemoryFlags): DreamPlaceOptions {
  return { place: team === undefined ? "project" : "team" };
}

export function addDreams(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent.command("dreams").description("list dreams, newest first");
  addMemoryOptions(command)
    .addHelpText("after", helpText({ examples: ["memory dreams", "memory revert 001772409600000-0001"] }))
    .action(async (flags: MemoryFlags) => {
      const dreams = await withMemory(flags, context, (memory) => memory.dreams(placeOf(flags)));
      exitWith(printDreams(dreams, flags, context));
    });
}

function printDreams(
  dreams: readonly DreamRecord[],
  { json }: MemoryFlags,
  { out, err }: CliContext,
): number {
  if (json === true) printJson(out, { version: MEMORY_JSON_VERSION, dreams });
  else if (dreams.length === 0) err.write("There are no dreams yet.\n");
  else
    for (const { id, atMs, state, changes } of dreams) {
      const what = changes.length === 0 ? "nothing to do" : `${state}, ${changes.length} files`;
      out.write(`${showOnOneLine(id)}  ${new Date(atMs).toISOString().slice(0, 16)}Z  ${what}\n`);
    }
  return 0;
}

function print(report: DreamReport, flags: MemoryFlags, { out, err }: CliContext): number {
  const { status, reason, id, actions, notes, diff } = report;
  if (flags.json === true) printJson(out, { version: MEMORY_JSON_VERSION, ...report });
  else {
    for (const { kind, paths, why } of actions)
      out.write(`${out.styles.bold(kind)} ${paths.map(showOnOneLine).join(" < ")}: ${showOnOneLine(why)}\n`);
    for (const note of notes) out.write(`${out.styles.yellow(showOnOneLine(note))}\n`);
    if (diff !== "") out.write(`\n${showHidden(diff)}\n\n`);
    err.write(`${status}${id === undefined ? "" : ` ${id}`}: ${showOnOneLine(reason)}\n`);
  }
  return status === "applied" || status === "planned" ? 0 : NOTHING_DONE;
}
