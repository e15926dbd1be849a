/**
 * Finishes or undoes what a crash left of replacing notes: every version that is not `notes.md` is put back,
 * kept for a while, kept for good or removed. For whoever holds the lock; people may save all the while, so
 * nothing is ever put over what is there.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { errorCode } from "../../../base/errors.ts";
import type { Clock, Hasher, IdSource } from "../../../ports/runtime.ts";
import { writeWhole } from "../replace/whole-file.ts";
import type { NotesFolder } from "./notes-folder.ts";
import {
  conflictName,
  fingerprintOf,
  isTemporaryNotes,
  NOTES_NAME,
  parseStamped,
  type StampedNotes,
  stampedName,
  stampedNotes,
} from "./notes-names.ts";

interface NotesSettlingOptions {
  readonly folder: NotesFolder;
  readonly hasher: Hasher;
  readonly ids: IdSource;
  readonly clock: Clock;
}

export class NotesSettling {
  readonly #folder: NotesFolder;
  readonly #hasher: Hasher;
  readonly #ids: IdSource;
  readonly #clock: Clock;

  constructor({ folder, hasher, ids, clock }: NotesSettlingOptions) {
    this.#folder = folder;
    this.#hasher = hasher;
    this.#ids = ids;
    this.#clock = clock;
  }

  /** Settles what is in the middle of something. */
  async settle(names: readonly string[]): Promise<void> {
    const unfinished = unfinishedIn(names);
    for (const version of unfinished) if (version.role === "copying") await this.#finishCopy(version);
    for (const version of unfinished)
      if (version.role === "taken" && !(await this.putBack(version))) this.settleReplaced(version);
  }

  /** Removes what nobody needs any more; for whoever is about to replace the notes. */
  tidy(names: readonly string[]): void {
    for (const name of names) if (isTemporaryNotes(name)) this.#folder.remove(name);
    for (const version of stampedIn(names)) {
      if (version.role !== "previous") continue;
      const bytes = this.#readOrLeave(version.name);
      if (bytes === undefined) continue;
      // Somebody had the file open, and has written to it since it was taken away from under its name.
      if (!this.#isUntouched(version, bytes)) this.#keep(version);
      else if (this.#isPast(version)) this.#folder.remove(version.name);
    }
  }

  /** Makes it the notes again, unless there are others by now; whether it did. */
  async putBack({ name }: StampedNotes): Promise<boolean> {
    const linked = this.#folder.link(name, NOTES_NAME);
    if (linked === "done") this.#folder.remove(name);
    if (linked !== "unsupported") return linked === "done";
    const bytes = this.#readOrLeave(name);
    if (bytes !== undefined) return this.copy(name, bytes);
    // What is no plain file cannot be copied; nobody else makes such a thing at this moment.
    return !this.#folder.isTaken(NOTES_NAME) && this.#folder.rename(name, NOTES_NAME);
  }

  /** It was taken out, and there are other notes: the new ones, or what a person saved meanwhile. */
  settleReplaced(version: StampedNotes): void {
    const bytes = this.#readOrLeave(version.name);
    if (bytes === undefined) return;
    // What was put back, and a crash came before its other name was removed. An equal text in a file of its own is
    // another thing: somebody may have it open.
    if (this.#folder.isOneFile(version.name, NOTES_NAME)) this.#folder.remove(version.name);
    else if (this.#isUntouched(version, bytes)) this.keepAsPrevious(version);
    else this.#keep(version);
  }

  /** It was replaced: an editor may still hold it open. */
  keepAsPrevious({ name, stamp }: StampedNotes): void {
    this.#folder.rename(name, stampedName("previous", stamp));
  }

  /** A name for what is taken out or copied, and tells what it holds. */
  stamped(role: "taken" | "copying", content: Buffer): StampedNotes {
    const fingerprint = fingerprintOf(content, this.#hasher);
    return stampedNotes(role, { atMs: this.#clock.nowMs(), fingerprint, id: this.#ids.entryId() });
  }

  /**
   * Makes a file the notes where files have one name only: they are created by this process or not at all,
   * then written. Whether it did; the file is kept as a version before.
   */
  async copy(name: string, bytes: Buffer): Promise<boolean> {
    const copying = this.stamped("copying", bytes);
    if (this.#folder.isTaken(NOTES_NAME) || !this.#folder.rename(name, copying.name)) return false;
    try {
      await this.#write("create", bytes);
    } catch (error) {
      const isTaken = errorCode(error) === "EEXIST";
      if (!isTaken) this.#takeCopyBack(bytes);
      // Not before: it says what a torn copy was to be.
      this.#folder.rename(copying.name, name);
      if (isTaken) return false;
      throw error;
    }
    this.keepAsPrevious(copying);
    return true;
  }

  async #write(mode: "create" | "append", bytes: Buffer): Promise<void> {
    const file = this.#folder.fs.open(this.#folder.at(NOTES_NAME), mode);
    try {
      writeWhole(file, bytes);
      await file.sync();
    } finally {
      file.close();
    }
  }

  /** Half of what was to be there, and nothing of anybody else. */
  #takeCopyBack(bytes: Buffer): void {
    const torn = this.#readOrLeave(NOTES_NAME);
    if (torn !== undefined && (isTornOf(torn, bytes) || torn.equals(bytes))) this.#folder.remove(NOTES_NAME);
  }

  /** What the notes are to be, as far as they arrived. Only ever added to: a person may be at it by now. */
  async #finishCopy(version: StampedNotes): Promise<void> {
    const whole = this.#readOrLeave(version.name);
    const torn = this.#readOrLeave(NOTES_NAME);
    if (whole !== undefined && torn !== undefined && isTornOf(torn, whole))
      await this.#write("append", whole.subarray(torn.length));
    this.keepAsPrevious(version);
  }

  /** Under the first free name of its own. Where all are in use it stays under the one that it has. */
  #keep({ name }: StampedNotes): void {
    for (let number = 1; number <= STORE_DEFAULTS.notesConflictsCount; number++) {
      const conflict = conflictName(number);
      const isKept = this.#folder.isOneFile(name, conflict);
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

  /** A time that is far ahead is that of a clock that was wrong. */
  #isPast({ atMs }: StampedNotes): boolean {
    return Math.abs(this.#clock.nowMs() - atMs) >= STORE_DEFAULTS.notesPreviousKeptMs;
  }
}

/** Versions that are in the middle of something, the newest first. */
export function unfinishedIn(names: readonly string[]): readonly StampedNotes[] {
  return stampedIn(names).filter(({ role }) => role !== "previous");
}

/** Whether a copy ends before the text does. */
export function isTornOf(copy: Buffer, whole: Buffer): boolean {
  return copy.length < whole.length && whole.subarray(0, copy.length).equals(copy);
}

function stampedIn(names: readonly string[]): readonly StampedNotes[] {
  return names
    .flatMap((name) => parseStamped(name) ?? [])
    .sort((one, other) => other.atMs - one.atMs || (one.stamp < other.stamp ? -1 : 1));
}
