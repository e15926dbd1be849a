/**
 * Takes back or finishes what a crash left of changing memories, and clears away what is over; for whoever holds
 * the lock. People may save all the while, so nothing is ever put over what is there, and a text that is not
 * known to be somebody's earlier version is kept for good. A process that was taken for dead may do the same at
 * the same time: each step is one that is done once, whoever does it.
 *
 * | found | what it is | what is done |
 * | --- | --- | --- |
 * | `new`, for some time | a change whose process died before it began | removed |
 * | `doing`, `undo` | a change that did not come to its end | what was put in place is taken away, what was taken out is put back |
 * | `done` | a change that happened | what was put away goes into the archive; what was replaced stays for a moment |
 * | `old`, for some time | what was replaced | removed, or kept where somebody has written to it since |
 */
import { AssertionError } from "../../../base/assert.ts";
import { MEMORY_STORE_DEFAULTS } from "../../../base/defaults/memory/store.ts";
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

export class MemorySettling {
  readonly #files: MemoryFiles;
  readonly #clock: Clock;
  #tidiedAtMs = Number.NEGATIVE_INFINITY;

  constructor(files: MemoryFiles, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  /** Settles everything that is in the middle of something, and now and then removes what is over. */
  async settle(): Promise<void> {
    for (const work of this.#files.works()) {
      if (work.state === "doing" || work.state === "undo") await this.takeBack(work);
      if (work.state === "done") await this.tryTo(() => this.clearAway(work));
      // The newest stays, so that whoever looked before it and looks again sees that something happened.
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
    const { tidyEveryMs, previousKeptMs, preparedKeptMs } = MEMORY_STORE_DEFAULTS;
    if (!this.#isPast(this.#tidiedAtMs, tidyEveryMs)) return;
    this.#tidiedAtMs = this.#clock.nowMs();
    for (const work of this.#files.works())
      if (work.state === "new" && this.#isPast(work.atMs, preparedKeptMs)) this.discard(work);
    for (const name of this.#files.names(PLACES.old)) {
      const work = parseWork(name);
      if (work !== undefined && this.#isPast(work.atMs, previousKeptMs)) await this.#dropOld(pastWork(work));
    }
  }

  /**
   * A change that is not to be: everything is as it was before, but for what people have done since. Whether there
   * was such a change: somebody else may have taken it back.
   */
  async takeBack(begun: PendingWork): Promise<boolean> {
    const work = workAs(begun, "undo");
    // From here on nobody can go on with it.
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
      // Somebody saved between the look and the rename: that is theirs.
      const isNext = this.#files.isOneFile(gone, placed) || this.#files.versionOf(gone) === next;
      if (!isNext && this.#files.place(gone, path)) this.#files.remove(gone);
    }
    if (!this.#files.exists(taken)) return;
    if (this.#files.isOneFile(taken, path) || this.#files.place(taken, path)) this.#files.remove(taken);
    // Somebody has made a file where there was none for a moment, and need not know what it was before.
    else if (this.#files.exists(path)) await this.#keep(taken, keptPath(work, "old", path));
  }

  /** Whether what has the path is what the change put there. */
  isPlaced(work: PendingWork, index: number, { path, next }: Pick<WorkItem, "path" | "next">): boolean {
    const placed = pieceOf(work, "new", index);
    if (this.#files.exists(placed)) return this.#files.isOneFile(placed, path);
    // Where files have one name only.
    return next !== undefined && this.#files.exists(work.folder) && this.#files.versionOf(path) === next;
  }

  /** A change that happened. */
  async clearAway(
    work: PendingWork,
    items: readonly WorkItem[] = this.#files.plan(work)?.items ?? [],
  ): Promise<void> {
    for (const [index, { path, base, next }] of items.entries()) {
      const taken = pieceOf(work, "old", index);
      if (!this.#files.exists(taken)) continue;
      // The disk forgot that it was taken out.
      if (this.#files.isOneFile(taken, path)) this.#files.remove(taken);
      else if (next === undefined) await this.#putAway(work, taken, { path, base });
    }
    this.#clearPieces(work);
  }

  /** A copy: an editor may hold the file open, and what it writes is not what was put away. */
  async #putAway(
    work: PendingWork,
    taken: string,
    { path, base }: Pick<WorkItem, "path" | "base">,
  ): Promise<void> {
    const archived = `${archiveFolder(work)}/${path}`;
    const text = this.#files.versionOf(taken) === base ? this.#files.read(taken)?.text : undefined;
    // Somebody has written to it already: it is kept as what a person wrote.
    if (text === undefined || this.#files.versionOf(archived) === base) return;
    // Half a copy, of a process that died.
    this.#files.remove(archived);
    this.#files.ensureFolder(folderOf(archived));
    await this.#files.create(archived, Buffer.from(text, "utf8"));
    await this.#syncUpwards(archived);
  }

  /** Moves a file to where it stays for good; it has its old name until the new one is durable. */
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

  /** Removes what was never used. What was replaced stays for editors, or is kept where nobody knows what it is. */
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

  /** Removes a change's folder with what is ours and of no use in it. */
  discard(work: PendingWork): void {
    for (const name of this.#files.names(work.folder))
      if (name === PLAN_NAME || parsePiece(name)?.kind === "new")
        this.#files.remove(`${work.folder}/${name}`);
    this.#files.removeIfEmpty(work.folder);
  }

  /** Whoever comes next does it, too: what the caller hears of is what became of the change. */
  async tryTo(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof AssertionError) throw error;
    }
  }

  /** A time that is far ahead is that of a clock that was wrong. */
  #isPast(atMs: number, ms: number): boolean {
    return Math.abs(this.#clock.nowMs() - atMs) >= ms;
  }
}
