/**
 * Reads the lease files of a session and tells which process is its writer.
 *
 * FORMAT. `<session>/lease.<token>` is a JSON object with the process, the time, and how long the lease lasts without a
 * sign of life; the last sign is the file's modification time. The highest token counts. An unreadable lease is either
 * being written at this moment, or its process died while writing it. Leases only avoid conflicts: the log itself
 * guarantees that two writers never lose acknowledged entries (`log-writer.ts`).
 */
import { join } from "node:path";
import { errorCode } from "../../../base/errors.ts";
import { asNumber, asString, isObject, parseJson } from "../../../base/json/json.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { ProcessIdentity } from "../../../ports/runtime.ts";
import { readText } from "../replace/whole-file.ts";

/**
 * Longest lease that is believed, in milliseconds, so that a damaged file cannot lock a session for ever. Source:
 * our choice.
 */
const LEASE_TTL_LIMIT_MS = 300_000;
/**
 * Time without contents after which the writer of a lease is taken for dead, in milliseconds. Source: our choice;
 * writing it takes microseconds.
 */
const LEASE_WRITING_MS = 1_000;
/** Bytes of a lease file that are read. Source: our choice; one has about 300. */
const LEASE_LIMIT_BYTES = 4_096;

const LEASE_PATTERN = /^lease\.([1-9]\d{0,15})$/;
/** Tokens begin at the size of a log and grow by one. A higher one is invented, and must leave room for the next. */
const PLAUSIBLE_TOKEN = 2 ** 52;

/** The process that took a lease, from its file. */
interface LeaseHolder {
  /** Distinguishes two leases of one process. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  readonly space: string;
  readonly processStart: string | undefined;
  /** Milliseconds since the epoch. */
  readonly acquiredAt: number;
  readonly ttlMs: number;
}

/** The combined state of a session's lease files. */
export type LeaseState =
  | { readonly type: "free"; readonly token: 0; readonly paths: readonly string[] }
  | {
      /** `held`: there is a writer. `stale`: the writer is dead, or gave no sign of life for too long. */
      readonly type: "held" | "stale";
      /** The fencing token: of two leases the higher is the later. */
      readonly token: number;
      /** Every lease file, stale ones included. */
      readonly paths: readonly string[];
      readonly holder: LeaseHolder | undefined;
      /** Since the last sign of life, never below 0. */
      readonly ageMs: number;
      /** The process is certainly dead, so it never writes again. */
      readonly isDead: boolean;
    };

const FREE: LeaseState = { type: "free", token: 0, paths: [] };

/**
 * Returns the writer of the session with this folder. Reads only; costs one `stat` if there is no folder. Without
 * `process`, a dead writer is noticed when its lease expires. Throws the file system's error if the folder cannot be
 * read.
 */
export function leaseState(
  fs: FileSystem,
  sessionFolder: string,
  nowMs: number,
  process?: ProcessIdentity,
): LeaseState {
  const names = listLeases(fs, sessionFolder);
  const last = names.at(-1);
  if (last === undefined) return FREE;

  const paths = names.map(({ name }) => join(sessionFolder, name));
  const path = join(sessionFolder, last.name);
  const stat = fs.stat(path);
  // Released between the two reads.
  if (stat === undefined) return FREE;
  const holder = readHolder(fs, path);
  const distanceMs = Math.abs(nowMs - stat.modifiedMs);
  const isDead = holder !== undefined && process !== undefined && isGone(holder, process);
  // Far in the future is as implausible as far in the past: a clock jumped, and the lease is not renewed.
  const isSilent = !(distanceMs <= (holder?.ttlMs ?? LEASE_WRITING_MS));
  const type = isDead || isSilent ? "stale" : "held";
  const ageMs = Math.max(0, nowMs - stat.modifiedMs);
  return { type, token: last.token, paths, holder, ageMs, isDead };
}

/** The paths of all lease files in a folder, the highest token last; none where there is no folder. */
export function leasePaths(fs: FileSystem, sessionFolder: string): readonly string[] {
  return listLeases(fs, sessionFolder).map(({ name }) => join(sessionFolder, name));
}

/** The name of a lease file. */
export function leaseName(token: number): string {
  return `lease.${token}`;
}

/** True if a file of this name in a session's folder is a lease. */
export function isLeaseName(name: string): boolean {
  return LEASE_PATTERN.test(name);
}

function listLeases(
  fs: FileSystem,
  folder: string,
): readonly { readonly name: string; readonly token: number }[] {
  return namesIn(fs, folder)
    .flatMap((name) => {
      const token = Number(LEASE_PATTERN.exec(name)?.[1]);
      if (Number.isNaN(token) || fs.stat(join(folder, name))?.isDirectory === true) return [];
      return [{ name, token: token <= PLAUSIBLE_TOKEN ? token : 0 }];
    })
    .sort((one, other) => one.token - other.token);
}

function namesIn(fs: FileSystem, folder: string): readonly string[] {
  try {
    return fs.stat(folder)?.isDirectory === true ? fs.list(folder) : [];
  } catch (error) {
    // Removed between the two reads.
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Returns `undefined` if the file is gone, half written, or not a lease of ours. */
export function readHolder(fs: FileSystem, path: string): LeaseHolder | undefined {
  const parsed = parseJson(readHolderText(fs, path));
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const { id, pid, host, space, processStart, acquiredAt, ttlMs } = parsed.value;
  const ttl = asNumber(ttlMs);
  const found = { id: asString(id), pid: asNumber(pid), host: asString(host), space: asString(space) };
  if (found.id === undefined || found.pid === undefined || ttl === undefined) return undefined;
  return {
    id: found.id,
    pid: found.pid,
    host: found.host ?? "",
    space: found.space ?? "",
    processStart: asString(processStart),
    acquiredAt: asNumber(acquiredAt) ?? 0,
    ttlMs: Math.min(Math.max(0, ttl), LEASE_TTL_LIMIT_MS),
  };
}

function readHolderText(fs: FileSystem, path: string): string {
  try {
    return readText(fs, path, LEASE_LIMIT_BYTES);
  } catch (error) {
    // Gone, or not a file: there is no holder to name.
    const code = errorCode(error);
    if (code === "ENOENT" || code === "EINVAL" || code === "EISDIR") return "";
    throw error;
  }
}

function isGone({ space, pid, processStart }: LeaseHolder, process: ProcessIdentity): boolean {
  if (space !== process.space || !Number.isSafeInteger(pid) || pid < 1) return false;
  return !process.isAlive(pid, processStart);
}

/** Describes the writer for a message, with the seconds until its lease expires if it is dead. */
export function holderText(
  { holder, ageMs }: Exclude<LeaseState, { type: "free" }>,
  process: ProcessIdentity,
): readonly [who: string, waitSeconds?: number] {
  const ttlMs = holder?.ttlMs ?? LEASE_WRITING_MS;
  const waitSeconds = Math.max(1, Math.ceil((ttlMs - ageMs) / 1_000));
  if (holder === undefined) return ["another process is taking it just now", waitSeconds];
  if (holder.pid === process.pid && holder.space === process.space)
    return [`this process (${holder.pid}) has it open already and is its writer`];
  const sign = `its last sign of life was ${(ageMs / 1_000).toFixed(1)} s ago`;
  return [`process ${holder.pid} on ${holder.host} is its writer, and ${sign}`, waitSeconds];
}
