/**
 * Finishes or undoes interrupted replacements of notes: every version beside `notes.md` is put back, kept for a while,
 * kept for good, or removed. The caller holds the lock. People may save at any time, so nothing is ever overwritten.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import { errorCode } from "../../../base/errors.ts";
import type { Clock, Hasher, IdSource } from "../../../ports/runtime.ts";
import { writeDurably } from "../replace/whole-file.ts";
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

/**
 * Texts of people beside the notes, each a file, that get a separate name; later ones wait under the name of a
 * version before. Source: our choice: more than anybody has looked at and left.
 */
const NOTES_CONFLICTS_COUNT = 9;

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

  /** Settles interrupted replacements. */
  async settle(names: readonly string[]): Promise<void> {
    const unfinished = unfinishedIn(names);
    for (const version of unfinished) if (version.role === "copying") await this.#finishCopy(version);
    for (const version of unfinished)
      if (version.role === "taken" && !(await this.putBack(version))) this.settleReplaced(version);
  }

  /** Removes temporary files and old versions, before a replacement. */
  tidy(names: readonly string[]): void {
    for (const name of names) if (isTemporaryNotes(name)) this.#folder.remove(name);
    for (const version of stampedIn(names)) {
      if (version.role !== "previous") continue;
      const bytes = this.#readOrLeave(version.name);
      if (bytes === undefined) continue;
      // An editor had the file open and wrote to it after it was replaced.
      if (!this.#isUntouched(version, bytes)) this.#keep(version);
      else if (this.#isPast(version)) this.#folder.remove(version.name);
    }
  }

  /** Makes it the notes again unless there are new ones; returns true if it did. */
  async putBack({ name }: StampedNotes): Promise<boolean> {
    const linked = this.#folder.link(name, NOTES_NAME);
    if (linked === "done") this.#folder.remove(name);
    if (linked !== "unsupported") return linked === "done";
    const bytes = this.#readOrLeave(name);
    if (bytes !== undefined) return this.copy(name, bytes);
    // Not a plain file, so it cannot be copied; a person does not create such a thing at this moment.
    return !this.#folder.isTaken(NOTES_NAME) && this.#folder.rename(name, NOTES_NAME);
  }

  /** Settles a taken version beside other notes: the new ones, or those that a person saved meanwhile. */
  settleReplaced(version: StampedNotes): void {
    const bytes = this.#readOrLeave(version.name);
    if (bytes === undefined) return;
    // It was put back, and a crash came before this name was removed. A separate file with an equal text is different:
    // an editor may have it open.
    if (this.#folder.isOneFile(version.name, NOTES_NAME)) this.#folder.remove(version.name);
    else if (this.#isUntouched(version, bytes)) this.keepAsPrevious(version);
    else this.#keep(version);
  }

  /** Keeps a replaced version, which an editor may have open. */
  keepAsPrevious({ name, stamp }: StampedNotes): void {
    this.#folder.rename(name, stampedName("previous", stamp));
  }

  /** Makes a name with the fingerprint of the content. */
  stamped(role: "taken" | "copying", content: Buffer): StampedNotes {
    const fingerprint = fingerprintOf(content, this.#hasher);
    return stampedNotes(role, { atMs: this.#clock.nowMs(), fingerprint, id: this.#ids.entryId() });
  }

  /**
   * Makes a file the notes without hard links: creates `notes.md` exclusively, then writes it. Returns true if it did;
   * the file stays as a previous version.
   */
  async copy(name: string, bytes: Buffer): Promise<boolean> {
    const copying = this.stamped("copying", bytes);
    if (this.#folder.isTaken(NOTES_NAME) || !this.#folder.rename(name, copying.name)) return false;
    try {
      await this.#write("create", bytes);
    } catch (error) {
      const isTaken = errorCode(error) === "EEXIST";
      if (!isTaken) this.#takeCopyBack(bytes);
      // Only now: until the torn copy is removed, this name explains it.
      this.#folder.rename(copying.name, name);
      if (isTaken) return false;
      throw error;
    }
    this.keepAsPrevious(copying);
    return true;
  }

  #write(mode: "create" | "append", bytes: Buffer): Promise<void> {
    return writeDurably(this.#folder.fs, this.#folder.at(NOTES_NAME), mode, bytes);
  }

  /** Removes a torn copy, unless another text is there. */
  #takeCopyBack(bytes: Buffer): void {
    const torn = this.#readOrLeave(NOTES_NAME);
    if (torn !== undefined && (isTornOf(torn, bytes) || torn.equals(bytes))) this.#folder.remove(NOTES_NAME);
  }

  /** Completes a torn copy. Only appends, because a person may be editing it by now. */
  async #finishCopy(version: StampedNotes): Promise<void> {
    const whole = this.#readOrLeave(version.name);
    const torn = this.#readOrLeave(NOTES_NAME);
    if (whole !== undefined && torn !== undefined && isTornOf(torn, whole))
      await this.#write("append", whole.subarray(torn.length));
    this.keepAsPrevious(version);
  }

  /** Keeps a version as a conflict under the first free name; under its own name if all are taken. */
  #keep({ name }: StampedNotes): void {
    for (let number = 1; number <= NOTES_CONFLICTS_COUNT; number++) {
      const conflict = conflictName(number);
      const isKept = this.#folder.isOneFile(name, conflict);
      if (isKept) this.#folder.remove(name);
      if (isKept || this.#folder.moveUnlessTaken(name, conflict)) return;
    }
  }

  /** Reads a file; returns `undefined` for an unreadable one, which stays. */
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

  /** A time far in the future comes from a wrong clock and counts as past. */
  #isPast({ atMs }: StampedNotes): boolean {
    return Math.abs(this.#clock.nowMs() - atMs) >= STORE_DEFAULTS.notesPreviousKeptMs;
  }
}

/** Versions of interrupted replacements, the newest first. */
export function unfinishedIn(names: readonly string[]): readonly StampedNotes[] {
  return stampedIn(names).filter(({ role }) => role !== "previous");
}

/** True if a copy ends before the text does. */
export function isTornOf(copy: Buffer, whole: Buffer): boolean {
  return copy.length < whole.length && whole.subarray(0, copy.length).equals(copy);
}

function stampedIn(names: readonly string[]): readonly StampedNotes[] {
  return names
    .flatMap((name) => parseStamped(name) ?? [])
    .sort((one, other) => other.atMs - one.atMs || (one.stamp < other.stamp ? -1 : 1));
}
