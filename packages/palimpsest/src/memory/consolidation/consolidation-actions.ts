/**
 * Actions of a dream on memories, one at a time and on paper: merge, supersede, archive, each recorded and within the
 * caps. Rules and models decide elsewhere; the limits for both are here. In the end they are changes of files.
 */
import { MEMORY_DREAM_DEFAULTS } from "../../base/defaults/memory/dream.ts";
import type { MemoryChange, MemoryFile } from "../../ports/memory-store.ts";
import { doesFade, type KnownMemory, type Memory } from "../files/memory.ts";
import { type MemoryChanges, parseMemoryFile, updateMemoryFile } from "../files/memory-file.ts";
import { isRecallable } from "../recall/recall-plan.ts";

/** One thing that a dream does. */
export interface DreamAction {
  /**
   * `merge`: two say the same, one of them goes. `supersede`: the newer of two that contradict each other wins.
   * `prune`: it has lost its worth. `remember`: it was said in a session. `index`: lines came or went.
   */
  readonly kind: "merge" | "supersede" | "prune" | "remember" | "index";
  /** The one that stays or is new first, then the others. */
  readonly paths: readonly string[];
  readonly why: string;
  /** Set if a model proposed it, absent for the rules. */
  readonly by?: "model";
}

/** A change with what was there before, so that it can be shown and taken back. */
export interface PlannedChange extends MemoryChange {
  readonly before: string | undefined;
}

/** The index of the directory. */
export type DreamIndex = Omit<MemoryFile, "modifiedMs">;

/** Why something is done, and who saw it. */
interface ActionReason {
  readonly why: string;
  readonly by?: "model" | undefined;
}

export class ConsolidationActions {
  readonly actions: DreamAction[] = [];
  /** Findings that lead to no action. */
  readonly notes = new Set<string>();
  /** The files as they were. */
  readonly #originals = new Map<string, Pick<MemoryFile, "text" | "version">>();
  readonly #known = new Map<string, KnownMemory>();
  /** Text of other files that may be changed: an index. */
  readonly #others = new Map<string, string>();
  /** Memories that this dream has kept: it does not archive them. */
  readonly #kept = new Set<string>();
  readonly #nowMs: number;
  #archivedCount = 0;

  constructor(known: readonly KnownMemory[], index: DreamIndex | undefined, nowMs: number) {
    this.#nowMs = nowMs;
    for (const one of known) {
      this.#originals.set(one.memory.path, one);
      this.#known.set(one.memory.path, one);
    }
    if (index === undefined) return;
    this.#originals.set(index.path, index);
    this.#others.set(index.path, index.text);
  }

  /** The memories as they are by now, by path. */
  get known(): ReadonlyMap<string, KnownMemory> {
    return this.#known;
  }

  textOf(path: string): string | undefined {
    return this.#known.get(path)?.text ?? this.#others.get(path);
  }

  setFile(path: string, text: string): void {
    this.#others.set(path, text);
  }

  /** `undefined` puts it into the archive. */
  setMemory(path: string, text: string | undefined): void {
    const version = this.#originals.get(path)?.version ?? "";
    if (text === undefined) this.#known.delete(path);
    else this.#known.set(path, { memory: parseMemoryFile(path, text).memory, text, version });
  }

  /** Changed files, by path. */
  changes(): readonly PlannedChange[] {
    const paths = new Set([...this.#originals.keys(), ...this.#known.keys(), ...this.#others.keys()]);
    return [...paths].sort().flatMap((path) => {
      const original = this.#originals.get(path);
      const text = this.textOf(path);
      return text === original?.text ? [] : [{ path, base: original?.version, text, before: original?.text }];
    });
  }

  /** Memories that are recalled. */
  active(): readonly KnownMemory[] {
    return [...this.#known.values()].filter(({ memory }) => isRecallable(memory));
  }

  /** The memory as it is by now; `undefined` where there is none that is recalled. */
  activeAt(path: string): Memory | undefined {
    const memory = this.#known.get(path)?.memory;
    return memory !== undefined && isRecallable(memory) ? memory : undefined;
  }

  /** One goes into the other, which is worth as much as either. Whether there was room in the archive. */
  merge(keptPath: string, gone: Memory, reason: ActionReason): boolean {
    if (!this.archive(gone.path)) return false;
    const { memory: kept, text } = this.#known.get(keptPath)!;
    const inherited = this.#inherit(kept, gone);
    const supersedes = [...kept.supersedes, ...inherited];
    const changes = { ...withRelevanceOf(kept, gone), ...(inherited.length === 0 ? {} : { supersedes }) };
    this.setMemory(keptPath, updateMemoryFile(text, { ...changes, ...this.#stands(kept) }));
    this.keep(keptPath);
    this.act("merge", [keptPath, gone.path], reason);
    return true;
  }

  /** Makes the memories that `gone` superseded point to `kept`. Returns those that `kept` has not superseded yet. */
  #inherit(kept: Memory, gone: Memory): readonly string[] {
    const older = [...this.#known.values()].filter(({ memory }) => memory.supersededBy === gone.path);
    for (const { memory, text } of older)
      this.setMemory(memory.path, updateMemoryFile(text, { supersededBy: kept.path }));
    const paths = new Set([...gone.supersedes, ...older.map(({ memory }) => memory.path)]);
    return [...paths].filter((path) => path !== kept.path && !kept.supersedes.includes(path));
  }

  supersede(newerPath: string, older: Memory, reason: ActionReason): void {
    const { text: oldText } = this.#known.get(older.path)!;
    const { memory: newer, text: newText } = this.#known.get(newerPath)!;
    const changes = { supersededBy: newerPath, updatedAtMs: this.#nowMs };
    this.setMemory(older.path, updateMemoryFile(oldText, changes));
    const supersedes = [...new Set([...newer.supersedes, older.path])];
    this.setMemory(newerPath, updateMemoryFile(newText, { supersedes, ...this.#stands(newer) }));
    this.keep(newerPath);
    this.act("supersede", [newerPath, older.path], reason);
  }

  /** Takes note that the memory is one that this dream decided for. */
  keep(path: string): void {
    this.#kept.add(path);
  }

  isKept(path: string): boolean {
    return this.#kept.has(path);
  }

  /** To be kept is fresh evidence, for the next dream as well; when it was said stays as it is. */
  #stands(memory: Memory): MemoryChanges {
    return doesFade(memory) ? { keptAtMs: this.#nowMs } : {};
  }

  /** Other words for what several say: no better founded than the weakest of them. */
  rewrite(path: string, body: string, sources: readonly Memory[]): void {
    const { memory, text } = this.#known.get(path)!;
    if (memory.body === body) return;
    const isConfirmed = sources.every((source) => source.isConfirmed);
    this.setMemory(path, updateMemoryFile(text, { body, isConfirmed }));
  }

  /** Returns false if there was no room. */
  archive(path: string): boolean {
    if (!this.hasSpace(0, path)) return false;
    this.#archivedCount++;
    this.setMemory(path, undefined);
    return true;
  }

  /** True if one more may go to the archive, besides those that are about to. */
  hasSpace(besides: number, path: string): boolean {
    const { archivedCount } = MEMORY_DREAM_DEFAULTS;
    if (this.#archivedCount + besides < archivedCount) return true;
    this.notes.add(`${path} would go to the archive, and one dream puts at most ${archivedCount} there.`);
    return false;
  }

  act(kind: DreamAction["kind"], paths: readonly string[], { why, by }: ActionReason): void {
    this.actions.push({ kind, paths, why, by });
  }
}

/** When it was last said. */
export function timeOf({ updatedAtMs, createdAtMs }: Pick<Memory, "updatedAtMs" | "createdAtMs">): number {
  return Math.max(updatedAtMs ?? 0, createdAtMs ?? 0);
}

/**
 * A repeated fact counts from its repetition: after a merge with an old memory, a new one must not be pruned for its
 * age.
 */
function withRelevanceOf(kept: Memory, gone: Memory): MemoryChanges {
  const isNewer =
    (kept.createdAtMs ?? Number.POSITIVE_INFINITY) < (gone.createdAtMs ?? Number.POSITIVE_INFINITY);
  const createdAtMs = isNewer ? gone.createdAtMs : kept.createdAtMs;
  const updatedAtMs = Math.max(timeOf(kept), timeOf(gone));
  return {
    ...(isNewer ? { createdAtMs } : {}),
    ...(updatedAtMs > Math.max(createdAtMs ?? 0, kept.updatedAtMs ?? 0) ? { updatedAtMs } : {}),
    ...(gone.relevance > kept.relevance ? { relevance: gone.relevance } : {}),
    ...(kept.decays && !gone.decays ? { decays: false } : {}),
  };
}
