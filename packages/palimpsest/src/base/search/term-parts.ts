/**
 * Terms with their places, as parts of bytes that are found and read one by one.
 *
 * DESIGN. Terms are in order. A stretch of them is one part, and their places are the next one. A list has the first term
 * of each stretch, so a reader finds a term with these two parts. The places of a term are a list of numbers: the
 * difference to the document before, twice, plus one if the term occurs more than once there; then that count follows.
 */
import { firstIndex } from "../lists.ts";
import type { Steps } from "../steps.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";

/** Bytes of terms and places after which the next part begins. Our choice: read and unpacked in half a millisecond. */
const PART_BYTES = 32_768;
/** Terms that are sorted at once. Our choice: a millisecond or two. */
const SORTED_AT_ONCE = 2_000;

/** The places of one term. */
export interface PackedPlaces {
  /** Documents that have it. */
  readonly count: number;
  readonly bytes: Uint8Array;
}

interface WrittenTerms {
  /** The first term of each stretch. */
  readonly firstTerms: readonly string[];
  /** The terms of a stretch, then their places, for each stretch. */
  readonly parts: readonly Uint8Array[];
}

export class TermPartsWriter {
  readonly #firstTerms: string[] = [];
  readonly #parts: Uint8Array[] = [];
  readonly #encoder = new TextEncoder();
  readonly #places = new ByteWriter();
  #terms: string[] = [];
  #termCharacters = 0;

  /** Adds the next term in order. */
  add(term: string, { count, bytes }: PackedPlaces): void {
    if (this.#terms.length === 0) this.#firstTerms.push(term);
    this.#terms.push(term);
    this.#termCharacters += term.length + 1;
    this.#places.number(count);
    this.#places.number(bytes.length);
    this.#places.bytes(bytes);
    if (this.#places.length + this.#termCharacters >= PART_BYTES) this.#end();
  }

  finish(): WrittenTerms {
    if (this.#terms.length > 0) this.#end();
    return { firstTerms: this.#firstTerms, parts: this.#parts };
  }

  #end(): void {
    this.#parts.push(this.#encoder.encode(this.#terms.join("\n")), this.#places.take());
    this.#terms = [];
    this.#termCharacters = 0;
  }
}

/** The stretch that a term belongs to; -1 if it is before all of them. */
export function stretchOf(firstTerms: readonly string[], term: string): number {
  return firstIndex(firstTerms.length, (index) => firstTerms[index]! > term) - 1;
}

const decoder = new TextDecoder();

function termsIn(part: Uint8Array): readonly string[] {
  return decoder.decode(part).split("\n");
}

/** The terms of a stretch if some of them contain one of the pieces, which have no line break; otherwise none. */
export function termsAround(part: Uint8Array, pieces: readonly string[]): readonly string[] {
  const text = decoder.decode(part);
  return pieces.some((piece) => text.includes(piece)) ? text.split("\n") : [];
}

/** The places of the terms of a stretch, in their order. */
function* placesIn(part: Uint8Array): Iterable<PackedPlaces> {
  for (const reader = new ByteReader(part); !reader.isAtEnd; ) {
    const count = reader.number();
    yield { count, bytes: reader.bytes(reader.number()) };
  }
}

/** The places of a term in its stretch. */
export function findPlaces(terms: Uint8Array, places: Uint8Array, term: string): PackedPlaces | undefined {
  const at = termsIn(terms).indexOf(term);
  let index = 0;
  if (at !== -1) for (const found of placesIn(places)) if (index++ === at) return found;
  return undefined;
}

/** Writes the places of one term after the other. */
export class PlacesWriter {
  readonly #bytes = new ByteWriter();
  #before = 0;
  #count = 0;

  /** Adds the next document in ascending order. */
  add(document: number, occurrences: number): void {
    this.#bytes.number((document - this.#before) * 2 + (occurrences > 1 ? 1 : 0));
    if (occurrences > 1) this.#bytes.number(occurrences);
    this.#before = document;
    this.#count++;
  }

  /** Adds the places of a term in later documents; they are numbered from `base` on. */
  join({ count, bytes }: PackedPlaces, base: number): void {
    const reader = new ByteReader(bytes);
    const step = reader.number();
    const first = base + Math.floor(step / 2);
    this.add(first, step % 2 === 1 ? reader.number() : 1);
    // Only the first one changes: the others are differences.
    const rest = reader.rest();
    this.#bytes.bytes(rest);
    visitPlaces({ count: count - 1, bytes: rest }, (document) => {
      this.#before = first + document;
    });
    this.#count += count - 1;
  }

  /** The places of the term; the next one begins. */
  take(): PackedPlaces {
    const count = this.#count;
    this.#before = 0;
    this.#count = 0;
    return { count, bytes: this.#bytes.take() };
  }
}

/** Visits the documents of a term, and the occurrences in each. In damaged bytes the count may be any number. */
export function visitPlaces(
  { count, bytes }: PackedPlaces,
  visit: (document: number, occurrences: number) => void,
): void {
  const reader = new ByteReader(bytes);
  let document = 0;
  for (let index = 0; index < count && !reader.isAtEnd; index++) {
    const step = reader.number();
    document += Math.floor(step / 2);
    visit(document, step % 2 === 1 ? reader.number() : 1);
  }
}

/** Visits all terms in order, in steps. */
export function* sortInSteps(terms: readonly string[], visit: (term: string) => void, depth = 0): Steps {
  if (terms.length <= SORTED_AT_ONCE) {
    for (const term of [...terms].sort()) visit(term);
    yield;
    return;
  }
  // By the unit at `depth`; a term that ends there comes first.
  const groups = new Map<number, string[]>();
  for (const term of terms) {
    const unit = depth < term.length ? term.charCodeAt(depth) : -1;
    const group = groups.get(unit);
    if (group === undefined) groups.set(unit, [term]);
    else group.push(term);
  }
  yield;
  for (const unit of [...groups.keys()].sort((a, b) => a - b))
    yield* sortInSteps(groups.get(unit)!, visit, depth + 1);
}

/** Parts of earlier segments, the oldest first. */
interface MergedTerms {
  readonly parts: readonly Uint8Array[];
  /** Added to the numbers of its documents. */
  readonly base: number;
}

/** One set of parts with the terms of all, in steps. */
export function* mergeTerms(sources: readonly MergedTerms[]): Steps<WrittenTerms> {
  const writer = new TermPartsWriter();
  const places = new PlacesWriter();
  const cursors = sources.map(({ parts, base }) => ({ terms: entriesIn(parts), base }));
  const heads = cursors.map(({ terms }) => terms.next().value);
  let writtenBytes = 0;
  for (;;) {
    let term: string | undefined;
    for (const head of heads) if (head && (term === undefined || head.term < term)) term = head.term;
    if (term === undefined) return writer.finish();
    for (const [index, head] of heads.entries()) {
      if (head?.term !== term) continue;
      places.join(head.places, cursors[index]!.base);
      heads[index] = cursors[index]!.terms.next().value;
    }
    const joined = places.take();
    writer.add(term, joined);
    writtenBytes += joined.bytes.length + MERGED_TERM_BYTES;
    if (writtenBytes < MERGED_AT_ONCE_BYTES) continue;
    writtenBytes = 0;
    yield;
  }
}

/** Bytes that are merged in one step. Our choice: about a millisecond. */
const MERGED_AT_ONCE_BYTES = 16_384;
/** Counted for a term besides its places: finding the next one takes as long as some bytes. */
const MERGED_TERM_BYTES = 32;

function* entriesIn(
  parts: readonly Uint8Array[],
): Generator<{ readonly term: string; readonly places: PackedPlaces }, undefined> {
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const terms = termsIn(parts[index]!);
    let at = 0;
    for (const places of placesIn(parts[index + 1]!)) yield { term: terms[at++]!, places };
  }
}
