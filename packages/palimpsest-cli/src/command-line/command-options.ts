/**
 * What the commands about stored sessions share: their options, and where they are run.
 */
import type { Command } from "commander";
import { OptionError } from "palimpsest";
import type { CliContext } from "../terminal/terminal.ts";

/** What a command is registered with. */
export interface CommandShell {
  readonly context: CliContext;
  readonly version: string;
  readonly exitWith: (code: number) => void;
  /** What stands behind the command's name; undefined where only its name and description are shown. */
  readonly words: readonly string[] | undefined;
}

/** Where sessions are looked for. */
export interface PlaceFlags {
  readonly home?: string;
  readonly project?: string;
  readonly folder?: string;
  readonly json?: boolean;
}

/** Options that every one of these commands has. */
export function addPlaceOptions(command: Command): Command {
  return command
    .option("--home <folder>", "home of the sessions (default: $PALIMPSEST_HOME, or ~/.palimpsest)")
    .option("--project <folder>", "folder that was worked on (default: this one)")
    .option("--folder <folder>", "a plain folder of sessions, instead of a home")
    .option("--json", "print the result as JSON");
}

/** For commands that show what was said. */
export interface RedactFlags {
  /** Undefined: keys and passwords are taken out. */
  readonly redact?: boolean;
}

export function addRedactOption(command: Command): Command {
  return command.option("--no-redact", "keep keys and passwords as they were said");
}

/** Examples, and exit codes where they are others than those of every command. */
export function helpText(parts: {
  readonly examples: readonly string[];
  readonly exitCodes?: Readonly<Record<number, string>>;
  readonly notes?: readonly string[];
}): string {
  const codes = { 0: "done", 1: "it could not be done", 2: "the command line was wrong", ...parts.exitCodes };
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

/** A whole number from a command line. @throws `OptionError` */
export function parseCount(option: string, { min, max }: { readonly min: number; readonly max: number }) {
  return (text: string): number => {
    const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (count >= min && count <= max) return count;
    throw new OptionError({
      message: `${option} has ${JSON.stringify(text)}; it is a whole number from ${min} to ${max}.`,
      hint: `Give a number, such as ${option} ${Math.max(min, Math.min(max, 10))}.`,
    });
  };
}

/** What adds a command to its parent. */
type AddCommand = (parent: Command, shell: CommandShell) => void | Promise<void>;

/** By name, in the order in which help lists them. */
export type CommandLoaders = Readonly<Record<string, () => Promise<AddCommand>>>;

/** Adds the command that the first word names; all of them where it names none, so that help and errors know them. */
export async function addNamed(parent: Command, loaders: CommandLoaders, shell: CommandShell): Promise<void> {
  const [name = "", ...words] = shell.words ?? [];
  const asked = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  if (asked !== undefined) return (await asked())(parent, { ...shell, words });
  // A word alone, such as --help, is about the commands here and not about those below them.
  const isAboutThese = words.length === 0;
  for (const load of Object.values(loaders))
    await (await load())(parent, { ...shell, words: isAboutThese ? undefined : [] });
}
