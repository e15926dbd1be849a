/**
 * Arguments, options and help of `palimpsest replay`.
 */
import { Option } from "commander";
import { POLICY_NAMES } from "palimpsest/compaction";
import { TARIFFS } from "palimpsest/tokens";
import { type CommandCall, commandOf, parseCount } from "../command-line/command.ts";
import { parseFixedTokens, parseWindowSizes } from "../command-line/window-option.ts";
import type { ReplayOptions } from "./replay-command.ts";

interface ReplayFlags extends Omit<ReplayOptions, "windowSizes" | "fixedTokens" | "version"> {
  readonly window?: string;
  readonly fixed?: string;
}

export const replayCommand = commandOf(
  {
    name: "replay",
    description: "run recorded sessions through a finite window and check that nothing is lost",
    args: {
      "[files...]":
        "recorded sessions, plain or .gz, or folders of them (default: the newest session of an agent on this machine)",
    },
    options: [
      [
        "-w, --window <sizes>",
        "window in tokens, such as 200k; several separated by commas (default: the model's)",
      ],
      [
        "--fixed <tokens>",
        "system prompt and tools, such as 12k, kept free in the window (default: recorded, or as billed)",
      ],
      ["-m, --model <id>", "model to assume (default: the recorded one)"],
      new Option(
        "-p, --policy <name>",
        "how far the window is rewritten to save cost (default: balanced)",
      ).choices(POLICY_NAMES),
      new Option("--tariff <name>", "what tokens cost (default: the model's prices)").choices(
        Object.keys(TARIFFS),
      ),
      new Option(
        "--edit-safety <class>",
        "permissive allows rewriting earlier messages (default: from model and session)",
      ).choices(["strict", "permissive"]),
      ["--json", "print the figures as JSON"],
      ["-q, --quiet", "print only what went wrong"],
      [
        "-n, --limit <count>",
        "recordings of each folder, the newest first (default: 20)",
        parseCount("--limit", { min: 1, max: 100_000 }),
      ],
      ["--keep <folder>", "keep the stored sessions there"],
      ["--html <file>", "write an HTML page that shows each request, call by call"],
    ],
    exitCodes: {
      0: "every check held",
      1: "a check failed, or a session could not be replayed",
      3: "the only failures are windows too small for a session",
    },
  },
  async ({ flags, context, version }: CommandCall<ReplayFlags>, files: readonly string[]) => {
    const { runReplay } = await import("./replay-command.ts");
    const { window, fixed, ...options } = flags;
    const windowSizes = window === undefined ? [] : parseWindowSizes(window);
    const fixedTokens = fixed === undefined ? undefined : parseFixedTokens(fixed);
    return { exitCode: await runReplay(files, { windowSizes, fixedTokens, version, ...options }, context) };
  },
);
