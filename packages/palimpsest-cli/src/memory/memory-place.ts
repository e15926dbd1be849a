/**
 * The common part of commands about memory: opens the memory that the options name (of a project in a home, or of a
 * plain folder), and describes memories and receipts in words.
 */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
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
import {
  type AddCommand,
  type CommandCall,
  type CommandResult,
  type CommandWords,
  commandOf,
  type JsonFlag,
  type OptionRow,
  refuseTogether,
} from "../command-line/command.ts";
import { userMemoryFolder } from "../command-line/user-memory.ts";
import { openHomeOf } from "../stored-sessions/session-place.ts";
import type { CliContext } from "../terminal/terminal.ts";

export interface MemoryFlags extends JsonFlag {
  readonly home?: string;
  readonly project?: string;
  readonly folder?: string;
  readonly team?: string;
  readonly user?: boolean;
}

/** Options that name the memory. */
const PLACE_OPTIONS: readonly OptionRow[] = [
  ["--home <folder>", "home of the project (default: $PALIMPSEST_HOME, or ~/.palimpsest)"],
  ["--project <folder>", "folder that is worked on (default: this one)"],
  ["--folder <folder>", "a plain folder of memories, instead of a project's"],
  ["--team <name>", "with the memories of this team, below team/"],
  ["--user", "the memories of the user in every project, instead of one project's"],
];

const JSON_OPTION: OptionRow = ["--json", "print the result as JSON"];

/** A call of a command, with the opened memory. */
export interface MemoryCall<Flags extends MemoryFlags = MemoryFlags> extends CommandCall<Flags> {
  readonly memory: PersistentMemory;
  /** The sessions of the project; a plain folder has none. */
  readonly sessions: DreamSessions | undefined;
}

/** Makes a command that works on a memory. The memory is opened before and closed after each call. */
export function memoryCommand<Flags extends MemoryFlags, Args extends unknown[]>(
  words: CommandWords & { readonly isTextOnly?: boolean },
  run: (call: MemoryCall<Flags>, ...args: Args) => Promise<CommandResult>,
): AddCommand {
  const common = words.isTextOnly === true ? PLACE_OPTIONS : [...PLACE_OPTIONS, JSON_OPTION];
  const options = [...common, ...(words.options ?? [])];
  return commandOf({ ...words, options }, async (call: CommandCall<Flags>, ...args: Args) => {
    const { memory, sessions, close } = openPlace(call.flags, call.context);
    try {
      return await run({ ...call, memory, sessions }, ...args);
    } finally {
      await memory.close();
      await close();
    }
  });
}

function openPlace({ home, project, folder, team, user = false }: MemoryFlags, context: CliContext) {
  if (user)
    refuseTogether(
      "--user",
      folder !== undefined
        ? "--folder"
        : project !== undefined
          ? "--project"
          : team === undefined
            ? undefined
            : "--team",
      "Leave the other out: the user's memories are the same in every project.",
    );
  if (folder !== undefined && (home !== undefined || project !== undefined))
    refuseTogether(
      "--folder",
      home === undefined ? "--project" : "--home",
      "Give --folder for a plain folder of memories, or the other for a project.",
    );
  const opened = openHomeOf({ home, project }, context);
  const ofHome = user ? userMemoryFolder(opened.folder) : join(opened.project.folder, "memory");
  const path = folder === undefined ? ofHome : resolve(context.folder, folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new OptionError({
      message: `${path} is not a folder.`,
      hint: "Give the folder of a memory directory with --folder.",
    });
  const memory = createMemory({
    store: memoryFolder(path),
    team: team === undefined ? undefined : memoryFolder(teamFolder(opened.folder, team)),
  });
  const sessions = folder === undefined && !user ? storedSessions(opened.storeOf(opened.project)) : undefined;
  return { memory, sessions, close: () => opened.close() };
}

/** Describes a memory: type, source, and state, which decides if a model may see it. */
export function factsOf({ type, source, isConfirmed, decays, state, supersededBy }: ListedMemory): string {
  return [
    ...(type === undefined ? [] : [type]),
    source === "user" ? "said by a user" : `from ${source}`,
    ...(isConfirmed && source !== "user" ? ["confirmed"] : []),
    ...(decays ? [] : ["does not age"]),
    ...(state === "superseded" ? [`superseded by ${showOnOneLine(supersededBy ?? "")}`] : []),
    ...(state === "quarantined" ? ["quarantined"] : []),
  ].join(", ");
}

/** The result of a change. A rejection is a failure. */
export function receiptResult(receipt: MemoryReceipt, { context: { err } }: MemoryCall): CommandResult {
  const { status, path, reason, cleaned, warnings } = receipt;
  return {
    json: receipt,
    out: [path === undefined ? status : `${status} ${showOnOneLine(path)}`],
    err: [
      err.styles.dim(showOnOneLine(reason)),
      ...(cleaned.length > 0 ? [err.styles.yellow(`Removed or escaped: ${cleaned.join(", ")}.`)] : []),
      ...warnings.map((warning) => err.styles.yellow(showHidden(warning))),
    ],
    exitCode: status === "rejected" ? 1 : 0,
  };
}

/** `2026-11-21T23:08Z`. */
export function formatUtcMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}
