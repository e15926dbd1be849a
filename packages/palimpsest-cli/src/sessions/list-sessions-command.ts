/**
 * `palimpsest sessions list`: the latest sessions, a page at a time, or what is in the trash.
 */
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type HomeProject, type SessionInfo, showOnOneLine } from "palimpsest/internal";
import {
  addPlaceOptions,
  type CommandShell,
  helpText,
  type PlaceFlags,
  parseCount,
} from "../command-line/command-options.ts";
import { CLI_DEFAULTS } from "../defaults/cli.ts";
import { inPlace, type SessionPlace } from "../stored-sessions/session-place.ts";
import { formatSessionTime, shortIds, tagsOf } from "../stored-sessions/session-words.ts";
import {
  type ListedSession,
  listedSession,
  SESSIONS_JSON_VERSION,
} from "../stored-sessions/sessions-json.ts";
import { columnsOf, cutToColumns } from "../terminal/columns.ts";
import { formatQuantity } from "../terminal/figures.ts";
import { type CliContext, printJson } from "../terminal/terminal.ts";
import { renderTable } from "./session-table.ts";

export interface ListFlags extends PlaceFlags {
  readonly all?: boolean;
  readonly limit: number;
  readonly after?: string;
  readonly tag?: string;
  readonly trash?: boolean;
}

export function addList(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent.command("list").alias("ls").description("list the latest sessions, newest first");
  addPlaceOptions(command)
    .option("-a, --all", "sessions of every project in the home")
    .option(
      "-n, --limit <count>",
      "sessions per page",
      parseCount("--limit", { min: 1, max: 100_000 }),
      CLI_DEFAULTS.listPageSessions,
    )
    .option("--after <page>", "continue after a page, as that page says at its end")
    .option("--tag <tag>", "only sessions with this tag")
    .option("--trash", "list the trash instead")
    .addHelpText(
      "after",
      helpText({
        examples: [
          "sessions list",
          "sessions list --all --limit 50",
          "sessions list --tag billing --json",
          "sessions list --trash",
        ],
        notes: ["Marks: ● in use by a process, ⑂ a fork, ↓ imported."],
      }),
    )
    .action(async (flags: ListFlags) => exitWith(await runList(flags, context)));
}

export async function runList(flags: ListFlags, context: CliContext): Promise<number> {
  return inPlace(flags, context, async (place) => {
    if (flags.trash === true) await listTrash(place, flags, context);
    else await listSessions(place, flags, context);
    return 0;
  });
}

interface Page {
  readonly sessions: readonly ListedSession[];
  readonly next?: string | undefined;
}

async function listSessions(place: SessionPlace, flags: ListFlags, context: CliContext): Promise<void> {
  const page = flags.all === true ? await everyProject(place, flags) : await oneProject(place, flags);
  if (flags.json === true) {
    printJson(context.out, { version: SESSIONS_JSON_VERSION, sessions: page.sessions, next: page.next });
    return;
  }
  const { styles } = context.out;
  if (page.sessions.length === 0) {
    context.out.write(`${styles.dim(emptyWords(place, flags))}\n`);
    return;
  }
  const lines = renderTable(page.sessions, context.out, Date.now());
  const more =
    page.next === undefined
      ? []
      : ["", styles.dim(`More: palimpsest sessions list${sameAgain(flags)} --after ${quoted(page.next)}`)];
  context.out.write(`${[...lines, ...more].join("\n")}\n`);
}

/** The options that the next page needs to be one of the same list. */
function sameAgain({ home, project, folder, all, tag, limit }: ListFlags): string {
  const options = Object.entries({ home, project, folder, tag }).flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${quoted(value)}`],
  );
  const page = limit === CLI_DEFAULTS.listPageSessions ? "" : ` --limit ${limit}`;
  return `${options.join("")}${all === true ? " --all" : ""}${page}`;
}

/** As one word of a shell's line. */
function quoted(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${showOnOneLine(word).replaceAll("'", "'\\''")}'`;
}

function emptyWords(place: SessionPlace, { all, tag, folder, after }: ListFlags): string {
  if (after !== undefined) return "No more sessions: the list ends before what --after names.";
  const where = all === true || folder !== undefined ? showOnOneLine(place.folder) : "this project";
  if (folder !== undefined && !existsSync(place.folder)) return `There is no folder ${where}.`;
  const what = tag === undefined ? "No sessions" : `No sessions tagged ${showOnOneLine(tag)}`;
  return `${what} in ${where}.${all === true || folder !== undefined ? "" : " Try --all for every project."}`;
}

async function oneProject(place: SessionPlace, flags: ListFlags): Promise<Page> {
  const { sessions, next } = await collect(place, place.project, flags);
  const ids = await place.storeOf().list();
  const short = shortIds(
    sessions.map(({ sessionId }) => sessionId),
    ids,
  );
  const project = flags.folder === undefined ? place.project.name : undefined;
  return {
    sessions: sessions.map((info) => listedSession(info, { shortId: short.get(info.sessionId), project })),
    next,
  };
}

/** The latest of all projects, merged; a page begins behind as many as the pages before have shown. */
async function everyProject(place: SessionPlace, { limit, after, tag }: ListFlags): Promise<Page> {
  const shownCount = after === undefined ? 0 : parseCount("--after", { min: 0, max: 1_000_000 })(after);
  const wanted = { limit: shownCount + limit, ...(tag === undefined ? {} : { tag }) };
  const found: ListedSession[] = [];
  let hasMore = false;
  for (const project of await place.projects()) {
    const { sessions, next } = await collect(place, project, wanted);
    for (const info of sessions) found.push(listedSession(info, { project: project.name }));
    hasMore ||= next !== undefined;
  }
  found.sort((one, other) => other.lastActivityAt - one.lastActivityAt);
  const ids = found.map(({ sessionId }) => sessionId).sort();
  const short = shortIds(ids, ids);
  const end = shownCount + limit;
  return {
    sessions: found
      .slice(shownCount, end)
      .map((session) => ({ ...session, shortId: short.get(session.sessionId)! })),
    next: hasMore || found.length > end ? String(end) : undefined,
  };
}

/** Up to a page of sessions, those without the tag passed over. */
async function collect(
  place: SessionPlace,
  project: HomeProject,
  { limit, after, tag }: Pick<ListFlags, "limit" | "after" | "tag">,
): Promise<{ readonly sessions: readonly SessionInfo[]; readonly next: string | undefined }> {
  const pageFrom = (from: string | undefined, count: number) =>
    place.list({ project, limit: count, after: from });
  if (tag === undefined) {
    const { sessions, next } = await pageFrom(after, limit);
    return { sessions, next };
  }
  const found: SessionInfo[] = [];
  for (let from = after; ; ) {
    const page = await pageFrom(from, CLI_DEFAULTS.taggedBatchSessions);
    for (const [index, info] of page.sessions.entries()) {
      if (!tagsOf(info.metadata).includes(tag)) continue;
      found.push(info);
      // The page ends here: only the store can say where the next begins.
      if (found.length === limit) return { sessions: found, next: (await pageFrom(from, index + 1)).next };
    }
    from = page.next;
    if (from === undefined) return { sessions: found, next: undefined };
  }
}

async function listTrash(place: SessionPlace, flags: ListFlags, context: CliContext): Promise<void> {
  const projects = flags.all === true ? await place.projects() : [place.project];
  const found = (
    await Promise.all(
      projects.map(async (project) =>
        (await place.listTrash(project)).map((trashed) => ({ ...trashed, project: project.name })),
      ),
    )
  ).flat();
  found.sort((one, other) => (other.trashedAt ?? 0) - (one.trashedAt ?? 0));
  if (flags.json === true) {
    printJson(context.out, { version: SESSIONS_JSON_VERSION, trash: found });
    return;
  }
  const { out } = context;
  if (found.length === 0) return out.write(`${out.styles.dim("The trash is empty.")}\n`);
  for (const { sessionId, trashedAt, reason } of found) {
    const line = `${showOnOneLine(sessionId)}  ${formatSessionTime(trashedAt)}  ${showOnOneLine(reason ?? "")}`;
    out.write(`${cutToColumns(line.trimEnd(), Math.max(out.columns, columnsOf(sessionId)))}\n`);
  }
  out.write(
    `\n${out.styles.dim(`${formatQuantity(found.length, "session")}; palimpsest sessions restore ID brings one back.`)}\n`,
  );
}
