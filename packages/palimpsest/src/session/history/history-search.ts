/**
 * Search over everything that was ever said or seen in a session, by words and to the letter.
 *
 * One block is one document. Ranking is BM25; a query that looks literal (quoted, or with signs and
 * digits in it) also looks for the exact string in the texts. The index grows by what a message
 * brings and is bounded twice: texts of the oldest blocks are cut to a stub, and the commonest terms
 * forget their oldest places. Rare terms, which is what one searches by, keep all of theirs.
 */

import {
  type Bm25Constants,
  rarityOf,
  type ScoredNumber,
  takeBest,
  termWeight,
} from "../../base/search/ranking.ts";
import { cutHead, cutTail } from "../../base/text/text.ts";
import { visitTerms } from "../../base/text/text-terms.ts";
import { formatPointer } from "../../compaction/shared/pointer.ts";
import { blockText, type ContentBlock, type Message, type Role } from "../../transcript/blocks.ts";
import { secretsInSteps, withoutSecrets } from "../../transcript/without-secrets.ts";
import { cutSnippet, parseQuery, type QueryTerms } from "./history-query.ts";

/** Characters of one block that are indexed from its start. Our choice. */
const INDEXED_HEAD_CHARACTERS = 120_000;
/** Characters of one block that are indexed from its end. Our choice. */
const INDEXED_TAIL_CHARACTERS = 20_000;
/** Characters of text an index holds; beyond it the oldest blocks keep a head of `INDEXED_STUB_CHARACTERS`. Our choice. */
const INDEXED_TOTAL_CHARACTERS = 64_000_000;
/** Characters of the oldest blocks that an index keeps where it is full. Our choice: a snippet. */
const INDEXED_STUB_CHARACTERS = 400;
/** Postings an index holds; beyond it the commonest terms forget their oldest places. Our choice: some 64 MB. */
const INDEXED_POSTINGS = 8_000_000;
/** Characters of a hit's snippet. Our choice. */
export const SNIPPET_CHARACTERS = 240;

interface IndexedBlock {
  readonly pointer: string;
  readonly seq: number;
  readonly role: Role;
  readonly tool?: string;
  readonly termCount: number;
  text: string;
}

/**
 * Everything said in a session, ready to be searched. Make one with {@link createHistoryIndex} and feed it
 * with {@link addToHistory}, which changes it; treat its members as its own. It holds at most
 * `INDEXED_TOTAL_CHARACTERS` of text and `INDEXED_POSTINGS` places.
 */
export interface HistoryIndex {
  readonly blocks: IndexedBlock[];
  /** Per term, where it occurs: number of the block × 256 + occurrences, at most 255. */
  readonly postings: Map<string, number[]>;
  /** Names of the tools behind calls that have no result yet. */
  readonly callNames: Map<string, string>;
  readonly limits: HistoryLimits;
  postingCount: number;
  totalTerms: number;
  textCharacters: number;
  /** Number of the next block whose text is cut when room is needed. */
  nextCut: number;
}

interface HistoryLimits {
  readonly textCharacters: number;
  readonly postings: number;
}

/** One block that matches a query. `pointer` is what `history_read` and `session.history.read` open. */
export interface HistoryHit {
  readonly pointer: string;
  readonly seq: number;
  readonly role: Role;
  /** The tool that was called or that answered. */
  readonly tool?: string;
  /** The place that matches, cut to `SNIPPET_CHARACTERS`. */
  readonly snippet: string;
  /** Larger is better; comparable within one search only. */
  readonly score: number;
}

const OCCURRENCES_MAX = 255;
const CALL_NAMES_KEPT = 2_000;

/**
 * An empty index of one session.
 * @param limits - what it may hold; `INDEXED_TOTAL_CHARACTERS` and `INDEXED_POSTINGS` by default
 */
export function createHistoryIndex(
  limits: HistoryLimits = {
    textCharacters: INDEXED_TOTAL_CHARACTERS,
    postings: INDEXED_POSTINGS,
  },
): HistoryIndex {
  return {
    blocks: [],
    postings: new Map(),
    callNames: new Map(),
    limits,
    postingCount: 0,
    totalTerms: 0,
    textCharacters: 0,
    nextCut: 0,
  };
}

/** The number of occurrences of each term in a text, and the total. */
export interface TermCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

/** The terms of a text. */
export function countTerms(text: string): TermCounts {
  const counts = new Map<string, number>();
  let total = 0;
  visitTerms(text, (term) => {
    counts.set(term, (counts.get(term) ?? 0) + 1);
    total++;
  });
  return { counts, total };
}

/**
 * Adds one original message of the log. Changes the index. `count`: for who adds the same texts to many
 * indexes and remembers their terms.
 */
export function addToHistory(
  index: HistoryIndex,
  seq: number,
  message: Message,
  count: (text: string) => TermCounts = countTerms,
): void {
  const steps = addToHistoryInSteps(index, seq, message, count);
  while (steps.next().done !== true);
}

/** The same in steps of a millisecond or two; between them the index holds a part of the message. */
export function* addToHistoryInSteps(
  index: HistoryIndex,
  seq: number,
  message: Message,
  count: (text: string) => TermCounts = countTerms,
): Generator<void> {
  for (const [position, block] of message.content.entries()) {
    const text = indexedText(blockText(block));
    yield* secretsInSteps(block);
    // Results are shown, so texts are kept without secrets; their words can still be searched.
    const safe = withoutSecrets(block);
    const tool = toolOf(index, block);
    if (text.trim() !== "")
      addBlock(
        index,
        {
          pointer: formatPointer({ seq, block: position }),
          seq,
          role: message.role,
          tool,
        },
        safe === block ? text : indexedText(blockText(safe)),
        count(text),
      );
    yield;
  }
  if (index.textCharacters > index.limits.textCharacters) cutOldTexts(index);
  if (index.postingCount > index.limits.postings) forgetCommonPlaces(index);
}

function indexedText(text: string): string {
  if (text.length <= INDEXED_HEAD_CHARACTERS + INDEXED_TAIL_CHARACTERS) return text;
  return `${cutHead(text, INDEXED_HEAD_CHARACTERS)}\n${cutTail(text, INDEXED_TAIL_CHARACTERS)}`;
}

function toolOf(index: HistoryIndex, block: ContentBlock): string | undefined {
  if ("name" in block && "id" in block && typeof block.name === "string") {
    index.callNames.set(block.id, block.name);
    if (index.callNames.size > CALL_NAMES_KEPT) index.callNames.delete(index.callNames.keys().next().value!);
    return block.name;
  }
  return "tool_use_id" in block ? index.callNames.get(block.tool_use_id) : undefined;
}

function addBlock(
  index: HistoryIndex,
  about: Omit<IndexedBlock, "text" | "termCount">,
  text: string,
  { counts, total: termCount }: TermCounts,
): void {
  const number = index.blocks.length;
  for (const [term, count] of counts) {
    const posting = number * (OCCURRENCES_MAX + 1) + Math.min(count, OCCURRENCES_MAX);
    const known = index.postings.get(term);
    if (known === undefined) index.postings.set(term, [posting]);
    else known.push(posting);
  }
  const { pointer, seq, role, tool } = about;
  // Written out: V8 makes a hidden class for each object that is spread here, which is larger than the object.
  index.blocks.push({ pointer, seq, role, tool, text, termCount });
  index.postingCount += counts.size;
  index.totalTerms += termCount;
  index.textCharacters += text.length;
}

/** Room for new texts: the oldest blocks keep a stub or nothing; their terms are still found. */
function cutOldTexts(index: HistoryIndex): void {
  while (index.textCharacters > index.limits.textCharacters * 0.9 && index.nextCut < index.blocks.length) {
    const block = index.blocks[index.nextCut++]!;
    const stub =
      block.text.length > 2 * INDEXED_STUB_CHARACTERS ? cutHead(block.text, INDEXED_STUB_CHARACTERS) : "";
    index.textCharacters -= block.text.length - stub.length;
    // A copy, because a slice would keep the whole text alive.
    block.text = stub.split("").join("");
  }
}

/** Room for new places: the longest lists lose their older half, again and again; single places go last. */
function forgetCommonPlaces(index: HistoryIndex): void {
  const goal = index.limits.postings * 0.75;
  while (index.postingCount > goal && index.postings.size > 0) {
    const longest = [...index.postings.values()].reduce((most, places) => Math.max(most, places.length), 0);
    for (const [term, places] of index.postings) {
      if (index.postingCount <= goal) return;
      if (places.length * 2 <= longest) continue;
      const forgotten = Math.ceil(places.length / 2);
      index.postingCount -= forgotten;
      if (forgotten === places.length) index.postings.delete(term);
      else index.postings.set(term, places.slice(forgotten));
    }
  }
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

/** The best blocks for a query; newer ones first among equals. */
export function searchHistory(
  index: HistoryIndex,
  query: string,
  options: { readonly limit: number },
): readonly HistoryHit[] {
  const parsed = parseQuery(query);
  const scores = scoreByWords(index, [...parsed.terms, ...longerTerms(index, parsed)]);
  const likely = takeBest(scores.keys(), {
    scoreOf: (number) => scores[number]!,
    limit: Math.max(LOOKED_AT, options.limit),
    compareTied: (one, other) => other - one,
  });
  return addExactScores(index, [...likely, ...holdersOf(index, parsed, scores)], parsed)
    .sort((a, b) => Number(isEcho(index, a)) - Number(isEcho(index, b)) || better(a, b))
    .slice(0, options.limit)
    .map(({ number, score }) => toHit(index.blocks[number]!, score, parsed));
}

/** A call of the history tools has the words of its query, a result those of its originals: both come after the originals. */
function isEcho(index: HistoryIndex, { number }: ScoredNumber): boolean {
  const { tool } = index.blocks[number]!;
  return tool === "history_search" || tool === "history_read";
}

/** Blocks that hold every term of a literal, newest first, however low they rank by words. */
function holdersOf(
  index: HistoryIndex,
  { literals }: QueryTerms,
  scores: Float64Array,
): readonly ScoredNumber[] {
  return literals.flatMap((literal) => {
    const terms = new Set<string>();
    visitTerms(literal, (term) => terms.add(term));
    // The literal may start or end within a word: only its rarest known term is asked for.
    const lists = [...terms].map((term) => index.postings.get(term)).filter((places) => places !== undefined);
    const rarest = lists.sort((a, b) => a.length - b.length)[0] ?? [];
    return rarest.slice(-LOOKED_AT).map((place) => {
      const number = Math.floor(place / (OCCURRENCES_MAX + 1));
      return { number, score: scores[number]! };
    });
  });
}

/** Each block once, with what it holds to the letter added to its score; other case only where nothing is exact. */
function addExactScores(
  index: HistoryIndex,
  candidates: readonly ScoredNumber[],
  { literals }: QueryTerms,
): ScoredNumber[] {
  const unique = [...new Map(candidates.map((scored) => [scored.number, scored])).values()];
  const textOf = ({ number }: ScoredNumber) => index.blocks[number]!.text;
  const exact = unique.map((scored) => EXACT_SCORE * shareHeld(textOf(scored), literals));
  if (literals.length === 0 || exact.some((score) => score > 0))
    return unique.map(({ number, score }, position) => ({ number, score: score + exact[position]! }));

  const lowerLiterals = literals.map((literal) => literal.toLowerCase());
  let leftCharacters = OTHER_CASE_CHARACTERS;
  return unique.sort(better).map((scored) => {
    leftCharacters -= textOf(scored).length;
    if (leftCharacters < 0) return scored;
    const held = shareHeld(textOf(scored).toLowerCase(), lowerLiterals);
    return { number: scored.number, score: scored.score + EXACT_OTHER_CASE_SCORE * held };
  });
}

function shareHeld(text: string, literals: readonly string[]): number {
  return literals.filter((literal) => text.includes(literal)).length / Math.max(1, literals.length);
}

const better = (a: ScoredNumber, b: ScoredNumber): number => b.score - a.score || b.number - a.number;

/** A part of a word is not a term: the words that contain it replace it. */
function longerTerms(index: HistoryIndex, { literals }: QueryTerms): readonly string[] {
  const pieces = literals
    .map((literal) => literal.toLowerCase())
    .filter((literal) => !/\s/.test(literal) && !index.postings.has(literal));
  if (pieces.length === 0) return [];
  const found: string[] = [];
  for (const term of index.postings.keys()) {
    if (pieces.some((piece) => term.length > piece.length && term.includes(piece))) found.push(term);
    if (found.length >= LONGER_TERMS) break;
  }
  return found;
}

/** Score by number of the block; 0 where no term occurs. Rare terms first, as far as the bound allows. */
function scoreByWords(index: HistoryIndex, terms: readonly string[]): Float64Array {
  const blockCount = index.blocks.length;
  const scores = new Float64Array(blockCount);
  const averageTerms = blockCount === 0 ? 1 : index.totalTerms / blockCount;
  const lists = terms
    .map((term) => index.postings.get(term))
    .filter((places) => places !== undefined)
    .sort((a, b) => a.length - b.length);
  let weighed = 0;
  for (const places of lists) {
    weighed += places.length;
    if (weighed > WEIGHED_PLACES && weighed > places.length) break;
    const weightOf = termWeight(rarityOf(places.length, blockCount), BM25, averageTerms);
    for (const place of places) {
      const number = Math.floor(place / (OCCURRENCES_MAX + 1));
      scores[number]! += weightOf(place % (OCCURRENCES_MAX + 1), index.blocks[number]!.termCount);
    }
  }
  return scores;
}

function toHit(
  { pointer, seq, role, tool, text }: IndexedBlock,
  score: number,
  query: QueryTerms,
): HistoryHit {
  const snippet = cutSnippet(text, query, SNIPPET_CHARACTERS);
  return { pointer, seq, role, tool, snippet, score };
}
