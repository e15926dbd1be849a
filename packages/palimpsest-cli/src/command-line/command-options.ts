/**
 * Shared parts of commands: options, help texts, and loading a command when its name is given.
 */
import type { Command } from "commander";
import { OptionError } from "palimpsest";
import type { CliContext } from "../terminal/terminal.ts";

/** Everything a command is registered with. */
export interface CommandShell {
  readonly context: CliContext;
  readonly version: string;
  readonly exitWith: (code: number) => void;
  /** The words after the command's name; undefined if only its name and description are shown. */
  readonly words: readonly string[] | undefined;
}

/** Options that say which sessions a command reads. */
export interface PlaceFlags {
  readonly home?: string;
  readonly project?: string;
  readonly folder?: string;
  readonly json?: boolean;
}

/** Adds the options of every command about stored sessions. */
export function addPlaceOptions(command: Command): Command {
  return command
    .option("--home <folder>", "home of the sessions (default: $PALIMPSEST_HOME, or ~/.palimpsest)")
    .option("--project <folder>", "folder that was worked on (default: this one)")
    .option("--folder <folder>", "a plain folder of sessions, instead of a home")
    .option("--json", "print the result as JSON");
}

/** Option of commands that show conversations. */
export interface RedactFlags {
  /** Undefined removes keys and passwords. */
  readonly redact?: boolean;
}

export function addRedactOption(command: Command): Command {
  return command.option("--no-redact", "keep keys and passwords");
}

/** The end of a command's help: examples, notes, exit codes. `exitCodes` are those that only this command has. */
export function helpText(parts: {
  readonly examples: readonly string[];
  readonly exitCodes?: Readonly<Record<number, string>>;
  readonly notes?: readonly string[];
}): string {
  const codes = { 0: "done", 1: "it failed", 2: "the command line was wrong", ...parts.exitCodes };
  return [
    "",
    "Examples:",
    ...parts.examples.map((line) => `  palimpsest ${line}`),
    ...(parts.notes === undefined ? [] : ["", ...parts.notes]),
    "",
    "Exit codes:",
    ...Object.entries(codes).map(([code, meaning]) => `  ${code}  ${meaning}`),
  ].join("\n");
}

/** Returns a parser of whole numbers. @throws `OptionError` if a text is not one */
export function parseCount(option: string, { min, max }: { readonly min: number; readonly max: number }) {
  return (text: string): number => {
    const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (count >= min && count <= max) return count;
    throw new OptionError({
      message: `${option} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}.`,
      hint: `Give a number, such as ${option} ${Math.max(min, Math.min(max, 10))}.`,
    });
  };
}

/** Adds a command to its parent. */
type AddCommand = (parent: Command, shell: CommandShell) => void | Promise<void>;

/** Loaders by command name, in the order of the help. A list of sessions need not load the code of a replay. */
export type CommandLoaders = Readonly<Record<string, () => Promise<AddCommand>>>;

/** Adds the command that the first word names; if it names none, all commands, so that help and errors list them. */
export async function addNamed(parent: Command, loaders: CommandLoaders, shell: CommandShell): Promise<void> {
  const [name = "", ...words] = shell.words ?? [];
  const asked = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  if (asked !== undefined) return (await asked())(parent, { ...shell, words });
  // A single word, such as --help, is about these commands, not about those below them.
  const isAboutThese = words.length === 0;
  for (const load of Object.values(loaders))
    await (await load())(parent, { ...shell, words: isAboutThese ? undefined : [] });
}
