/**
 * Where a session lies in the trash, and what is written down about it.
 *
 * ```text
 * <trash>/audit.jsonl               a line for every move, restore and purge
 * <trash>/<session>/log.jsonl       the log; what has one is in the trash and can be restored
 * <trash>/<session>/files/          the session's folder, as it was
 * <trash>/<session>/trashed.json    when and why
 * <trash>/<session>/purged.jsonl    in place of the log: it is being deleted for good
 * <trash>/<session>/left-<n>/       what was not the session's own and is never deleted
 * <trash>/.busy/<session>           an operation is under way, or was when its process ended
 * <trash>/.holder/                  the lease of the process that is at it
 * ```
 *
 * Nothing here is followed through a symbolic link.
 */
import { basename, join } from "node:path";
import { StoreError } from "../../../base/errors.ts";
import { asNumber, asString, isObject, parseJson } from "../../../base/json/json.ts";
import { shorten } from "../../../base/text/text.ts";
import type { FileStat, FileSystem, OpenFile } from "../../../ports/file-system.ts";
import type { TrashedSession, Trashing } from "../../../ports/session-store.ts";
import type { SessionPaths } from "../../shared/session-paths.ts";
import { readText, writeWhole } from "../replace/whole-file.ts";

const RECORD_VERSION = 1;
const RECORD_LIMIT_BYTES = 65_536;
const REASON_CHARS = 1_000;

/** Everywhere that a session, or a part of it, may lie. */
export interface TrashPlaces {
  readonly sessionId: string;
  readonly live: SessionPaths;
  readonly trashFolder: string;
  readonly folder: string;
  readonly log: string;
  readonly files: string;
  readonly record: string;
  readonly purged: string;
}

export function trashPlaces(trashFolder: string, sessionId: string, live: SessionPaths): TrashPlaces {
  const folder = join(trashFolder, sessionId);
  return {
    sessionId,
    live,
    trashFolder,
    folder,
    log: join(folder, "log.jsonl"),
    files: join(folder, "files"),
    record: join(folder, "trashed.json"),
    purged: join(folder, "purged.jsonl"),
  };
}

/** A free name for what is left of the session's folder. */
export function leftFolder(fs: FileSystem, { folder }: TrashPlaces): string {
  for (let number = 1; ; number++) {
    const path = join(folder, `left-${number}`);
    if (fs.stat(path) === undefined) return path;
  }
}

/** Whether an earlier deletion left this folder. */
export function isLeft(path: string): boolean {
  return /^left-\d+$/.test(basename(path));
}

/** Whether there is a regular file. @throws `STORE_FAILED` where a link stands in its place. */
export function hasFile(fs: FileSystem, path: string): boolean {
  return fileStat(fs, path) !== undefined;
}

/** Of a regular file, if there is one. @throws `STORE_FAILED` where a link stands in its place. */
export function fileStat(fs: FileSystem, path: string): FileStat | undefined {
  const stat = fs.stat(path);
  if (stat?.isLink) throw linkRefused(path);
  return stat?.isDirectory === false ? stat : undefined;
}

/** Whether there is a folder. @throws `STORE_FAILED` where a link stands in its place. */
export function hasFolder(fs: FileSystem, path: string): boolean {
  const stat = fs.stat(path);
  if (stat?.isLink) throw linkRefused(path);
  return stat?.isDirectory === true;
}

function linkRefused(path: string): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `${path} is a symbolic link; what it leads to is neither moved nor deleted.`,
    hint: "Put the file or folder itself in its place, or remove the link.",
  });
}

/** Writes down when and why. The file is open, for who makes it survive a power loss and closes it. */
export function writeRecord(
  fs: FileSystem,
  { record, sessionId }: TrashPlaces,
  { at, reason }: Trashing,
): OpenFile {
  const text = { v: RECORD_VERSION, sessionId, trashedAt: at, reason: shorten(reason, REASON_CHARS) };
  const file = fs.open(record, "create");
  try {
    writeWhole(file, Buffer.from(`${JSON.stringify(text)}\n`, "utf8"));
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** What is known of a session in the trash; only its id where the record is damaged. */
export function readRecord(fs: FileSystem, { record, sessionId }: TrashPlaces): TrashedSession {
  const parsed = parseJson(readRecordText(fs, record));
  if (!parsed.ok || !isObject(parsed.value)) return { sessionId };
  const trashedAt = asNumber(parsed.value["trashedAt"]);
  const reason = asString(parsed.value["reason"]);
  return {
    sessionId,
    ...(trashedAt === undefined ? {} : { trashedAt }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function readRecordText(fs: FileSystem, path: string): string {
  try {
    return hasFile(fs, path) ? readText(fs, path, RECORD_LIMIT_BYTES) : "";
  } catch {
    // A record that cannot be read is as good as none: the session is listed without a date.
    return "";
  }
}
