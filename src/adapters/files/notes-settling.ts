/**
 * Finishes or undoes what a crash, or somebody who is at it, left of replacing notes: every version that
 * is not `notes.md` is put back, kept for a while, kept for good or removed. Doing it twice, or while its
 * owner goes on with it, changes nothing: whoever finds a file gone lets it be.
 */
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import type { Hasher } from "../../ports/hasher.ts";
import { errorCode } from "../shared/store-failure.ts";
import type { NotesFolder } from "./notes-folder.ts";
import {
  conflictName,
  fingerprintOf,
  isTemporaryNotes,
  NOTES_NAME,
  parseStamped,
  type StampedNotes,
  stampedName,
} from "./notes-names.ts";
import { writeWhole } from "./whole-file.ts";

/** Versions that are in the middle of something, the newest first. */
export function unfinishedIn(names: readonly string[]): readonly StampedNotes[] {
  return stampedIn(names).filter(({ role }) => role !== "previous");
}

export class NotesSettling {
  readonly #folder: NotesFolder;
  readonly #hasher: Hasher;

  constructor(folder: NotesFolder, hasher: Hasher) {
    this.#folder = folder;
    this.#hasher = hasher;
  }

  /** Settles what is in the middle of something. */
  async settle(names: readonly string[]): Promise<void> {
    const unfinished = unfinishedIn(names);
    for (const version of unfinished) if (version.role === "copying") await this.#finishCopy(version);
    for (const version of unfinished) if (version.role === "taken") this.settleTaken(version);
  }

  /** Removes what nobody needs any more; for whoever is about to replace the notes. */
  tidy(names: readonly string[], nowMs: number): void {
    for (const name of names) if (isTemporaryNotes(name)) this.#folder.remove(name);
    for (const version of stampedIn(names)) {
      if (version.role !== "previous") continue;
      const bytes = this.#readOrLeave(version.name);
      if (bytes === undefined) continue;
      // Somebody had the file open, and has written to it since it was taken away from under its name.
      if (!this.#isUntouched(version, bytes)) this.#keep(version, bytes);
      else if (isPast(version, nowMs)) this.#folder.remove(version.name);
    }
  }

  /** Puts it back where nobody wrote meanwhile; else keeps it as what it is. */
  settleTaken(version: StampedNotes): void {
    if (this.#folder.moveUnlessTaken(version.name, NOTES_NAME)) return;
    const bytes = this.#readOrLeave(version.name);
    if (bytes === undefined) return;
    // By now it may be the same file under two names.
    if (this.#readOrLeave(NOTES_NAME)?.equals(bytes)) this.#folder.remove(version.name);
    else if (this.#isUntouched(version, bytes)) this.keepAsPrevious(version);
    else this.#keep(version, bytes);
  }

  /** It was replaced: an editor may still hold it open. */
  keepAsPrevious({ name, stamp }: StampedNotes): void {
    this.#folder.rename(name, stampedName("previous", stamp));
  }

  /** What the notes are to be, as far as they arrived. Only ever added to: a person may be at it by now. */
  async #finishCopy({ name }: StampedNotes): Promise<void> {
    const { fs } = this.#folder;
    const whole = this.#readOrLeave(name);
    const torn = this.#readOrLeave(NOTES_NAME);
    if (whole !== undefined && torn !== undefined && isTornOf(torn, whole)) {
      const file = fs.open(this.#folder.at(NOTES_NAME), "append");
      try {
        writeWhole(file, whole.subarray(torn.length));
        await file.sync();
      } finally {
        file.close();
      }
    }
    this.#folder.remove(name);
  }

  /** Under the first free name of its own. Where all are in use it stays under the one that it has. */
  #keep({ name }: StampedNotes, bytes: Buffer): void {
    for (let number = 1; number <= STORE_DEFAULTS.notesConflictsCount; number++) {
      const conflict = conflictName(number);
      const isKept = this.#readOrLeave(conflict)?.equals(bytes) === true;
      if (isKept) this.#folder.remove(name);
      if (isKept || this.#folder.moveUnlessTaken(name, conflict)) return;
    }
  }

  /** What cannot be read is nothing to decide on: it stays. */
  #readOrLeave(name: string): Buffer | undefined {
    try {
      return this.#folder.read(name);
    } catch (error) {
      if (errorCode(error) === "NOTES_UNREADABLE") return undefined;
      throw error;
    }
  }

  #isUntouched({ fingerprint }: StampedNotes, bytes: Buffer): boolean {
    return fingerprintOf(bytes, this.#hasher) === fingerprint;
  }
}

/** Whether a copy ends before the text does. */
export function isTornOf(copy: Buffer, whole: Buffer): boolean {
  return copy.length < whole.length && whole.subarray(0, copy.length).equals(copy);
}

function stampedIn(names: readonly string[]): readonly StampedNotes[] {
  return names
    .flatMap((name) => parseStamped(name) ?? [])
    .sort((one, other) => other.atMs - one.atMs || (one.name < other.name ? -1 : 1));
}

/** A time that is far ahead is a clock that was wrong. */
function isPast({ atMs }: StampedNotes, nowMs: number): boolean {
  return Math.abs(nowMs - atMs) >= STORE_DEFAULTS.notesPreviousKeptMs;
}
