/**
 * A segment: the search index of a stretch of a log, in bytes that never change.
 *
 * DESIGN. The first part is a head as JSON, the second has the blocks, and the terms with their places follow
 * (`base/search/term-parts.ts`). Numbers of blocks begin at 0 in each segment. Segments that follow each other are
 * merged by counting up the numbers of the later ones. Scores come from the sums over all segments, so the answers are
 * those of one index.
 */

import { isObject, parseJson } from "../../../base/json/json.ts";
import { ByteReader, ByteWriter } from "../../../base/search/bytes.ts";
import { mergeTerms, PlacesWriter, sortInSteps, TermPartsWriter } from "../../../base/search/term-parts.ts";
import type { Steps } from "../../../base/steps.ts";
import type { Role } from "../../../transcript/blocks.ts";
import { blockOf, type HistoryIndex, type IndexedBlock, occurrencesOf } from "./history-index.ts";

/** Increased whenever the text by which blocks are found changes: older segments are made again. */
const VERSION = 3;
const ROLES: readonly Role[] = ["user", "assistant", "system"];
/** Parts before those of the terms. */
export const TERMS_FROM = 2;
/** Numbers that each block has at least; each is a byte or more. */
const NUMBERS_OF_BLOCK = 4;
/** Places, or blocks, that are written in one step; a term counts as one more. Our choice: about a millisecond. */
const WRITTEN_AT_ONCE = 4_000;

/** The first part of a segment. */
interface SegmentHead {
  readonly version: typeof VERSION;
  /** The first and the last entry that it was made of, and where the last one begins in the log. */
  readonly from: number;
  readonly to: number;
  readonly position: number;
  /** The id of the entry `to`; empty until the segment is written. */
  readonly id: string;
  readonly blockCount: number;
  readonly totalTerms: number;
  readonly characters: number;
  /** The newest calls up to there, with the names of their tools: results may come later. */
  readonly calls: readonly (readonly [id: string, name: string])[];
  readonly tools: readonly string[];
  readonly firstTerms: readonly string[];
}

/** The stretch of the log that a segment is of. */
type Stretch = Pick<SegmentHead, "from" | "to" | "position">;

export interface Segment {
  readonly head: SegmentHead;
  readonly blocks: SegmentBlocks;
  /** A part of the terms, from 0 on; `undefined` if it is gone or damaged. */
  readonly part: (index: number) => Promise<Uint8Array | undefined>;
}

/** A segment with the parts of its terms in memory. */
export interface LoadedSegment extends Segment {
  readonly parts: readonly Uint8Array[];
}

/** A segment that can be written. */
export interface WholeSegment extends LoadedSegment {
  readonly blocksPart: Uint8Array;
}

/** The blocks of a segment, in arrays. */
export class SegmentBlocks {
  readonly #tools: readonly string[];
  readonly #seqs: Uint32Array;
  readonly #blocks: Uint32Array;
  readonly #kinds: Uint32Array;
  readonly #termCounts: Uint32Array;
  readonly #positions: Float64Array;

  constructor({ blockCount, tools }: Pick<SegmentHead, "blockCount" | "tools">, bytes: Uint8Array) {
    this.#tools = tools;
    this.#seqs = new Uint32Array(blockCount);
    this.#blocks = new Uint32Array(blockCount);
    this.#kinds = new Uint32Array(blockCount);
    this.#termCounts = new Uint32Array(blockCount);
    this.#positions = new Float64Array(blockCount);
    const reader = new ByteReader(bytes);
    let seq = 0;
    let position = 0;
    for (let number = 0; number < blockCount; number++) {
      const step = reader.number();
      seq += step;
      this.#seqs[number] = seq;
      this.#blocks[number] = reader.number();
      this.#kinds[number] = reader.number();
      this.#termCounts[number] = reader.number();
      if (step > 0) position = reader.number();
      this.#positions[number] = position;
    }
  }

  termCountAt(number: number): number {
    return this.#termCounts[number]!;
  }

  toolAt(number: number): string | undefined {
    return this.#tools[Math.floor(this.#kinds[number]! / ROLES.length) - 1];
  }

  at(number: number): IndexedBlock {
    return {
      seq: this.#seqs[number]!,
      block: this.#blocks[number]!,
      role: ROLES[this.#kinds[number]! % ROLES.length]!,
      tool: this.toolAt(number),
      termCount: this.#termCounts[number]!,
      position: this.#positions[number]!,
      text: undefined,
    };
  }

  *all(): Iterable<IndexedBlock> {
    for (let number = 0; number < this.#seqs.length; number++) yield this.at(number);
  }
}

/** The blocks in a segment's second part; `undefined` where they are not those of the head. */
export function readBlocks(
  head: Pick<SegmentHead, "blockCount" | "tools" | "totalTerms">,
  part: Uint8Array | undefined,
): SegmentBlocks | undefined {
  // Checked first: a number in a file must not decide how much memory is taken.
  if (part === undefined || head.blockCount > part.length / NUMBERS_OF_BLOCK) return undefined;
  const blocks = new SegmentBlocks(head, part);
  let terms = 0;
  for (let number = 0; number < head.blockCount; number++) terms += blocks.termCountAt(number);
  return terms === head.totalTerms ? blocks : undefined;
}

/** The bytes that {@link SegmentBlocks} reads, and the names of the tools in them. */
function* writeBlocks(
  blocks: Iterable<IndexedBlock>,
): Steps<{ readonly bytes: Uint8Array; readonly tools: readonly string[] }> {
  const tools = new Map<string, number>();
  const writer = new ByteWriter();
  let before = 0;
  let writtenCount = 0;
  for (const { seq, block, role, tool, termCount, position } of blocks) {
    if (tool !== undefined && !tools.has(tool)) tools.set(tool, tools.size + 1);
    const toolNumber = tool === undefined ? 0 : tools.get(tool)!;
    for (const number of [seq - before, block, toolNumber * ROLES.length + ROLES.indexOf(role), termCount])
      writer.number(number);
    if (seq > before) writer.number(position);
    before = seq;
    if (++writtenCount % WRITTEN_AT_ONCE === 0) yield;
  }
  return { bytes: writer.take(), tools: [...tools.keys()] };
}

/** The segment of an index, in steps. The index must not change meanwhile. */
export function* sealInSteps(index: HistoryIndex, stretch: Stretch): Steps<WholeSegment> {
  const terms: string[] = [];
  yield* sortInSteps([...index.postings.keys()], (term) => terms.push(term));
  const writer = new TermPartsWriter();
  const places = new PlacesWriter();
  let writtenCount = 0;
  for (const term of terms) {
    const own = index.postings.get(term)!;
    for (const place of own) places.add(blockOf(place), occurrencesOf(place));
    writer.add(term, places.take());
    writtenCount += own.length + 1;
    if (writtenCount < WRITTEN_AT_ONCE) continue;
    writtenCount = 0;
    yield;
  }
  const { totalTerms, characters, callNames, blocks } = index;
  const calls = [...callNames];
  return yield* wholeSegment(
    { ...stretch, totalTerms, characters, calls, blockCount: blocks.length },
    blocks,
    writer.finish(),
  );
}

/** One segment of several that follow each other, the oldest first, in steps. */
export function* mergeSegments(segments: readonly LoadedSegment[]): Steps<WholeSegment> {
  const [first, last] = [segments[0]!.head, segments.at(-1)!.head];
  let [blockCount, totalTerms, characters] = [0, 0, 0];
  const sources = segments.map(({ head, parts }) => {
    const base = blockCount;
    blockCount += head.blockCount;
    totalTerms += head.totalTerms;
    characters += head.characters;
    return { parts, base };
  });
  const terms = yield* mergeTerms(sources);
  const { to, position, calls } = last;
  const about = { from: first.from, to, position, calls, blockCount, totalTerms, characters };
  return yield* wholeSegment(about, blocksOf(segments), terms);
}

function* blocksOf(segments: readonly Segment[]): Iterable<IndexedBlock> {
  for (const { blocks } of segments) yield* blocks.all();
}

function* wholeSegment(
  about: Omit<SegmentHead, "version" | "id" | "tools" | "firstTerms">,
  blocks: Iterable<IndexedBlock>,
  { firstTerms, parts }: { readonly firstTerms: readonly string[]; readonly parts: readonly Uint8Array[] },
): Steps<WholeSegment> {
  const { bytes, tools } = yield* writeBlocks(blocks);
  yield;
  const head: SegmentHead = { version: VERSION, id: "", ...about, tools, firstTerms };
  return {
    head,
    blocks: new SegmentBlocks(head, bytes),
    blocksPart: bytes,
    parts,
    part: async (index) => parts[index],
  };
}

/** All parts of a segment's file; `id` is that of its last entry. */
export function writeSegment({ head, blocksPart, parts }: WholeSegment, id: string): readonly Uint8Array[] {
  const text = JSON.stringify({ ...head, id });
  return [new TextEncoder().encode(text), blocksPart, ...parts];
}

/** The head in a segment's first part; `undefined` where it is not one of this version. */
export function readHead(part: Uint8Array | undefined): SegmentHead | undefined {
  const parsed = part && parseJson(new TextDecoder().decode(part));
  return parsed?.ok === true && isHead(parsed.value) ? parsed.value : undefined;
}

function isHead(value: unknown): value is SegmentHead {
  if (!isObject(value) || value["version"] !== VERSION || typeof value["id"] !== "string") return false;
  const { from, to, position, blockCount, totalTerms, characters, calls, tools, firstTerms } = value;
  const counts = [from, to, position, blockCount, totalTerms, characters];
  const lists = [tools, firstTerms, ...(Array.isArray(calls) ? calls : [undefined])];
  const isText = (one: unknown): boolean => typeof one === "string";
  return (
    counts.every((count) => Number.isSafeInteger(count) && (count as number) >= 0) &&
    lists.every((list) => Array.isArray(list) && list.every(isText))
  );
}
