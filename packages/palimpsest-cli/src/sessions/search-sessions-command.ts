/**
 * `palimpsest sessions search TEXT`: finds a text in all sessions of a project or of the home.
 */
import type { SessionEvent } from "palimpsest";
import { searchSessions } from "palimpsest/compaction";
import { type SessionSearchHit, showOnOneLine } from "palimpsest/internal";
import { parseCount } from "../command-line/command.ts";
import { progressOf, stopIfAsked } from "../stored-sessions/read-session.ts";
import {
  type PlaceCall,
  type PlaceFlags,
  type ProjectsToRead,
  projectsToRead,
  REDACT_OPTION,
  sessionCommand,
} from "../stored-sessions/session-place.ts";
import { formatSessionTime, nameOf } from "../stored-sessions/session-words.ts";
import { columnsOf, cutToColumns } from "../terminal/columns.ts";
import { formatQuantity } from "../terminal/figures.ts";
import { type CliContext, layoutOf } from "../terminal/terminal.ts";

interface SearchFlags extends PlaceFlags {
  readonly all?: boolean;
  readonly limit: number;
  readonly redact: boolean;
}

/** A place where the text occurs. */
interface Hit extends SessionSearchHit {
  readonly name?: string;
  readonly project?: string;
}

/** Exit code where nothing was found. */
const NOTHING_FOUND = 3;

/** Places that are shown without `--limit`: two screens. */
const SHOWN_COUNT = 50;

export const searchSessionsCommand = sessionCommand(
  {
    name: "search",
    description: "find a text in sessions, newest sessions first",
    args: { "<text>": "an exact text; capital and small letters are the same" },
    options: [
      REDACT_OPTION,
      ["-a, --all", "in every project of the home"],
      ["-n, --limit <count>", "places to show", parseCount("--limit", { min: 1, max: 100_000 }), SHOWN_COUNT],
    ],
    examples: ['sessions search "harbour ledger"', "sessions search ECONNRESET --all --json"],
    exitCodes: { [NOTHING_FOUND]: "nothing was found" },
  },
  async (call: PlaceCall<SearchFlags>, text: string) => {
    const { flags, context } = call;
    const hits: Hit[] = [];
    const { projects, unreadableProjects }: ProjectsToRead =
      flags.all === true ? await projectsToRead(call.place, context) : { projects: [call.place.project] };
    const damaged = new Set<string>();
    for await (const hit of findAll(call, { text, projects, damaged })) {
      const isFirst = hit.sessionId !== hits.at(-1)?.sessionId;
      hits.push(hit);
      if (flags.json !== true) context.out.write(renderHit(hit, context, { text, isFirst }));
    }
    const isEmpty = hits.length === 0;
    const more =
      hits.length === flags.limit
        ? [`The first ${formatQuantity(hits.length, "place")}; --limit asks for more.`]
        : [];
    return {
      json: { hits, unreadableProjects, damagedSessions: damaged.size === 0 ? undefined : [...damaged] },
      err: isEmpty ? [`Nothing was found for ${showOnOneLine(JSON.stringify(text))}.`] : more,
      exitCode: isEmpty ? NOTHING_FOUND : 0,
    };
  },
);

interface Sought extends Pick<ProjectsToRead, "projects"> {
  readonly text: string;
  /** Ids of sessions that are damaged; they are searched as far as they can be read. */
  readonly damaged: Set<string>;
}

async function* findAll(
  { place, flags: { limit, folder, redact }, context }: PlaceCall<SearchFlags>,
  { text, projects, damaged }: Sought,
): AsyncGenerator<Hit> {
  const progress = progressOf(context);
  let left = limit;
  try {
    for (const [index, project] of projects.entries()) {
      const store = place.storeOf(project);
      progress.show({ label: project.name, share: index / projects.length, detail: "searching" });
      let named: { readonly id: string; readonly name: string | undefined } | undefined;
      const options = {
        limit: left,
        showsSecrets: !redact,
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
  { text, isFirst }: { readonly text: string; readonly isFirst: boolean },
): string {
  const { columns, styles } = layoutOf(out);
  const heading = cutToColumns(`${showOnOneLine(sessionId)}  ${name ?? ""}`.trimEnd(), columns);
  const place = `  m${seq}  ${formatSessionTime(at)}  `;
  const shown = fromMatch(showOnOneLine(snippet), text, columns - columnsOf(place));
  const line = cutToColumns(`${place}${shown}`, columns);
  return `${isFirst ? `${styles.bold(heading)}\n` : ""}${line}\n`;
}

/** The snippet, without as much of its beginning as would push the found text out of `columns`. */
function fromMatch(snippet: string, text: string, columns: number): string {
  const words = showOnOneLine(text).trim().toLowerCase();
  const at = snippet.toLowerCase().indexOf(words);
  if (at <= 0 || columnsOf(snippet.slice(0, at + words.length)) < columns) return snippet;
  // As much before it as after it, or all from it on if it is as wide as the line.
  const before = Math.max(0, Math.floor((columns - columnsOf(words)) / 2) - 1);
  return `…${cutStart(snippet.slice(0, at).replace(/^…/, ""), before)}${snippet.slice(at)}`;
}

/** The end of a text in at most `columns`. */
function cutStart(text: string, columns: number): string {
  const letters = [...text];
  while (columnsOf(letters.join("")) > columns) letters.shift();
  return letters.join("");
}
