/**
 * The sessions that a command works on: those of a home, or of a plain folder. Opening one writes nothing.
 */
import { accessSync, constants, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { OptionError, openHome } from "palimpsest";
import type { HomeProject, PalimpsestHome, RetentionSettings } from "palimpsest/internal";
import { folderStore, isRetentionKnown } from "palimpsest/internal";
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
import { formatQuantity } from "../terminal/figures.ts";
import type { CliContext } from "../terminal/terminal.ts";

/** Options that say which sessions a command reads. */
export interface PlaceFlags extends JsonFlag {
  readonly home?: string;
  readonly project?: string;
  readonly folder?: string;
}

const PLACE_OPTIONS: readonly OptionRow[] = [
  ["--home <folder>", "home of the sessions (default: $PALIMPSEST_HOME, or ~/.palimpsest)"],
  ["--project <folder>", "folder that was worked on (default: this one)"],
  ["--folder <folder>", "a plain folder of sessions, instead of a home"],
  ["--json", "print the result as JSON"],
];

/** Arguments of commands about one session. */
export const SESSION_ARGUMENT = { "<session>": "id, the beginning of one, or a title" } as const;

/** The same for commands that change nothing there, or that go on with the latest session. */
export const LATEST_ARGUMENT = {
  "[session]": "id, the beginning of one, or a title (default: the latest session)",
} as const;

/** Option of commands that show conversations. */
export const REDACT_OPTION: OptionRow = ["--no-redact", "keep keys and passwords"];

/** The parts of a home that commands use; a plain folder has them too. */
export interface SessionPlace extends HomeParts {
  /** Periods after which sessions are cleaned up. */
  readonly retention: RetentionSettings;
  /** True if `retention` was read from the settings; false if they cannot be read. */
  readonly isRetentionKnown: boolean;
}

type HomeParts = Pick<
  PalimpsestHome,
  | ("folder" | "project" | "list" | "projects" | "find" | "storeOf" | "fork")
  | ("rename" | "tag" | "importFrom" | "trash" | "listTrash" | "restore" | "close")
>;

/** A call of a command, with the opened place. */
export interface PlaceCall<Flags extends PlaceFlags = PlaceFlags> extends CommandCall<Flags> {
  readonly place: SessionPlace;
}

/** The words of a command about stored sessions, with the options of all of them. */
export function withPlaceOptions(words: CommandWords): CommandWords {
  return { ...words, options: [...PLACE_OPTIONS, ...(words.options ?? [])] };
}

/** A command about stored sessions; the place that its options name is opened for it and closed after it. */
export function sessionCommand<Flags extends PlaceFlags, Args extends unknown[]>(
  words: CommandWords,
  run: (call: PlaceCall<Flags>, ...args: Args) => Promise<CommandResult>,
): AddCommand {
  return commandOf(withPlaceOptions(words), (call: CommandCall<Flags>, ...args: Args) =>
    inPlace(call.flags, call.context, (place) => run({ ...call, place }, ...args)),
  );
}

/** Does `work` in the place that the flags name, and closes it, however that ends. */
export async function inPlace<Result>(
  flags: PlaceFlags,
  context: CliContext,
  work: (place: SessionPlace) => Promise<Result>,
): Promise<Result> {
  const place = await openPlace(flags, context);
  try {
    return await work(place);
  } finally {
    await place.close();
  }
}

async function openPlace({ home, project, folder }: PlaceFlags, context: CliContext): Promise<SessionPlace> {
  if (folder === undefined) {
    const opened = openHomeOf({ home, project }, context);
    refuseFile(opened.folder, "home");
    const more = { retention: opened.settings, isRetentionKnown: isRetentionKnown(opened.problems) };
    return Object.assign(opened, more);
  }
  if (home !== undefined || project !== undefined)
    refuseTogether(
      "--folder",
      home === undefined ? "--project" : "--home",
      "Give --folder for a plain folder of sessions, or the other for a home.",
    );
  const root = resolve(context.folder, folder);
  refuseFile(root, "folder");
  const { FolderPlace } = await import("./folder-place.ts");
  return new FolderPlace(root, folderStore(root));
}

/** Refuses a file, so that a mistyped path does not look like a place without sessions. */
function refuseFile(path: string, what: "home" | "folder"): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  throw new OptionError({
    message: `${path} is a file, not a ${what === "home" ? "home" : "folder"} of sessions.`,
    hint: `Give a folder with --${what}${what === "home" ? ", or in PALIMPSEST_HOME" : "; palimpsest sessions import reads a file with a session"}.`,
  });
}

/** Opens the home that the flags name. Its sessions are on disk even if settings or environment turn off new ones. */
export function openHomeOf(
  { home, project }: { readonly home?: string | undefined; readonly project?: string | undefined },
  { folder, env }: CliContext,
): PalimpsestHome {
  return openHome({
    home: home === undefined ? undefined : resolve(folder, home),
    workingCopy: resolve(folder, project ?? "."),
    env,
    persistence: true,
  });
}

/** The projects that a command reads. */
export interface ProjectsToRead {
  readonly projects: readonly HomeProject[];
  /** Names of those that are left out; absent if there are none. A field of the command's JSON. */
  readonly unreadableProjects?: readonly string[] | undefined;
}

/**
 * Every project of the place, this one first, without others that cannot be read: one that belongs to another user must
 * not hide the rest. A line on the standard error counts them.
 */
export async function projectsToRead(place: SessionPlace, { err }: CliContext): Promise<ProjectsToRead> {
  const [own, ...others] = await place.projects();
  const readable = others.filter((project) => canBeListed(project.folder) && canBeListed(trashOf(project)));
  const left = others.filter((project) => !readable.includes(project)).map(({ name }) => name);
  if (left.length > 0)
    err.write(
      `${formatQuantity(left.length, "project")} left out: not readable; palimpsest doctor says more\n`,
    );
  return {
    projects: own === undefined ? readable : [own, ...readable],
    unreadableProjects: left.length === 0 ? undefined : left,
  };
}

function canBeListed(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch (error) {
    // A project all of whose sessions are in the trash has no folder.
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** The trash of a project, or of a plain folder. */
export function trashOf({ folder, trashFolder }: HomeProject): string {
  return trashFolder === "" ? join(folder, ".trash") : trashFolder;
}
