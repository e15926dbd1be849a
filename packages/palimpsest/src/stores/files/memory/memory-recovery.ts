/**
 * Undoes or finishes crashed changes of memories, and removes the remains of finished ones. The caller holds the lock.
 * People may save at any time, so nothing is ever overwritten, and a text that is not a known earlier version is kept for
 * good. A process that was wrongly considered dead may work at the same time: only one of two can do each step.
 *
 * | found | meaning | action |
 * | --- | --- | --- |
 * | `new`, for some time | a change whose process died before it began | removed |
 * | `doing`, `undo` | an interrupted change | new texts are removed, old files are put back |
 * | `done` | a committed change | removed memories go to the archive; replaced files stay for a moment |
 * | `old`, for some time | replaced files | removed, or kept if they were changed since |
 */
import { AssertionError } from "../../../base/assert.ts";
import type { Clock } from "../../../ports/runtime.ts";
import type { MemoryFiles } from "./memory-file-steps.ts";
import {
  archiveFolder,
  folderOf,
  keptPath,
  type PendingWork,
  PLACES,
  PLAN_NAME,
  parsePiece,
  parseWork,
  pastWork,
  pieceOf,
  type WorkItem,
  workAs,
} from "./memory-places.ts";

/**
 * Time for which a replaced text is kept aside, in milliseconds, for an editor that still holds it open. Source: our
 * choice; a save takes milliseconds, also on a busy machine.
 */
const PREVIOUS_KEPT_MS = 10_000;
/**
 * After how long what a dead process prepared and never began is removed, in milliseconds. Source: our choice;
 * preparing takes as long as the disk takes to sync a few files.
 */
const PREPARED_KEPT_MS = 10_000;
/** Pause between two searches of a process for texts to remove, in milliseconds. Source: our choice. */
const TIDY_EVERY_MS = 1_000;

export class MemorySettling {
  readonly #files: MemoryFiles;
  readonly #clock: Clock;
  #tidiedAtMs = Number.NEGATIVE_INFINITY;

  constructor(files: MemoryFiles, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  /** Settles interrupted changes, and from time to time removes finished ones. */
  async settle(): Promise<void> {
    for (const work of this.#files.works()) {
      if (work.state === "doing" || work.state === "undo") await this.takeBack(work);
      if (work.state === "done") await this.tryTo(() => this.clearAway(work));
      // The newest stays, so that a reader that lists changes before and after it notices it.
      if (work.state === "old") await this.tryTo(() => this.#setAside(work));
    }
    await this.tryTo(() => this.#tidy());
  }

  #setAside(work: PendingWork): void {
    if (this.#files.rename(work.folder, pastWork(work).folder)) return;
    this.#files.ensureFolder(PLACES.old);
    this.#files.rename(work.folder, pastWork(work).folder);
  }

  async #tidy(): Promise<void> {
    if (!this.#isPast(this.#tidiedAtMs, TIDY_EVERY_MS)) return;
    this.#tidiedAtMs = this.#clock.nowMs();
    for (const work of this.#files.works())
      if (work.state === "new" && this.#isPast(work.atMs, PREPARED_KEPT_MS)) this.discard(work);
    for (const name of this.#files.names(PLACES.old)) {
      const work = parseWork(name);
      if (work !== undefined && this.#isPast(work.atMs, PREVIOUS_KEPT_MS))
        await this.#dropOld(pastWork(work));
    }
  }

  /**
   * Undoes a change; edits that people made since stay. Returns false if another process has undone it already.
   */
  async takeBack(begun: PendingWork): Promise<boolean> {
    const work = workAs(begun, "undo");
    // From here on no process can continue the change.
    if (begun.state !== "undo" && !this.#files.rename(begun.folder, work.folder)) return false;
    const plan = this.#files.plan(work);
    const items = plan?.items ?? [];
    for (const [index, item] of items.entries()) await this.#takeBackItem(work, index, item);
    for (const folder of [...(plan?.folders ?? [])].reverse()) this.#files.removeIfEmpty(folder);
    for (const folder of new Set(items.map(({ path }) => folderOf(path)))) await this.#files.sync(folder);
    this.#clearPieces(work);
    return true;
  }

  async #takeBackItem(work: PendingWork, index: number, { path, next }: WorkItem): Promise<void> {
    const [placed, taken, gone] = (["new", "old", "gone"] as const).map((kind) =>
      pieceOf(work, kind, index),
    ) as [string, string, string];
    if (next !== undefined && this.isPlaced(work, index, { path, next }) && this.#files.rename(path, gone)) {
      // A person saved between the check and the rename: that text stays.
      const isNext = this.#files.isOneFile(gone, placed) || this.#files.versionOf(gone) === next;
      if (!isNext && this.#files.place(gone, path)) this.#files.remove(gone);
    }
    if (!this.#files.exists(taken)) return;
    if (this.#files.isOneFile(taken, path) || this.#files.place(taken, path)) this.#files.remove(taken);
    // A person created a file in the moment without one, perhaps without knowing the old text.
    else if (this.#files.exists(path)) await this.#keep(taken, keptPath(work, "old", path));
  }

  /** True if the file at the path is the one that the change put there. */
  isPlaced(work: PendingWork, index: number, { path, next }: Pick<WorkItem, "path" | "next">): boolean {
    const placed = pieceOf(work, "new", index);
    if (this.#files.exists(placed)) return this.#files.isOneFile(placed, path);
    // Where files have one name only.
    return next !== undefined && this.#files.exists(work.folder) && this.#files.versionOf(path) === next;
  }

  /** Archives or keeps the old files of a change that was committed just now; no rename of it was lost. */
  async clearAwayNow(work: PendingWork, items: readonly WorkItem[]): Promise<void> {
    for (const [index, { path, base, next }] of items.entries())
      if (next === undefined) await this.#putAway(work, pieceOf(work, "old", index), { path, base });
    this.#clearPieces(work);
  }

  /** The same for one that a crash interrupted. */
  async clearAway(work: PendingWork): Promise<void> {
    const items = this.#files.plan(work)?.items ?? [];
    for (const [index, { path, base, next }] of items.entries()) {
      const taken = pieceOf(work, "old", index);
      if (!this.#files.exists(taken)) continue;
      // The disk lost the rename.
      if (this.#files.isOneFile(taken, path)) this.#files.remove(taken);
      else if (next === undefined) await this.#putAway(work, taken, { path, base });
    }
    this.#clearPieces(work);
  }

  /** Archives a copy: an editor may have the file open and write to it later. */
  async #putAway(
    work: PendingWork,
    taken: string,
    { path, base }: Pick<WorkItem, "path" | "base">,
  ): Promise<void> {
    const archived = `${archiveFolder(work)}/${path}`;
    const text = this.#files.versionOf(taken) === base ? this.#files.read(taken)?.text : undefined;
    // A person changed it already: it is kept like other texts of people.
    if (text === undefined || this.#files.versionOf(archived) === base) return;
    // Half a copy of a process that died.
    this.#files.remove(archived);
    this.#files.ensureFolder(folderOf(archived));
    await this.#files.create(archived, Buffer.from(text, "utf8"));
    await this.#syncUpwards(archived);
  }

  /** Moves a file to its final place; it has its old name until the new one is durable. */
  async #keep(from: string, to: string): Promise<void> {
    this.#files.ensureFolder(folderOf(to));
    if (!this.#files.isOneFile(from, to) && !this.#files.place(from, to)) return;
    await this.#syncUpwards(to);
    this.#files.remove(from);
  }

  async #syncUpwards(path: string): Promise<void> {
    for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder))
      await this.#files.sync(folder);
  }

  /** Removes unused new texts. Replaced files stay for editors, and later are kept if their version is unknown. */
  #clearPieces(work: PendingWork): void {
    const names = this.#files.names(work.folder);
    for (const name of names)
      if (parsePiece(name)?.kind === "new") this.#files.remove(`${work.folder}/${name}`);
    const hasOld = names.some((name) => {
      const kind = parsePiece(name)?.kind;
      return (kind === "old" || kind === "gone") && this.#files.exists(`${work.folder}/${name}`);
    });
    if (hasOld) this.#files.rename(work.folder, workAs(work, "old").folder);
    else this.discard(work);
  }

  async #dropOld(work: PendingWork): Promise<void> {
    const items = this.#files.plan(work)?.items ?? [];
    for (const name of this.#files.names(work.folder)) {
      const piece = parsePiece(name);
      if (piece === undefined || piece.kind === "new") continue;
      const from = `${work.folder}/${name}`;
      const item = items[piece.index];
      const known = piece.kind === "old" ? item?.base : item?.next;
      const isKnown = known !== undefined && this.#files.versionOf(from) === known;
      const isElsewhere = item !== undefined && this.#files.isOneFile(from, item.path);
      if (isKnown || isElsewhere) this.#files.remove(from);
      else await this.#keep(from, keptPath(work, piece.kind, item?.path ?? `${piece.index}.md`));
    }
    this.discard(work);
  }

  /** Removes a change's folder with our unused files in it. */
  discard(work: PendingWork): void {
    for (const name of this.#files.names(work.folder))
      if (name === PLAN_NAME || parsePiece(name)?.kind === "new")
        this.#files.remove(`${work.folder}/${name}`);
    this.#files.removeIfEmpty(work.folder);
  }

  /** Ignores failures: the next process repeats the work, and the caller gets the result of the change. */
  async tryTo(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof AssertionError) throw error;
    }
  }

  /** A time far in the future comes from a wrong clock and counts as past. */
  #isPast(atMs: number, ms: number): boolean {
    return Math.abs(this.#clock.nowMs() - atMs) >= ms;
  }
}
