/**
 * Search over everything that was ever said or seen in a session, by words and to the letter.
 *
 * Ranking is BM25; a query that looks literal (quoted, or with signs and digits in it) also looks for the exact string
 * in the texts. The steps are functions of values, so that a search gives the same answer over one index in memory and
 * over segments that are read from files.
 */

import {
  type Bm25Constants,
  rarityOf,
  type ScoredNumber,
  takeBest,
  termWeight,
} from "../../../base/search/ranking.ts";
import { visitTerms } from "../../../base/text/text-terms.ts";
import { formatPointer } from "../../../compaction/shared/pointer.ts";
import type { Role } from "../../../transcript/blocks.ts";
import { blockOf, type HistoryIndex, type IndexedBlock, occurrencesOf } from "./history-index.ts";
import { cutSnippet, parseQuery, type QueryTerms } from "./history-query.ts";

/** One block that matches a query. `pointer` is what `history_read` and `session.history.read` open. */
export interface HistoryHit {
  readonly pointer: string;
  readonly seq: number;
  readonly role: Role;
  /** The tool that was called or that answered. */
  readonly tool?: string;
  /** The place that matches, cut short. */
  readonly snippet: string;
  /** Larger is better; comparable within one search only. */
  readonly score: number;
}

/** The usual constants. Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009. */
const BM25: Bm25Constants = { k1: 1.2, b: 0.75 };
/** An exact match ranks above any similarity of words, so it is more than their sum. Source: our choice. */
const EXACT_SCORE = 200;
const EXACT_OTHER_CASE_SCORE = 120;
/** Best blocks by words whose texts are then looked at for the exact string. */
const LOOKED_AT = 120;
/** Places that one search weighs; the commonest terms of a long query are left out beyond it. */
const WEIGHED_PLACES = 120_000;
/** Characters that one search compares without regard to case. */
const OTHER_CASE_CHARACTERS = 600_000;
/** Longer words that a piece of a word is looked for in. */
const LONGER_TERMS = 24;

/** The places of a term. */
export interface TermList {
  /** Blocks that have it. */
  readonly count: number;
  /** See `packPlace` in history-index.ts; ascending. */
  places(): readonly number[];
}

type TermLists = ReadonlyMap<string, TermList>;

/** The blocks of a history, by number. */
export interface SearchedBlocks {
  readonly blockCount: number;
  readonly totalTerms: number;
  termCountAt(number: number): number;
  toolAt(number: number): string | undefined;
}

/** The best blocks for a query; newer ones first among equals. For an index that keeps texts. */
export function searchHistory(
  index: HistoryIndex,
  query: string,
  { limit }: { readonly limit: number },
): readonly HistoryHit[] {
  const parsed = parseQuery(query);
  const { blocks } = index;
  const searched: SearchedBlocks = {
    blockCount: blocks.length,
    totalTerms: index.totalTerms,
    termCountAt: (number) => blocks[number]!.termCount,
    toolAt: (number) => blocks[number]!.tool,
  };
  const lists = new Map<string, TermList>();
  const look = (terms: Iterable<string>): void => {
    for (const term of terms) {
      const places = index.postings.get(term);
      if (places !== undefined) lists.set(term, { count: places.length, places: () => places });
    }
  };
  look(lookedUpTerms(parsed));
  const pieces = unknownPieces(parsed, lists);
  const longer = pieces.length === 0 ? [] : longerTerms(index.postings.keys(), pieces);
  look(longer);
  const candidates = findCandidates(searched, { parsed, lists, longer, limit });
  const textOf = (number: number): string => blocks[number]!.text ?? "";
  return rankHits(searched, candidates, { parsed, textOf })
    .slice(0, limit)
    .map(({ number, score }) => toHit(blocks[number]!, { score, parsed, text: textOf(number) }));
}

/** The terms of a query whose places are needed. */
export function lookedUpTerms({ terms, literals }: QueryTerms): ReadonlySet<string> {
  const all = new Set(terms);
  for (const literal of literals) {
    visitTerms(literal, (term) => all.add(term));
    all.add(literal.toLowerCase());
  }
  return all;
}

/** Literals that are not terms: parts of words, for instance. */
export function unknownPieces({ literals }: QueryTerms, lists: TermLists): readonly string[] {
  return literals
    .map((literal) => literal.toLowerCase())
    .filter((literal) => !/\s/.test(literal) && !lists.has(literal));
}

/** A part of a word is not a term: the words that contain it replace it, the shortest ones if there are many. */
export function longerTerms(terms: Iterable<string>, pieces: readonly string[]): readonly string[] {
  let found: string[] = [];
  const shorter = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);
  for (const term of terms) {
    if (!pieces.some((piece) => term.length > piece.length && term.includes(piece))) continue;
    found.push(term);
    if (found.length >= 4 * LONGER_TERMS) found = found.sort(shorter).slice(0, LONGER_TERMS);
  }
  return found.sort(shorter).slice(0, LONGER_TERMS);
}

interface CandidateOptions {
  readonly parsed: QueryTerms;
  readonly lists: TermLists;
  readonly longer: readonly string[];
  readonly limit: number;
}

/** The best blocks by words, and those that may hold a literal; each once. */
export function findCandidates(
  blocks: SearchedBlocks,
  { parsed, lists, longer, limit }: CandidateOptions,
): readonly ScoredNumber[] {
  const scores = scoreByWords(blocks, lists, [...parsed.terms, ...longer]);
  const likely = takeBest(scores.keys(), {
    scoreOf: (number) => scores[number]!,
    limit: Math.max(LOOKED_AT, limit),
    compareTied: (one, other) => other - one,
  });
  const candidates = [...likely, ...holdersOf(lists, parsed, scores)];
  return [...new Map(candidates.map((scored) => [scored.number, scored])).values()];
}

/** Score by number of the block; 0 where no term occurs. Rare terms first, as far as the bound allows. */
function scoreByWords(blocks: SearchedBlocks, lists: TermLists, terms: readonly string[]): Float64Array {
  const { blockCount, totalTerms } = blocks;
  const scores = new Float64Array(blockCount);
  const averageTerms = blockCount === 0 ? 1 : totalTerms / blockCount;
  const known = terms
    .map((term) => lists.get(term))
    .filter((list) => list !== undefined)
    .sort((a, b) => a.count - b.count);
  let weighed = 0;
  for (const list of known) {
    weighed += list.count;
    if (weighed > WEIGHED_PLACES && weighed > list.count) break;
    const weightOf = termWeight(rarityOf(list.count, blockCount), BM25, averageTerms);
    for (const place of list.places()) {
      const number = blockOf(place);
      scores[number]! += weightOf(occurrencesOf(place), blocks.termCountAt(number));
    }
  }
  return scores;
}

/** Blocks that hold every term of a literal, newest first, however low they rank by words. */
function holdersOf(
  lists: TermLists,
  { literals }: QueryTerms,
  scores: Float64Array,
): readonly ScoredNumber[] {
  return literals.flatMap((literal) => {
    const terms = new Set<string>();
    visitTerms(literal, (term) => terms.add(term));
    // The literal may start or end within a word: only its rarest known term is asked for.
    const known = [...terms].map((term) => lists.get(term)).filter((list) => list !== undefined);
    const rarest = known.sort((a, b) => a.count - b.count)[0]?.places() ?? [];
    return rarest.slice(-LOOKED_AT).map((place) => {
      const number = blockOf(place);
      return { number, score: scores[number]! };
    });
  });
}

/** All candidates, the best first. Texts are asked for only if the query has literals. */
export function rankHits(
  blocks: Pick<SearchedBlocks, "toolAt">,
  candidates: readonly ScoredNumber[],
  { parsed, textOf }: { readonly parsed: QueryTerms; readonly textOf: (number: number) => string },
): readonly ScoredNumber[] {
  /** A call of the history tools has the words of its query, a result those of its originals: both come after the originals. */
  const isEcho = ({ number }: ScoredNumber): boolean => {
    const tool = blocks.toolAt(number);
    return tool === "history_search" || tool === "history_read";
  };
  return addExactScores(candidates, textOf, parsed).sort(
    (a, b) => Number(isEcho(a)) - Number(isEcho(b)) || better(a, b),
  );
}

/** Strings that a block holds exactly are added to its score; other case only where nothing is exact. */
function addExactScores(
  candidates: readonly ScoredNumber[],
  textOf: (number: number) => string,
  { literals }: QueryTerms,
): ScoredNumber[] {
  if (literals.length === 0) return [...candidates];
  const exact = candidates.map(({ number }) => EXACT_SCORE * shareHeld(textOf(number), literals));
  if (exact.some((score) => score > 0))
    return candidates.map(({ number, score }, position) => ({ number, score: score + exact[position]! }));

  const lowerLiterals = literals.map((literal) => literal.toLowerCase());
  let leftCharacters = OTHER_CASE_CHARACTERS;
  return [...candidates].sort(better).map((scored) => {
    const text = textOf(scored.number);
    leftCharacters -= text.length;
    if (leftCharacters < 0) return scored;
    const held = shareHeld(text.toLowerCase(), lowerLiterals);
    return { number: scored.number, score: scored.score + EXACT_OTHER_CASE_SCORE * held };
  });
}

function shareHeld(text: string, literals: readonly string[]): number {
  return literals.filter((literal) => text.includes(literal)).length / literals.length;
}

const better = (a: ScoredNumber, b: ScoredNumber): number => b.score - a.score || b.number - a.number;

export function toHit(
  block: Pick<IndexedBlock, "seq" | "block" | "role" | "tool">,
  { score, parsed, text }: { readonly score: number; readonly parsed: QueryTerms; readonly text: string },
): HistoryHit {
  const { seq, role, tool } = block;
  return {
    pointer: formatPointer(block),
    seq,
    role,
    tool,
    snippet: cutSnippet(text, parsed),
    score,
  };
}
