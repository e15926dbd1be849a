/**
 * `palimpsest notes show` and `path`: the notes as they are stored on standard output, facts about them on standard
 * error; or only their path.
 */

import { existsSync } from "node:fs";
import type { Command } from "commander";
import { showHidden, showOnOneLine } from "palimpsest/internal";
import {
  addPlaceOptions,
  type CommandShell,
  helpText,
  type PlaceFlags,
} from "../command-line/command-options.ts";
import { notesJson, notesWords } from "../stored-sessions/notes-report.ts";
import { type KnownNotes, readNotes, templateOf, withSession } from "../stored-sessions/read-notes.ts";
import { inPlace } from "../stored-sessions/session-place.ts";
import { SESSIONS_JSON_VERSION } from "../stored-sessions/sessions-json.ts";
import { type CliContext, printJson } from "../terminal/terminal.ts";

export function addNotesShow(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("show")
    .description("print the notes, the entries they cover, and sections over their limit")
    .argument("[session]", "id, the beginning of one, or a title (default: the latest session)");
  addPlaceOptions(command)
    .addHelpText(
      "after",
      helpText({
        examples: ["notes show", "notes show 3f2a91c0 > notes.md", "notes show 3f2a91c0 --json"],
        notes: ["The notes go to standard output as they are stored; facts about them go to standard error."],
      }),
    )
    .action(async (which: string | undefined, flags: PlaceFlags) =>
      exitWith(await runNotesShow(which, flags, context)),
    );
}

async function runNotesShow(
  which: string | undefined,
  flags: PlaceFlags,
  context: CliContext,
): Promise<number> {
  return inPlace(flags, context, (place) =>
    withSession(place, which, async (opened, notes) => {
      const known = await readNotes(opened, notes, templateOf(place, flags, context));
      if (flags.json === true) {
        const { sessionId } = opened.info;
        printJson(context.out, {
          version: SESSIONS_JSON_VERSION,
          sessionId,
          ...notesJson(known),
          text: known.text,
        });
      } else print(known, context, opened.info.sessionId);
      return 0;
    }),
  );
}

function print(known: KnownNotes, { out, err }: CliContext, sessionId: string): void {
  const { text } = known;
  if (text === undefined) {
    err.write(
      `Session ${showOnOneLine(sessionId)} has no notes. palimpsest notes edit ${showOnOneLine(sessionId)} creates them.\n`,
    );
  } else {
    // Pipes and files get the bytes; for a terminal, characters that could control it are escaped.
    const shown = out.isInteractive ? showHidden(text.replaceAll("\r\n", "\n")) : text;
    out.write(shown.endsWith("\n") || !out.isInteractive ? shown : `${shown}\n`);
    for (const line of notesWords(known)) err.write(`${err.styles.dim(line)}\n`);
    return;
  }
  for (const line of notesWords(known).slice(1)) err.write(`${err.styles.dim(line)}\n`);
}

export function addPath(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("path")
    .description("print the path of the notes, even if there are none yet")
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
