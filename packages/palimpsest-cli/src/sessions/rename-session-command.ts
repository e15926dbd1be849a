/**
 * `palimpsest sessions rename ID TITLE`: gives a session a title.
 */
import type { Command } from "commander";
import { OptionError } from "palimpsest";
import { showOnOneLine } from "palimpsest/internal";
import {
  addPlaceOptions,
  type CommandShell,
  helpText,
  type PlaceFlags,
} from "../command-line/command-options.ts";
import { inPlace } from "../stored-sessions/session-place.ts";
import { SESSIONS_JSON_VERSION } from "../stored-sessions/sessions-json.ts";
import { printJson } from "../terminal/print-json.ts";
import type { CliContext } from "../terminal/terminal.ts";

export function addRename(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("rename")
    .description("give a session a title")
    .argument("<session>", "id, the beginning of one, or its title so far")
    .argument("<title>", "what to call it");
  addPlaceOptions(command)
    .addHelpText("after", helpText({ examples: ['sessions rename 3f2a91c0 "Fix the harbour ledger"'] }))
    .action(async (which: string, title: string, flags: PlaceFlags) =>
      exitWith(await runRename(which, title, flags, context)),
    );
}

async function runRename(
  which: string,
  title: string,
  flags: PlaceFlags,
  context: CliContext,
): Promise<number> {
  if (title.trim() === "") {
    throw new OptionError({
      message: "The title is empty.",
      hint: 'Give one in quotes: palimpsest sessions rename ID "A title"',
    });
  }
  return inPlace(flags, context, async (place) => {
    const { sessionId } = (await place.find(which)).info;
    await place.rename(sessionId, title);
    if (flags.json === true) printJson(context.out, { version: SESSIONS_JSON_VERSION, sessionId, title });
    else context.out.write(`${showOnOneLine(sessionId)} is called ${showOnOneLine(title)} now.\n`);
    return 0;
  });
}
