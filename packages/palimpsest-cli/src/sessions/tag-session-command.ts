/**
 * `palimpsest sessions tag add|remove ID TAG…`: tags, by which lists are narrowed.
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
import { SESSIONS_JSON_VERSION } from "../stored-sessions/sessions-json.ts";
import { printJson } from "../terminal/print-json.ts";
import type { CliContext } from "../terminal/terminal.ts";

export function addTag(parent: Command, { context, exitWith }: CommandShell): void {
  const tag = parent
    .command("tag")
    .description("add tags to a session, or remove them")
    .addHelpText(
      "after",
      helpText({
        examples: ["sessions tag add 3f2a91c0 billing urgent", "sessions tag remove 3f2a91c0 urgent"],
      }),
    );
  for (const change of ["add", "remove"] as const) {
    const command = tag
      .command(change)
      .description(change === "add" ? "add tags to a session" : "remove tags from a session")
      .argument("<session>", "id, the beginning of one, or a title")
      .argument("<tags...>", "tags, separated by blanks");
    addPlaceOptions(command)
      .addHelpText("after", helpText({ examples: [`sessions tag ${change} 3f2a91c0 billing`] }))
      .action(async (which: string, tags: readonly string[], flags: PlaceFlags) =>
        exitWith(await runTag(which, { [change]: tags }, flags, context)),
      );
  }
}

async function runTag(
  which: string,
  change: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
  flags: PlaceFlags,
  context: CliContext,
): Promise<number> {
  return inPlace(flags, context, async (place) => {
    const { sessionId } = (await place.find(which)).info;
    const tags = await place.tag(sessionId, change);
    if (flags.json === true) printJson(context.out, { version: SESSIONS_JSON_VERSION, sessionId, tags });
    else {
      const words = tags.length === 0 ? "has no tags now" : `is tagged ${showOnOneLine(tags.join(", "))} now`;
      context.out.write(`${showOnOneLine(sessionId)} ${words}.\n`);
    }
    return 0;
  });
}
