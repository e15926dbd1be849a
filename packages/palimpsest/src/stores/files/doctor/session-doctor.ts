/**
 * Reads a stored session completely and reports problems. Changes nothing.
 *
 * A blob that no entry names is reported and always kept: a log that was cut and continued, or lost a line, looks whole,
 * and its backup would name the blob. The blob is deleted with its session, through the trash. Files with foreign names
 * are ignored.
 */

import { basename, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { errorCode } from "../../../base/errors.ts";
import { addAll } from "../../../base/lists.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { LogDamage } from "../../../ports/session-store.ts";
import { foldTasks } from "../../../tasks/fold-tasks.ts";
import type { Entry } from "../../../transcript/entries.ts";
import { readFailure } from "../../shared/store-failure.ts";
import { BLOB_NAME_PATTERN, readBlobText, TEMPORARY_ENDING } from "../blobs/blob-folder.ts";
import { leaseState } from "../lease/lease-state.ts";
import { readScanned, scanInSteps } from "../log/ordered-log.ts";
import { missingTail } from "../log/recorded-end.ts";
import { readBytes } from "../replace/whole-file.ts";
import { TaskFolder } from "../tasks/task-folder.ts";
import { checkDerived } from "./derived-checkup.ts";
import { checkNotes } from "./notes-checkup.ts";
import { type DoctorOptions, finding, type SessionCheckup, type SessionFinding } from "./session-findings.ts";

const HASH_PATTERN = /"([0-9a-f]{64})"/g;

/** The facts about a log that the doctor needs. */
interface ReadLog {
  readonly exists: boolean;
  readonly bytes: number;
  readonly entryCount: number;
  readonly lastSeq: number;
  readonly damage: readonly LogDamage[];
  /** Blobs by hash, with the number of the first entry that has them as a block. */
  readonly blobs: ReadonlyMap<string, number>;
  /** Every hash anywhere in an entry, also in fields of later versions. */
  readonly mentioned: ReadonlySet<string>;
}

/**
 * Reads a session completely and reports problems. Changes nothing, and never throws for damage.
 * @throws `StoreError` `SESSION_UNREADABLE` if the disk cannot be read.
 */
export async function inspectSession(options: DoctorOptions): Promise<SessionCheckup> {
  const { paths, sessionId } = options;
  try {
    const log = await readThrough(options);
    const blobs = await checkBlobs(options, log);
    const leases = checkLeases(options);
    return {
      sessionId,
      isInUse: leases.isInUse,
      entryCount: log.entryCount,
      logBytes: log.bytes,
      blobCount: blobs.count,
      blobBytes: blobs.bytes,
      findings: [
        ...checkLog(options, log),
        ...blobs.findings,
        ...checkNotes(options),
        ...checkTasks(options),
        ...derivedFindings(options, log.lastSeq),
        ...leases.findings,
        ...checkFolders(options, leases.isInUse),
      ],
    };
  } catch (error) {
    throw readFailure(paths.sessionFolder, error);
  }
}

async function readThrough({ paths, fs }: DoctorOptions): Promise<ReadLog> {
  const blobs = new Map<string, number>();
  const mentioned = new Set<string>();
  if (fs.stat(paths.logFile) === undefined)
    return { exists: false, bytes: 0, entryCount: 0, lastSeq: 0, damage: [], blobs, mentioned };
  const damage: LogDamage[] = [];
  let entryCount = 0;
  let lastSeq = 0;
  const file = fs.open(paths.logFile, "read");
  try {
    const missing = missingTail(fs, paths.endFile, file);
    const bytes = file.size();
    const scan = await scanInSteps(file, bytes);
    for (const part of readScanned(file, scan, false)) {
      addAll(damage, part.damage);
      entryCount += part.entries.length;
      lastSeq = part.entries.at(-1)?.entry.seq ?? lastSeq;
      for (const { entry } of part.entries) collectBlobs(entry, blobs, mentioned);
      await setImmediate();
    }
    if (missing !== undefined) damage.push(missing);
    return { exists: true, bytes, entryCount, lastSeq, damage, blobs, mentioned };
  } finally {
    file.close();
  }
}

function collectBlobs(entry: Entry, blobs: Map<string, number>, mentioned: Set<string>): void {
  if (entry.type === "message")
    for (const block of entry.content)
      if (block.type === "blob" && !blobs.has(block.blob.hash)) blobs.set(block.blob.hash, entry.seq);
  for (const [, hash] of JSON.stringify(entry).matchAll(HASH_PATTERN)) mentioned.add(hash!);
}

const EMPTIED = "The log is empty, and blobs of its session are there: a backup may have it. Kept.";

function checkLog(options: DoctorOptions, log: ReadLog): readonly SessionFinding[] {
  const { logFile } = options.paths;
  if (log.exists && log.bytes === 0 && log.damage.length === 0)
    return listOrNothing(options.fs, options.paths.blobFolder).length > 0
      ? [finding("missing-entries", logFile, 0, EMPTIED, { isMendable: false })]
      : [finding("litter", logFile, 0, "An empty log, left by a crash before its first entry: removed.")];
  return log.damage.map((one) => {
    const { position, reason } = one;
    const isKept = isQuarantined(options, one);
    const more = { position, reason, isQuarantined: isKept, isMendable: shouldKeep(one) && !isKept };
    return finding(kindOf(one), logFile, one.bytes, adviceFor(one), more);
  });
}

function kindOf({ reason }: LogDamage): SessionFinding["kind"] {
  if (reason === "torn-tail") return "torn-tail";
  if (reason === "missing" || reason === "missing-tail") return "missing-entries";
  return reason === "duplicate-seq" || reason === "forked" ? "late-entries" : "damage";
}

/** True if a copy is kept. A torn write left half an entry that was never acknowledged: no copy. */
function shouldKeep({ reason, bytes }: LogDamage): boolean {
  return reason !== "torn-tail" && bytes > 0;
}

function adviceFor({ reason, position, bytes }: LogDamage): string {
  const where = `${bytes} bytes at ${position}`;
  switch (reason) {
    case "torn-tail":
      return `${where} are what a crash left of an append that was never acknowledged; they stay and do no harm.`;
    case "missing":
      return `Entries before ${position} are not in the log; a backup may have them.`;
    case "missing-tail":
      return `The log ends at ${position} and was longer: its last entries are gone; a backup may have them.`;
    case "duplicate-seq":
    case "forked":
      return `${where} are entries of a late writer, which got an error: copied aside.`;
    default:
      return `${where} cannot be read (${reason}): copied aside, and the log stays as it is.`;
  }
}

/** Path of the copy of a damaged stretch. */
export function quarantinePath({ paths }: DoctorOptions, { position }: LogDamage): string {
  return join(paths.sessionFolder, "damage", `${position}.bad`);
}

/** Size of the copy: the beginning of a stretch that is longer than a line may be. The log keeps all of it. */
export function quarantineBytes({ bytes }: LogDamage): number {
  return Math.min(bytes, STORE_DEFAULTS.lineLimitBytes);
}

function isQuarantined(options: DoctorOptions, damage: LogDamage): boolean {
  return options.fs.stat(quarantinePath(options, damage))?.size === quarantineBytes(damage);
}

interface BlobCheck {
  readonly count: number;
  readonly bytes: number;
  readonly findings: readonly SessionFinding[];
}

async function checkBlobs(options: DoctorOptions, log: ReadLog): Promise<BlobCheck> {
  const { fs, paths } = options;
  const findings: SessionFinding[] = [];
  // The target of a link is not ours.
  const isOurs = fs.stat(paths.blobFolder)?.isLink !== true;
  const names = isOurs ? listOrNothing(fs, paths.blobFolder) : [];
  const hashes = names.filter((name) => BLOB_NAME_PATTERN.test(name));
  let bytes = 0;
  for (const hash of hashes) {
    const path = join(paths.blobFolder, hash);
    const size = fs.stat(path)?.size ?? 0;
    bytes += size;
    if (!isSound(options, path, hash))
      findings.push(
        finding("blob-damaged", path, size, "Its bytes are not those that were stored: moved aside."),
      );
    else if (!log.mentioned.has(hash)) findings.push(unreferenced(path, size));
    await setImmediate();
  }
  for (const name of names)
    if (name.endsWith(TEMPORARY_ENDING)) findings.push(halfWritten(fs, join(paths.blobFolder, name)));
  const there = new Set(hashes);
  for (const [hash, seq] of log.blobs)
    if (!there.has(hash)) findings.push(missing(join(paths.blobFolder, hash), seq));
  return { count: hashes.length, bytes, findings };
}

function isSound({ fs, hasher }: DoctorOptions, path: string, hash: string): boolean {
  return readBlobText(readBytes(fs, path), hash, hasher) !== undefined;
}

function unreferenced(path: string, size: number): SessionFinding {
  const advice = "No entry names it: left by a crash, or named by lines that the log has lost. Kept.";
  return finding("blob-unreferenced", path, size, advice, { isMendable: false });
}

function missing(path: string, seq: number): SessionFinding {
  const advice = `Entry ${seq} names a block that is not there; its preview is shown. A backup may have the file.`;
  return finding("blob-missing", path, 0, advice, { seq, isMendable: false });
}

function halfWritten(fs: FileSystem, path: string): SessionFinding {
  return finding("litter", path, fs.stat(path)?.size ?? 0, "A file that a crash left half written: removed.");
}

function checkLeases({ fs, paths, lease }: DoctorOptions): {
  readonly isInUse: boolean;
  readonly findings: readonly SessionFinding[];
} {
  if (lease === undefined) return { isInUse: false, findings: [] };
  const state = leaseState(fs, paths.sessionFolder, lease.clock.nowMs(), lease.process);
  if (state.type !== "stale") return { isInUse: state.type === "held", findings: [] };
  const advice = "The writer that took it is gone: removed.";
  return {
    isInUse: false,
    findings: state.paths.map((path) => finding("stale-lease", path, fs.stat(path)?.size ?? 0, advice)),
  };
}

/** Lines of the tasks' journal that cannot be read. */
function checkTasks({ fs, paths }: DoctorOptions): readonly SessionFinding[] {
  const folder = join(paths.sessionFolder, "tasks");
  const path = join(folder, "journal.jsonl");
  const stat = fs.stat(path);
  if (stat === undefined) return [];
  const unusual = fs.stat(folder)?.isLink || stat.isLink || stat.isDirectory || stat.isSpecial;
  const { lines, damagedLines } = unusual
    ? { lines: [], damagedLines: 0 }
    : new TaskFolder({ fs, folder }).readJournal();
  const count = damagedLines + foldTasks(lines).skippedLines;
  if (count === 0 && !unusual) return [];
  const advice = unusual
    ? "The journal of the background tasks is not a plain file: it is not read."
    : `${count} lines of the journal of the background tasks cannot be read: they are skipped.`;
  return [finding("tasks-damaged", path, stat.size, advice, { isMendable: false })];
}

function derivedFindings(options: DoctorOptions, lastSeq: number): readonly SessionFinding[] {
  const { fs, paths } = options;
  const folder = join(paths.sessionFolder, "derived");
  // The target of a link is not ours.
  const names = fs.stat(folder)?.isLink === true ? [] : listOrNothing(fs, folder);
  const halves = names.filter((name) => name.endsWith(TEMPORARY_ENDING));
  return [
    ...halves.map((name) => halfWritten(fs, join(folder, name))),
    ...checkDerived(options, folder, { names, lastSeq }),
  ];
}

/** Half-made copies of damage, and empty folders. */
function checkFolders({ fs, paths }: DoctorOptions, isInUse: boolean): readonly SessionFinding[] {
  if (isInUse) return [];
  const damageFolder = join(paths.sessionFolder, "damage");
  const copies = listOrNothing(fs, damageFolder).filter((name) => name.endsWith(TEMPORARY_ENDING));
  const folders = [paths.blobFolder, damageFolder, join(paths.sessionFolder, "derived"), paths.sessionFolder];
  const empty = folders.filter((folder) => isEmptyFolder(fs, folder));
  return [
    ...copies.map((name) => halfWritten(fs, join(damageFolder, name))),
    ...empty.map((folder) =>
      finding("litter", folder, 0, `The folder ${basename(folder)} is empty: removed.`),
    ),
  ];
}

function isEmptyFolder(fs: FileSystem, folder: string): boolean {
  return fs.stat(folder)?.isDirectory === true && fs.list(folder).length === 0;
}

function listOrNothing(fs: FileSystem, folder: string): readonly string[] {
  try {
    return fs.list(folder);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
