/**
 * Reachability: strings that the window does not show but that can be read from it.
 *
 * A string is reachable if it is visible, if a visible pointer names a message that holds
 * it, or if a search finds it: one of the first hits of `history_search` holds it, for a query
 * made only of strings that can be read in that window. An agent that is missing something knows
 * what stood beside it, and that is what it would type.
 */
import type { Message } from "palimpsest";
import {
  addToHistory,
  countTerms,
  createHistoryIndex,
  type HistoryIndex,
  searchHistory,
  type TermCounts,
} from "palimpsest/internal";
import type { Reference, Trajectory } from "./trajectory.ts";

/** Hits of a search that count as found. Our choice: what a model reads before it asks again. */
const SEARCH_HITS = 5;
/** Messages that held a string whose other strings are searched for, newest first. Our choice: what an agent remembers of it. */
const SEARCHED_HOLDERS = 4;
/** Queries of a single string that are tried. Our choice: an agent tries a few. */
const SEARCH_TRIES = 3;
/** Strings of a query at the most. Our choice: what a model types. */
const QUERY_STRINGS = 6;

/** The way to reach a string. */
export type Reach = "visible" | "pointer" | "search" | "lost";

/** A window as far as reachability is concerned. */
interface ReachableWindow {
  isVisible(text: string): boolean;
  /** True if the window shows a pointer to the entry. */
  pointsTo(seq: number): boolean;
}

export class Reachability {
  readonly #trajectory: Trajectory;
  readonly #index: HistoryIndex = createHistoryIndex();
  /** Entries by message of the trajectory, and the other way round. */
  readonly #seqOf = new Map<number, number>();
  readonly #messageOf = new Map<number, number>();
  /** Messages that the index does not hold yet. */
  #waiting: { readonly seq: number; readonly message: Message }[] = [];
  readonly #known: KnownTexts;

  constructor(trajectory: Trajectory) {
    this.#trajectory = trajectory;
    this.#known = knownTextsOf(trajectory);
  }

  /** Message `index` of the trajectory, or a part of it, is entry `seq` of the log. */
  addMessage(index: number, seq: number, message: Message): void {
    this.#seqOf.set(index, seq);
    this.#messageOf.set(seq, index);
    this.#waiting.push({ seq, message });
  }

  of(reference: Reference, window: ReachableWindow): Reach {
    const { text, source } = reference;
    if (window.isVisible(text)) return "visible";
    const seq = this.#seqOf.get(source);
    if (seq !== undefined && window.pointsTo(seq)) return "pointer";
    return this.isFound(reference, (one) => window.isVisible(one)) ? "search" : "lost";
  }

  /**
   * True if a search finds it. The queries are strings beside it in messages that held it, the newest message
   * first: the rarest strings, then all together, then one by one.
   */
  isFound({ text }: Reference, isVisible: (text: string) => boolean): boolean {
    const tried = new Set<string>();
    const holders = this.#known.holdersOf(text).filter((index) => this.#seqOf.has(index));
    for (const holder of holders.slice(-SEARCHED_HOLDERS).toReversed()) {
      const beside = this.#visibleBeside(holder, isVisible);
      const queries = [beside.slice(0, 2), beside, ...beside.slice(0, SEARCH_TRIES).map((one) => [one])];
      for (const query of queries.map((strings) => strings.join(" "))) {
        if (query === "" || tried.has(query)) continue;
        tried.add(query);
        if (this.#hits(query, text)) return true;
      }
    }
    return false;
  }

  #hits(query: string, text: string): boolean {
    for (const { seq, message } of this.#waiting)
      addToHistory(this.#index, seq, message, this.#known.termsOf);
    this.#waiting = [];
    return searchHistory(this.#index, query, { limit: SEARCH_HITS }).some(({ seq }) => {
      const found = this.#messageOf.get(seq);
      return found !== undefined && this.#trajectory.messages[found]!.strings.has(text);
    });
  }

  /** Strings of the message that can be read in the window, the rarest first. */
  #visibleBeside(source: number, isVisible: (text: string) => boolean): readonly string[] {
    const { strings } = this.#trajectory.messages[source]!;
    return [...strings]
      .filter((text) => isVisible(text))
      .sort((one, other) => this.#known.holdersOf(one).length - this.#known.holdersOf(other).length)
      .slice(0, QUERY_STRINGS);
  }
}

/** The facts of a trajectory's texts, the same under every policy. */
interface KnownTexts {
  /** Messages that hold a string, in order. */
  holdersOf(text: string): readonly number[];
  readonly termsOf: (text: string) => TermCounts;
}

const known = new WeakMap<Trajectory["messages"], KnownTexts>();

function knownTextsOf({ messages }: Trajectory): KnownTexts {
  const before = known.get(messages);
  if (before !== undefined) return before;
  const holders = new Map<string, number[]>();
  messages.forEach(({ strings }, index) => {
    for (const text of strings) {
      const own = holders.get(text);
      if (own === undefined) holders.set(text, [index]);
      else own.push(index);
    }
  });
  const terms = new Map<string, TermCounts>();
  const termsOf = (text: string): TermCounts => {
    let counted = terms.get(text);
    if (counted === undefined) {
      counted = countTerms(text);
      terms.set(text, counted);
    }
    return counted;
  };
  const texts: KnownTexts = { holdersOf: (text) => holders.get(text) ?? [], termsOf };
  known.set(messages, texts);
  return texts;
}
