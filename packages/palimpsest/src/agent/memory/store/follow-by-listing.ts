/** Follows a store that cannot say what changed: each look lists it and compares the stamps. */
import type { MemoryFollower, MemoryStore } from "../../../ports/memory-store.ts";

export function followByListing(store: MemoryStore): MemoryFollower {
  let stamps = new Map<string, string>();
  return {
    next: async () => {
      const { files, problems } = await store.list();
      const before = stamps;
      stamps = new Map(files.map(({ path, stamp }) => [path, stamp]));
      return {
        changed: files.filter(({ path, stamp }) => before.get(path) !== stamp),
        removed: [...before.keys()].filter((path) => !stamps.has(path)),
        problems,
      };
    },
    isLasting: () => false,
    close: () => undefined,
  };
}
