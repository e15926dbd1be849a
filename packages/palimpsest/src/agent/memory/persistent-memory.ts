/**
 * Long-term memory: what a user, a project and a team want known in later sessions, kept as Markdown files that
 * people read, edit and undo.
 *
 * DESIGN. It is a face over a store. Every call looks at what is there now, people's edits included; every change
 * is planned on that and taken only while it is so (`memory-writer.ts`). Every call says what it did in a receipt.
 * Nothing is destroyed: what is corrected says by what, what is forgotten lies in the archive.
 */
import { MEMORY_RECALL_DEFAULTS } from "../../base/defaults/memory/recall.ts";
import type { PastMemory } from "../../memory/consolidation/past-memories.ts";
import type { MemoryType } from "../../memory/files/memory.ts";
import { INDEX_NAME } from "../../memory/files/memory-index.ts";
import { judgeHealth, type MemoryHealth } from "../../memory/health/health.ts";
import { usedMemories } from "../../memory/recall/used-memories.ts";
import { areOfTwoInstances } from "../../memory/subject/same-subject.ts";
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
import type { DreamRecord } from "./consolidation/dream-journal.ts";
import { MemoryDreams } from "./consolidation/memory-dreams.ts";
import type { DreamOptions, DreamPlaceOptions, DreamReport } from "./consolidation/run-dream.ts";
import { MemoryVectors } from "./recall/memory-vectors.ts";
import { type Injection, InjectionLog } from "./recall/recall-log.ts";
import { type Recall, type RecallOptions, recallMemories } from "./recall/recall-memories.ts";
import { type MemoryIndexText, showIndexes } from "./recall/shown-index.ts";
import {
  type ArchivedMemory,
  listArchived,
  pastOf,
  restoreArchived,
  type ShownArchivedMemory,
  showArchived,
} from "./store/archived-memories.ts";
import { findSameSubject } from "./store/find-same-subject.ts";
import { type RememberOptions, readFresh } from "./store/fresh-memory.ts";
import {
  type FoundMemory,
  getKnown,
  type ListedMemory,
  type ShownMemoryFile,
  withState,
} from "./store/listed-memory.ts";
import { MemoryCache, type MemoryProblem, type MemorySnapshot } from "./store/memory-cache.ts";
import { MemoryWriter, type PlannedWrite } from "./store/memory-writer.ts";
import { mountOf, mountTeam, otherPlace, TEAM_FOLDER } from "./store/mounted-store.ts";
import type { AnsweredOptions } from "./store/use-log.ts";
import { type MemoryToolHandlers, memoryToolHandlers } from "./tool/memory-tool.ts";
import { ToolWrites } from "./tool/tool-writes.ts";
import { importInto, type MemoryImportReport } from "./transfer/import-into-memory.ts";

/** What a memory is made of. Get one from `createMemory` or a home. */
export interface PersistentMemoryOptions {
  /** Where the project's memories are kept. */
  readonly store: MemoryStore;
  /** Where its team's are kept; they are seen below `team/`. */
  readonly team?: MemoryStore | undefined;
  /** Chooses among what was found, and is asked by dreams; without one ranking and rules decide. */
  readonly lightModel?: ModelClient | undefined;
  /** Finds memories by what they mean, beside the words; without one words decide. */
  readonly embeddings?: EmbeddingClient | undefined;
  readonly deadline: Deadline;
  readonly now: () => number;
  /** Lets everything else happen that is due, in the middle of long work; without it nothing does. */
  readonly yieldTurn?: (() => Promise<void>) | undefined;
}

/** Which memories are listed. Everything may be left out. */
export interface ListOptions {
  readonly type?: MemoryType;
  /** @defaultValue all of them */
  readonly state?: ListedMemory["state"];
}

/** What there is, and what is wrong with some of it. */
export interface MemoryList {
  /** By path. */
  readonly memories: readonly ListedMemory[];
  /** What lies in the directory and cannot be used, and what of a file was not understood. */
  readonly problems: readonly MemoryProblem[];
}

/** Long-term memory of one project and, where it has one, its team. */
export class PersistentMemory {
  readonly #store: MemoryStore;
  readonly #options: PersistentMemoryOptions;
  readonly #cache: MemoryCache;
  readonly #writer: MemoryWriter;
  readonly #injections: InjectionLog;
  readonly #vectors: MemoryVectors | undefined;
  readonly #dreams: MemoryDreams;
  readonly #toolWatchers = new Set<ToolWrites>();

  /** @internal Made by `createMemory`. */
  constructor(options: PersistentMemoryOptions) {
    const { store, team, now, deadline, lightModel, yieldTurn = async () => undefined } = options;
    this.#options = options;
    this.#store = team === undefined ? store : mountTeam(store, team);
    this.#cache = new MemoryCache(this.#store);
    this.#injections = new InjectionLog(this.#store, now);
    const usedCounts = () => this.#injections.usedCounts();
    this.#writer = new MemoryWriter({ store: this.#store, cache: this.#cache, now, usedCounts });
    this.#vectors = options.embeddings && new MemoryVectors(options.embeddings, deadline);
    const seen = { store: this.#store, cache: this.#cache, injections: this.#injections };
    this.#dreams = new MemoryDreams({ ...seen, project: store, team, now, deadline, lightModel, yieldTurn });
  }

  /** The folder in which a person finds the memories; absent where they are no files. */
  get path(): string | undefined {
    return this.#store.path;
  }

  /** What a model changes through {@link tool} from now on, for as long as `close` is not called. @internal */
  watchTool(): ToolWrites {
    const watcher = new ToolWrites(this.#store, () => this.#toolWatchers.delete(watcher));
    this.#toolWatchers.add(watcher);
    return watcher;
  }

  /**
   * Remembers a fact. One that is known is not written twice, one that corrects what was remembered takes its place,
   * and what was said by somebody less to be believed changes nothing that a person said.
   * @throws `OPTION_INVALID`, `STORE_FAILED`, `MEMORY_REFUSED` where others change the same files without end
   */
  async remember(text: string, options: RememberOptions = {}): Promise<MemoryReceipt> {
    return this.#remember(text, options, (view, fresh) => {
      const { repeated, corrected } = findSameSubject(this.#cache, view, fresh);
      // Another place's memories are changed there.
      const named = (options.corrects ?? []).filter(
        (path) =>
          mountOf(path) === mountOf(fresh.folder) &&
          !areOfTwoInstances(fresh.body, view.memories.get(path)?.memory.body ?? ""),
      );
      return { repeated, corrected: [...new Set([...corrected, ...named])] };
    });
  }

  /**
   * Remembers a fact in the place of older ones, whoever said those. They stay as history and are not recalled.
   * @param old - a path, or several
   * @throws `MEMORY_NOT_FOUND`, and as {@link remember}
   */
  async supersede(
    old: string | readonly string[],
    text: string,
    options: RememberOptions = {},
  ): Promise<MemoryReceipt> {
    const paths = typeof old === "string" ? [old] : old;
    const isTeam = options.isTeam ?? paths.every((path) => path.startsWith(TEAM_FOLDER));
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
      readonly mustSupersede?: boolean;
    },
  ): Promise<MemoryReceipt> {
    const { fresh, cleaned } = readFresh(text, options, this.#options.team !== undefined);
    if (fresh === undefined) return rejected("There is nothing in it to be remembered.", cleaned);
    const { plan, warnings } = await this.#writer.write((view, taken): RememberPlan & PlannedWrite => {
      const planned = planRemember(fresh, {
        known: view.memories,
        taken,
        ...compare(view, fresh),
        nowMs: this.#options.now(),
      });
      return { ...planned, unlisted: planned.superseded };
    });
    const { status, path, reason, superseded } = plan;
    return { status, path, reason, superseded, cleaned, warnings };
  }

  /** What a session has left here, and what is over: said again out of an old message it is no news. @internal */
  async past(sessionId: string): Promise<readonly PastMemory[]> {
    return pastOf(await this.#cache.look(), this.#store, sessionId);
  }

  /**
   * Puts a memory into the archive, from where a person can take it back. What it took the place of is recalled again.
   * @throws `MEMORY_NOT_FOUND`, `MEMORY_PATH_REFUSED`, `STORE_FAILED`
   */
  async forget(path: string): Promise<MemoryReceipt> {
    return this.#decide(path, (situation) => planForget(situation, this.#options.now()));
  }

  /**
   * Says that a person stands by a memory: it is as new from now on, and shown where it was quarantined. What another
   * one took the place of stays history: that is rejected.
   * @throws `MEMORY_NOT_FOUND`, `STORE_FAILED`
   */
  async confirm(path: string): Promise<MemoryReceipt> {
    return this.#decide(path, (situation) => planConfirm(situation, this.#options.now()));
  }

  async #decide(path: string, plan: (situation: DecisionSituation) => DecisionPlan): Promise<MemoryReceipt> {
    const { plan: done, warnings } = await this.#writer.write((view) => {
      const near = [...view.memories].filter(([other]) => mountOf(other) === mountOf(path));
      return plan({ decided: getKnown(view, path), known: new Map(near) });
    });
    const { status, reason, superseded } = done;
    return { status, path, reason, superseded, cleaned: [], warnings };
  }

  /**
   * The memories that a message calls for, as text that is ready for a prompt.
   * @throws `ABORTED`, `STORE_FAILED`
   */
  async recall(query: string, options: RecallOptions = {}): Promise<Recall> {
    const { lightModel, deadline, now } = this.#options;
    const usedCounts = () => this.#injections.usedCounts();
    const world = { cache: this.#cache, vectors: this.#vectors, now, deadline, lightModel, usedCounts };
    const recall = await recallMemories(world, query, options);
    if (options.isLogged !== false) await this.#injections.add(recall, options.sessionId);
    return recall;
  }

  /**
   * The memories that fit some words best, whatever state they are in: for people who look for one.
   * @throws `STORE_FAILED`
   */
  async search(text: string, options: { readonly limit?: number } = {}): Promise<readonly FoundMemory[]> {
    const { memories } = await this.#cache.look();
    const { limit = MEMORY_RECALL_DEFAULTS.searchedCount } = options;
    const hits = this.#cache.search(text, { limit, accepts: () => true });
    return hits.flatMap(({ id, score, why }) => {
      const known = memories.get(id);
      return known === undefined ? [] : [{ ...withState(known.memory), score, why }];
    });
  }

  /**
   * Tells what was answered where memories had been recalled: those whose own words the answer has are worth more from
   * now on. A session with a model does it by itself; whoever asks a model with the text of a {@link recall} may do it.
   * @returns the paths of those that were used
   * @throws `STORE_FAILED`
   */
  async answered(
    answer: string,
    { shown, userText = "", sessionId }: AnsweredOptions,
  ): Promise<readonly string[]> {
    const { memories } = await this.#cache.look();
    const known = [...new Set(shown)].flatMap((path) => memories.get(path)?.memory ?? []);
    const used = usedMemories(known, { userText, answer }).map(({ path }) => path);
    await this.#injections.addUses(used, sessionId);
    return used;
  }

  /** Which memories were given to which session, the newest first. */
  injections(limit?: number): Promise<readonly Injection[]> {
    return this.#injections.newest(limit);
  }

  /** @throws `STORE_FAILED` */
  async list(options: ListOptions = {}): Promise<MemoryList> {
    const { memories, problems } = await this.#cache.look();
    const listed = [...memories.values()]
      .map(({ memory }) => withState(memory))
      .filter(({ type, state }) => (options.type ?? type) === type && (options.state ?? state) === state);
    return { memories: listed.toSorted((one, other) => (one.path < other.path ? -1 : 1)), problems };
  }

  /** @throws `MEMORY_NOT_FOUND`, `STORE_FAILED` */
  async show(path: string): Promise<ShownMemoryFile> {
    const view = await this.#cache.look();
    const { memory, text } = getKnown(view, path);
    return { ...withState(memory), text };
  }

  /** The indexes as a session is shown them at its start. @throws `STORE_FAILED` */
  async index(): Promise<MemoryIndexText> {
    return showIndexes((await this.#cache.look()).indexes);
  }

  /**
   * The commands of Anthropic's memory tool over these memories: pass them to `betaMemoryTool`, or to the AI SDK's
   * `memory_20250818`.
   */
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
   * Looks for what rots: repetitions, contradictions, what is never recalled, keys in files, lines that lead
   * nowhere. Changes nothing.
   * @throws `STORE_FAILED`
   */
  async audit(): Promise<MemoryHealth> {
    const { memories, indexes, problems } = await this.#cache.look();
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
   * Looks the memories through and puts right what rots: what is said twice or was corrected, what has lost its
   * worth, what was said in sessions, the index. A model sees more of it than rules; what it proposes is judged
   * first. A dry run shows all of it as a diff; `revertDream` takes all of it back.
   * @throws `ABORTED`, `OPTION_INVALID`, `STORE_FAILED`, `MEMORY_REFUSED` where others change memories without end
   */
  async dream(options: DreamOptions = {}): Promise<DreamReport> {
    return this.#dreams.dream(options);
  }

  /**
   * Takes a dream back, the last one of the place where none is named: every file is as it was, to the byte.
   * @throws `MEMORY_NOT_FOUND` where there is none, `MEMORY_REFUSED` where something has changed since
   */
  async revertDream(id?: string, options: DreamPlaceOptions = {}): Promise<DreamReport> {
    return this.#dreams.revert(id, options);
  }

  /** What dreams did, the newest first, with every file before and after. */
  async dreams(options: DreamPlaceOptions = {}): Promise<readonly DreamRecord[]> {
    return this.#dreams.list(options);
  }

  /**
   * All of it as one text: `jsonl` holds every file to the byte and can be imported again; `md` is for people.
   * What cannot be read is not in it; the problems of {@link list} say what that is.
   * @throws `STORE_FAILED`
   */
  async export(format: "jsonl" | "md" = "jsonl"): Promise<string> {
    const { memories, indexes } = await this.#cache.look();
    if (format === "md") return formatMemoriesMarkdown([...memories.values()].map(({ memory }) => memory));
    const files = [...[...memories].map(([path, { text }]) => ({ path, text })), ...indexes.values()];
    return formatMemoryBundle(files.toSorted((one, other) => (one.path < other.path ? -1 : 1)));
  }

  /**
   * Takes memories over from another program or from an export: a text (our own `jsonl`, the MCP memory server's
   * `memory.jsonl`, an export of mem0), or the files of a Claude Code memory directory. What is there stays as it is.
   * @throws `INPUT_EMPTY`, `INPUT_TOO_LARGE`, `FORMAT_UNKNOWN`, `STORE_FAILED`
   */
  async import(from: string | readonly ForeignFile[]): Promise<MemoryImportReport> {
    return importInto(this, { store: this.#store, writer: this.#writer, from });
  }

  /** What was put away, the newest first. @throws `STORE_FAILED` */
  archived(): Promise<readonly ArchivedMemory[]> {
    return listArchived(this.#store, this.#cache);
  }

  /** One of them with its text, by its id or the path that it had. @throws `MEMORY_NOT_FOUND`, `STORE_FAILED` */
  showArchived(which: string): Promise<ShownArchivedMemory> {
    return showArchived(this.#store, which);
  }

  /**
   * Puts one of them back where it was, to the byte.
   * @param which - its id, or the path that it had: then the last one
   * @throws `MEMORY_NOT_FOUND`, `MEMORY_REFUSED` where a memory stands there by now, `STORE_FAILED`
   */
  restore(which: string): Promise<MemoryReceipt> {
    return restoreArchived({ store: this.#store, writer: this.#writer, now: this.#options.now }, which);
  }

  /** Resolves when nothing is under way any more; afterwards every call fails. */
  async close(): Promise<void> {
    await this.#writer.settled();
    await this.#store.close();
  }
}
