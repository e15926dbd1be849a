/**
 * Reachable: what cannot be read in the window, and can be got at from it.
 *
 * A string is reachable if it is visible, if a message that holds it stands behind a visible
 * pointer, or if a search finds it: one of the first hits of `history_search` holds it, for a query
 * made only of strings that can be read in that window. An agent that is missing something knows
 * what stood beside it, and that is what it would type.
 */
import { EVALUATION_DEFAULTS as D } from "../base/defaults/evaluation.ts";
import {
  addToHistory,
  createHistoryIndex,
  type HistoryIndex,
  searchHistory,
} from "../compaction/history-search.ts";
import type { Message } from "../transcript/messages.ts";
import type { Reference, Trajectory } from "./trajectory.ts";

/** How a string can be reached. */
export type Reach = "visible" | "pointer" | "search" | "lost";

/** A window as far as reachability is concerned. */
export interface ReachableWindow {
  isVisible(text: string): boolean;
  /** Whether the window shows a pointer to the entry. */
  pointsTo(seq: number): boolean;
}

export class Reachability {
  readonly #trajectory: Trajectory;
  readonly #index: HistoryIndex = createHistoryIndex();
  /** Entries by message of the trajectory, and the other way round. */
  readonly #seqOf = new Map<number, number>();
  readonly #messageOf = new Map<number, number>();
  readonly #holderCounts: ReadonlyMap<string, number>;

  constructor(trajectory: Trajectory) {
    this.#trajectory = trajectory;
    const counts = new Map<string, number>();
    for (const { strings } of trajectory.messages)
      for (const text of strings) counts.set(text, (counts.get(text) ?? 0) + 1);
    this.#holderCounts = counts;
  }

  /** Message `index` of the trajectory, or a part of it, stands in the log as entry `seq`. */
  said(index: number, seq: number, message: Message): void {
    this.#seqOf.set(index, seq);
    this.#messageOf.set(seq, index);
    addToHistory(this.#index, seq, message);
  }

  of(reference: Reference, window: ReachableWindow): Reach {
    const { text, source } = reference;
    if (window.isVisible(text)) return "visible";
    const seq = this.#seqOf.get(source);
    if (seq !== undefined && window.pointsTo(seq)) return "pointer";
    return this.#isFound(text, source, window) ? "search" : "lost";
  }

  /** Searches for what stood beside it, the rarest first: all together, then fewer. */
  #isFound(text: string, source: number, window: ReachableWindow): boolean {
    const beside = this.#visibleBeside(source, window);
    const queries = new Set([
      beside.join(" "),
      beside.slice(0, 2).join(" "),
      ...beside.slice(0, D.searchTries),
    ]);
    for (const query of queries) if (query !== "" && this.#hits(query, text)) return true;
    return false;
  }

  #hits(query: string, text: string): boolean {
    return searchHistory(this.#index, query, { limit: D.searchHits }).some(({ seq }) => {
      const found = this.#messageOf.get(seq);
      return found !== undefined && this.#trajectory.messages[found]!.strings.has(text);
    });
  }

  /** Strings of the message that can be read in the window, the rarest first. */
  #visibleBeside(source: number, window: ReachableWindow): readonly string[] {
    const { strings } = this.#trajectory.messages[source]!;
    return [...strings]
      .filter((text) => window.isVisible(text))
      .sort((one, other) => this.#holderCounts.get(one)! - this.#holderCounts.get(other)!)
      .slice(0, D.queryStrings);
  }
}
