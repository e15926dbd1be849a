/** Checks and repairs the notes of a session, for the doctor. */
import { basename, dirname } from "node:path";
import { errorCode } from "../../../base/errors.ts";
import { randomIds, systemClock } from "../../platform/node-ports.ts";
import { sessionInUse } from "../../shared/store-failure.ts";
import { decodeNotes } from "../../shared/text-bytes.ts";
import { LeaseLock } from "../lease/lease-lock.ts";
import { leaseState } from "../lease/lease-state.ts";
import { linkRefused, NotesFolder } from "../notes/notes-folder.ts";
import {
  isConflictName,
  isTemporaryNotes,
  NOTES_LOCK_NAME,
  NOTES_NAME,
  NOTES_PATIENCE,
} from "../notes/notes-names.ts";
import { NotesSettling, unfinishedIn } from "../notes/notes-recovery.ts";
import type { DoctorOptions, SessionFinding } from "./session-findings.ts";

const LOCK_ADVICE = "The program that replaced the notes is gone: removed.";

/** Finds problems of the notes. Changes nothing. */
export function checkNotes({ fs, paths, lease }: DoctorOptions): readonly SessionFinding[] {
  const folder = new NotesFolder(fs, paths.sessionFolder);
  const refused = whyUnreadable(() => folder.names());
  if (refused !== undefined) return [finding("notes-unreadable", paths.sessionFolder, 0, refused)];
  const names = folder.names();
  const bytesOf = (name: string): number => fs.stat(folder.at(name))?.size ?? 0;
  const findingOf = (kind: SessionFinding["kind"], name: string, advice: string): SessionFinding =>
    finding(kind, folder.at(name), bytesOf(name), advice);
  const unreadable = whyUnreadable(() => {
    const bytes = folder.read(NOTES_NAME);
    if (bytes !== undefined) decodeNotes(bytes, folder.at(NOTES_NAME));
    // A dangling link.
    else if (names.includes(NOTES_NAME)) throw linkRefused(folder.at(NOTES_NAME));
  });
  const lock = lease && leaseState(fs, folder.at(NOTES_LOCK_NAME), lease.clock.nowMs(), lease.process);
  return [
    ...(lock?.type === "stale" ? lock.paths : []).map((path) => ({
      ...finding("stale-lease", path, fs.stat(path)?.size ?? 0, LOCK_ADVICE),
      isMendable: true,
    })),
    ...(unreadable === undefined ? [] : [findingOf("notes-unreadable", NOTES_NAME, unreadable)]),
    ...unfinishedIn(names).map(({ name }) => ({
      ...findingOf(
        "notes-unfinished",
        name,
        "A crash came while the notes were replaced: the old or the new are put in place.",
      ),
      isMendable: true,
    })),
    ...names.filter(isTemporaryNotes).map((name) => ({
      ...findingOf("litter", name, "Notes that a crash left half written: removed."),
      isMendable: true,
    })),
    ...names
      .filter(isConflictName)
      .map((name) =>
        findingOf(
          "notes-conflict",
          name,
          "A person saved this while the notes were replaced: copy what is needed, then remove it.",
        ),
      ),
  ];
}

/** True for the lease of a program that replaced the notes; false for a writer's. */
export function isNotesLock({ path }: SessionFinding): boolean {
  return basename(dirname(path)) === NOTES_LOCK_NAME;
}

/** Finishes an interrupted replacement; takes over a stale lease and releases it. */
export async function repairNotes({ sessionId, fs, paths, hasher, lease }: DoctorOptions): Promise<void> {
  const folder = new NotesFolder(fs, paths.sessionFolder);
  const clock = lease?.clock ?? systemClock;
  const settling = new NotesSettling({ folder, hasher, ids: randomIds, clock });
  const lock = new LeaseLock({
    ...{ id: sessionId, folder: folder.at(NOTES_LOCK_NAME), fs, ids: randomIds, lease },
  });
  const held = await lock.hold(NOTES_PATIENCE);
  if (held === undefined) throw sessionInUse(sessionId, "another program replaces its notes");
  try {
    await settling.settle(folder.names());
  } finally {
    held.release();
  }
  await fs.syncDirectory(paths.sessionFolder);
}

/** Returns the reason why the notes cannot be read, if so. @throws other errors of the disk. */
function whyUnreadable(read: () => void): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (errorCode(error) !== "NOTES_UNREADABLE") throw error;
    return `${(error as Error).message} The session goes on without its notes.`;
  }
}

function finding(kind: SessionFinding["kind"], path: string, bytes: number, advice: string): SessionFinding {
  return { kind, path, bytes, isQuarantined: false, isMendable: false, advice };
}
