/**
 * `palimpsest sessions fork`, `rename`, `tag`, `trash` and `restore`: commands that change or copy one session. Each prints
 * its result as one line, or as JSON.
 */
import { OptionError, PalimpsestError } from "palimpsest";
import { showOnOneLine } from "palimpsest/internal";
import { type AddCommand, parseCount } from "../command-line/command.ts";
import { listedSession } from "../stored-sessions/listed-session.ts";
import {
  type PlaceCall,
  type PlaceFlags,
  SESSION_ARGUMENT,
  sessionCommand,
} from "../stored-sessions/session-place.ts";

interface ForkFlags extends PlaceFlags {
  readonly at?: number;
  readonly title?: string;
}

const fork = sessionCommand(
  {
    name: "fork",
    description: "copy a session, up to a message, into a new one",
    args: SESSION_ARGUMENT,
    options: [
      [
        "--at <entry>",
        "number of the last entry to copy, such as 12 of m12 (default: the newest)",
        parseCount("--at", { min: 1, max: Number.MAX_SAFE_INTEGER }),
      ],
      ["--title <title>", "title of the fork (default: that of the session, marked)"],
    ],
    examples: ["sessions fork 3f2a91c0", 'sessions fork 3f2a91c0 --at 120 --title "Without the cache"'],
    notes: ["A session that another process is writing can be forked; it is only read."],
  },
  async ({ place, flags: { at, title }, context: { signal } }: PlaceCall<ForkFlags>, which: string) => {
    const { sessionId: forkOf } = (await place.find(which)).info;
    const session = await place.fork(forkOf, { atSeq: at, title, signal }).catch((error: unknown) => {
      throw asOption(error);
    });
    await session.close();
    return { out: [showOnOneLine(session.id)], json: { sessionId: session.id, forkOf } };
  },
);

/** Turns the error for an entry that the session does not have into one about `--at`. */
function asOption(error: unknown): unknown {
  if (!(error instanceof PalimpsestError) || error.code !== "ENTRY_NOT_FOUND") return error;
  return new OptionError({
    message: error.message,
    hint: "Give the number of a message with --at, such as 12 of m12: palimpsest sessions show has them.",
  });
}

const rename = sessionCommand(
  {
    name: "rename",
    description: "give a session a title",
    args: { "<session>": "id, the beginning of one, or its title so far", "<title>": "the new title" },
    examples: ['sessions rename 3f2a91c0 "Fix the harbour ledger"'],
  },
  async ({ place }: PlaceCall, which: string, title: string) => {
    if (title.trim() === "")
      throw new OptionError({
        message: "The title is empty.",
        hint: 'Give one in quotes: palimpsest sessions rename ID "A title"',
      });
    const { sessionId } = (await place.find(which)).info;
    await place.rename(sessionId, title);
    const line = `${showOnOneLine(sessionId)} is called ${showOnOneLine(title)} now.`;
    return { out: [line], json: { sessionId, title } };
  },
);

const tag: AddCommand = async (parent, shell) => {
  const group = parent
    .command("tag")
    .description("add tags to a session, or remove them")
    .addHelpText(
      "after",
      `
Examples:
  palimpsest sessions tag add 3f2a91c0 billing urgent
  palimpsest sessions tag remove 3f2a91c0 urgent`,
    );
  for (const action of ["add", "remove"] as const) await tagCommand(action)(group, shell);
};

function tagCommand(action: "add" | "remove"): AddCommand {
  return sessionCommand(
    {
      name: action,
      description: action === "add" ? "add tags to a session" : "remove tags from a session",
      args: { ...SESSION_ARGUMENT, "<tags...>": "tags, separated by blanks" },
      examples: [`sessions tag ${action} 3f2a91c0 billing`],
    },
    async ({ place }: PlaceCall, which: string, changed: readonly string[]) => {
      const { sessionId } = (await place.find(which)).info;
      const tags = await place.tag(sessionId, { [action]: changed });
      const words = tags.length === 0 ? "has no tags now" : `is tagged ${showOnOneLine(tags.join(", "))} now`;
      return { out: [`${showOnOneLine(sessionId)} ${words}.`], json: { sessionId, tags } };
    },
  );
}

const trash = sessionCommand(
  {
    name: "trash",
    alias: "rm",
    description: "move a session to the trash",
    args: SESSION_ARGUMENT,
    examples: ["sessions trash 3f2a91c0", "sessions list --trash"],
    notes: [
      "sessions restore brings it back, until sessions clean deletes it for good, 30 days later. Memories that came",
      "from it stay: palimpsest memory forget. A session that another process is writing is refused.",
    ],
  },
  async ({ place }: PlaceCall, which: string) => {
    const { info, project } = await place.trash(which);
    const session = listedSession(info, { project: project.name });
    const name = session.name === undefined ? "" : ` (${session.name})`;
    const id = showOnOneLine(info.sessionId);
    const line = `${id}${name} is in the trash; palimpsest sessions restore ${id} brings it back.`;
    return { out: [line], json: { session } };
  },
);

const restore = sessionCommand(
  {
    name: "restore",
    description: "bring a session back from the trash",
    args: { "<session>": "id, or the beginning of one, as sessions list --trash shows it" },
    examples: ["sessions list --trash", "sessions restore 3f2a91c0"],
  },
  async ({ place }: PlaceCall, which: string) => {
    const { info, project } = await place.restore(which);
    const session = listedSession(info, { project: project.name });
    const name = session.name === undefined ? "" : ` (${session.name})`;
    return { out: [`${showOnOneLine(info.sessionId)}${name} is back.`], json: { session } };
  },
);

export const CHANGE_SESSION_COMMANDS = { fork, rename, tag, trash, restore };
