/**
 * The memory that a command works on: a project's in a home, or a plain folder. Opens it, and prints memories and
 * receipts.
 */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { OptionError } from "palimpsest";
import { showHidden, showOnOneLine, teamFolder } from "palimpsest/internal";
import {
  createMemory,
  type DreamSessions,
  type ListedMemory,
  type MemoryReceipt,
  memoryFolder,
  type PersistentMemory,
  storedSessions,
} from "palimpsest/memory";
import { openHomeOf } from "../stored-sessions/session-place.ts";
import { type CliContext, printJson } from "../terminal/terminal.ts";

export interface MemoryFlags {
  readonly home?: string;
  readonly project?: string;
  readonly folder?: string;
  readonly team?: string;
  readonly json?: boolean;
}

/** Version of the JSON that these commands print. */
export const MEMORY_JSON_VERSION = 1;

/** Adds the options of commands that print their result in words or as JSON. */
export function addMemoryOptions(command: Command): Command {
  return addMemoryPlace(command).option("--json", "print the result as JSON");
}

/** Adds the options that say which memories are meant. */
export function addMemoryPlace(command: Command): Command {
  return command
    .option("--home <folder>", "home of the project (default: $PALIMPSEST_HOME, or ~/.palimpsest)")
    .option("--project <folder>", "folder that is worked on (default: this one)")
    .option("--folder <folder>", "a plain folder of memories, instead of a project's")
    .option("--team <name>", "with the memories of this team, below team/");
}

/** Runs `work` with the memory that the flags name, then closes it, also after an error. */
export async function withMemory<Result>(
  flags: MemoryFlags,
  context: CliContext,
  work: (memory: PersistentMemory, sessions: DreamSessions | undefined) => Promise<Result>,
): Promise<Result> {
  const { memory, sessions, close } = openPlace(flags, context);
  try {
    return await work(memory, sessions);
  } finally {
    await memory.close();
    await close();
  }
}

function openPlace({ home, project, folder, team }: MemoryFlags, context: CliContext) {
  if (folder !== undefined && (home !== undefined || project !== undefined))
    throw new OptionError({
      message: `--folder cannot be combined with ${home === undefined ? "--project" : "--home"}.`,
      hint: "Give --folder for a plain folder of memories, or the other for a project.",
    });
  const opened = openHomeOf({ home, project }, context);
  const path = folder === undefined ? join(opened.project.folder, "memory") : resolve(context.folder, folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new OptionError({
      message: `${path} is not a folder.`,
      hint: "Give the folder of a memory directory with --folder.",
    });
  const memory = createMemory({
    store: memoryFolder(path),
    team: team === undefined ? undefined : memoryFolder(teamFolder(opened.folder, team)),
  });
  // No sessions belong to a plain folder.
  const sessions = folder === undefined ? storedSessions(opened.storeOf(opened.project)) : undefined;
  return { memory, sessions, close: () => opened.close() };
}

/** Describes a memory: type, source, and state, which decides if a model may see it. */
export function factsOf({ type, source, isConfirmed, decays, state, supersededBy }: ListedMemory): string {
  const origin = source === "user" ? "said by a user" : `from ${source}`;
  return [
    ...(type === undefined ? [] : [type]),
    origin,
    ...(isConfirmed && source !== "user" ? ["confirmed"] : []),
    ...(decays ? [] : ["does not age"]),
    ...(state === "superseded" ? [`superseded by ${showOnOneLine(supersededBy ?? "")}`] : []),
    ...(state === "quarantined" ? ["quarantined"] : []),
  ].join(", ");
}

/** Prints a receipt. Returns the exit code: 1 for a rejection. */
export function printReceipt(
  receipt: MemoryReceipt,
  isJson: boolean | undefined,
  context: CliContext,
): number {
  const { out, err } = context;
  if (isJson === true) printJson(out, { version: MEMORY_JSON_VERSION, ...receipt });
  else {
    const { status, path, reason, cleaned, warnings } = receipt;
    out.write(`${path === undefined ? status : `${status} ${showOnOneLine(path)}`}\n`);
    err.write(`${err.styles.dim(showOnOneLine(reason))}\n`);
    if (cleaned.length > 0) err.write(`${err.styles.yellow(`Removed: ${cleaned.join(", ")}.`)}\n`);
    for (const warning of warnings) err.write(`${err.styles.yellow(showHidden(warning))}\n`);
  }
  return receipt.status === "rejected" ? 1 : 0;
}
