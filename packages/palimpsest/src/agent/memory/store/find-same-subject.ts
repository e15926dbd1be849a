/**
 * Compares a new fact with the most similar known ones.
 */
import { MEMORY_WRITE_DEFAULTS } from "../../../base/defaults/memory/write.ts";
import { compareFacts, type FactRelation } from "../../../memory/subject/same-subject.ts";
import type { FreshMemory } from "../../../memory/write/plan-remember.ts";
import type { MemoryCache, MemorySnapshot } from "./memory-cache.ts";
import { mountOf } from "./mounted-store.ts";

interface SameSubject {
  /** Paths of memories that say the same. */
  readonly repeated: readonly string[];
  /** Paths of memories that say something else of the same matter. */
  readonly corrected: readonly string[];
  /** Paths of memories that it likely corrects. */
  readonly revised: readonly string[];
}

/** Only memories of the same place count: a project's fact does not correct a team's. */
export function findSameSubject(cache: MemoryCache, view: MemorySnapshot, fresh: FreshMemory): SameSubject {
  const query = `${fresh.name}\n${fresh.description}\n${fresh.body}`;
  const hits = cache.search(query, {
    limit: MEMORY_WRITE_DEFAULTS.comparedCount,
    accepts: ({ path, supersededBy }) => supersededBy === undefined && isComparedWith(fresh.folder, path),
  });
  const compared = hits.flatMap(({ id }) => {
    const body = view.memories.get(id)?.memory.body;
    return body === undefined ? [] : [{ id, relation: compareFacts(fresh.body, body) }];
  });
  const pathsOf = (wanted: FactRelation) =>
    compared.filter(({ relation }) => relation === wanted).map(({ id }) => id);
  return { repeated: pathsOf("repeats"), corrected: pathsOf("corrects"), revised: pathsOf("revises") };
}

/** A memory in a subfolder is compared with that folder, others with all of their mount. */
function isComparedWith(folder: string, path: string): boolean {
  const mount = mountOf(folder);
  return folder === mount ? mountOf(path) === mount : path.slice(0, path.lastIndexOf("/") + 1) === folder;
}
