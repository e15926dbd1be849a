/**
 * The command line's grammar: commands, options, help, and what becomes of an error. One file a
 * command; this one only tells them apart.
 */
import { Command, CommanderError, Option } from "commander";
import { OptionError } from "../../base/errors.ts";
import { POLICY_NAMES, type PolicyName } from "../../compaction/cost-policy.ts";
import { TARIFFS, type TariffName } from "../../tokens/tariff.ts";
import { runDemo } from "./demo-command.ts";
import { addDoctor } from "./doctor/doctor-command.ts";
import { formatError } from "./error-report.ts";
import { runReplay } from "./replay-command.ts";
import { addSessions } from "./sessions/sessions-command.ts";
import type { CliContext } from "./terminal.ts";
import { parseWindowSizes } from "./window-option.ts";

/** Exit codes beside those of a command's own result. */
export const EXIT_CODES = {
  /** Something could not be done. */
  failed: 1,
  /** The command line itself was wrong. */
  usage: 2,
} as const;

const EXAMPLES = `
Examples:
  palimpsest demo                                     an agent at work in this folder, live
  palimpsest replay session.jsonl                     a recorded session in its model's window
  palimpsest replay *.jsonl.gz --window 200k,64k,32k  several sessions, three windows each
  palimpsest replay session.jsonl --policy economy    what another policy costs and keeps
  palimpsest replay session.jsonl --json              the figures for a program
  palimpsest replay session.jsonl --html page.html    a page to look at: the window, call by call
  palimpsest sessions list                            the stored sessions of this folder
  palimpsest doctor                                   what is wrong with stored sessions, if anything

Reads recordings of Claude Code and pi, and message lists in the shape of OpenAI Chat and Anthropic.
Nothing leaves this machine: no model is called and no network is used.`;

const REPLAY_HELP = `
Exit codes:
  0  every check held
  1  a check failed, or a session could not be replayed
  2  the command line was wrong
  3  nothing failed but that a window was too small for a session`;

interface ReplayFlags {
  readonly window?: string;
  readonly model?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly keep?: string;
  readonly html?: string;
  readonly policy?: PolicyName;
  readonly tariff?: TariffName;
  readonly editSafety?: "strict" | "permissive";
}

/** Runs a command line (without `node` and the script) and resolves with the exit code. */
export async function runCli(args: readonly string[], context: CliContext, version: string): Promise<number> {
  let exitCode = 0;
  const program = createProgram(context, version, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
    context.err.write(`${formatError(error, { styles: context.err.styles, env: context.env })}\n`);
    return error instanceof OptionError ? EXIT_CODES.usage : EXIT_CODES.failed;
  }
}

function createProgram(context: CliContext, version: string, exitWith: (code: number) => void): Command {
  const program = new Command("palimpsest")
    .description("A finite context window, an endless conversation, and nothing ever lost.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", EXAMPLES)
    .showHelpAfterError("Run palimpsest --help to see what there is.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(text),
      getOutHelpWidth: () => context.out.columns,
      getErrHelpWidth: () => context.err.columns,
    });

  program
    .command("replay")
    .description("run recorded sessions through a finite window and check that nothing is lost")
    .argument("[files...]", "recorded sessions, plain or .gz")
    .option(
      "-w, --window <sizes>",
      "window in tokens, such as 200k; several separated by commas (default: the model's)",
    )
    .option("-m, --model <id>", "model to assume (default: the recorded one)")
    .addOption(
      new Option(
        "-p, --policy <name>",
        "how far the window is rewritten for the price's sake (default: balanced)",
      ).choices(POLICY_NAMES),
    )
    .addOption(
      new Option("--tariff <name>", "what tokens cost (default: the model's prices)").choices(
        Object.keys(TARIFFS),
      ),
    )
    .addOption(
      new Option(
        "--edit-safety <class>",
        "whether earlier messages may be rewritten (default: from model and session)",
      ).choices(["strict", "permissive"]),
    )
    .option("--json", "print the figures as JSON")
    .option("-q, --quiet", "print only what went wrong")
    .option("--keep <folder>", "keep the stored sessions there")
    .option("--html <file>", "write a page that shows what the model saw, call by call")
    .addHelpText("after", REPLAY_HELP)
    .action(async (files: readonly string[], { window, ...flags }: ReplayFlags) => {
      const windowSizes = window === undefined ? [] : parseWindowSizes(window);
      exitWith(await runReplay(files, { windowSizes, version, ...flags }, context));
    });

  program
    .command("demo", { isDefault: false })
    .description("watch a scripted agent work in this folder through a small window; no key, no network")
    .argument("[folder]", "folder to work in", ".")
    .option("--json", "print the figures as JSON")
    .option("-q, --quiet", "print only what went wrong")
    .action(async (folder: string, flags: Pick<ReplayFlags, "json" | "quiet">) => {
      exitWith(await runDemo({ folder, ...flags }, context));
    });

  const shell = { context, version, exitWith };
  addSessions(program, shell);
  addDoctor(program, shell);
  return program;
}
