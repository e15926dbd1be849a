/**
 * `palimpsest sessions restore ID`: brings a session back from the trash.
 */
import type { Command } from "commander";
import { showOnOneLine } from "palimpsest/internal";
import {
  addPlaceOptions,
  type CommandShell,
  helpText,
  type PlaceFlags,
} from "../command-line/command-options.ts";
import { inPlace } from "../stored-sessions/session-place.ts";
import { listedSession, SESSIONS_JSON_VERSION } from "../stored-sessions/sessions-json.ts";
import { printJson } from "../terminal/print-json.ts";
import type { CliContext } from "../terminal/terminal.ts";

export function addRestore(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("restore")
    .description("bring a session back from the trash")
    .argument("<session>", "id, or the beginning of one, as sessions list --trash shows it");
  addPlaceOptions(command)
    .addHelpText("after", helpText({ examples: ["sessions list --trash", "sessions restore 3f2a91c0"] }))
    .action(async (which: string, flags: PlaceFlags) => exitWith(await runRestore(which, flags, context)));
}

async function runRestore(which: string, flags: PlaceFlags, context: CliContext): Promise<number> {
  return inPlace(flags, context, async (place) => {
    const { info, project } = await place.restore(which);
    const session = listedSession(info, { project: project.name === "" ? undefined : project.name });
    if (flags.json === true) printJson(context.out, { version: SESSIONS_JSON_VERSION, session });
    else {
      const name = session.name === undefined ? "" : ` (${session.name})`;
      context.out.write(`${showOnOneLine(info.sessionId)}${name} is back.\n`);
    }
    return 0;
  });
}
