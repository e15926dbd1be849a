/**
 * Compares a new fact with the most similar known ones.
 */
import { MEMORY_WRITE_DEFAULTS } from "../../../base/defaults/memory/write.ts";
import { saysChange } from "../../../memory/subject/change-signs.ts";
import { compareFacts, type FactRelation, judgeClaim } from "../../../memory/subject/same-subject.ts";
import { slotQueryOf } from "../../../memory/subject/slots.ts";
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
  const find = (query: string) =>
    cache.search(query, {
      limit: MEMORY_WRITE_DEFAULTS.comparedCount,
      accepts: ({ path, supersededBy }) => supersededBy === undefined && isComparedWith(fresh.folder, path),
    });
  const hits = find(`${fresh.name}\n${fresh.description}\n${fresh.body}`);
  // “I moved to Leeds” has no word of “I live in Porto”.
  const slotQuery = saysChange(fresh.body) ? slotQueryOf(fresh.body) : "";
  const ofSlot = slotQuery === "" ? [] : find(slotQuery);
  const compared = [...new Set([...hits, ...ofSlot].map(({ id }) => id))].flatMap((id) => {
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

/** Judges memories that a caller or a model says it corrects. */
export function judgeNamed(
  view: MemorySnapshot,
  fresh: string,
  named: readonly string[],
): Pick<SameSubject, "corrected" | "revised"> {
  const judged = named.flatMap((path) => {
    const body = view.memories.get(path)?.memory.body;
    return body === undefined ? [] : [{ path, relation: judgeClaim(fresh, body) }];
  });
  const pathsOf = (wanted: FactRelation) =>
    judged.filter(({ relation }) => relation === wanted).map(({ path }) => path);
  return { corrected: pathsOf("corrects"), revised: pathsOf("revises") };
}
