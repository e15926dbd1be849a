/**
 * The search index of messages in memory: which blocks have which terms, and how often.
 *
 * One block is one document. An index is made of texts without secrets, because parts of it are written beside the log.
 */

import { finish } from "../../../base/steps.ts";
import { cutHead, cutTail } from "../../../base/text/text.ts";
import { visitTermsInSteps } from "../../../base/text/text-terms.ts";
import { blockText, type ContentBlock, type Message, type Role } from "../../../transcript/blocks.ts";
import { secretsInSteps, withoutSecrets } from "../../../transcript/without-secrets.ts";

/** Characters of one block that are indexed from its start. Our choice. */
const INDEXED_HEAD_CHARACTERS = 120_000;
/** Characters of one block that are indexed from its end. Our choice. */
const INDEXED_TAIL_CHARACTERS = 20_000;
/** Occurrences in a block are counted up to this number. */
const OCCURRENCES_MAX = 255;
/** Newest calls whose tools are known when their results come. Our choice: more than an agent makes at once. */
const CALL_NAMES_KEPT = 200;

/** A block that can be found. */
export interface IndexedBlock {
  readonly seq: number;
  /** Its place in the message. */
  readonly block: number;
  readonly role: Role;
  /** The tool that was called or that answered. */
  readonly tool: string | undefined;
  readonly termCount: number;
  /** The position of its message in the log; 0 if unknown. */
  readonly position: number;
  /** Its text as it is searched, in an index that keeps texts. */
  readonly text: string | undefined;
}

/**
 * Messages ready to be searched. Make one with {@link createHistoryIndex} and feed it with {@link addToHistory}, which
 * changes it; treat its members as its own.
 */
export interface HistoryIndex {
  readonly blocks: IndexedBlock[];
  /** Per term, where it occurs: see {@link packPlace}. */
  readonly postings: Map<string, number[]>;
  /** Names of the tools behind the newest calls. */
  readonly callNames: Map<string, string>;
  readonly keepsTexts: boolean;
  totalTerms: number;
  /** Characters that were indexed. */
  characters: number;
}

/** An empty index of one session. `keepsTexts`: false if the texts of hits are read from the log. */
export function createHistoryIndex({
  keepsTexts = true,
}: {
  readonly keepsTexts?: boolean;
} = {}): HistoryIndex {
  return { blocks: [], postings: new Map(), callNames: new Map(), keepsTexts, totalTerms: 0, characters: 0 };
}

/** A document and the occurrences of a term in it, as one number; ascending as the documents are. */
export const packPlace = (block: number, occurrences: number): number =>
  block * (OCCURRENCES_MAX + 1) + Math.min(occurrences, OCCURRENCES_MAX);
export const blockOf = (place: number): number => Math.floor(place / (OCCURRENCES_MAX + 1));
export const occurrencesOf = (place: number): number => place % (OCCURRENCES_MAX + 1);

/** The number of occurrences of each term in a text, and the total. */
export interface TermCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

/** The terms of a text. */
export function countTerms(text: string): TermCounts {
  return finish(countInSteps(text));
}

function* countInSteps(text: string): Generator<void, TermCounts> {
  const counts = new Map<string, number>();
  let total = 0;
  yield* visitTermsInSteps(text, (term) => {
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
  finish(addToHistoryInSteps(index, seq, message, { count }));
}

/** The same in steps of a millisecond or two; between them the index holds a part of the message. */
export function* addToHistoryInSteps(
  index: HistoryIndex,
  seq: number,
  message: Message,
  {
    count,
    position = 0,
  }: { readonly count?: (text: string) => TermCounts; readonly position?: number | undefined } = {},
): Generator<void> {
  for (const [place, block] of message.content.entries()) {
    yield* secretsInSteps(block);
    const tool = toolOf(index, block);
    const text = searchedText(block);
    if (text.trim() !== "") {
      const { role } = message;
      const counts = count?.(text) ?? (yield* countInSteps(text));
      addBlock(index, { seq, block: place, role, tool, position, text }, counts);
    }
    yield;
  }
}

/** The text by which a block is found. */
export function searchedText(block: ContentBlock): string {
  const text = blockText(withoutSecrets(block));
  if (text.length <= INDEXED_HEAD_CHARACTERS + INDEXED_TAIL_CHARACTERS) return text;
  return `${cutHead(text, INDEXED_HEAD_CHARACTERS)}\n${cutTail(text, INDEXED_TAIL_CHARACTERS)}`;
}

function toolOf(index: HistoryIndex, block: ContentBlock): string | undefined {
  if ("name" in block && "id" in block && typeof block.name === "string") {
    const { name } = withoutSecrets(block) as typeof block;
    index.callNames.set(block.id, name);
    if (index.callNames.size > CALL_NAMES_KEPT) index.callNames.delete(index.callNames.keys().next().value!);
    return name;
  }
  return "tool_use_id" in block ? index.callNames.get(block.tool_use_id) : undefined;
}

function addBlock(
  index: HistoryIndex,
  about: Omit<IndexedBlock, "text" | "termCount"> & { readonly text: string },
  { counts, total: termCount }: TermCounts,
): void {
  const number = index.blocks.length;
  for (const [term, count] of counts) {
    const place = packPlace(number, count);
    const known = index.postings.get(term);
    if (known === undefined) index.postings.set(term, [place]);
    else known.push(place);
  }
  const { seq, block, role, tool, position } = about;
  const text = index.keepsTexts ? about.text : undefined;
  // Written out: V8 makes a hidden class for each object that is spread here, which is larger than the object.
  index.blocks.push({ seq, block, role, tool, termCount, position, text });
  index.totalTerms += termCount;
  index.characters += about.text.length;
}
