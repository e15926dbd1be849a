/**
 * Names of the files of a session's notes, all of them in the session's folder.
 *
 * ```text
 * notes.md                                     the notes
 * notes.md.<id>.tmp                            new notes, being written
 * notes.taken.<when>-<fingerprint>-<id>.md     the old `notes.md` during a replacement
 * notes.copying.<when>-<fingerprint>-<id>.md   new notes during a copy to `notes.md`, without hard links
 * notes.previous.<when>-<fingerprint>-<id>.md  replaced notes, kept for a while
 * notes.conflict-<number>.md                   text of a person that is not in `notes.md`
 * .notes/                                      the lease of the program that replaces the notes
 * ```
 *
 * `when` is in milliseconds since the epoch. The fingerprint is that of the text at that time, so a name alone tells if
 * the file was changed since.
 */
import type { Hasher } from "../../../ports/runtime.ts";
import type { LockPatience } from "../lease/lease-lock.ts";

/**
 * Longest time that a program waits for another that replaces the same notes, in milliseconds. Source: our choice;
 * replacing them takes as long as the disk takes to sync a file.
 */
const NOTES_WAIT_MS = 5_000;
/** Pause between two looks whether the other is done, in milliseconds; up to twice that. Source: our choice. */
const NOTES_POLL_MS = 5;

/** The file that people edit. */
export const NOTES_NAME = "notes.md";
/** The folder of the lease. */
export const NOTES_LOCK_NAME = ".notes";
export const NOTES_PATIENCE: LockPatience = {
  waitMs: NOTES_WAIT_MS,
  pollMs: NOTES_POLL_MS,
};
const TEMPORARY_PATTERN = /^notes\.md\.[0-9A-Za-z-]+\.tmp$/;
const CONFLICT_PATTERN = /^notes\.conflict-\d{1,6}\.md$/;
const STAMPED_PATTERN = /^notes\.(taken|copying|previous)\.((\d{1,16})-([0-9a-f]{16})-[0-9A-Za-z-]+)\.md$/;
const FINGERPRINT_DIGITS = 16;

/** A version of the notes during or after a replacement. */
export interface StampedNotes {
  readonly role: "taken" | "copying" | "previous";
  readonly name: string;
  /** Identifies the version; the same in every role. */
  readonly stamp: string;
  readonly atMs: number;
  readonly fingerprint: string;
}

/** Parses the name of a version. */
export function parseStamped(name: string): StampedNotes | undefined {
  const match = STAMPED_PATTERN.exec(name);
  if (match === null) return undefined;
  const [, role, stamp, atMs, fingerprint] = match;
  return {
    role: role as StampedNotes["role"],
    name,
    stamp: stamp!,
    atMs: Number(atMs),
    fingerprint: fingerprint!,
  };
}

/** Makes the name of a version. */
export function stampedNotes(
  role: StampedNotes["role"],
  { atMs, fingerprint, id }: { readonly atMs: number; readonly fingerprint: string; readonly id: string },
): StampedNotes {
  const whenMs = Math.max(0, Math.floor(atMs) || 0);
  const stamp = `${whenMs}-${fingerprint}-${id}`;
  return { role, name: stampedName(role, stamp), stamp, atMs: whenMs, fingerprint };
}

/** The name of a version in one of its roles. */
export function stampedName(role: StampedNotes["role"], stamp: string): string {
  return `notes.${role}.${stamp}.md`;
}

/** A short hash of any bytes. */
export function fingerprintOf(bytes: Buffer, hasher: Hasher): string {
  return hasher.sha256(bytes.toString("base64")).slice(0, FINGERPRINT_DIGITS);
}

export function temporaryNotesName(id: string): string {
  return `${NOTES_NAME}.${id}.tmp`;
}

export function isTemporaryNotes(name: string): boolean {
  return TEMPORARY_PATTERN.test(name);
}

export function conflictName(number: number): string {
  return `notes.conflict-${number}.md`;
}

export function isConflictName(name: string): boolean {
  return CONFLICT_PATTERN.test(name);
}
