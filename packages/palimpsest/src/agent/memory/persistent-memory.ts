/**
 * Long-term memory of a user, a project and a team: Markdown files that people can read, edit and undo.
 *
 * DESIGN. This class connects the parts that do the work; it holds no memories itself. Every call reads the current
 * files, people's edits included. A change is planned on that and applied only while the files are unchanged
 * (`memory-writer.ts`). Every call returns a receipt. Nothing is destroyed: a corrected memory names its successor,
 * and a forgotten one is in the archive.
 */
import { anyString, checkOptions, type OptionRules } from "../../base/options/check-options.ts";
import type { PastMemory } from "../../memory/consolidation/past-memories.ts";
import type { MemoryType } from "../../memory/files/memory.ts";
import { INDEX_NAME } from "../../memory/files/memory-index.ts";
import { judgeHealth, type MemoryHealth } from "../../memory/health/health.ts";
import { usedMemories } from "../../memory/recall/used-memories.ts";
import type { ForeignFile } from "../../memory/transfer/from-claude-code.ts";
import { formatMemoriesMarkdown } from "../../memory/transfer/memories-markdown.ts";
import { formatMemoryBundle } from "../../memory/transfer/memory-bundle.ts";
import { type MemoryReceipt, rejected } from "../../memory/write/memory-receipt.ts";
import {
  type DecisionPlan,
  type DecisionSituation,
  planConfirm,
  planForget,
} from "../../memory/write/plan-decision.ts";
import { planRemember, type RememberPlan } from "../../memory/write/plan-remember.ts";
import type { MemoryStore } from "../../ports/memory-store.ts";
import type { EmbeddingClient, ModelClient } from "../../ports/model-client.ts";
import type { Deadline } from "../../ports/runtime.ts";
import { DreamJournal, type DreamRecord } from "./consolidation/dream-journal.ts";
import {
  type DreamOptions,
  type DreamPlaceOptions,
  type DreamPlaces,
  type DreamReport,
  dream,
  dreamPlace,
  revertDream,
} from "./consolidation/run-dream.ts";
import { searchMemories } from "./recall/find-memories.ts";
import { MemoryVectors } from "./recall/memory-vectors.ts";
import { type Injection, InjectionLog } from "./recall/recall-log.ts";
import { type Recall, recallMemories } from "./recall/recall-memories.ts";
import type { RecallOptions } from "./recall/recall-options.ts";
import {
  type ArchivedMemory,
  listArchived,
  pastOf,
  restoreArchived,
  type ShownArchivedMemory,
  showArchived,
} from "./store/archived-memories.ts";
import { findSameSubject, judgeNamed } from "./store/find-same-subject.ts";
import { type RememberOptions, readFresh } from "./store/fresh-memory.ts";
import {
  decisionAbout,
  type FoundMemory,
  getKnown,
  type ListedMemory,
  type MemoryIndexText,
  type ShownMemoryFile,
  showIndexes,
  withState,
} from "./store/listed-memory.ts";
import { MemoryCache, type MemoryProblem, type MemorySnapshot } from "./store/memory-cache.ts";
import { MemoryWriter, type PlannedWrite } from "./store/memory-writer.ts";
import { mountOf, mountTeam, otherPlace, TEAM_FOLDER } from "./store/mounted-store.ts";
import { type AnsweredOptions, checkAnswered } from "./store/use-log.ts";
import { type MemoryToolHandlers, memoryToolHandlers } from "./tool/memory-tool.ts";
import { ToolWrites } from "./tool/tool-writes.ts";
import { importInto, type MemoryImportReport } from "./transfer/import-into-memory.ts";

/** Options of a memory. Get a memory from `createMemory` or a home. */
export interface PersistentMemoryOptions {
  /** Keeps the project's memories. */
  readonly store: MemoryStore;
  /** Keeps its team's memories, below `team/`. */
  readonly team?: MemoryStore | undefined;
  /** Chooses among found memories and takes part in dreams; without one, ranking and rules decide. */
  readonly lightModel?: ModelClient | undefined;
  /** Finds memories by meaning as well as by words. */
  readonly embeddings?: EmbeddingClient | undefined;
  readonly deadline: Deadline;
  readonly now: () => number;
  /** Yields to the event loop during long work. */
  readonly yieldTurn?: (() => Promise<void>) | undefined;
}

/** Filters of a list of memories; all are optional. */
export interface ListOptions {
  readonly type?: MemoryType;
  /** @defaultValue all of them */
  readonly state?: ListedMemory["state"];
}

const LIST_RULES: OptionRules<ListOptions> = { type: anyString, state: anyString };

/** Memories, and problems with some of their files. */
interface MemoryList {
  /** By path. */
  readonly memories: readonly ListedMemory[];
  /** Files that cannot be used, and parts of files that were not understood. */
  readonly problems: readonly MemoryProblem[];
}

/** Long-term memory of one project and, where it has one, its team. */
export class PersistentMemory {
  /** The directories that dreams consolidate. @internal */
  readonly dreamPlaces: readonly ("project" | "team")[];
  /** True if a part of it outlives the process. @internal */
  readonly isStored: boolean;
  readonly #store: MemoryStore;
  readonly #options: PersistentMemoryOptions;
  readonly #cache: MemoryCache;
  readonly #writer: MemoryWriter;
  readonly #injections: InjectionLog;
  readonly #vectors: MemoryVectors | undefined;
  readonly #dreams: DreamPlaces;
  readonly #toolWatchers = new Set<ToolWrites>();

  /** @internal Made by `createMemory`. */
  constructor(options: PersistentMemoryOptions) {
    const { store, team, now, deadline, lightModel, yieldTurn = async () => undefined } = options;
    this.#options = options;
    this.dreamPlaces = team === undefined ? ["project"] : ["project", "team"];
    this.isStored = store.isVolatile !== true || (team !== undefined && team.isVolatile !== true);
    this.#store = team === undefined ? store : mountTeam(store, team);
    this.#cache = new MemoryCache(this.#store, yieldTurn);
    this.#injections = new InjectionLog(this.#store, now);
    const usedCounts = () => this.#injections.usedCounts();
    this.#writer = new MemoryWriter({ store: this.#store, cache: this.#cache, now, usedCounts });
    const { embeddings: client } = options;
    this.#vectors = client && new MemoryVectors({ client, store: this.#store, deadline, yieldTurn });
    const seen = { store: this.#store, cache: this.#cache, injections: this.#injections };
    this.#dreams = { ...seen, project: store, team, now, deadline, lightModel, yieldTurn };
  }

  /** The folder with the memory files; absent if they are not files. */
  get path(): string | undefined {
    return this.#store.path;
  }

  /** Watches what a model changes through {@link tool}, until `close` is called. @internal */
  watchTool(): ToolWrites {
    const watcher = new ToolWrites(this.#store, () => this.#toolWatchers.delete(watcher));
    this.#toolWatchers.add(watcher);
    return watcher;
  }

  /**
   * Remembers a fact. A known fact is not written twice, a correction supersedes the old fact, and a less trusted
   * source changes nothing that a person said.
   * @throws `OPTION_INVALID`, `STORE_FAILED`, `MEMORY_REFUSED` where others change the same files without end
   */
  async remember(text: string, options: RememberOptions = {}): Promise<MemoryReceipt> {
    return this.#remember(text, options, (view, fresh) => {
      const found = findSameSubject(this.#cache, view, fresh);
      // Memories of another place (project or team) cannot be corrected from here.
      const named = (options.corrects ?? []).filter((path) => mountOf(path) === mountOf(fresh.folder));
      const { corrected, revised } = judgeNamed(view, fresh.body, named);
      return {
        repeated: found.repeated,
        corrected: [...new Set([...found.corrected, ...corrected])],
        revised: [...new Set([...found.revised, ...revised])],
      };
    });
  }

  /**
   * Remembers a fact instead of older ones, whatever their source. They stay as history and are not recalled.
   * @param old - a path, or several
   * @throws `MEMORY_NOT_FOUND`, and as {@link remember}
   */
  async supersede(
    old: string | readonly string[],
    text: string,
    options: RememberOptions = {},
  ): Promise<MemoryReceipt> {
    const paths = Array.isArray(old) ? (old as readonly string[]) : [old as string];
    const isTeam = options.isTeam ?? paths.every((path) => String(path).startsWith(TEAM_FOLDER));
    return this.#remember(text, { ...options, isTeam }, (view) => {
      for (const path of paths) getKnown(view, path);
      if (paths.some((path) => mountOf(path) !== (isTeam ? TEAM_FOLDER : ""))) throw otherPlace(paths);
      return { repeated: [], corrected: paths, mustSupersede: true };
    });
  }

  async #remember(
    text: string,
    options: RememberOptions,
    compare: (
      view: MemorySnapshot,
      fresh: NonNullable<ReturnType<typeof readFresh>["fresh"]>,
    ) => {
      readonly repeated: readonly string[];
      readonly corrected: readonly string[];
      readonly revised?: readonly string[];
      readonly mustSupersede?: boolean;
    },
  ): Promise<MemoryReceipt> {
    const { fresh, cleaned } = readFresh(text, options, this.#options.team !== undefined);
    if (fresh === undefined) return rejected("There is nothing in it to be remembered.", cleaned);
    const { plan, warnings } = await this.#writer.write((view, taken): RememberPlan & PlannedWrite => {
      const planned = planRemember(fresh, {
        known: view.memories,
        hasName: view.hasName,
        taken,
        ...compare(view, fresh),
        nowMs: this.#options.now(),
      });
      return { ...planned, unlisted: planned.superseded };
    });
    const { status, path, reason, superseded } = plan;
    return { status, path, reason, superseded, cleaned, warnings };
  }

  /** Memories that a session left, current and past: an old message must not add them again. @internal */
  async past(sessionId: string): Promise<readonly PastMemory[]> {
    return pastOf(await this.#cache.look(), this.#store, sessionId);
  }

  /**
   * Moves a memory into the archive, from where a person can restore it. A memory that it superseded is recalled again.
   * @throws `MEMORY_NOT_FOUND`, `MEMORY_PATH_REFUSED`, `STORE_FAILED`
   */
  async forget(path: string): Promise<MemoryReceipt> {
    return this.#decide(path, (situation) => planForget(situation, this.#options.now()));
  }

  /**
   * Confirms a memory on behalf of a person: it counts as new, and leaves quarantine. Rejected for a superseded memory.
   * @throws `MEMORY_NOT_FOUND`, `STORE_FAILED`
   */
  async confirm(path: string): Promise<MemoryReceipt> {
    return this.#decide(path, (situation) => planConfirm(situation, this.#options.now()));
  }

  async #decide(path: string, plan: (situation: DecisionSituation) => DecisionPlan): Promise<MemoryReceipt> {
    const { plan: applied, warnings } = await this.#writer.write((view) => plan(decisionAbout(view, path)));
    const { status, reason, superseded } = applied;
    return { status, path, reason, superseded, cleaned: [], warnings };
  }

  /** Recalls what matters for a message, as text that is ready for a prompt. @throws `ABORTED`, `STORE_FAILED` */
  async recall(query: string, options: RecallOptions = {}): Promise<Recall> {
    const { lightModel, deadline, now } = this.#options;
    const usedCounts = () => this.#injections.usedCounts();
    const world = { cache: this.#cache, vectors: this.#vectors, now, deadline, lightModel, usedCounts };
    const recall = await recallMemories(world, query, options);
    if (options.isLogged !== false) this.#injections.add(recall, options.sessionId);
    return recall;
  }

  /** Finds the memories that match a text best, in any state; with embeddings also by meaning. @throws `STORE_FAILED` */
  async search(text: string, options: { readonly limit?: number } = {}): Promise<readonly FoundMemory[]> {
    return searchMemories({ cache: this.#cache, vectors: this.#vectors }, text, options);
  }

  /**
   * Reports an answer that was given after a recall: memories whose own words it contains gain relevance. A session with
   * a model does this by itself; call it if you use the text of a {@link recall} with a model of your own.
   * @returns the paths of those that were used
   * @throws `OPTION_INVALID`, `STORE_FAILED`
   */
  async answered(answer: string, options: AnsweredOptions): Promise<readonly string[]> {
    const { shown, userText = "", sessionId } = checkAnswered(answer, options);
    const { memories } = await this.#cache.look();
    const known = [...new Set(shown)].flatMap((path) => memories.get(path)?.memory ?? []);
    const used = usedMemories(known, { userText, answer }).map(({ path }) => path);
    await this.#injections.addUses(used, sessionId);
    return used;
  }

  /** Records of which memories each session was shown, the newest first. */
  injections(limit?: number): Promise<readonly Injection[]> {
    return this.#injections.newest(limit);
  }

  /** @throws `STORE_FAILED` */
  async list(options: ListOptions = {}): Promise<MemoryList> {
    checkOptions("list", options, LIST_RULES);
    const { memories, problems } = await this.#cache.lookWhole();
    const listed = [...memories.values()]
      .map(({ memory }) => withState(memory))
      .filter(({ type, state }) => (options.type ?? type) === type && (options.state ?? state) === state);
    return { memories: listed.toSorted((one, other) => (one.path < other.path ? -1 : 1)), problems };
  }

  /** @throws `MEMORY_NOT_FOUND`, `STORE_FAILED` */
  async show(path: string): Promise<ShownMemoryFile> {
    const { memory, text } = getKnown(await this.#cache.look(), path);
    return { ...withState(memory), text };
  }

  /** The indexes as a session is shown them at its start. @throws `STORE_FAILED` */
  async index(): Promise<MemoryIndexText> {
    return showIndexes((await this.#cache.look()).indexes);
  }

  /** The commands of Anthropic's memory tool over these memories, for `betaMemoryTool` or `memory_20250818` of the AI SDK. */
  tool(): MemoryToolHandlers {
    return memoryToolHandlers({
      store: this.#store,
      now: this.#options.now,
      onChange: (change) => {
        const isAlone = this.#toolWatchers.size === 1;
        for (const watcher of this.#toolWatchers) watcher.add(change, isAlone);
      },
    });
  }

  /**
   * Finds problems: repetitions, contradictions, memories that are never recalled, keys in files, broken index lines.
   * Changes nothing. @throws `STORE_FAILED`
   */
  async audit(): Promise<MemoryHealth> {
    const { memories, indexes, problems } = await this.#cache.lookWhole();
    const injections = await this.#injections.newest(Number.POSITIVE_INFINITY);
    return judgeHealth({
      known: [...memories.values()],
      indexes: [...indexes.values()].map(({ path, text }) => ({
        folder: path.slice(0, -INDEX_NAME.length),
        text,
      })),
      problems,
      recalled: new Set(injections.map(({ path }) => path)),
      usedCounts: await this.#injections.usedCounts(),
      nowMs: this.#options.now(),
    });
  }

  /**
   * Consolidates the memories: merges repetitions, resolves contradictions, archives what lost its relevance, adds facts
   * from sessions, repairs the index. A model finds more than rules; its proposals are judged first. A dry run shows
   * the changes as a diff; `revertDream` undoes them.
   * @throws `ABORTED`, `OPTION_INVALID`, `STORE_FAILED`, `MEMORY_REFUSED` where others change memories without end
   */
  async dream(options: DreamOptions = {}): Promise<DreamReport> {
    return dream(dreamPlace(this.#dreams, options, "dream"), options);
  }

  /**
   * Undoes a dream, by default the last one: every file is as it was, to the byte.
   * @throws `MEMORY_NOT_FOUND` where there is none, `MEMORY_REFUSED` where something has changed since
   */
  async revertDream(id?: string, options: DreamPlaceOptions = {}): Promise<DreamReport> {
    return revertDream(dreamPlace(this.#dreams, options, "revertDream"), id);
  }

  /** Records of dreams, the newest first, with every file before and after. */
  async dreams(options: DreamPlaceOptions = {}): Promise<readonly DreamRecord[]> {
    return new DreamJournal(dreamPlace(this.#dreams, options, "dreams")).list();
  }

  /**
   * Exports all memories as one text: `jsonl` holds every file to the byte and can be imported again; `md` is for people.
   * Unreadable files are left out; {@link list} reports them as problems.
   * @throws `STORE_FAILED`
   */
  async export(format: "jsonl" | "md" = "jsonl"): Promise<string> {
    const { memories, indexes } = await this.#cache.lookWhole();
    if (format === "md") return formatMemoriesMarkdown([...memories.values()].map(({ memory }) => memory));
    const files = [...[...memories].map(([path, { text }]) => ({ path, text })), ...indexes.values()];
    return formatMemoryBundle(files.toSorted((one, other) => (one.path < other.path ? -1 : 1)));
  }

  /**
   * Imports memories from another program or an export: a text (our own `jsonl`, the MCP memory server's `memory.jsonl`,
   * an export of mem0), or the files of a Claude Code memory directory. Existing memories stay as they are.
   * @throws `INPUT_EMPTY`, `INPUT_TOO_LARGE`, `FORMAT_UNKNOWN`, `STORE_FAILED`
   */
  async import(from: string | readonly ForeignFile[]): Promise<MemoryImportReport> {
    return importInto(this, { store: this.#store, writer: this.#writer, from });
  }

  /** Archived memories, the newest first. @throws `STORE_FAILED` */
  archived(): Promise<readonly ArchivedMemory[]> {
    return listArchived(this.#store, this.#cache);
  }

  /** One archived memory with its text, by its id or former path. @throws `MEMORY_NOT_FOUND`, `STORE_FAILED` */
  showArchived(which: string): Promise<ShownArchivedMemory> {
    return showArchived(this.#store, which);
  }

  /**
   * Restores an archived memory to the byte, by its id, or by its former path: then the last one.
   * @throws `MEMORY_NOT_FOUND`, `MEMORY_REFUSED` if the path is in use by now, `STORE_FAILED`
   */
  restore(which: string): Promise<MemoryReceipt> {
    return restoreArchived({ store: this.#store, writer: this.#writer, now: this.#options.now }, which);
  }

  /** Resolves when all work has ended; afterwards every call fails. */
  async close(): Promise<void> {
    await this.#writer.settled();
    await this.#injections.settled();
    await this.#cache.close();
    await this.#store.close();
  }
}
