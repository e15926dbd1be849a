/**
 * `palimpsest sessions search TEXT`: finds a text in all sessions of a project or of the home.
 */
import type { Command } from "commander";
import type { SessionEvent } from "palimpsest";
import { type SessionSearchHit, searchSessions, showOnOneLine } from "palimpsest/internal";
import {
  addPlaceOptions,
  addRedactOption,
  type CommandShell,
  helpText,
  type PlaceFlags,
  parseCount,
  type RedactFlags,
} from "../command-line/command-options.ts";
import { CLI_DEFAULTS } from "../defaults/cli.ts";
import { progressOf, stopIfAsked } from "../stored-sessions/read-session.ts";
import { inPlace, type SessionPlace } from "../stored-sessions/session-place.ts";
import { formatSessionTime, nameOf } from "../stored-sessions/session-words.ts";
import { SESSIONS_JSON_VERSION } from "../stored-sessions/sessions-json.ts";
import { cutToColumns } from "../terminal/columns.ts";
import { formatQuantity } from "../terminal/figures.ts";
import { type CliContext, layoutOf, printJson } from "../terminal/terminal.ts";

export interface SearchFlags extends PlaceFlags, RedactFlags {
  readonly all?: boolean;
  readonly limit: number;
}

/** A place where the text occurs. */
interface Hit extends SessionSearchHit {
  readonly name?: string;
  readonly project?: string;
}

/** Exit code where nothing was found. */
const NOTHING_FOUND = 3;

export function addSearch(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("search")
    .description("find a text in sessions, newest sessions first")
    .argument("<text>", "an exact text; capital and small letters are the same");
  addRedactOption(addPlaceOptions(command))
    .option("-a, --all", "in every project of the home")
    .option(
      "-n, --limit <count>",
      "places to show",
      parseCount("--limit", { min: 1, max: 100_000 }),
      CLI_DEFAULTS.searchedPlacesCount,
    )
    .addHelpText(
      "after",
      helpText({
        examples: ['sessions search "harbour ledger"', "sessions search ECONNRESET --all --json"],
        exitCodes: { [NOTHING_FOUND]: "nothing was found" },
      }),
    )
    .action(async (text: string, flags: SearchFlags) => exitWith(await runSearch(text, flags, context)));
}

export async function runSearch(text: string, flags: SearchFlags, context: CliContext): Promise<number> {
  return inPlace(flags, context, async (place) => {
    const hits: Hit[] = [];
    let last: string | undefined;
    for await (const hit of findAll(place, text, flags, context)) {
      hits.push(hit);
      if (flags.json === true) continue;
      context.out.write(renderHit(hit, context, hit.sessionId !== last));
      last = hit.sessionId;
    }
    if (flags.json === true) printJson(context.out, { version: SESSIONS_JSON_VERSION, hits });
    else if (hits.length === 0)
      context.err.write(`Nothing was found for ${showOnOneLine(JSON.stringify(text))}.\n`);
    else if (hits.length === flags.limit)
      context.err.write(`The first ${formatQuantity(hits.length, "place")}; --limit asks for more.\n`);
    return hits.length === 0 ? NOTHING_FOUND : 0;
  });
}

async function* findAll(
  place: SessionPlace,
  text: string,
  { all, limit, folder, redact }: SearchFlags,
  context: CliContext,
): AsyncGenerator<Hit> {
  const progress = progressOf(context);
  const projects = all === true ? await place.projects() : [place.project];
  const damaged = new Set<string>();
  let left = limit;
  try {
    for (const [index, project] of projects.entries()) {
      const store = place.storeOf(project);
      progress.show({ label: project.name, share: index / projects.length, detail: "searching" });
      let named: { readonly id: string; readonly name: string | undefined } | undefined;
      const options = {
        limit: left,
        showsSecrets: redact === false,
        signal: context.signal,
        observer: {
          onEvent: (event: SessionEvent): void => {
            if (event.type === "damage") damaged.add(event.sessionId ?? "");
          },
        },
      };
      for await (const hit of searchSessions(store, text, options)) {
        progress.clear();
        if (named?.id !== hit.sessionId)
          named = { id: hit.sessionId, name: nameOf(await store.find(hit.sessionId)) };
        left--;
        yield {
          ...hit,
          name: named.name,
          ...(folder === undefined ? { project: project.name } : {}),
        };
      }
      if (left <= 0) return;
    }
  } catch (error) {
    stopIfAsked(context);
    throw error;
  } finally {
    progress.clear();
    if (damaged.size > 0)
      context.err.write(
        `${formatQuantity(damaged.size, "session")} damaged, and searched as far as can be read; palimpsest doctor says more\n`,
      );
  }
}

function renderHit(
  { sessionId, name, seq, at, snippet }: Hit,
  { out }: CliContext,
  isFirst: boolean,
): string {
  const { columns, styles } = layoutOf(out);
  const heading = cutToColumns(`${showOnOneLine(sessionId)}  ${name ?? ""}`.trimEnd(), columns);
  const line = cutToColumns(`  m${seq}  ${formatSessionTime(at)}  ${showOnOneLine(snippet)}`, columns);
  return `${isFirst ? `${styles.bold(heading)}\n` : ""}${line}\n`;
}
