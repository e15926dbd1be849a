/**
 * Commands as values: their words, options and work. The options are parsed, the place is opened and the result is
 * printed in one way for all of them. A command's code is loaded when its name is given.
 */
import { type Command, Option } from "commander";
import { OptionError } from "palimpsest";
import { type CliContext, printJson } from "../terminal/terminal.ts";

/** Version of the JSON that commands print; it counts up when a field changes its meaning or disappears. */
const JSON_VERSION = 1;

/** Everything a command is registered with. */
interface CommandShell {
  readonly context: CliContext;
  readonly version: string;
  readonly exitWith: (code: number) => void;
  /** The words after the command's name; undefined if only its name and description are shown. */
  readonly words: readonly string[] | undefined;
}

/** Adds a command to its parent. */
export type AddCommand = (parent: Command, shell: CommandShell) => void | Promise<void>;

/** Loaders by command name, in the order of the help. A list of sessions need not load the code of a replay. */
export type CommandLoaders = Readonly<Record<string, () => Promise<AddCommand>>>;

/** An option: its flags, its meaning, and, if its value is not a text, a parser and the default. */
export type OptionRow =
  | readonly [
      flags: string,
      description: string,
      parse?: ((text: string) => unknown) | undefined,
      value?: unknown,
    ]
  | Option;

/** The words of a command, for its help. */
export interface CommandWords {
  readonly name: string;
  readonly alias?: string;
  readonly description: string;
  /** Meaning of each argument, such as `<text>` or `[path]`, in their order. */
  readonly args?: Readonly<Record<string, string>>;
  readonly options?: readonly OptionRow[];
  /** Command lines, without the program's name. */
  readonly examples?: readonly string[];
  /** Exit codes that only this command has. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  readonly notes?: readonly string[];
}

export interface JsonFlag {
  readonly json?: boolean;
}

/** The given options, and the surroundings. */
export interface CommandCall<Flags> {
  readonly flags: Flags;
  readonly context: CliContext;
  readonly version: string;
}

/** The output of a command. A list is printed as lines, a text unchanged. */
export interface CommandResult {
  /** Printed with `--json`, instead of everything else. Absent if the command has printed its own, or has none. */
  readonly json?: object;
  readonly out?: string | readonly string[];
  readonly err?: readonly string[];
  /** @defaultValue 0 */
  readonly exitCode?: number;
}

/** A command that runs `run` with its options and arguments. */
export function commandOf<Flags extends JsonFlag, Args extends unknown[]>(
  words: CommandWords,
  run: (call: CommandCall<Flags>, ...args: Args) => Promise<CommandResult>,
): AddCommand {
  return (parent, { context, version, exitWith }) => {
    const command = parent.command(words.name).description(words.description);
    if (words.alias !== undefined) command.alias(words.alias);
    for (const [name, description] of Object.entries(words.args ?? {})) command.argument(name, description);
    for (const row of words.options ?? []) command.addOption(optionOf(row));
    command.addHelpText("after", helpText(words)).action(async (...given: unknown[]) => {
      // Commander passes the arguments, the options, and the command itself.
      const flags = given.at(-2) as Flags;
      const result = await run({ flags, context, version }, ...(given.slice(0, -2) as Args));
      printResult(result, flags, context);
      exitWith(result.exitCode ?? 0);
    });
  };
}

function optionOf(row: OptionRow): Option {
  if (row instanceof Option) return row;
  const [flags, description, parse, value] = row;
  const option = new Option(flags, description);
  if (parse !== undefined) option.argParser(parse);
  return value === undefined ? option : option.default(value);
}

function printResult(result: CommandResult, { json }: JsonFlag, { out, err }: CliContext): void {
  if (json === true) {
    if (result.json !== undefined) printJson(out, { version: JSON_VERSION, ...result.json });
    return;
  }
  const text = typeof result.out === "string" ? result.out : result.out?.map((line) => `${line}\n`).join("");
  if (text !== undefined && text !== "") out.write(text);
  for (const line of result.err ?? []) err.write(`${line}\n`);
}

/** The end of a command's help: examples, notes, exit codes. */
function helpText({ examples = [], exitCodes, notes = [] }: CommandWords): string {
  const codes = { 0: "done", 1: "it failed", 2: "the command line was wrong", ...exitCodes };
  return [
    ...(examples.length === 0
      ? []
      : [
          "",
          "Examples:",
          ...examples.map((line) => `  ${line.includes("palimpsest ") ? line : `palimpsest ${line}`}`),
        ]),
    ...(notes.length === 0 ? [] : ["", ...notes]),
    ...["", "Exit codes:", ...Object.entries(codes).map(([code, meaning]) => `  ${code}  ${meaning}`)],
  ].join("\n");
}

/** A command that only has other commands below it. */
export function groupOf(
  name: string,
  description: string,
  help: string,
  loaders: CommandLoaders,
): AddCommand {
  return async (parent, shell) => {
    const group = parent.command(name).description(description).addHelpText("after", help);
    if (shell.words !== undefined) await addNamed(group, loaders, shell);
  };
}

/** Adds the command that the first word names; if it names none, all commands, so that help and errors list them. */
export async function addNamed(parent: Command, loaders: CommandLoaders, shell: CommandShell): Promise<void> {
  const [name = "", ...words] = shell.words ?? [];
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  if (load !== undefined) return (await load())(parent, { ...shell, words });
  // A single word, such as --help, is about these commands, not about those below them.
  const isAboutThese = words.length === 0;
  for (const other of Object.values(loaders))
    await (await other())(parent, { ...shell, words: isAboutThese ? undefined : [] });
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

/** Returns a parser of one of the values that an option may have. @throws `OptionError` if a text is not one */
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

/** Refuses two options that exclude each other. @throws `OptionError` */
export function refuseTogether(option: string, other: string | undefined, hint: string): void {
  if (other === undefined) return;
  throw new OptionError({ message: `${option} cannot be combined with ${other}.`, hint });
}

/** Resolves once the signal is aborted. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
}
