/**
 * `palimpsest sessions list`: the latest sessions, a page at a time, or what is in the trash.
 */
import { existsSync } from "node:fs";
import { type HomeProject, type SessionInfo, showOnOneLine } from "palimpsest/internal";
import { type CommandResult, parseCount } from "../command-line/command.ts";
import { type ListedSession, listedSession } from "../stored-sessions/listed-session.ts";
import {
  type PlaceCall,
  type PlaceFlags,
  type ProjectsToRead,
  projectsToRead,
  type SessionPlace,
  sessionCommand,
} from "../stored-sessions/session-place.ts";
import { formatSessionTime, shortIds, tagsOf } from "../stored-sessions/session-words.ts";
import { columnsOf, cutToColumns } from "../terminal/columns.ts";
import { formatQuantity } from "../terminal/figures.ts";
import { renderTable } from "./session-table.ts";

interface ListFlags extends PlaceFlags {
  readonly all?: boolean;
  readonly limit: number;
  readonly after?: string;
  readonly tag?: string;
  readonly trash?: boolean;
}

/** Sessions of a page: as many as a screen shows. */
const PAGE_SESSIONS = 20;
/** Sessions read at once while those without a tag are skipped: a few milliseconds. */
const TAGGED_BATCH_SESSIONS = 100;

export const listSessionsCommand = sessionCommand(
  {
    name: "list",
    alias: "ls",
    description: "list the latest sessions, newest first",
    options: [
      ["-a, --all", "sessions of every project in the home"],
      [
        "-n, --limit <count>",
        "sessions per page",
        parseCount("--limit", { min: 1, max: 100_000 }),
        PAGE_SESSIONS,
      ],
      ["--after <page>", "continue after a page, as that page says at its end"],
      ["--tag <tag>", "only sessions with this tag"],
      ["--trash", "list the trash instead"],
    ],
    examples: [
      "sessions list",
      "sessions list --all --limit 50",
      "sessions list --tag billing --json",
      "sessions list --trash",
    ],
    notes: ["Marks: ● in use by a process, ⑂ a fork, ↳ of an agent in the background, ↓ imported."],
  },
  (call: PlaceCall<ListFlags>) => (call.flags.trash === true ? listTrash(call) : listSessions(call)),
);

interface Page extends Pick<ProjectsToRead, "unreadableProjects"> {
  readonly sessions: readonly ListedSession[];
  readonly next?: string | undefined;
}

async function listSessions(call: PlaceCall<ListFlags>): Promise<CommandResult> {
  const { place, flags, context } = call;
  const page = await (flags.all === true ? everyProject(call) : oneProject(place, flags));
  const { sessions, next } = page;
  const { dim } = context.out.styles;
  const more =
    next === undefined
      ? []
      : ["", dim(`More: palimpsest sessions list${repeatedOptions(flags)} --after ${quoted(next)}`)];
  return {
    json: page,
    out:
      sessions.length === 0
        ? [dim(emptyWords(place, flags))]
        : [...renderTable(sessions, context.out, Date.now()), ...more],
  };
}

/** Writes the options of this call again, for the command of the next page. */
function repeatedOptions({ home, project, folder, all, tag, limit }: ListFlags): string {
  const options = Object.entries({ home, project, folder, tag }).flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${quoted(value)}`],
  );
  const page = limit === PAGE_SESSIONS ? "" : ` --limit ${limit}`;
  return `${options.join("")}${all === true ? " --all" : ""}${page}`;
}

/** Quotes a word for a shell. */
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

/**
 * Lists the latest sessions of all projects, merged. `--after` is the number of sessions that earlier pages have
 * shown.
 */
async function everyProject({ place, flags, context }: PlaceCall<ListFlags>): Promise<Page> {
  const { limit, after, tag } = flags;
  const shownCount = after === undefined ? 0 : parseCount("--after", { min: 0, max: 1_000_000 })(after);
  const wanted = { limit: shownCount + limit, ...(tag === undefined ? {} : { tag }) };
  const found: ListedSession[] = [];
  let hasMore = false;
  const { projects, unreadableProjects } = await projectsToRead(place, context);
  for (const project of projects) {
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
    unreadableProjects,
  };
}

/** Collects a page of a project's sessions, and skips those without the tag. */
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
    const page = await pageFrom(from, TAGGED_BATCH_SESSIONS);
    for (const [index, info] of page.sessions.entries()) {
      if (!tagsOf(info.metadata).includes(tag)) continue;
      found.push(info);
      // The page ends within this batch. A shorter list gives the start of the next page.
      if (found.length === limit) return { sessions: found, next: (await pageFrom(from, index + 1)).next };
    }
    from = page.next;
    if (from === undefined) return { sessions: found, next: undefined };
  }
}

async function listTrash({ place, flags, context }: PlaceCall<ListFlags>): Promise<CommandResult> {
  const { projects, unreadableProjects }: ProjectsToRead =
    flags.all === true ? await projectsToRead(place, context) : { projects: [place.project] };
  const trash = (
    await Promise.all(
      projects.map(async (project) =>
        (await place.listTrash(project)).map((trashed) => ({ ...trashed, project: project.name })),
      ),
    )
  ).flat();
  trash.sort((one, other) => (other.trashedAt ?? 0) - (one.trashedAt ?? 0));
  const { columns, styles } = context.out;
  const lines = trash.map(({ sessionId, trashedAt, reason }) => {
    const line = `${showOnOneLine(sessionId)}  ${formatSessionTime(trashedAt)}  ${showOnOneLine(reason ?? "")}`;
    return cutToColumns(line.trimEnd(), Math.max(columns, columnsOf(sessionId)));
  });
  const count = formatQuantity(trash.length, "session");
  return {
    json: { trash, unreadableProjects },
    out:
      trash.length === 0
        ? [styles.dim("The trash is empty.")]
        : [...lines, "", styles.dim(`${count}; palimpsest sessions restore ID brings one back.`)],
  };
}
