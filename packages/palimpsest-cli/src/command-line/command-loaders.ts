/**
 * Commands that are loaded when they are asked for: a list of sessions need not wait for the code of a replay.
 */
import type { Command } from "commander";
import type { CommandShell } from "./command-options.ts";

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
