/**
 * Long-term memory on Node: a project's memory directory, and its team's, wired to where they are kept.
 */
import { join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { PersistentMemory } from "../agent/memory/persistent-memory.ts";
import { withoutOldVectors } from "../agent/memory/recall/without-old-vectors.ts";
import { OptionError } from "../base/errors.ts";
import { checkOptions, either, having, type OptionRules, text } from "../base/options/check-options.ts";
import type { MemoryStore } from "../ports/memory-store.ts";
import type { EmbeddingClient, ModelClient } from "../ports/model-client.ts";
import type { Clock, Deadline } from "../ports/runtime.ts";
import { fileMemoryStore } from "../stores/files/memory/file-memory-store.ts";
import { inMemoryMemoryStore } from "../stores/in-memory/in-memory-memory-store.ts";
import { confinedFileSystem } from "../stores/platform/confined-file-system.ts";
import {
  nodeHasher,
  randomIds,
  systemClock,
  systemDeadline,
  systemTimer,
} from "../stores/platform/node-ports.ts";
import { nodeProcess } from "../stores/platform/node-process.ts";
import type { PalimpsestHome } from "./home/home-types.ts";
import { openHome } from "./home/open-home.ts";
import { CLOCK_RULE, DEADLINE_RULE, HOME_RULE } from "./home/option-rules.ts";

/** The place of memories, and the models that choose among them. Everything may be left out. */
export interface MemoryOptions {
  /** Keeps memories in this folder. @defaultValue the home, in the project of the current folder */
  readonly folder?: string;
  /**
   * Keeps memories in this home; see `openHome`. Where that writes nothing, they live as long as the object. The path
   * of a folder is the same as `openHome({ home: path })`.
   */
  readonly home?: PalimpsestHome | string;
  /** Keeps memories in this store. */
  readonly store?: MemoryStore;
  /** The name of a team whose memories are shared: in a home its folder `team-memory/<team>`; or where they are kept. */
  readonly team?: string | MemoryStore;
  /** Chooses among what a search found, and is asked by dreams; without one ranking and rules decide. */
  readonly lightModel?: ModelClient;
  /** Finds memories by what they mean, beside the words: `aiSdkEmbeddings`, or any of your own. */
  readonly embeddings?: EmbeddingClient;
  /** @defaultValue the machine's */
  readonly clock?: Clock;
  /** @defaultValue the platform's timers */
  readonly deadline?: Deadline;
}

/**
 * Opens long-term memory: facts that outlive a session, as Markdown files that people read, edit and undo.
 * Needs no model, no database and no key; nothing is written before the first memory.
 *
 * @example
 * ```ts
 * const memory = createMemory({ folder: "memory" });
 * await memory.remember("We deploy on Tuesdays only.", { source: "user" });
 * const { text } = await memory.recall("When can I deploy?"); // fenced, ready for a prompt
 * await memory.close();
 * ```
 * @throws `OptionError` where more than one place is named
 */
export function createMemory(options: MemoryOptions = {}): PersistentMemory {
  checkOptions("createMemory", options, RULES);
  const { clock = systemClock, deadline = systemDeadline, lightModel, embeddings } = options;
  const place = placeOf(options);
  const store = withoutOldVectors(place.store);
  const team = place.team && withoutOldVectors(place.team, place.store);
  const yieldTurn = (): Promise<void> => setImmediate();
  const now = (): number => clock.nowMs();
  return new PersistentMemory({ store, team, lightModel, embeddings, deadline, now, yieldTurn });
}

/** Memories in a folder of this machine, changed by one process at a time and by people at any time. */
export function memoryFolder(folder: string): MemoryStore {
  const root = resolve(folder);
  return fileMemoryStore({
    folder: root,
    fs: confinedFileSystem(root),
    hasher: nodeHasher,
    ids: randomIds,
    // By the machine's clock, whatever that of the memories is.
    clock: systemClock,
    lease: { clock: systemClock, process: nodeProcess, timer: systemTimer },
  });
}

const memoryStore = having(
  ["list", "read", "apply"],
  "a memory store",
  "`memoryFolder(path)` or a store of your own",
);

const RULES: OptionRules<MemoryOptions> = {
  folder: text,
  home: HOME_RULE,
  store: memoryStore,
  team: either(text, memoryStore),
  lightModel: having(["generate"], "a model client", "one, such as anthropicModel(client, { model })"),
  embeddings: having(["embed"], "a client for embeddings", "one, such as aiSdkEmbeddings(model)"),
  clock: CLOCK_RULE,
  deadline: DEADLINE_RULE,
};

function placeOf({ folder, home, store, team }: MemoryOptions): {
  readonly store: MemoryStore;
  readonly team: MemoryStore | undefined;
} {
  const named = [folder, home, store].filter((place) => place !== undefined);
  if (named.length > 1)
    throw new OptionError({
      message: "More than one of `folder`, `home` and `store` is given.",
      hint: "Pass the one place that memories are to be kept in.",
    });
  const opened = typeof home === "string" ? openHome({ home }) : named.length === 0 ? openHome() : home;
  if (opened === undefined) {
    if (typeof team === "string")
      throw new OptionError({
        message: `There is no home in which the team ${JSON.stringify(team)} could have a folder.`,
        hint: "Pass `home`, or the team's own store: team: memoryFolder(path).",
      });
    return { store: store ?? memoryFolder(folder ?? ""), team };
  }
  const keepIn = (path: string): MemoryStore =>
    opened.persistence.isOn ? memoryFolder(path) : inMemoryMemoryStore();
  return {
    store: keepIn(join(opened.project.folder, "memory")),
    team: typeof team === "string" ? keepIn(teamFolder(opened.folder, team)) : team,
  };
}

/** A name, and no path: it comes from settings and command lines. @throws `OptionError` */
export function teamFolder(home: string, team: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(team) && !team.endsWith("."))
    return join(home, "team-memory", team);
  throw new OptionError({
    message: `${JSON.stringify(team)} is not a valid name of a team.`,
    hint: "Use letters, digits, blanks and -, beginning with a letter or a digit, 100 at most.",
  });
}
