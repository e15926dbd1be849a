/**
 * Paths of a session in the trash, and the record of the time and reason of its move.
 *
 * ```text
 * <trash>/audit.jsonl               a line for every move, restore and purge
 * <trash>/<session>/log.jsonl       the log; a session with one is in the trash and can be restored
 * <trash>/<session>/files/          the session's folder, as it was
 * <trash>/<session>/trashed.json    time and reason
 * <trash>/<session>/purged.jsonl    in place of the log: the session is being purged
 * <trash>/<session>/left-<n>/       foreign files, which are never deleted
 * <trash>/.busy/<session>           an operation is under way or was interrupted
 * <trash>/.holder/                  the lease of the active process
 * ```
 *
 * Symbolic links are never followed.
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

/** All paths of a session, outside and inside the trash. */
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

/** Returns a free name for the foreign files of a session's folder. */
export function leftFolder(fs: FileSystem, { folder }: TrashPlaces): string {
  for (let number = 1; ; number++) {
    const path = join(folder, `left-${number}`);
    if (fs.stat(path) === undefined) return path;
  }
}

/** True for a folder that an earlier deletion left. */
export function isLeft(path: string): boolean {
  return /^left-\d+$/.test(basename(path));
}

/** True if there is a regular file. @throws `STORE_FAILED` for a link. */
export function hasFile(fs: FileSystem, path: string): boolean {
  return fileStat(fs, path) !== undefined;
}

/** The state of a regular file, if there is one. @throws `STORE_FAILED` for a link. */
export function fileStat(fs: FileSystem, path: string): FileStat | undefined {
  const stat = fs.stat(path);
  if (stat?.isLink) throw linkRefused(path);
  return stat?.isDirectory === false ? stat : undefined;
}

/** True if there is a folder. @throws `STORE_FAILED` for a link. */
export function hasFolder(fs: FileSystem, path: string): boolean {
  const stat = fs.stat(path);
  if (stat?.isLink) throw linkRefused(path);
  return stat?.isDirectory === true;
}

function linkRefused(path: string): StoreError {
  return new StoreError("STORE_FAILED", {
    message: `${path} is a symbolic link; its target is neither moved nor deleted.`,
    hint: "Replace the link by the file or folder itself, or remove it.",
  });
}

/** Writes the record of a move. The caller syncs and closes the returned file. */
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

/** Reads the record of a session in the trash; returns only its id if the record is damaged. */
export function readRecord(fs: FileSystem, { record, sessionId }: TrashPlaces): TrashedSession {
  const parsed = parseJson(readRecordText(fs, record));
  if (!parsed.ok || !isObject(parsed.value)) return { sessionId };
  const trashedAt = asNumber(parsed.value["trashedAt"]);
  const reason = asString(parsed.value["reason"]);
  return { sessionId, trashedAt, reason };
}

function readRecordText(fs: FileSystem, path: string): string {
  try {
    return hasFile(fs, path) ? readText(fs, path, RECORD_LIMIT_BYTES) : "";
  } catch {
    // Treated as missing: the session is listed without a date.
    return "";
  }
}
