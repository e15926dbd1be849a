/**
 * One memory as a caller is given it, and the one that a path names.
 */
import { MemoryError } from "../../../base/errors.ts";
import type { HitReason } from "../../../base/search/memory-search.ts";
import { doesFade, type KnownMemory, type Memory } from "../../../memory/files/memory.ts";
import { isOwnIndex } from "../../../memory/files/memory-index.ts";
import { isRecallable } from "../../../memory/recall/recall-plan.ts";
import type { MemorySnapshot } from "./memory-cache.ts";

/** One memory, and whether a model may be shown it. */
export interface ListedMemory extends Memory {
  /** False for what does not lose worth with age: preferences of a user do not, whatever their file says. */
  readonly decays: boolean;
  /** `active`: it is recalled. `superseded`: another one took its place. `quarantined`: only a tool or the web said so. */
  readonly state: "active" | "superseded" | "quarantined";
}

/** One memory with its file. */
export interface ShownMemoryFile extends ListedMemory {
  /** The file as it is. */
  readonly text: string;
}

/** A memory that a search found, and why. */
export interface FoundMemory extends ListedMemory {
  readonly score: number;
  readonly why: HitReason;
}

export function withState(memory: Memory): ListedMemory {
  const state = isRecallable(memory) ? "active" : memory.isQuarantined ? "quarantined" : "superseded";
  return { ...memory, decays: doesFade(memory), state };
}

/** @throws `MEMORY_NOT_FOUND` */
export function getKnown(view: MemorySnapshot, path: string): KnownMemory {
  const known = view.memories.get(path);
  if (known !== undefined) return known;
  const what = isOwnIndex(path) ? `${path} is the index, and no memory.` : `There is no memory ${path}.`;
  throw new MemoryError("MEMORY_NOT_FOUND", {
    message: what,
    hint: "List the memories; a path is written as the list gives it.",
  });
}
