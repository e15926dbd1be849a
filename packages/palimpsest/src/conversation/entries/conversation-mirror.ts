/**
 * One session of `MemoryManager` in memory, so that readers need not wait for the store: entries, summaries, and the
 * sums of their tokens.
 *
 * An entry in here never changes. The methods `context` and `state` return copies, for hosts.
 */
import {
  type ConversationEntry,
  type ConversationStats,
  copyEntry,
  copySummary,
  type MemoryContext,
  type MemorySessionState,
  type MemorySummary,
} from "./conversation-entry.ts";

/** The content of a mirror. */
export type MirroredState = Pick<MemorySessionState, "entries" | "summaries">;

/** Entries and summaries of one session. */
export class MemoryMirror {
  #entries: ConversationEntry[] = [];
  /** Indexes of the entries by id. */
  #places = new Map<string, number>();
  #summaries: readonly MemorySummary[] = [];
  #active: ConversationEntry[] = [];
  #totalTokens = 0;
  #activeTokens = 0;

  constructor(state: MirroredState = { entries: [], summaries: [] }) {
    this.replace(state);
  }

  /** All entries, oldest first. */
  get entries(): readonly ConversationEntry[] {
    return this.#entries;
  }

  /** Entries that are not compressed, oldest first. */
  get active(): readonly ConversationEntry[] {
    return this.#active;
  }

  get summaries(): readonly MemorySummary[] {
    return this.#summaries;
  }

  /** Tokens of active entries and summaries. */
  get activeTokens(): number {
    return this.#activeTokens;
  }

  push(entry: ConversationEntry): void {
    this.#places.set(entry.id, this.#entries.push(entry) - 1);
    this.#active.push(entry);
    this.#totalTokens += entry.tokenCount;
    this.#activeTokens += entry.tokenCount;
  }

  /** Replaces the entries of `summary` and the summaries `foldedIds` by it. */
  compress(summary: MemorySummary, foldedIds: ReadonlySet<string>): void {
    const ids = new Set(summary.originalEntryIds);
    for (const id of ids) {
      const place = this.#places.get(id);
      if (place === undefined) continue;
      this.#entries[place] = { ...this.#entries[place]!, compressed: true, summaryId: summary.id };
    }
    this.#active = this.#active.filter(({ id }) => !ids.has(id));
    this.#summaries = [...this.#summaries.filter(({ id }) => !foldedIds.has(id)), summary];
    this.#activeTokens = sumTokens(this.#active) + sumTokens(this.#summaries);
  }

  replace({ entries, summaries }: MirroredState): void {
    this.#entries = [...entries];
    this.#places = new Map(entries.map(({ id }, index) => [id, index]));
    this.#summaries = summaries;
    this.#active = entries.filter(({ compressed }) => !compressed);
    this.#totalTokens = sumTokens(entries);
    this.#activeTokens = sumTokens(this.#active) + sumTokens(summaries);
  }

  stats(): ConversationStats {
    return {
      totalEntries: this.#entries.length,
      activeEntries: this.#active.length,
      compressedEntries: this.#entries.length - this.#active.length,
      summaries: this.#summaries.length,
      totalTokens: this.#totalTokens,
      activeTokens: this.#activeTokens,
    };
  }

  /** Copies of the summaries and the active entries. */
  context(): MemoryContext {
    return { summaries: this.#summaries.map(copySummary), entries: this.#active.map(copyEntry) };
  }

  /** A copy of everything. */
  state(sessionId: string): MemorySessionState {
    return {
      sessionId,
      entries: this.#entries.map(copyEntry),
      summaries: this.#summaries.map(copySummary),
      totalTokens: this.#totalTokens,
    };
  }
}

/** Tokens of several entries or summaries. */
export function sumTokens(all: readonly { readonly tokenCount: number }[]): number {
  return all.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
}
