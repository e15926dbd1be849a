/** The archive of forgotten memories: lists and restores them. */
import { MEMORY_RECALL_DEFAULTS } from "../../../base/defaults/memory/recall.ts";
import { MemoryError } from "../../../base/errors.ts";
import { timeOf } from "../../../memory/consolidation/consolidation-actions.ts";
import type { PastMemory } from "../../../memory/consolidation/past-memories.ts";
import { parseMemoryFile, updateMemoryFile } from "../../../memory/files/memory-file.ts";
import { isOwnIndex } from "../../../memory/files/memory-index.ts";
import { isRecallable, standingOf } from "../../../memory/recall/recall-plan.ts";
import type { MemoryReceipt } from "../../../memory/write/memory-receipt.ts";
import { claimedBy, lineFor, markSuperseded } from "../../../memory/write/plan-remember.ts";
import type { ArchivedFile, MemoryStore } from "../../../ports/memory-store.ts";
import type { MemoryCache, MemorySnapshot } from "./memory-cache.ts";
import type { MemoryWriter } from "./memory-writer.ts";
import { mountOf } from "./mounted-store.ts";

/** Memories in the archive that a dream compares what it finds in sessions with, the newest first. Our choice: many times what is forgotten between two dreams. */
const FORGOTTEN_COUNT = 200;

/** One memory in the archive. */
export interface ArchivedMemory extends ArchivedFile {
  /** True if another memory has its path: then it cannot be restored. */
  readonly isReplaced: boolean;
}

/** One memory in the archive, with its text. */
export interface ShownArchivedMemory extends ArchivedFile {
  readonly text: string;
}

/** The newest first. */
export async function listArchived(
  store: MemoryStore,
  cache: MemoryCache,
): Promise<readonly ArchivedMemory[]> {
  const { memories } = await cache.look();
  const archived = await store.archived();
  return archived.map((file) => ({ ...file, isReplaced: memories.has(file.path) }));
}

/** @throws `MEMORY_NOT_FOUND` */
export async function showArchived(store: MemoryStore, which: string): Promise<ShownArchivedMemory> {
  const archived = await store.archived();
  // The newest of those that had the path, or the one of this id.
  const file = archived.find(({ id, path }) => id === which || path === which);
  const text = file === undefined ? undefined : await store.readArchived(file.id);
  if (file === undefined || text === undefined)
    throw new MemoryError("MEMORY_NOT_FOUND", {
      message: `There is no ${which} in the archive.`,
      hint: "`memory.archived()` lists what is there; give a path or an id from that list.",
    });
  return { ...file, text };
}

/**
 * Restores a memory to the byte; the copy in the archive stays. A memory that it had superseded became current when
 * it went, and is superseded again. One that the next dream would archive for its age gets a `keptAt` of today.
 */
export async function restoreArchived(
  {
    store,
    writer,
    now,
  }: { readonly store: MemoryStore; readonly writer: MemoryWriter; readonly now: () => number },
  which: string,
): Promise<MemoryReceipt> {
  const { path, text } = await showArchived(store, which);
  const { plan, warnings } = await writer.write((view) => {
    if (view.memories.has(path) || view.indexes.has(path)) throw notFree(path);
    const { memory } = parseMemoryFile(path, text);
    const isFaded = standingOf(memory, now()) < MEMORY_RECALL_DEFAULTS.pruneBelowScore;
    const kept = isOwnIndex(path) ? text : updateMemoryFile(text, { keptAtMs: now() });
    const isListed = !isOwnIndex(path) && isRecallable(memory);
    const near = {
      get: (other: string) => (mountOf(other) === mountOf(path) ? view.memories.get(other) : undefined),
    };
    const old = isListed ? claimedBy(memory, near) : [];
    return {
      changes: [{ path, base: undefined, text: isFaded ? kept : text }, ...markSuperseded(old, path, now())],
      lines: isListed ? [lineFor(memory, path)] : [],
      unlisted: old.map((one) => one.memory.path),
    };
  });
  const superseded = plan.unlisted;
  const reason = `It is as it was when it was put away.${superseded.length > 0 ? ` It takes the place of ${superseded.join(", ")} again.` : ""}`;
  return { status: "restored", path, reason, superseded, cleaned: [], warnings };
}

/** Archived memories, the newest first. Unreadable ones are skipped. */
export async function forgottenIn(
  store: Pick<MemoryStore, "archived" | "readArchived">,
): Promise<readonly PastMemory[]> {
  const forgotten: PastMemory[] = [];
  const newest = (await store.archived()).slice(0, FORGOTTEN_COUNT);
  for (const { id, path, archivedMs } of newest) {
    const text = await store.readArchived(id).catch(() => undefined);
    if (text !== undefined) forgotten.push({ ...parseMemoryFile(path, text).memory, overMs: archivedMs });
  }
  return forgotten;
}

/** Memories that a session left, current and past: an old message must not add them again. */
export async function pastOf(
  { where }: MemorySnapshot,
  store: MemoryStore,
  sessionId: string,
): Promise<readonly PastMemory[]> {
  const past = where((one) => one.supersededBy !== undefined || one.sessionId === sessionId);
  const known = past.map(({ memory }): PastMemory => {
    const overMs = memory.supersededBy === undefined ? Number.POSITIVE_INFINITY : timeOf(memory);
    return { ...memory, overMs };
  });
  return [...known, ...(await forgottenIn(store))];
}

function notFree(path: string): MemoryError {
  return new MemoryError("MEMORY_REFUSED", {
    message: `${path} cannot be put back: a memory stands there.`,
    hint: "Forget or rename that one first. Nothing was changed.",
  });
}
