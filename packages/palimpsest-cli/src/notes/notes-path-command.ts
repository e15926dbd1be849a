/** `palimpsest notes path`: where the notes of a session lie, and nothing else. */

import { existsSync } from "node:fs";
import type { Command } from "commander";
import {
  addPlaceOptions,
  type CommandShell,
  helpText,
  type PlaceFlags,
} from "../command-line/command-options.ts";
import { withSession } from "../stored-sessions/read-notes.ts";
import { inPlace } from "../stored-sessions/session-place.ts";
import { SESSIONS_JSON_VERSION } from "../stored-sessions/sessions-json.ts";
import { printJson } from "../terminal/print-json.ts";

export function addPath(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("path")
    .description("print where the notes lie, whether or not there are any yet")
    .argument("[session]", "id, the beginning of one, or a title (default: the latest session)");
  addPlaceOptions(command)
    .addHelpText("after", helpText({ examples: ["notes path", 'grep -n error "$(palimpsest notes path)"'] }))
    .action(async (which: string | undefined, flags: PlaceFlags) =>
      exitWith(
        await inPlace(flags, context, (place) =>
          withSession(place, which, async ({ info: { sessionId } }, { path }) => {
            if (flags.json === true) {
              const isThere = existsSync(path);
              printJson(context.out, { version: SESSIONS_JSON_VERSION, sessionId, path, isThere });
            } else context.out.write(`${path}\n`);
            return 0;
          }),
        ),
      ),
    );
}
