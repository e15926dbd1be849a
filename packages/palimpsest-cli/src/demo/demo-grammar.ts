/**
 * How `palimpsest demo` is asked for: its arguments, options and help.
 */
import type { Command } from "commander";
import type { CommandShell } from "../command-line/command-options.ts";

export function addDemo(program: Command, { context, exitWith }: CommandShell): void {
  program
    .command("demo", { isDefault: false })
    .description("watch a scripted agent work in this folder through a small window; no key, no network")
    .argument("[folder]", "folder to work in", ".")
    .option("--json", "print the figures as JSON")
    .option("-q, --quiet", "print only what went wrong")
    .action(async (folder: string, flags: { readonly json?: boolean; readonly quiet?: boolean }) => {
      const { runDemo } = await import("./demo-command.ts");
      exitWith(await runDemo({ folder, ...flags }, context));
    });
}
