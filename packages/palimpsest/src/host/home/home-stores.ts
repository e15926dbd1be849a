/**
 * The stores of a home, one a project: on the disk, or one in memory where nothing is to be written.
 */
import { join } from "node:path";
import { StoreError } from "../../base/errors.ts";
import type { SessionStore } from "../../ports/session-store.ts";
import type { TaskFiles } from "../../ports/tasks.ts";
import { FileSessionStore } from "../../stores/files/file-session-store.ts";
import { TaskFolder } from "../../stores/files/tasks/task-folder.ts";
import { InMemorySessionStore } from "../../stores/in-memory/in-memory-session-store.ts";
import { confinedFileSystem } from "../../stores/platform/confined-file-system.ts";
import { nodeFileSystem } from "../../stores/platform/node-file-system.ts";
import {
  freeBytesAt,
  nodeHasher,
  randomIds,
  systemClock,
  systemTimer,
} from "../../stores/platform/node-ports.ts";
import { nodeProcess } from "../../stores/platform/node-process.ts";
import type { Place } from "./find-session.ts";
import type { HomeProject } from "./home-types.ts";
import { isProjectName, projectOf, projectsFolder } from "./project-place.ts";

/** The folder of a session's tasks. Links inside it are not followed: the tasks' programs can write there. */
export function taskFolder(sessionFolder: string): TaskFiles {
  return new TaskFolder({
    fs: confinedFileSystem(sessionFolder),
    folder: "tasks",
    shownFolder: join(sessionFolder, "tasks"),
    freeBytes: () => freeBytesAt(sessionFolder),
  });
}

export class HomeStores {
  readonly #home: string;
  readonly #project: HomeProject;
  readonly #memory: InMemorySessionStore | undefined;
  readonly #stores = new Map<string, FileSessionStore>();

  constructor({
    home,
    project,
    isPersistent,
  }: { readonly home: string; readonly project: HomeProject; readonly isPersistent: boolean }) {
    this.#home = home;
    this.#project = project;
    this.#memory = isPersistent ? undefined : new InMemorySessionStore();
  }

  storeOf(project: HomeProject): SessionStore {
    return this.#memory ?? this.fileStoreOf(project);
  }

  /** @throws `SESSION_NOT_FOUND` for a project that is not one of this home. */
  fileStoreOf({ name }: HomeProject): FileSessionStore {
    if (!isProjectName(name)) {
      throw new StoreError("SESSION_NOT_FOUND", {
        message: `${JSON.stringify(name)} is no project of ${this.#home}.`,
        hint: "Pass a project as `home.project` and `home.projects()` have it.",
      });
    }
    const known = this.#stores.get(name);
    if (known !== undefined) return known;
    const { folder, trashFolder } = projectOf(this.#home, name);
    const store = new FileSessionStore({
      root: folder,
      trashFolder,
      fs: nodeFileSystem,
      hasher: nodeHasher,
      ids: randomIds,
      isIndexed: true,
      tasksIn: taskFolder,
      plainIn: confinedFileSystem,
      // By the machine's clock, whatever that of the entries is.
      lease: { clock: systemClock, process: nodeProcess, timer: systemTimer },
    });
    this.#stores.set(name, store);
    return store;
  }

  /** Every project, this one first. A project all of whose sessions are in the trash is one. */
  projects(): readonly HomeProject[] {
    if (this.#memory !== undefined) return [this.#project];
    const names = new Set([...namesIn(projectsFolder(this.#home)), ...namesIn(join(this.#home, "trash"))]);
    names.delete(this.#project.name);
    const others = [...names].filter(isProjectName).sort();
    return [this.#project, ...others.map((name) => projectOf(this.#home, name))];
  }

  places(): readonly Place[] {
    return this.projects().map((project) => ({ project, store: this.storeOf(project) }));
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return nodeFileSystem.list(folder);
  } catch {
    // Nothing was ever stored; a folder that cannot be read is reported by the first write.
    return [];
  }
}
