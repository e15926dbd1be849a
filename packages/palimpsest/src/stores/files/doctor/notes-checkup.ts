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
import { type DoctorOptions, finding, type SessionFinding } from "./session-findings.ts";

const LOCK_ADVICE = "The program that replaced the notes is gone: removed.";
const UNFINISHED_ADVICE = "A crash came while the notes were replaced: the old or the new are put in place.";
const CONFLICT_ADVICE =
  "A person saved this while the notes were replaced: copy what is needed, then remove it.";

/** Finds problems of the notes. Changes nothing. */
export function checkNotes({ fs, paths, lease }: DoctorOptions): readonly SessionFinding[] {
  const folder = new NotesFolder(fs, paths.sessionFolder);
  const isMendable = false;
  const refused = whyUnreadable(() => folder.names());
  if (refused !== undefined)
    return [finding("notes-unreadable", paths.sessionFolder, 0, refused, { isMendable })];
  const names = folder.names();
  const findingOf = (kind: SessionFinding["kind"], path: string, advice: string): SessionFinding =>
    finding(kind, path, fs.stat(path)?.size ?? 0, advice, {
      isMendable: !["notes-unreadable", "notes-conflict"].includes(kind),
    });
  const all = (kind: SessionFinding["kind"], found: readonly string[], advice: string) =>
    found.map((name) => findingOf(kind, folder.at(name), advice));
  const unreadable = whyUnreadable(() => {
    const bytes = folder.read(NOTES_NAME);
    if (bytes !== undefined) decodeNotes(bytes, folder.at(NOTES_NAME));
    // A dangling link.
    else if (names.includes(NOTES_NAME)) throw linkRefused(folder.at(NOTES_NAME));
  });
  const lock = lease && leaseState(fs, folder.at(NOTES_LOCK_NAME), lease.clock.nowMs(), lease.process);
  const unfinished = unfinishedIn(names).map(({ name }) => name);
  return [
    ...(lock?.type === "stale" ? lock.paths : []).map((path) => findingOf("stale-lease", path, LOCK_ADVICE)),
    ...(unreadable === undefined ? [] : all("notes-unreadable", [NOTES_NAME], unreadable)),
    ...all("notes-unfinished", unfinished, UNFINISHED_ADVICE),
    ...all("litter", names.filter(isTemporaryNotes), "Notes that a crash left half written: removed."),
    ...all("notes-conflict", names.filter(isConflictName), CONFLICT_ADVICE),
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
