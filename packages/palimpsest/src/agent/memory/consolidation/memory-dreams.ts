/**
 * Dreams of each place that a memory has: the project's own directory, and its team's. Each has its own lock, its
 * own journal and its own index, and nothing of one becomes the other's.
 */
import { OptionError } from "../../../base/errors.ts";
import type { MemoryStore } from "../../../ports/memory-store.ts";
import { TEAM_FOLDER } from "../store/mounted-store.ts";
import { DreamJournal, type DreamRecord } from "./dream-journal.ts";
import {
  type DreamOptions,
  type DreamPlaceOptions,
  type DreamReport,
  type DreamWorld,
  dream,
  revertDream,
} from "./run-dream.ts";

/** Options that all dreams share, and the directories. */
interface DreamsOptions extends Omit<DreamWorld, "records" | "folder"> {
  readonly project: MemoryStore;
  readonly team: MemoryStore | undefined;
}

export class MemoryDreams {
  readonly #options: DreamsOptions;

  constructor(options: DreamsOptions) {
    this.#options = options;
  }

  async dream(options: DreamOptions): Promise<DreamReport> {
    return dream(this.#worldOf(options), options);
  }

  async revert(id: string | undefined, options: DreamPlaceOptions): Promise<DreamReport> {
    return revertDream(this.#worldOf(options), id);
  }

  async list(options: DreamPlaceOptions): Promise<readonly DreamRecord[]> {
    return new DreamJournal(this.#worldOf(options)).list();
  }

  #worldOf({ place = "project" }: DreamPlaceOptions): DreamWorld {
    const { project, team, ...world } = this.#options;
    if (place === "project") return { ...world, records: project, folder: "" };
    if (place !== "team")
      throw new OptionError({
        message: `${JSON.stringify(place)} is not a place of memories.`,
        hint: "Use `project` or `team`.",
      });
    if (team === undefined)
      throw new OptionError({
        message: "There is no team whose memories could be dreamt of.",
        hint: "Open the memory with a team, or leave `place` out.",
      });
    return { ...world, records: team, folder: TEAM_FOLDER };
  }
}
