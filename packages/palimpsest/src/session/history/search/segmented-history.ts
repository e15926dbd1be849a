/**
 * The search index of a session: segments in bytes, and an index in memory of what was said since.
 *
 * So its memory is a fraction of the texts, however long the session is. Where the store keeps derived
 * files, segments are written there and read from there part by part; otherwise they stay in memory. Texts of hits are
 * read from the log.
 */
import type { ScoredNumber } from "../../../base/search/ranking.ts";
import {
  findPlaces,
  type PackedPlaces,
  stretchOf,
  termsAround,
  visitPlaces,
} from "../../../base/search/term-parts.ts";
import type { Steps } from "../../../base/steps.ts";
import type { ContentBlock, Message } from "../../../transcript/blocks.ts";
import { secretsInSteps } from "../../../transcript/without-secrets.ts";
import type { FairTurns } from "../../turns/fair-turns.ts";
import {
  addToHistoryInSteps,
  blockOf,
  createHistoryIndex,
  type HistoryIndex,
  type IndexedBlock,
  occurrencesOf,
  packPlace,
  searchedText,
} from "./history-index.ts";
import { parseQuery } from "./history-query.ts";
import {
  findCandidates,
  type HistoryHit,
  longerTerms,
  lookedUpTerms,
  rankHits,
  type SearchedBlocks,
  type TermList,
  toHit,
  unknownPieces,
} from "./history-search.ts";
import { type Segment, type SegmentBlocks, sealInSteps } from "./history-segment.ts";

/** Characters after which what is in memory becomes a segment. Our choice: indexing as many again takes some .2 s. */
const SEALED_CHARACTERS = 2_000_000;

/** Reads the blocks of a message from the log. `position`: where it probably begins. */
interface ContentReader {
  findContent(seq: number, position: number): Promise<readonly ContentBlock[] | undefined>;
}

/** The things that a search needs besides the index. */
interface SearchMeans {
  readonly limit: number;
  readonly reader: ContentReader;
  readonly turns: FairTurns;
}

export class SegmentedHistory {
  #segments: readonly Segment[];
  #tail: HistoryIndex = createHistoryIndex({ keepsTexts: false });
  #throughSeq: number;
  #position: number;
  readonly #onSealed: ((history: SegmentedHistory) => void) | undefined;

  /** `onSealed`: called when there is one more segment in memory. */
  constructor(segments: readonly Segment[] = [], onSealed?: (history: SegmentedHistory) => void) {
    this.#segments = segments;
    this.#onSealed = onSealed;
    const { to = 0, position = 0, calls = [] } = segments.at(-1)?.head ?? {};
    this.#throughSeq = to;
    this.#position = position;
    for (const [id, name] of calls) this.#tail.callNames.set(id, name);
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /** Characters that are not in a segment. */
  get tailCharacters(): number {
    return this.#tail.characters;
  }

  /** Adds an original message of the log, in steps. `position`: where it begins in the log. */
  *add(seq: number, message: Message, position: number | undefined): Steps {
    yield* addToHistoryInSteps(this.#tail, seq, message, { position });
    this.#throughSeq = seq;
    this.#position = position ?? 0;
    if (this.#tail.characters >= SEALED_CHARACTERS) yield* this.seal();
  }

  /** Makes a segment of what is in memory, in steps. Nothing may be added meanwhile. */
  *seal(): Steps {
    const from = (this.#segments.at(-1)?.head.to ?? 0) + 1;
    const tail = this.#tail;
    const segment = yield* sealInSteps(tail, { from, to: this.#throughSeq, position: this.#position });
    this.#tail = createHistoryIndex({ keepsTexts: false });
    for (const [id, name] of tail.callNames) this.#tail.callNames.set(id, name);
    this.#segments = [...this.#segments, segment];
    this.#onSealed?.(this);
  }

  /** Uses another segment in place of some that follow each other and have the same blocks. */
  replace(old: readonly Segment[], segment: Segment): void {
    const at = this.#segments.indexOf(old[0]!);
    if (at !== -1) this.#segments = this.#segments.toSpliced(at, old.length, segment);
  }

  /** The blocks that match best; `undefined` if a segment is gone or damaged. */
  async search(
    query: string,
    { limit, reader, turns }: SearchMeans,
  ): Promise<readonly HistoryHit[] | undefined> {
    const parsed = parseQuery(query);
    const view = new HistoryView(this.#segments, this.#tail);
    const lists = new Map<string, TermList>();
    if (!(await view.look(lookedUpTerms(parsed), lists, turns))) return undefined;
    const pieces = unknownPieces(parsed, lists);
    const longer = pieces.length === 0 ? [] : await view.longerTerms(pieces, turns);
    if (longer === undefined || !(await view.look(longer, lists, turns))) return undefined;
    const candidates = findCandidates(view, { parsed, lists, longer, limit });

    const texts = new HitTexts(reader, turns);
    const readable: ScoredNumber[] = [];
    if (parsed.literals.length > 0)
      for (const candidate of candidates.toSorted((a, b) => a.number - b.number)) {
        // An entry that the log has lost is not found either.
        if ((await texts.read(candidate.number, view)) !== undefined) readable.push(candidate);
      }
    const ranked = rankHits(view, parsed.literals.length > 0 ? readable : candidates, {
      parsed,
      textOf: (number) => texts.known.get(number) ?? "",
    });
    const hits: HistoryHit[] = [];
    for (const { number, score } of ranked) {
      if (hits.length >= limit) break;
      const text = await texts.read(number, view);
      if (text !== undefined) hits.push(toHit(view.at(number), { score, parsed, text }));
    }
    return hits;
  }
}

/** Texts of blocks as they are searched, read from the log. */
class HitTexts {
  readonly known = new Map<number, string>();
  readonly #reader: ContentReader;
  readonly #turns: FairTurns;
  #last: { readonly seq: number; readonly content: readonly ContentBlock[] | undefined } | undefined;

  constructor(reader: ContentReader, turns: FairTurns) {
    this.#reader = reader;
    this.#turns = turns;
  }

  async read(number: number, view: HistoryView): Promise<string | undefined> {
    const known = this.known.get(number);
    if (known !== undefined) return known;
    const turn = this.#turns.take();
    if (turn !== undefined) await turn;
    const { seq, block: place, position } = view.at(number);
    if (this.#last?.seq !== seq) this.#last = { seq, content: await this.#reader.findContent(seq, position) };
    const block = this.#last.content?.[place];
    if (block === undefined) return undefined;
    await this.#turns.run(secretsInSteps(block));
    const text = searchedText(block);
    this.known.set(number, text);
    return text;
  }
}

/** The blocks and terms of an index as they are when a search begins. */
class HistoryView implements SearchedBlocks {
  readonly blockCount: number;
  readonly totalTerms: number;
  readonly #segments: readonly Segment[];
  /** Number of the first block of each segment, and of the first one in memory. */
  readonly #bases: readonly number[];
  readonly #tail: HistoryIndex;
  /** The segment that a block was found in last. */
  #at = 0;

  constructor(segments: readonly Segment[], tail: HistoryIndex) {
    const bases = [0];
    for (const { head } of segments) bases.push(bases.at(-1)! + head.blockCount);
    this.#segments = segments;
    this.#bases = bases;
    this.#tail = tail;
    this.blockCount = bases.at(-1)! + tail.blocks.length;
    this.totalTerms = segments.reduce((sum, { head }) => sum + head.totalTerms, tail.totalTerms);
  }

  at(number: number): IndexedBlock {
    const { blocks, own } = this.#find(number);
    return blocks === undefined ? this.#tail.blocks[own]! : blocks.at(own);
  }

  termCountAt(number: number): number {
    const { blocks, own } = this.#find(number);
    return blocks === undefined ? this.#tail.blocks[own]!.termCount : blocks.termCountAt(own);
  }

  toolAt(number: number): string | undefined {
    return this.at(number).tool;
  }

  #find(number: number): { readonly blocks: SegmentBlocks | undefined; readonly own: number } {
    while (number < this.#bases[this.#at]!) this.#at--;
    while (number >= (this.#bases[this.#at + 1] ?? Number.POSITIVE_INFINITY)) this.#at++;
    return { blocks: this.#segments[this.#at]?.blocks, own: number - this.#bases[this.#at]! };
  }

  /** Adds the lists of the terms that occur; false if a segment is gone. */
  async look(terms: Iterable<string>, lists: Map<string, TermList>, turns: FairTurns): Promise<boolean> {
    const asked = [...terms];
    // Those in memory at once: messages may be added while segments are read.
    const inMemory = asked.map((term) => this.#tailPlaces(term));
    for (const [index, term] of asked.entries()) {
      const found: FoundPlaces[] = [];
      for (const [at, segment] of this.#segments.entries()) {
        const stretch = stretchOf(segment.head.firstTerms, term);
        if (stretch === -1) continue;
        const [names, places] = [await segment.part(2 * stretch), await segment.part(2 * stretch + 1)];
        if (names === undefined || places === undefined) return false;
        const own = findPlaces(names, places, term);
        if (own !== undefined)
          found.push({ places: own, base: this.#bases[at]!, blockCount: segment.head.blockCount });
        const turn = turns.take();
        if (turn !== undefined) await turn;
      }
      const list = listOf(found, inMemory[index]!);
      if (list.count > 0) lists.set(term, list);
    }
    return true;
  }

  #tailPlaces(term: string): readonly number[] {
    const base = this.#bases.at(-1)!;
    const isThere = (place: number): boolean => base + blockOf(place) < this.blockCount;
    const places = this.#tail.postings.get(term) ?? [];
    return places.filter(isThere).map((place) => packPlace(base + blockOf(place), occurrencesOf(place)));
  }

  /** See `longerTerms` in history-search.ts; `undefined` if a segment is gone. */
  async longerTerms(pieces: readonly string[], turns: FairTurns): Promise<readonly string[] | undefined> {
    let found = longerTerms(this.#tail.postings.keys(), pieces);
    for (const { head, part } of this.#segments)
      for (let stretch = 0; stretch < head.firstTerms.length; stretch++) {
        const names = await part(2 * stretch);
        if (names === undefined) return undefined;
        found = longerTerms(new Set([...found, ...termsAround(names, pieces)]), pieces);
        const turn = turns.take();
        if (turn !== undefined) await turn;
      }
    return found;
  }
}

interface FoundPlaces {
  readonly places: PackedPlaces;
  readonly base: number;
  readonly blockCount: number;
}

function listOf(found: readonly FoundPlaces[], inMemory: readonly number[]): TermList {
  return {
    count: found.reduce((sum, { places }) => sum + places.count, inMemory.length),
    places: () => {
      const all: number[] = [];
      for (const { places, base, blockCount } of found)
        visitPlaces(places, (document, occurrences) => {
          // Damaged bytes may name blocks that there are not.
          if (document < blockCount) all.push(packPlace(base + document, occurrences));
        });
      for (const place of inMemory) all.push(place);
      return all;
    },
  };
}
