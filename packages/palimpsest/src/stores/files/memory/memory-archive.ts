/**
 * The archive as somebody looks for a memory in it: every text that was put away, under the path that it had.
 *
 * It is never written to here, and read only when somebody asks.
 */
import { MEMORY_STORE_DEFAULTS } from "../../../base/defaults/memory/store.ts";
import type { ArchivedFile } from "../../../ports/memory-store.ts";
import { isMemoryName, memoryPathProblem } from "../../shared/memory-path.ts";
import type { MemoryFiles } from "./memory-file-steps.ts";
import { archivedAtMs, PLACES } from "./memory-places.ts";

export class MemoryArchive {
  readonly #files: MemoryFiles;

  constructor(files: MemoryFiles) {
    this.#files = files;
  }

  /** The newest first. What lies there and was put there by nobody here is passed over. */
  list(): readonly ArchivedFile[] {
    const found: ArchivedFile[] = [];
    for (const folder of this.#files.names(PLACES.archive)) {
      const archivedMs = archivedAtMs(folder);
      if (archivedMs === undefined) continue;
      for (const path of this.#paths(folder, [])) found.push({ id: `${folder}/${path}`, path, archivedMs });
    }
    const newestFirst = (one: ArchivedFile, other: ArchivedFile): number =>
      other.archivedMs - one.archivedMs || (one.id < other.id ? -1 : 1);
    return found.sort(newestFirst);
  }

  /** `undefined` where there is none of this id. @throws `MEMORY_PATH_REFUSED` for what is no plain text */
  read(id: string): string | undefined {
    const [folder, path] = [id.slice(0, Math.max(0, id.indexOf("/"))), id.slice(id.indexOf("/") + 1)];
    if (archivedAtMs(folder) === undefined || memoryPathProblem(path) !== undefined) return undefined;
    return this.#files.read(`${PLACES.archive}/${folder}/${path}`)?.text;
  }

  #paths(folder: string, names: readonly string[]): readonly string[] {
    if (names.length >= MEMORY_STORE_DEFAULTS.depthLimitCount) return [];
    const stats = this.#files.stats([PLACES.archive, folder, ...names].join("/"));
    return [...stats].flatMap(([name, stat]) => {
      if (stat.isLink) return [];
      if (stat.isDirectory) return this.#paths(folder, [...names, name]);
      const path = [...names, name].join("/");
      return isMemoryName(name) && memoryPathProblem(path) === undefined ? [path] : [];
    });
  }
}
