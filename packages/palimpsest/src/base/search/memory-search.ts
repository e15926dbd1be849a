/**
 * Ranked search over memories by words, without a model or embeddings.
 *
 * Ranking is BM25 over weighted fields. The text around a memory often has the words that it lacks ("yes, on
 * Tuesday"), so a part of its neighbours' scores, and of its conversation's, is added if a memory names them.
 * Documents can be added and removed one by one; the results equal those of a new index.
 */
import { MEMORY_SEARCH_DEFAULTS } from "../defaults/memory/search.ts";
import { cutHead } from "../text/text.ts";
import { ConversationLinks } from "./conversation-links.ts";
import { fieldsAt, MOST_DOCUMENTS, Postings } from "./postings.ts";
import { findRelatedTerms, type QueryTerm, readQuery, weighQuery } from "./query-terms.ts";
import { type ScoredNumber, takeBest } from "./ranking.ts";
import { type RestoredSearch, type SavedSearch, saveSearch } from "./saved-search.ts";
import { type ScoredDocument, Scorer, type ScoreWeights } from "./scorer.ts";
import { Vocabulary } from "./vocabulary.ts";

/** Memories that fit best whose other words find what shares none with the query. Source: measured on the hard questions of packages/evaluation/bench/memory: three to eight make no difference. */
const ALIKE_SEEDS_COUNT = 5;
/** The highest score of a memory without a word of the query, as a part of the last one that has one. Our choice: neither age nor time puts it before one of those, and without a model it is not shown. */
const ALIKE_SHARE = 0.1;
/** Characters of one memory that are read, from its beginning; the rest is not found. Our choice: far more than a memory has, so that a huge file costs no more than some pages. */
const MEMORY_CHARACTERS = 40_000;

/** The searched fields of a memory. Empty ones may be left out. */
export interface MemoryFields {
  readonly name?: string;
  readonly description?: string;
  readonly body?: string;
  readonly tags?: readonly string[];
  /** When it was, in the words that one would ask with: `Tuesday 7 May 2024`. */
  readonly time?: string;
  /** The id of the preceding message, for a piece of a conversation. */
  readonly before?: string;
  /** The conversation that it is a piece of. */
  readonly group?: string;
}

type MemoryField = "name" | "description" | "body" | "tags" | "time";

export interface MemoryHit {
  readonly id: string;
  /** Larger is better; comparable within one search only. */
  readonly score: number;
  /** Share of the query's weight that its words make up, between 0 and 1: a rare word weighs more. */
  readonly matchedShare: number;
  readonly why: HitReason;
}

/** Why something was found. The three scores add up to the hit's. */
export interface HitReason {
  /** Words of the query that it has, as the query writes them, and where; the rarest first. */
  readonly words: readonly { readonly word: string; readonly fields: readonly MemoryField[] }[];
  readonly ownScore: number;
  /** From what was said just before and after it. */
  readonly neighbourScore: number;
  /** From the conversation as a whole. */
  readonly groupScore: number;
}

export interface MemorySearchOptions {
  readonly limit: number;
  /** Which memories may be found at all; the others count for nothing but how rare a word is. */
  readonly accepts?: (id: string) => boolean;
  /**
   * Fewer than `limit` were found: then those come behind that have no word of the query and are most like the best of
   * what was found. They say so by having no words in `why`. @defaultValue false
   */
  readonly alsoAlike?: boolean;
}

export interface MemorySearch {
  readonly size: number;
  /** Puts a memory in, in the place of what had the same id. */
  set(id: string, fields: MemoryFields): void;
  /** Returns false if it was not there. */
  remove(id: string): boolean;
  /** The best memories for a query; by id among equals. What has none of its words is found only where it is asked for. */
  search(query: string, options: MemorySearchOptions): readonly MemoryHit[];
  /** Its contents, to be restored by another one. It is of use until the next change. */
  save(): SavedSearch;
  /**
   * Takes over what was saved: a search that holds nothing yet. Afterwards it finds the same with the same scores.
   * Returns false if a term is there twice: then it is of no use.
   */
  restore(saved: RestoredSearch, yieldTurn: () => Promise<void>): Promise<boolean>;
}

/** Documents that are restored without giving others a turn. Our choice: a few milliseconds. */
const RESTORED_SLICE_COUNT = 4_096;

/** In the order of their bits. */
const FIELDS: readonly MemoryField[] = ["name", "description", "body", "tags", "time"];

/** @param weights - for measuring other ones than ours */
export function createMemorySearch(weights: ScoreWeights = MEMORY_SEARCH_DEFAULTS): MemorySearch {
  const vocabulary = new Vocabulary();
  const numbers = new Map<string, number>();
  const ids: string[] = [];
  const free: number[] = [];
  const postings = new Postings();
  const links = new ConversationLinks(numbers);
  const scorer = new Scorer(links, weights);

  function remove(id: string): boolean {
    const number = numbers.get(id);
    if (number === undefined) return false;
    postings.remove(number);
    vocabulary.forget(postings.takeEmptyTerms(vocabulary.size));
    numbers.delete(id);
    links.remove(number, scorer.lengthOf(number));
    scorer.forget(number);
    ids[number] = "";
    free.push(number);
    return true;
  }

  function set(id: string, fields: MemoryFields): void {
    remove(id);
    if (numbers.size >= MOST_DOCUMENTS) return;
    const number = free.pop() ?? ids.length;
    numbers.set(id, number);
    ids[number] = id;
    const length = noteTerms(fields);
    scorer.learn(number, length);
    postings.add(number);
    // What came before itself would count twice.
    const before = fields.before === id ? undefined : fields.before;
    links.add(number, { id, before, group: fields.group }, length);
  }

  function noteTerms(fields: MemoryFields): number {
    let length = 0;
    let leftCharacters: number = MEMORY_CHARACTERS;
    FIELDS.forEach((field, position) => {
      const text = cutHead(fieldText(fields, field), leftCharacters);
      leftCharacters -= text.length;
      const weight = MEMORY_SEARCH_DEFAULTS.fieldWeights[field];
      vocabulary.visit(text, (term) => {
        postings.note(term, weight, 1 << position);
        length += weight;
      });
    });
    return length;
  }

  function bestFor(
    terms: readonly QueryTerm[],
    limit: number,
    accepts: MemorySearchOptions["accepts"],
  ): readonly ScoredNumber[] {
    scorer.score(terms);
    return takeBest(scorer.numbers, {
      scoreOf: (number) => scorer.scoreOf(number),
      limit,
      compareTied: (one, other) => (ids[one]! < ids[other]! ? -1 : 1),
      accepts: accepts === undefined ? undefined : (number) => accepts(ids[number]!),
    });
  }

  function search(query: string, options: MemorySearchOptions): readonly MemoryHit[] {
    const { limit, accepts, alsoAlike = false } = options;
    const terms = readQuery(query, vocabulary, postings);
    if (terms.length === 0 || limit <= 0) return [];
    const best = bestFor(terms, limit, accepts);
    const weights = weighQuery(best.length === 0 ? "" : query, vocabulary, postings, numbers.size);
    const hits = best.map(({ number }) => toHit(scorer.partsOf(number), terms, weights));
    return alsoAlike && best.length < limit ? [...hits, ...findAlike(best, terms, options)] : hits;
  }

  /** Documents like the best ones, without a word of the query; they rank last. */
  function findAlike(
    best: readonly ScoredNumber[],
    query: readonly QueryTerm[],
    { limit, accepts }: MemorySearchOptions,
  ): readonly MemoryHit[] {
    const found = new Set(best.map(({ number }) => ids[number]!));
    const index = { vocabulary, postings, size: numbers.size };
    const terms = findRelatedTerms(best.slice(0, ALIKE_SEEDS_COUNT), query, index);
    const isNew = (id: string): boolean => !found.has(id) && accepts?.(id) !== false;
    const alike = bestFor(terms, limit - best.length, isNew);
    const most = (ALIKE_SHARE * (best.at(-1)?.score ?? 0)) / (alike[0]?.score ?? 1);
    return alike.map(({ number, score }) => {
      const ownScore = most * score;
      const why = { words: [], ownScore, neighbourScore: 0, groupScore: 0 };
      return { id: ids[number]!, score: ownScore, matchedShare: 0, why };
    });
  }

  function toHit(
    document: ScoredDocument,
    terms: readonly QueryTerm[],
    { ofTerms, total }: ReturnType<typeof weighQuery>,
  ): MemoryHit {
    const { number, score, ownScore, neighbourScore, groupScore } = document;
    let matched = 0;
    const had = new Set<string>();
    const words = terms.flatMap(({ term, word, places, weight = 1 }) => {
      const bits = fieldsAt(places, number);
      if (bits === 0 || had.has(term)) return [];
      had.add(term);
      matched += weight * (ofTerms.get(term) ?? 0);
      return [{ word, fields: FIELDS.filter((_, position) => bits & (1 << position)) }];
    });
    const matchedShare = total === 0 ? 0 : Math.min(1, matched / total);
    return { id: ids[number]!, score, matchedShare, why: { words, ownScore, neighbourScore, groupScore } };
  }

  async function restore(saved: RestoredSearch, yieldTurn: () => Promise<void>): Promise<boolean> {
    for (let from = 0; from < saved.terms.length; from += RESTORED_SLICE_COUNT) {
      vocabulary.restore(saved.terms.slice(from, from + RESTORED_SLICE_COUNT));
      await yieldTurn();
    }
    if (vocabulary.size !== saved.terms.length) return false;
    for (const document of saved.documents) {
      const number = ids.length;
      const length = saved.lengths[number]!;
      ids.push(document.id);
      numbers.set(document.id, number);
      scorer.learn(number, length);
      links.add(number, document, length);
      if (ids.length % RESTORED_SLICE_COUNT === 0) await yieldTurn();
    }
    postings.restore(saved);
    return true;
  }

  return {
    get size() {
      return numbers.size;
    },
    save: () => saveSearch({ vocabulary, postings, scorer, ids, numbers }),
    restore,
    set,
    remove,
    search,
  };
}

function fieldText(fields: MemoryFields, field: MemoryField): string {
  return field === "tags" ? (fields.tags ?? []).join("\n") : (fields[field] ?? "");
}
