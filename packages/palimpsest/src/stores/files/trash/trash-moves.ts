/**
 * The single steps of moving a session to the trash, restoring it, and purging it. After a crash between any two,
 * `settle` undoes or finishes the operation (`session-trash.ts` lists the states).
 */

import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";
import type { Clock } from "../../../ports/runtime.ts";
import type { Trashing } from "../../../ports/session-store.ts";
import { sessionExists } from "../../shared/store-failure.ts";
import { forgetEnd } from "../log/recorded-end.ts";
import { removeLeases, removeTrashedFiles } from "./delete-own-files.ts";
import type { AuditLine, TrashAudit } from "./trash-audit.ts";
import {
  hasFile,
  hasFolder,
  isLeft,
  leftFolder,
  readRecord,
  type TrashPlaces,
  writeRecord,
} from "./trash-places.ts";

/** Moves the files of one trash. */
export class TrashMoves {
  readonly #fs: FileSystem;
  readonly #clock: Clock | undefined;
  readonly #audit: TrashAudit;

  constructor(fs: FileSystem, clock: Clock | undefined, audit: TrashAudit) {
    this.#fs = fs;
    this.#clock = clock;
    this.#audit = audit;
  }

  /** Makes the session's place with a record of the time and reason; the caller closes the file. */
  makePlace(places: TrashPlaces, trashing: Trashing): OpenFile {
    if (hasFolder(this.#fs, places.folder)) {
      if (this.#fs.stat(places.files) !== undefined)
        this.#fs.rename(places.files, leftFolder(this.#fs, places));
      if (hasFile(this.#fs, places.record)) this.#fs.remove(places.record);
    } else this.#fs.makeDirectory(places.folder);
    return writeRecord(this.#fs, places, trashing);
  }

  /** From here on the session is in the trash. */
  moveLogOut({ live, log }: TrashPlaces): void {
    this.#fs.rename(live.logFile, log);
  }

  moveFolderOut({ files, live }: TrashPlaces): void {
    if (this.#fs.stat(live.sessionFolder) !== undefined) this.#fs.rename(live.sessionFolder, files);
  }

  /** Moves the folder before the log, so that a session with a log has its blobs. From here on it is restored. */
  moveBack({ files, live, log, sessionId }: TrashPlaces): void {
    if (hasFile(this.#fs, live.logFile)) throw sessionExists(sessionId);
    if (hasFolder(this.#fs, files)) this.#fs.rename(files, live.sessionFolder);
    this.#fs.rename(log, live.logFile);
  }

  /** Best effort after an error: a move that is not taken back is finished by the next operation. */
  takeBack(places: TrashPlaces): void {
    try {
      if (hasFile(this.#fs, places.log)) this.moveBack(places);
      this.audit(places, { action: "taken-back" });
      this.removeRecord(places);
    } catch {
      // The caller gets the error that made this necessary.
    }
  }

  /**
   * Makes the restored session active, so that the next clean-up keeps it. Never earlier than its move to the trash,
   * even if the clock is wrong now.
   */
  touch(places: TrashPlaces): void {
    if (this.#clock === undefined) return;
    try {
      const { trashedAt = 0 } = readRecord(this.#fs, places);
      this.#fs.touch(places.live.logFile, Math.max(this.#clock.nowMs(), trashedAt));
    } catch {
      // The session is restored, only with its old date.
    }
  }

  removeRecord({ folder, record }: TrashPlaces): void {
    if (!hasFolder(this.#fs, folder)) return;
    if (hasFile(this.#fs, record)) this.#fs.remove(record);
    removeLeases(this.#fs, folder);
  }

  /** From here on it cannot be restored. */
  giveUp({ log, purged }: TrashPlaces): void {
    this.#fs.rename(log, purged);
  }

  deleteFiles(places: TrashPlaces): void {
    const { files, folder, live, purged } = places;
    const remaining = removeTrashedFiles(this.#fs, folder).filter((path) => path !== purged);
    const left = remaining.filter((path) => !isLeft(path));
    if (left.length > 0) this.audit(places, { action: "left", paths: left });
    if (remaining.length > 0 && hasFolder(this.#fs, files))
      this.#fs.rename(files, leftFolder(this.#fs, places));
    // A new session with this id has another record there.
    if (!hasFile(this.#fs, live.logFile)) forgetEnd(this.#fs, live.endFile);
    this.#fs.remove(purged);
    if (remaining.length === 0) this.#fs.removeDirectory(folder);
    else removeLeases(this.#fs, folder);
  }

  /** Finishes or undoes an interrupted operation. */
  settle(places: TrashPlaces): void {
    const { files, folder, live, log, purged } = places;
    const fs = this.#fs;
    if (!hasFolder(fs, folder)) return;
    if (hasFile(fs, purged)) this.deleteFiles(places);
    else if (!hasFile(fs, log)) this.removeRecord(places);
    else {
      const isOutside = !hasFile(fs, live.logFile) && hasFolder(fs, live.sessionFolder);
      if (isOutside && fs.stat(files) === undefined) this.moveFolderOut(places);
      if (hasFolder(fs, files)) removeLeases(fs, files);
    }
  }

  /** Writes a line of the audit now. */
  audit(places: TrashPlaces, line: Omit<AuditLine, "sessionId">): void {
    this.#audit.write([this.#lineOf(places, line)]);
  }

  /** Writes a line of the audit together with others. */
  announce(places: TrashPlaces, line: Omit<AuditLine, "sessionId">): Promise<void> {
    return this.#audit.add(this.#lineOf(places, line));
  }

  #lineOf({ sessionId }: TrashPlaces, line: Omit<AuditLine, "sessionId">): AuditLine {
    const at = line.at ?? this.#clock?.nowMs();
    return { ...line, sessionId, at };
  }
}
