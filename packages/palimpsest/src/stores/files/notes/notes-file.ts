/**
 * The notes of one session: `notes.md` in its folder, which people may edit while programs replace it.
 *
 * DESIGN. A program cannot know that a person is about to save, so it never overwrites the file. It writes the new notes
 * beside it and syncs them. It renames the old file away and then compares it: an editor that saves now creates a new
 * file. If the old file has the expected text, a hard link gives the new notes their name. The link fails if a person has
 * created the file meanwhile: then that file stays. If the old file has another text, it is put back the same way. An
 * editor may still have the old file open and write to it later. So it stays beside the new one for a while (`previous`)
 * and is kept for good (`conflict`) if it changes.
 *
 * | found | meaning | next read or replacement |
 * | --- | --- | --- |
 * | `taken`, no `notes.md` | a crash during a replacement | puts it back |
 * | `taken` and `notes.md` | replaced, or a person saved in between | keeps it as `previous`, or as a conflict if it has another text than expected |
 * | `copying`, `notes.md` ends early | the same without hard links | appends the rest |
 * | a temporary file | new notes that were not put in place | removed by the next replacement |
 *
 * Programs replace one after the other (`lease-lock.ts`), so one of two wins, and a crash leaves the old or the new notes.
 * A reader that finds the notes taken out reads the taken file.
 */
import type { FileSystem } from "../../../ports/file-system.ts";
import type { Clock, Hasher, IdSource } from "../../../ports/runtime.ts";
import type { NotesFile } from "../../../ports/session-store.ts";
import type { SessionPaths } from "../../shared/session-paths.ts";
import { notesUnreadable, storeFailure } from "../../shared/store-failure.ts";
import { decodeNotes, encodeNotes } from "../../shared/text-bytes.ts";
import { type HeldLease, LeaseLock } from "../lease/lease-lock.ts";
import type { LeaseOptions } from "../lease/session-lease.ts";
import { DurableFolders } from "../replace/durable-folders.ts";
import { discard, writeDurably } from "../replace/whole-file.ts";
import { linkRefused, NotesFolder } from "./notes-folder.ts";
import { NOTES_LOCK_NAME, NOTES_NAME, NOTES_PATIENCE, temporaryNotesName } from "./notes-names.ts";
import { isTornOf, NotesSettling, unfinishedIn } from "./notes-recovery.ts";

/**
 * Times that notes are read or replaced again because someone else changed them in between. Source: our choice; one
 * is rare.
 */
const NOTES_ATTEMPTS = 16;

interface FileNotesOptions {
  readonly sessionId: string;
  readonly paths: SessionPaths;
  readonly fs: FileSystem;
  readonly hasher: Hasher;
  readonly ids: IdSource;
  readonly clock: Clock;
  /** Absent if there is no other process. */
  readonly lease: LeaseOptions | undefined;
  /** Throws once the log was closed. */
  readonly assertOpen: () => void;
  /** Throws if the session has moved: its folder must not be made again. */
  readonly assertStays: () => void;
}

export class FileNotes implements NotesFile {
  readonly path: string;
  readonly #options: FileNotesOptions;
  readonly #folder: NotesFolder;
  readonly #settling: NotesSettling;
  readonly #lock: LeaseLock;
  /** Separate from the log's, so that a sync of the log does not consider changes here done. */
  readonly #folders: DurableFolders;
  /** Settles when every started replacement has ended. */
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: FileNotesOptions) {
    const { sessionId, fs, hasher, ids, clock, lease, paths } = options;
    this.#options = options;
    this.#folder = new NotesFolder(fs, paths.sessionFolder);
    this.#settling = new NotesSettling({ folder: this.#folder, hasher, ids, clock });
    this.#lock = new LeaseLock({ id: sessionId, folder: this.#folder.at(NOTES_LOCK_NAME), fs, ids, lease });
    this.#folders = new DurableFolders(fs);
    this.path = this.#folder.at(NOTES_NAME);
  }

  async read(): Promise<string | undefined> {
    this.#options.assertOpen();
    try {
      const bytes = await this.#find();
      return bytes === undefined ? undefined : decodeNotes(bytes, this.path);
    } catch (error) {
      throw notesUnreadable(this.path, error);
    }
  }

  /** Replaces one after the other. Other processes are treated like other logs of this one. */
  async replace(base: string | undefined, text: string): Promise<boolean> {
    this.#options.assertOpen();
    const replacing = this.#running.then(() => this.#replace(base, text));
    this.#running = replacing.catch(() => undefined);
    return replacing;
  }

  /** Resolves once nothing is under way. */
  async whenIdle(): Promise<void> {
    await this.#running;
  }

  async #replace(base: string | undefined, text: string): Promise<boolean> {
    const bytes = encodeNotes(text);
    const wanted = base === undefined ? undefined : Buffer.from(base, "utf8");
    try {
      if (!(await this.#isStill(wanted))) return false;
      const isReplaced = await this.#replaceLocked(wanted, bytes);
      if (isReplaced) await this.#sync();
      return isReplaced;
    } catch (error) {
      throw storeFailure(`${this.path} could not be replaced`, error);
    }
  }

  async #replaceLocked(wanted: Buffer | undefined, bytes: Buffer): Promise<boolean> {
    const { assertStays, paths } = this.#options;
    assertStays();
    this.#folders.ensure(paths.sessionFolder);
    const held = await this.#lock.hold(NOTES_PATIENCE);
    // Others are replacing all the time, so the base is outdated anyway.
    if (held === undefined) return false;
    try {
      assertStays();
      await this.#settling.settle(this.#folder.names());
      this.#settling.tidy(this.#folder.names());
      for (let attempt = 1; attempt <= NOTES_ATTEMPTS; attempt++) {
        if (!(await this.#isStill(wanted))) return false;
        if (await this.#tryReplace(wanted, { bytes, held })) return true;
      }
      return false;
    } finally {
      held.release();
    }
  }

  async #isStill(wanted: Buffer | undefined): Promise<boolean> {
    const found = await this.#find();
    if (found === undefined) return wanted === undefined;
    if (wanted !== undefined && found.equals(wanted)) return true;
    // Report bytes that are not text.
    decodeNotes(found, this.path);
    return false;
  }

  /** Finds the current notes, even during a replacement. */
  async #find(): Promise<Buffer | undefined> {
    for (let attempt = 1; attempt <= NOTES_ATTEMPTS; attempt++) {
      const names = await this.#settledNames();
      const found = this.#folder.read(NOTES_NAME);
      if (found !== undefined) return this.#wholeOf(found, names);
      if (names.includes(NOTES_NAME)) continue;
      // It could not be put back, for example on a read-only disk.
      const taken = unfinishedIn(names).find(({ role }) => role === "taken");
      if (taken === undefined) return undefined;
      const old = this.#folder.read(taken.name);
      if (old !== undefined) return old;
    }
    // A dangling link.
    throw linkRefused(this.path);
  }

  async #settledNames(): Promise<readonly string[]> {
    const names = this.#folder.names();
    if (unfinishedIn(names).length === 0) return names;
    try {
      await this.#settleCrash();
    } catch {
      // A reader need not be able to write.
    }
    return this.#folder.names();
  }

  /** Settles interrupted replacements, unless one is under way. */
  async #settleCrash(): Promise<void> {
    const held = this.#lock.tryHold();
    try {
      // The previous holder of the lock may have settled them: list again.
      if (held !== undefined) await this.#settling.settle(this.#folder.names());
    } finally {
      held?.release();
    }
  }

  #wholeOf(found: Buffer, names: readonly string[]): Buffer {
    for (const { role, name } of unfinishedIn(names)) {
      const whole = role === "copying" ? this.#folder.read(name) : undefined;
      if (whole !== undefined && isTornOf(found, whole)) return whole;
    }
    return found;
  }

  /** Returns true if the new notes replaced `wanted`; otherwise the caller compares again. */
  async #tryReplace(
    wanted: Buffer | undefined,
    { bytes, held }: { readonly bytes: Buffer; readonly held: HeldLease },
  ): Promise<boolean> {
    const temporary = await this.#writeTemporary(bytes);
    try {
      if (!held.isHeld()) return false;
      if (wanted === undefined) return await this.#place(temporary, bytes);
      return await this.#swap(wanted, temporary, bytes);
    } finally {
      // If this fails, the next replacement removes it.
      discard(this.#options.fs, this.#folder.at(temporary));
    }
  }

  async #writeTemporary(bytes: Buffer): Promise<string> {
    const { fs, ids } = this.#options;
    const name = temporaryNotesName(ids.entryId());
    try {
      await writeDurably(fs, this.#folder.at(name), "create", bytes);
      return name;
    } catch (error) {
      discard(fs, this.#folder.at(name));
      throw error;
    }
  }

  /** Takes the notes out, compares them, and puts either the new notes or them in place. */
  async #swap(wanted: Buffer, temporary: string, bytes: Buffer): Promise<boolean> {
    const taken = this.#settling.stamped("taken", wanted);
    if (!this.#folder.rename(NOTES_NAME, taken.name)) return false;
    try {
      const isWanted = this.#folder.read(taken.name)?.equals(wanted) === true;
      if (isWanted && (await this.#place(temporary, bytes))) {
        // If this fails, the next reader settles the old version.
        this.#tryTo(() => this.#settling.keepAsPrevious(taken));
        return true;
      }
      if (!(await this.#settling.putBack(taken))) this.#settling.settleReplaced(taken);
      return false;
    } catch (error) {
      await this.#settling.putBack(taken).catch(() => undefined);
      throw error;
    }
  }

  #tryTo(work: () => void): void {
    try {
      work();
    } catch {
      // See the caller.
    }
  }

  /** Puts the new notes in place unless there are notes; returns true if it did. */
  async #place(temporary: string, bytes: Buffer): Promise<boolean> {
    const linked = this.#folder.link(temporary, NOTES_NAME);
    return linked === "unsupported" ? this.#settling.copy(temporary, bytes) : linked === "done";
  }

  /** Makes everything in the folder durable, changes of people and other processes included. */
  async #sync(): Promise<void> {
    const { rootFolder, sessionFolder } = this.#options.paths;
    this.#folders.markChanged(sessionFolder);
    this.#folders.markChanged(rootFolder);
    await this.#folders.sync();
  }
}
