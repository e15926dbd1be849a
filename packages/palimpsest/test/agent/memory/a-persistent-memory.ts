/** A memory of a test: in memory, with a clock that stands still until it is moved. */

import { PersistentMemory, type PersistentMemoryOptions } from "#agent/memory/persistent-memory.ts";
import type { MemoryStore } from "#ports/memory-store.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";

export const DAY_MS = 86_400_000;
/** 2026-03-02T00:00:00Z. */
export const START_MS = 1_772_409_600_000;

export interface StagedMemory {
  readonly memory: PersistentMemory;
  readonly store: MemoryStore;
  readonly clock: { nowMs: number };
}

export function aPersistentMemory(
  options: Partial<Omit<PersistentMemoryOptions, "now">> & { readonly clock?: { nowMs: number } } = {},
): StagedMemory {
  const { clock = { nowMs: START_MS }, store = inMemoryMemoryStore(), ...more } = options;
  const deadline = { after: () => () => undefined };
  const memory = new PersistentMemory({ store, deadline, now: () => clock.nowMs, ...more });
  return { memory, store, clock };
}

/** A file as a person leaves it. */
export async function put(store: MemoryStore, path: string, text: string): Promise<void> {
  const base = (await store.read(path))?.version;
  await store.apply([{ path, base, text }]);
}
