/**
 * Checks the sessions of one folder: logs and the files beside them, folders without a session, the index.
 */
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SessionStore } from "palimpsest";
import { nodeFileSystem, nodeHasher, nodeProcess, StoreError, systemClock, systemTimer } from "palimpsest";
import type { DoctorOptions, SessionFinding } from "palimpsest/internal";
import {
  errorMessage,
  inspectSession,
  isIndexOfOtherVersion,
  isSessionId,
  parseSessionIndex,
  repairSession,
  sessionPaths,
} from "palimpsest/internal";
import type { DoctorFinding, Found } from "./doctor-finding.ts";

const INDEX_NAME = ".index.jsonl";
/** Age from which a session's folder without a log is reported: a session stores its first large blocks before its log. */
const ORPHAN_AGE_MS = 3_600_000;
/** Generated session ids: no other folder has such a name. */
const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Figures of one session. */
interface CheckedSession {
  readonly findings: readonly DoctorFinding[];
  readonly logBytes: number;
  readonly blobBytes: number;
}

interface IdsOfFolder {
  readonly stored: readonly string[];
  /** Folders without a log that are not new. */
  readonly orphaned: readonly string[];
}

/**
 * The session ids of a folder, including sessions whose log is missing. In a folder that other programs use too, a
 * subfolder without a log counts as a session only if its name is a UUID. A folder that cannot be read is a finding.
 */
export async function idsIn(
  { folder, isOurs }: { readonly folder: string; readonly isOurs: boolean },
  store: SessionStore,
): Promise<IdsOfFolder | { readonly unreadable: DoctorFinding }> {
  let stored: readonly string[];
  try {
    stored = await store.list();
  } catch (error) {
    return { unreadable: unreadableFolder(folder, error) };
  }
  const known = new Set(stored);
  const orphaned = namesIn(folder).filter(
    (name) =>
      (isOurs ? isSessionId(name) : UUID_PATTERN.test(name)) &&
      !known.has(name) &&
      isSettledFolder(join(folder, name)),
  );
  return { stored, orphaned };
}

/** The finding for a trash that cannot be read; none otherwise. */
export async function checkTrash(folder: string, store: SessionStore): Promise<readonly DoctorFinding[]> {
  try {
    await store.listTrash();
    return [];
  } catch (error) {
    return [unreadableFolder(folder, error)];
  }
}

/** @throws `error` if it is not about the folder */
function unreadableFolder(path: string, error: unknown): DoctorFinding {
  if (!(error instanceof StoreError)) throw error;
  const advice = `${error.message} ${error.hint}`;
  return { kind: "unreadable", level: "problem", path, advice, isMendable: false };
}

/** Checks a session, and repairs it if asked. Never throws because of a finding. */
export async function checkSession(
  sessionId: string,
  at: { readonly folder: string; readonly isRepairing: boolean },
): Promise<CheckedSession> {
  const options: DoctorOptions = {
    sessionId,
    paths: sessionPaths(at.folder, sessionId),
    fs: nodeFileSystem,
    hasher: nodeHasher,
    lease: { clock: systemClock, process: nodeProcess, timer: systemTimer },
  };
  try {
    const { findings, isInUse, logBytes, blobBytes, entryCount } = await inspectSession(options);
    if (entryCount === 0 && logBytes > 0)
      return { findings: [notALog(sessionId, options.paths.logFile)], logBytes, blobBytes };
    const looked = findings.map((one) => toFinding(sessionId, one, isInUse));
    const canRepair = at.isRepairing && !isInUse && findings.some(({ isMendable }) => isMendable);
    return { findings: canRepair ? await repairAll(options) : looked, logBytes, blobBytes };
  } catch (error) {
    return { findings: [unreadable(sessionId, options.paths.logFile, error)], logBytes: 0, blobBytes: 0 };
  }
}

async function repairAll(options: DoctorOptions): Promise<readonly DoctorFinding[]> {
  const { sessionId } = options;
  const { repaired, failed, left } = await repairSession(options);
  return [
    ...repaired.map((one) => ({ ...toFinding(sessionId, one, false), isMended: true })),
    ...failed.map(({ finding, error }) => ({
      ...toFinding(sessionId, finding, false),
      failure: errorMessage(error),
    })),
    ...left.map((one) => toFinding(sessionId, one, false)),
  ];
}

function toFinding(sessionId: string, one: SessionFinding, isInUse: boolean): DoctorFinding {
  const { kind, path, position, bytes, advice, isMendable, isQuarantined } = one;
  // A blob that is kept in case a damaged entry names it needs no action; derived files are made again.
  const isHarmless =
    kind === "torn-tail" ||
    kind === "notes-conflict" ||
    kind === "tasks-damaged" ||
    kind === "derived-outdated" ||
    isQuarantined ||
    kind === "blob-unreferenced";
  const words = isQuarantined ? `${advice} (Already done.)` : advice;
  return {
    kind,
    // What an open session is in the middle of looks like what a crash leaves.
    level: isHarmless || (isInUse && isMendable) ? "note" : "problem",
    path,
    sessionId,
    position,
    bytes,
    advice: isInUse && isMendable ? `${words} (Its session is open now: try again later.)` : words,
    isMendable: isMendable && !isInUse,
  };
}

/** Another program's file may have such a name; a log without any readable entry cannot be repaired. */
function notALog(sessionId: string, path: string): DoctorFinding {
  const advice =
    "No entry can be read: this is not a session log, or nothing is left of one. It is not changed.";
  return { kind: "unreadable", level: "problem", path, sessionId, advice, isMendable: false };
}

function unreadable(sessionId: string, path: string, error: unknown): DoctorFinding {
  const advice = errorMessage(error);
  return { kind: "unreadable", level: "problem", path, sessionId, advice, isMendable: false };
}

/** An index that does not agree with itself; it is a cache, and the next list makes it again. */
export function checkIndex(folder: string): readonly Found[] {
  const path = join(folder, INDEX_NAME);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    // None is as good as a sound one.
    return [];
  }
  if (parseSessionIndex(bytes) !== undefined || isIndexOfOtherVersion(bytes)) return [];
  const advice =
    "The index of the folder is damaged; lists read every session until it is made again: removed.";
  return [
    {
      finding: { kind: "index", level: "problem", path, bytes: bytes.length, advice, isMendable: true },
      repair: () => rmSync(path, { force: true }),
    },
  ];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There are no sessions of this project.
    return [];
  }
}

function isSettledFolder(path: string): boolean {
  try {
    const found = lstatSync(path);
    return found.isDirectory() && Date.now() - found.mtimeMs > ORPHAN_AGE_MS;
  } catch {
    return false;
  }
}
