/**
 * Names of the files that a session's notes may lie in, all of them in the session's folder.
 *
 * ```text
 * notes.md                                     the notes
 * notes.md.<id>.tmp                            new notes, being written
 * notes.taken.<when>-<fingerprint>-<id>.md     what was `notes.md`, while it is being replaced
 * notes.copying.<when>-<fingerprint>-<id>.md   new notes, while they are copied to `notes.md`: files have one name there
 * notes.previous.<when>-<fingerprint>-<id>.md  notes that were replaced, kept for a while
 * notes.conflict-<number>.md                   what a person wrote and is not in `notes.md`
 * .notes/                                      the lease of the program that replaces them
 * ```
 *
 * `when` are milliseconds since the epoch; the fingerprint is that of the text that was to be replaced. So a
 * file says by itself whether somebody has written to it since, whoever finds it.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { Hasher } from "../../../ports/runtime.ts";
import type { LockPatience } from "../lease/lease-lock.ts";

/** The file that people know. */
export const NOTES_NAME = "notes.md";
/** The folder that the lease of who replaces them lies in. */
export const NOTES_LOCK_NAME = ".notes";
export const NOTES_PATIENCE: LockPatience = {
  waitMs: STORE_DEFAULTS.notesWaitMs,
  pollMs: STORE_DEFAULTS.notesPollMs,
};
const TEMPORARY_PATTERN = /^notes\.md\.[0-9A-Za-z-]+\.tmp$/;
const CONFLICT_PATTERN = /^notes\.conflict-\d{1,6}\.md$/;
const STAMPED_PATTERN = /^notes\.(taken|copying|previous)\.((\d{1,16})-([0-9a-f]{16})-[0-9A-Za-z-]+)\.md$/;
const FINGERPRINT_DIGITS = 16;

/** A version of the notes that is on its way, or was replaced. */
export interface StampedNotes {
  readonly role: "taken" | "copying" | "previous";
  readonly name: string;
  /** Tells it from others; the same in every role. */
  readonly stamp: string;
  readonly atMs: number;
  readonly fingerprint: string;
}

/** The version that a file of this name is, if it is one. */
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

/** The version with these figures. */
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

/** What tells two texts apart; also of bytes that are no text. */
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
