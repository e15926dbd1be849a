/**
 * Arguments, options and help of `palimpsest replay`.
 */
import { type Command, Option } from "commander";
import type { PolicyName } from "palimpsest/compaction";
import { POLICY_NAMES } from "palimpsest/compaction";
import { TARIFFS, type TariffName } from "palimpsest/tokens";
import type { CommandShell } from "../command-line/command-options.ts";
import { parseFixedTokens, parseWindowSizes } from "../command-line/window-option.ts";

const REPLAY_HELP = `
Exit codes:
  0  every check held
  1  a check failed, or a session could not be replayed
  2  the command line was wrong
  3  the only failures are windows too small for a session`;

interface ReplayFlags {
  readonly window?: string;
  readonly fixed?: string;
  readonly model?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly keep?: string;
  readonly html?: string;
  readonly policy?: PolicyName;
  readonly tariff?: TariffName;
  readonly editSafety?: "strict" | "permissive";
}

export function addReplay(program: Command, { context, version, exitWith }: CommandShell): void {
  program
    .command("replay")
    .description("run recorded sessions through a finite window and check that nothing is lost")
    .argument("[files...]", "recorded sessions, plain or .gz")
    .option(
      "-w, --window <sizes>",
      "window in tokens, such as 200k; several separated by commas (default: the model's)",
    )
    .option(
      "--fixed <tokens>",
      "system prompt and tools, such as 12k, kept free in the window (default: recorded, or as billed)",
    )
    .option("-m, --model <id>", "model to assume (default: the recorded one)")
    .addOption(
      new Option(
        "-p, --policy <name>",
        "how far the window is rewritten to save cost (default: balanced)",
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
        "permissive allows rewriting earlier messages (default: from model and session)",
      ).choices(["strict", "permissive"]),
    )
    .option("--json", "print the figures as JSON")
    .option("-q, --quiet", "print only what went wrong")
    .option("--keep <folder>", "keep the stored sessions there")
    .option("--html <file>", "write an HTML page that shows each request, call by call")
    .addHelpText("after", REPLAY_HELP)
    .action(async (files: readonly string[], { window, fixed, ...flags }: ReplayFlags) => {
      const { runReplay } = await import("./replay-command.ts");
      const windowSizes = window === undefined ? [] : parseWindowSizes(window);
      const fixedTokens = fixed === undefined ? undefined : parseFixedTokens(fixed);
      exitWith(await runReplay(files, { windowSizes, fixedTokens, version, ...flags }, context));
    });
}
