/**
 * Paths in a memory directory. Our own files are in one hidden folder, so that a person who opens the directory sees
 * only memories.
 *
 * ```text
 * MEMORY.md, topics/deploy.md       memories: every other file that ends in .md
 * .palimpsest/
 *   work/<when>-<id>.<state>/       one change each, while it is made and a little longer
 *     plan.json                     which paths, from which version to which
 *     new.<n>                       the text that the n-th path of the plan is to have
 *     old.<n>                       the file that was there, taken out
 *     gone.<n>                      a new text that was put in place and undone
 *   old/<when>-<id>.old/            finished changes with the replaced files, for a moment
 *   lease.<n>                       the lease of the program that is changing memories
 *   locks/<name>/                   leases that callers asked for
 *   archive/<day>-<when>-<id>/…     archived memories, under their paths
 *   kept/<when>-<id>.<old|gone>/…   texts that a person saved during a replacement
 *   records/<name>                  journals and logs
 *   derived/index                   what searches need, made from the memories: it may be removed at any time
 * ```
 *
 * `when` is in milliseconds since the epoch, `id` is random: no name is ever used twice.
 */
import { isObject, parseJson } from "../../../base/json/json.ts";
import { memoryPathProblem } from "../../shared/memory-path.ts";

const OWN_FOLDER = ".palimpsest";
export const PLACES = {
  own: OWN_FOLDER,
  work: `${OWN_FOLDER}/work`,
  old: `${OWN_FOLDER}/old`,
  locks: `${OWN_FOLDER}/locks`,
  archive: `${OWN_FOLDER}/archive`,
  kept: `${OWN_FOLDER}/kept`,
  records: `${OWN_FOLDER}/records`,
  derived: `${OWN_FOLDER}/derived`,
} as const;

/**
 * `new`: prepared; no memory is changed yet. `doing`: files are being exchanged; if its program died, the next one undoes
 * it. `undo`: being undone. `done`: committed; remains have to be removed. `old`: the replaced files, kept for editors
 * that have them open.
 */
type WorkState = "new" | "doing" | "undo" | "done" | "old";

/** One change on the disk. */
export interface PendingWork {
  readonly id: string;
  readonly state: WorkState;
  readonly atMs: number;
  readonly folder: string;
}

/** One path of a change, from which version to which. */
export interface WorkItem {
  readonly path: string;
  readonly base: string | undefined;
  readonly next: string | undefined;
}

export interface WorkPlan {
  readonly items: readonly WorkItem[];
  /** Folders that the change has to make, the outermost first. */
  readonly folders: readonly string[];
}

const WORK_PATTERN = /^((\d{1,15})-[0-9A-Za-z-]{1,64})\.(new|doing|undo|done|old)$/;
const ARCHIVE_PATTERN = /^\d{4}-\d\d-\d\d-(\d{1,15})-[0-9A-Za-z-]{1,64}$/;
const PIECE_PATTERN = /^(new|old|gone)\.(\d{1,6})$/;
const VERSION_PATTERN = /^[0-9a-f]{64}$/;
export const PLAN_NAME = "plan.json";

export function workId(atMs: number, id: string): string {
  return `${Math.max(0, Math.floor(atMs))}-${id}`;
}

export function workAs({ id, atMs }: Pick<PendingWork, "id" | "atMs">, state: WorkState): PendingWork {
  return { id, atMs, state, folder: `${PLACES.work}/${id}.${state}` };
}

/** The place of a finished change, apart from unfinished ones. */
export function pastWork({ id, atMs }: Pick<PendingWork, "id" | "atMs">): PendingWork {
  return { id, atMs, state: "old", folder: `${PLACES.old}/${id}.old` };
}

/** The change that a folder of this name is, if it is one. */
export function parseWork(name: string): PendingWork | undefined {
  const match = WORK_PATTERN.exec(name);
  if (match === null) return undefined;
  return workAs({ id: match[1]!, atMs: Number(match[2]) }, match[3] as WorkState);
}

export function pieceOf({ folder }: PendingWork, kind: "new" | "old" | "gone", index: number): string {
  return `${folder}/${kind}.${index}`;
}

export function parsePiece(
  name: string,
): { readonly kind: "new" | "old" | "gone"; readonly index: number } | undefined {
  const match = PIECE_PATTERN.exec(name);
  return match === null ? undefined : { kind: match[1] as "new" | "old" | "gone", index: Number(match[2]) };
}

export function formatPlan(plan: WorkPlan): string {
  return `${JSON.stringify({ v: 1, ...plan })}\n`;
}

/** `undefined` for what no program of ours wrote, or not to its end. */
export function parsePlan(text: string): WorkPlan | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const { items, folders } = parsed.value;
  if (!Array.isArray(items) || !Array.isArray(folders)) return undefined;
  const found = items.map(parseItem);
  if (!found.every((item) => item !== undefined)) return undefined;
  const isFolder = (folder: unknown): folder is string =>
    memoryPathProblem(`${String(folder)}/a.md`) === undefined;
  return folders.every(isFolder) ? { items: found, folders } : undefined;
}

function parseItem(item: unknown): WorkItem | undefined {
  if (!isObject(item) || typeof item["path"] !== "string" || memoryPathProblem(item["path"]) !== undefined)
    return undefined;
  const [base, next] = [item["base"], item["next"]];
  return isVersion(base) && isVersion(next) ? { path: item["path"], base, next } : undefined;
}

function isVersion(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === "string" && VERSION_PATTERN.test(value));
}

/** The day is for people. */
export function archiveFolder({ id, atMs }: PendingWork): string {
  return `${PLACES.archive}/${new Date(atMs).toISOString().slice(0, 10)}-${id}`;
}

/** Time at which a folder of the archive was made; `undefined` for a foreign folder. */
export function archivedAtMs(name: string): number | undefined {
  const match = ARCHIVE_PATTERN.exec(name);
  return match === null ? undefined : Number(match[1]);
}

export function keptPath({ id }: PendingWork, kind: "old" | "gone", path: string): string {
  return `${PLACES.kept}/${id}.${kind}/${path}`;
}

/** The folder that a path lies in; empty for the memory directory itself. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
