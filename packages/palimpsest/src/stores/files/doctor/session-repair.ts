/**
 * Repairs a stored session without ever rewriting its log.
 *
 * DESIGN. A damaged stretch is copied to `<session>/damage/<position>.bad`, so that it is kept and known; the log stays
 * the same, byte for byte. Only useless files are removed: leases of dead writers, half-made files of a crash, and empty
 * folders. Blobs are never removed, because a backup of a log that lost lines would name them. The repair holds the
 * session's lease, so that no writer needs a file that it removes. Each step is atomic or repeatable, so a crash in the
 * middle costs nothing.
 */
import { dirname, join } from "node:path";
import { errorCode } from "../../../base/errors.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { LogDamage } from "../../../ports/session-store.ts";
import { storeFailure } from "../../shared/store-failure.ts";
import { TEMPORARY_ENDING } from "../blobs/blob-folder.ts";
import { SessionLease } from "../lease/session-lease.ts";
import { readBuffer, replaceFile, withFile } from "../replace/whole-file.ts";
import { isNotesLock, repairNotes } from "./notes-checkup.ts";
import { inspectSession, quarantineBytes, quarantinePath } from "./session-doctor.ts";
import type { DoctorOptions, SessionFinding, SessionRepair } from "./session-findings.ts";

/**
 * Checks the session again and repairs it: copies damage aside, removes litter. Is the session's writer meanwhile. Failed
 * repairs are in the result.
 * @throws `StoreError` `SESSION_IN_USE` if there is another writer; `SESSION_UNREADABLE` if the disk cannot be read.
 */
export async function repairSession(options: DoctorOptions): Promise<SessionRepair> {
  const before = await inspectSession(options);
  if (before.findings.length === 0) return { repaired: [], failed: [], left: [] };
  const lease = leaseOf(options);
  lease?.acquire(before.logBytes);
  const repaired: SessionFinding[] = [];
  const failed: { finding: SessionFinding; error: unknown }[] = [];
  const left: SessionFinding[] = [];
  try {
    // Acquiring the lease removed stale ones; everything else may have changed.
    const leases = before.findings.filter(({ kind }) => kind === "stale-lease");
    const { lease: _held, ...ours } = options;
    const found = (await inspectSession(ours)).findings;
    for (const finding of [...leases, ...found]) {
      lease?.renew();
      if (!finding.isMendable) left.push(finding);
      else
        try {
          await repair(options, finding);
          repaired.push(finding);
        } catch (error) {
          failed.push({ finding, error });
        }
    }
  } finally {
    lease?.release();
  }
  removeEmptyFolders(options);
  return { repaired, failed, left };
}

function leaseOf({ lease, sessionId, paths, fs }: DoctorOptions): SessionLease | undefined {
  if (lease === undefined) return undefined;
  const { sessionFolder } = paths;
  const leaseId = `mending by ${lease.process.pid} at ${lease.clock.nowMs()}`;
  return new SessionLease({ ...lease, sessionId, sessionFolder, fs, leaseId });
}

async function repair(options: DoctorOptions, finding: SessionFinding): Promise<void> {
  const { fs, paths } = options;
  const { kind, path, position, bytes, reason } = finding;
  if (kind === "notes-unfinished" || isNotesLock(finding)) return repairNotes(options);
  if (kind === "stale-lease") return;
  if (position !== undefined && reason !== undefined) {
    await quarantineDamage(options, { position, bytes, reason });
  } else if (kind === "blob-damaged") {
    const aside = join(paths.sessionFolder, "damage");
    fs.makeDirectory(aside);
    fs.rename(path, freeName(fs, join(aside, `${path.slice(dirname(path).length + 1)}.blob`)));
  } else if (fs.stat(path)?.isDirectory === true) {
    fs.removeDirectory(path);
  } else fs.remove(path);
}

/** Returns a name that no earlier file has. */
function freeName(fs: FileSystem, path: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? path : `${path}.${number}`;
    if (fs.stat(name) === undefined) return name;
  }
}

/**
 * Copies a damaged stretch of the log to `<session>/damage/<position>.bad`, unless it is there already.
 * The log stays as it is.
 * @throws `StoreError` `STORE_FAILED`.
 */
async function quarantineDamage(options: DoctorOptions, damage: LogDamage): Promise<void> {
  const { fs, paths } = options;
  const path = quarantinePath(options, damage);
  const length = quarantineBytes(damage);
  try {
    if (fs.stat(path)?.size === length) return;
    const temporaryPath = path + TEMPORARY_ENDING;
    if (fs.stat(temporaryPath) !== undefined) fs.remove(temporaryPath);
    const content = withFile(fs, paths.logFile, "read", (log) => readBuffer(log, damage.position, length));
    await replaceFile(fs, { path, temporaryPath, content });
  } catch (error) {
    throw storeFailure(
      `${length} bytes of ${paths.logFile} at ${damage.position} could not be copied aside`,
      error,
    );
  }
}

function removeEmptyFolders({ fs, paths }: DoctorOptions): void {
  for (const folder of [paths.blobFolder, paths.sessionFolder])
    try {
      fs.removeDirectory(folder);
    } catch (error) {
      // Not empty, or missing. The next check-up reports anything else.
      const code = errorCode(error);
      if (code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOENT") continue;
      return;
    }
}
