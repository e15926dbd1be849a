/**
 * `palimpsest sessions fork`, `rename`, `tag` and `restore`: commands that change or copy one session. Each prints
 * its result as one line, or as JSON.
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
import { inPlace, type SessionPlace } from "../stored-sessions/session-place.ts";
import { listedSession, SESSIONS_JSON_VERSION } from "../stored-sessions/sessions-json.ts";
import { type CliContext, printJson } from "../terminal/terminal.ts";

/** The result of a change, for people and for programs. */
interface Change {
  readonly line: string;
  readonly json: object;
}

interface ForkFlags extends PlaceFlags {
  readonly at?: number;
  readonly title?: string;
}

export function addFork(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("fork")
    .description("copy a session, up to a message, into a new one")
    .argument("<session>", "id, the beginning of one, or a title");
  addPlaceOptions(command)
    .option(
      "--at <entry>",
      "number of the last entry to copy, such as 12 of m12 (default: the newest)",
      parseCount("--at", { min: 1, max: Number.MAX_SAFE_INTEGER }),
    )
    .option("--title <title>", "title of the fork (default: that of the session, marked)")
    .addHelpText(
      "after",
      helpText({
        examples: ["sessions fork 3f2a91c0", 'sessions fork 3f2a91c0 --at 120 --title "Without the cache"'],
        notes: ["A session that another process is writing can be forked; it is only read."],
      }),
    )
    .action(async (which: string, flags: ForkFlags) =>
      exitWith(await change(flags, context, (place) => fork(place, which, flags, context.signal))),
    );
}

export function addRename(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("rename")
    .description("give a session a title")
    .argument("<session>", "id, the beginning of one, or its title so far")
    .argument("<title>", "the new title");
  addPlaceOptions(command)
    .addHelpText("after", helpText({ examples: ['sessions rename 3f2a91c0 "Fix the harbour ledger"'] }))
    .action(async (which: string, title: string, flags: PlaceFlags) => {
      if (title.trim() === "")
        throw new OptionError({
          message: "The title is empty.",
          hint: 'Give one in quotes: palimpsest sessions rename ID "A title"',
        });
      exitWith(await change(flags, context, (place) => rename(place, which, title)));
    });
}

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
  for (const action of ["add", "remove"] as const) {
    const command = tag
      .command(action)
      .description(action === "add" ? "add tags to a session" : "remove tags from a session")
      .argument("<session>", "id, the beginning of one, or a title")
      .argument("<tags...>", "tags, separated by blanks");
    addPlaceOptions(command)
      .addHelpText("after", helpText({ examples: [`sessions tag ${action} 3f2a91c0 billing`] }))
      .action(async (which: string, tags: readonly string[], flags: PlaceFlags) =>
        exitWith(await change(flags, context, (place) => changeTags(place, which, { [action]: tags }))),
      );
  }
}

export function addRestore(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("restore")
    .description("bring a session back from the trash")
    .argument("<session>", "id, or the beginning of one, as sessions list --trash shows it");
  addPlaceOptions(command)
    .addHelpText("after", helpText({ examples: ["sessions list --trash", "sessions restore 3f2a91c0"] }))
    .action(async (which: string, flags: PlaceFlags) =>
      exitWith(await change(flags, context, (place) => restore(place, which))),
    );
}

async function change(
  flags: PlaceFlags,
  context: CliContext,
  work: (place: SessionPlace) => Promise<Change>,
): Promise<number> {
  return inPlace(flags, context, async (place) => {
    const { line, json } = await work(place);
    if (flags.json === true) printJson(context.out, { version: SESSIONS_JSON_VERSION, ...json });
    else context.out.write(`${line}\n`);
    return 0;
  });
}

async function fork(
  place: SessionPlace,
  which: string,
  { at, title }: ForkFlags,
  signal: AbortSignal,
): Promise<Change> {
  const { sessionId } = (await place.find(which)).info;
  const session = await place.fork(sessionId, { atSeq: at, title, signal }).catch((error: unknown) => {
    throw asOption(error);
  });
  await session.close();
  return { line: showOnOneLine(session.id), json: { sessionId: session.id, forkOf: sessionId } };
}

/** A message number that the session does not have is a wrong option. */
function asOption(error: unknown): unknown {
  if (!(error instanceof PalimpsestError) || error.code !== "ENTRY_NOT_FOUND") return error;
  return new OptionError({
    message: error.message,
    hint: "Give the number of a message with --at, such as 12 of m12: palimpsest sessions show has them.",
  });
}

async function rename(place: SessionPlace, which: string, title: string): Promise<Change> {
  const { sessionId } = (await place.find(which)).info;
  await place.rename(sessionId, title);
  const line = `${showOnOneLine(sessionId)} is called ${showOnOneLine(title)} now.`;
  return { line, json: { sessionId, title } };
}

async function changeTags(
  place: SessionPlace,
  which: string,
  tagChange: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
): Promise<Change> {
  const { sessionId } = (await place.find(which)).info;
  const tags = await place.tag(sessionId, tagChange);
  const words = tags.length === 0 ? "has no tags now" : `is tagged ${showOnOneLine(tags.join(", "))} now`;
  return { line: `${showOnOneLine(sessionId)} ${words}.`, json: { sessionId, tags } };
}

async function restore(place: SessionPlace, which: string): Promise<Change> {
  const { info, project } = await place.restore(which);
  const session = listedSession(info, { project: project.name === "" ? undefined : project.name });
  const name = session.name === undefined ? "" : ` (${session.name})`;
  return { line: `${showOnOneLine(info.sessionId)}${name} is back.`, json: { session } };
}
