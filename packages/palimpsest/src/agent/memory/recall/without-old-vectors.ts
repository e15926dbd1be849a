/**
 * A store of memories that keeps no vector of a text that is gone. A vector tells much about its text, so it goes in the
 * moment in which the library archives, supersedes or edits a memory, whether there is an embedding client or not. What people
 * remove or edit themselves is dropped by the next search by meaning (`vector-record.ts`).
 */
import { isObject, parseJson } from "../../../base/json/json.ts";
import { isOwnIndex } from "../../../memory/files/memory-index.ts";
import type { MemoryApplied, MemoryChange, MemoryStore } from "../../../ports/memory-store.ts";
import { VECTOR_RECORDS } from "./vector-record.ts";

type Records = Pick<MemoryStore, "listRecords" | "readRecord" | "writeRecord">;

/** @param records - the store that keeps the vectors, where that is another one */
export function withoutOldVectors(store: MemoryStore, records: Records = store): MemoryStore {
  const { follow } = store;
  return {
    ...(store.path === undefined ? {} : { path: store.path }),
    ...(store.isVolatile === undefined ? {} : { isVolatile: store.isVolatile }),
    ...(follow === undefined ? {} : { follow: () => follow.call(store) }),
    list: () => store.list(),
    read: (path) => store.read(path),
    apply: async (changes) => {
      const applied = await store.apply(changes);
      // The change is made: what could not be dropped now is dropped by the next search.
      await dropVectors(records, endedVersions(changes, applied)).catch(() => undefined);
      return applied;
    },
    archived: () => store.archived(),
    readArchived: (id) => store.readArchived(id),
    readRecord: (name) => store.readRecord(name),
    writeRecord: (name, text) => store.writeRecord(name, text),
    appendRecord: (name, line) => store.appendRecord(name, line),
    listRecords: (prefix) => store.listRecords(prefix),
    tryLock: (name) => store.tryLock(name),
    close: () => store.close(),
  };
}

function endedVersions(changes: readonly MemoryChange[], applied: MemoryApplied): readonly string[] {
  if (!applied.isApplied) return [];
  return changes.flatMap(({ path, base }) => (base === undefined || isOwnIndex(path) ? [] : [base]));
}

async function dropVectors(records: Records, versions: readonly string[]): Promise<void> {
  if (versions.length === 0) return;
  for (const name of await records.listRecords(VECTOR_RECORDS)) {
    const text = (await records.readRecord(name)) ?? "";
    const lines = text.split("\n");
    const kept = lines.map((line) => lineWithout(line, versions));
    if (kept.some((line, at) => line !== lines[at])) await records.writeRecord(name, kept.join("\n"));
  }
}

/** The line of a record without the vectors of these versions; the same string where it has none of them. */
function lineWithout(line: string, versions: readonly string[]): string {
  if (!versions.some((version) => line.includes(version))) return line;
  const parsed = parseJson(line);
  const value = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const { vectors } = value;
  // Half a line, or one of another program: nothing of it could be used.
  if (!isObject(vectors)) return "";
  const left = Object.entries(vectors).filter(([version]) => !versions.includes(version));
  return JSON.stringify({ ...value, vectors: Object.fromEntries(left) });
}
