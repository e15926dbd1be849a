/**
 * The notes of one session: `notes.md` in its folder, which people edit while programs replace it.
 *
 * DESIGN. Nothing tells a program that a person is about to save, so new notes are never put over what is
 * there. They are written beside it and synced; what is there is taken out by a rename, and looked at then,
 * when whoever saves makes a new file. If it is what was to be replaced, the new notes get their name by a
 * link, which fails where somebody has made that file meanwhile: then theirs stays. If it is not, it is put
 * back the same way. An editor that held the old file open may write to it afterwards: it stays beside the
 * new one for a while (`previous`), and is kept for good (`conflict`) where it has changed since.
 *
 * | found | what it is | what is done, by whoever reads or replaces next |
 * | --- | --- | --- |
 * | `taken`, no `notes.md` | a crash came while it was replaced | put back |
 * | `taken` and `notes.md` | it was replaced, or a person wrote in between | kept as `previous`, or as a conflict where it is not what was to be replaced |
 * | `copying`, `notes.md` ends early | the same, where files have one name only | the rest is appended |
 * | a temporary file | new notes that were not put in place | removed by the next replacement |
 *
 * Programs do so one after the other (`lease-lock.ts`), so of two that replace the same notes one wins, and a
 * crash leaves the old notes or the new. Whoever reads while they are taken out reads what was taken out.
 */
import { STORE_DEFAULTS } from "../../../base/defaults/store.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import type { Clock, Hasher, IdSource } from "../../../ports/runtime.ts";
import type { NotesFile } from "../../../ports/session-store.ts";
import type { SessionPaths } from "../../shared/session-paths.ts";
import { notesUnreadable, storeFailure } from "../../shared/store-failure.ts";
import { decodeNotes, encodeNotes } from "../../shared/text-bytes.ts";
import { type HeldLease, LeaseLock } from "../lease/lease-lock.ts";
import type { LeaseOptions } from "../lease/session-lease.ts";
import { DurableFolders } from "../replace/durable-folders.ts";
import { writeWhole } from "../replace/whole-file.ts";
import { linkRefused, NotesFolder } from "./notes-folder.ts";
import { NOTES_LOCK_NAME, NOTES_NAME, NOTES_PATIENCE, temporaryNotesName } from "./notes-names.ts";
import { isTornOf, NotesSettling, unfinishedIn } from "./notes-recovery.ts";

interface FileNotesOptions {
  readonly sessionId: string;
  readonly paths: SessionPaths;
  readonly fs: FileSystem;
  readonly hasher: Hasher;
  readonly ids: IdSource;
  readonly clock: Clock;
  /** Absent where nobody else can come. */
  readonly lease: LeaseOptions | undefined;
  /** Throws once the log was closed. */
  readonly assertOpen: () => void;
  /** Throws where the session is somewhere else by now: its folder is not to be made again. */
  readonly assertStays: () => void;
}

export class FileNotes implements NotesFile {
  readonly path: string;
  readonly #options: FileNotesOptions;
  readonly #folder: NotesFolder;
  readonly #settling: NotesSettling;
  readonly #lock: LeaseLock;
  /** Its own, so that a sync of the log does not take what is under way here as done. */
  readonly #folders: DurableFolders;
  /** Ends when every replacement that was begun has ended. */
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

  /** One after the other; other processes are no different from other logs of this one. */
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
    // Others are at it all the time: what is there when they are done is something else.
    if (held === undefined) return false;
    try {
      assertStays();
      await this.#settling.settle(this.#folder.names());
      this.#settling.tidy(this.#folder.names());
      for (let attempt = 1; attempt <= STORE_DEFAULTS.notesAttempts; attempt++) {
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
    // Bytes that are no text are told rather than passed over.
    decodeNotes(found, this.path);
    return false;
  }

  /** What the notes are, also where somebody is in the middle of replacing them. */
  async #find(): Promise<Buffer | undefined> {
    for (let attempt = 1; attempt <= STORE_DEFAULTS.notesAttempts; attempt++) {
      const names = await this.#settledNames();
      const found = this.#folder.read(NOTES_NAME);
      if (found !== undefined) return this.#wholeOf(found, names);
      if (names.includes(NOTES_NAME)) continue;
      // It could not be put back: the disk is read-only, say.
      const taken = unfinishedIn(names).find(({ role }) => role === "taken");
      if (taken === undefined) return undefined;
      const old = this.#folder.read(taken.name);
      if (old !== undefined) return old;
    }
    // A name that is there and leads nowhere.
    throw linkRefused(this.path);
  }

  async #settledNames(): Promise<readonly string[]> {
    const names = this.#folder.names();
    if (unfinishedIn(names).length === 0) return names;
    try {
      await this.#settleCrash();
    } catch {
      // Whoever only reads need not be able to write.
    }
    return this.#folder.names();
  }

  /** Unless somebody is in the middle of it. */
  async #settleCrash(): Promise<void> {
    const held = this.#lock.tryHold();
    try {
      // What was seen before may have been settled by whoever had the lock.
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

  /** Whether the new notes stand in the place of `wanted`; if not, what stands there is to be looked at again. */
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
      this.#discard(temporary);
    }
  }

  async #writeTemporary(bytes: Buffer): Promise<string> {
    const { fs, ids } = this.#options;
    const name = temporaryNotesName(ids.entryId());
    const file = fs.open(this.#folder.at(name), "create");
    try {
      writeWhole(file, bytes);
      await file.sync();
      return name;
    } catch (error) {
      this.#discard(name);
      throw error;
    } finally {
      file.close();
    }
  }

  #discard(name: string): void {
    try {
      this.#folder.remove(name);
    } catch {
      // The next replacement removes it; what the caller hears of is what became of this one.
    }
  }

  /** Takes the notes out, looks at them, and puts the new ones in their place or them back. */
  async #swap(wanted: Buffer, temporary: string, bytes: Buffer): Promise<boolean> {
    const taken = this.#settling.stamped("taken", wanted);
    if (!this.#folder.rename(NOTES_NAME, taken.name)) return false;
    try {
      const isWanted = this.#folder.read(taken.name)?.equals(wanted) === true;
      if (isWanted && (await this.#place(temporary, bytes))) {
        // An old version that keeps its name is settled by whoever comes next.
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

  /** Puts the new notes where there are none; whether it did. */
  async #place(temporary: string, bytes: Buffer): Promise<boolean> {
    const linked = this.#folder.link(temporary, NOTES_NAME);
    return linked === "unsupported" ? this.#settling.copy(temporary, bytes) : linked === "done";
  }

  /** Also what a person did, and what another process may have left: all that is in the folder now. */
  async #sync(): Promise<void> {
    const { rootFolder, sessionFolder } = this.#options.paths;
    this.#folders.markChanged(sessionFolder);
    this.#folders.markChanged(rootFolder);
    await this.#folders.sync();
  }
}
