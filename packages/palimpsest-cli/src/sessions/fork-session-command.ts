/**
 * `palimpsest sessions fork ID`: a session of its own that begins as another was.
 */
import type { Command } from "commander";
import { OptionError, PalimpsestError } from "palimpsest";
import { showOnOneLine } from "palimpsest/internal";
import {
  addPlaceOptions,
  type CommandShell,
  helpText,
  type PlaceFlags,
  parseCount,
} from "../command-line/command-options.ts";
import { inPlace } from "../stored-sessions/session-place.ts";
import { SESSIONS_JSON_VERSION } from "../stored-sessions/sessions-json.ts";
import { printJson } from "../terminal/print-json.ts";
import type { CliContext } from "../terminal/terminal.ts";

interface ForkFlags extends PlaceFlags {
  readonly at?: number;
  readonly title?: string;
}

export function addFork(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("fork")
    .description("a session of its own that begins as another was")
    .argument("<session>", "id, the beginning of one, or a title");
  addPlaceOptions(command)
    .option(
      "--at <entry>",
      "number of the last entry that it takes over, such as 12 of m12 (default: the newest)",
      parseCount("--at", { min: 1, max: Number.MAX_SAFE_INTEGER }),
    )
    .option("--title <title>", "title of the fork (default: that of the session, marked)")
    .addHelpText(
      "after",
      helpText({
        examples: ["sessions fork 3f2a91c0", 'sessions fork 3f2a91c0 --at 120 --title "Without the cache"'],
        notes: ["A session that somebody is writing can be forked; it is only read."],
      }),
    )
    .action(async (which: string, flags: ForkFlags) => exitWith(await runFork(which, flags, context)));
}

async function runFork(which: string, flags: ForkFlags, context: CliContext): Promise<number> {
  return inPlace(flags, context, async (place) => {
    const parent = await place.find(which);
    const session = await place
      .fork(parent.info.sessionId, {
        atSeq: flags.at,
        title: flags.title,
        signal: context.signal,
      })
      .catch((error: unknown) => {
        throw asOption(error);
      });
    const { id } = session;
    await session.close();
    if (flags.json === true)
      printJson(context.out, {
        version: SESSIONS_JSON_VERSION,
        sessionId: id,
        forkOf: parent.info.sessionId,
      });
    else context.out.write(`${showOnOneLine(id)}\n`);
    return 0;
  });
}

/** A number that the session does not have was a wrong option. */
function asOption(error: unknown): unknown {
  if (!(error instanceof PalimpsestError) || error.code !== "ENTRY_NOT_FOUND") return error;
  return new OptionError({
    message: error.message,
    hint: "Give the number of a message with --at, such as 12 of m12: palimpsest sessions show has them.",
  });
}
