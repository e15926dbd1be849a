/** The files of saved digests: their form, their words, and which of them a session keeps. */

import { isObject, parseJson } from "../../base/json/json.ts";
import { minOf } from "../../base/lists.ts";
import { fingerprintInSteps } from "../../compaction/literals/saved-bits.ts";
import type { DerivedFiles } from "../../ports/session-store.ts";
import type { FairTurns } from "../turns/fair-turns.ts";

/** Points that a session keeps at most, so that a rewind finds one before it. Our choice. */
const KEPT_POINTS = 4;
/** Most that all points with their words may take on the disk, per character that was said; the newest may take more. Our choice. */
const KEPT_SHARE = 0.3;
/** Bytes of a file of words on the disk per byte of the words. Our choice: layers that are full do not pack, the last one does. */
export const WORDS_PACKED_SHARE = 0.9;
/** The same of a point's digest. Source: measured on recorded sessions: .07 to .12. */
const POINT_PACKED_SHARE = 0.12;
/** Parts of one file at most; more are refused before room is made for them. Our choice. */
const MOST_PARTS = 64;
const VERSION = 3;
const NAME_PATTERN = /^(digest|words)-(\d+)$/;

/** The place of the parts of a file, and their fingerprint. */
interface PartsPlace {
  /** The number in the file's name. */
  readonly seq: number;
  readonly parts: number;
  readonly hash: string;
}

/** The first part of a point's file; the parts of its digest follow. */
export interface PointHead {
  readonly version: typeof VERSION;
  readonly throughSeq: number;
  readonly id: string;
  readonly position: number;
  readonly line: string;
  /** Characters that were folded into it. */
  readonly characters: number;
  /** The file that has its words, up to what differs. */
  readonly words: PartsPlace & { readonly bytes: number };
  /** Bytes of the digest's parts, their number, and what tells them from others. */
  readonly size: number;
  readonly parts: number;
  readonly hash: string;
}

function isPointHead(value: unknown): value is PointHead {
  if (!isObject(value) || value["version"] !== VERSION || !isObject(value["words"])) return false;
  const { throughSeq, position, characters, size, parts, words } = value;
  const counts = [
    throughSeq,
    position,
    characters,
    size,
    parts,
    words["seq"],
    words["bytes"],
    words["parts"],
  ];
  const texts = [value["id"], value["line"], value["hash"], words["hash"]];
  return counts.every(Number.isSafeInteger) && texts.every((text) => typeof text === "string");
}

/** The points to keep, the newest first. `points` are sorted so. */
function keptPoints(points: readonly PointHead[], newest: PointHead): readonly PointHead[] {
  const kept = [...points];
  const isTooMuch = (): boolean => bytesOf(kept) > newest.characters * KEPT_SHARE;
  while (kept.length > 1 && (kept.length > KEPT_POINTS || isTooMuch()))
    kept.splice(leastNeeded(kept, newest.throughSeq), 1);
  return kept;
}

function bytesOf(points: readonly PointHead[]): number {
  const words = new Map(points.map((point) => [point.words.seq, point.words.bytes]));
  const wordsBytes = [...words.values()].reduce((sum, bytes) => sum + bytes * WORDS_PACKED_SHARE, 0);
  return points.reduce((sum, { size }) => sum + size * POINT_PACKED_SHARE, wordsBytes);
}

/**
 * The point whose neighbours are closest, in relation to how far back they are: a rewind goes back a little more often
 * than far. Points behind the newest one are of what was taken back. With only one beside the newest, it is that.
 */
function leastNeeded(points: readonly PointHead[], newest: number): number {
  const seqs = points.map(({ throughSeq }) => throughSeq);
  const takenBack = seqs.findIndex((seq) => seq > newest);
  if (takenBack !== -1) return takenBack;
  if (seqs.length === 2) return 1;
  const costs = seqs.map((_, index) => {
    const [younger, older] = [seqs[index - 1], seqs[index + 1]];
    if (younger === undefined || older === undefined) return Number.POSITIVE_INFINITY;
    return (younger - older) / (newest - older);
  });
  return costs.lastIndexOf(minOf(costs));
}

export class PointFiles {
  readonly #files: DerivedFiles;
  readonly #turns: FairTurns;

  constructor(files: DerivedFiles, turns: FairTurns) {
    this.#files = files;
    this.#turns = turns;
  }

  /** Numbers in the names of the files, the newest first. */
  async seqs(): Promise<{ readonly digest: readonly number[]; readonly words: readonly number[] }> {
    const found = { digest: [] as number[], words: [] as number[] };
    for (const name of await this.#files.list()) {
      const [, kind, seq] = NAME_PATTERN.exec(name) ?? [];
      if (kind === "digest" || kind === "words") found[kind].push(Number(seq));
    }
    for (const seqs of Object.values(found)) seqs.sort((a, b) => b - a);
    return found;
  }

  /** The head of a point; `undefined` where the file is not one of this version. */
  async readHead(seq: number): Promise<PointHead | undefined> {
    const bytes = await this.#files.readPart!(digestName(seq), 0);
    const head = parseJson(new TextDecoder().decode(bytes));
    return head.ok && isPointHead(head.value) && head.value.throughSeq === seq ? head.value : undefined;
  }

  /** The parts of a point's digest; `undefined` where they are not those that were written. */
  async readDigest({ throughSeq, parts, hash }: PointHead): Promise<readonly Uint8Array[] | undefined> {
    return this.#readParts(digestName(throughSeq), { from: 1, parts, hash });
  }

  /** The same of words. */
  async readWords({ seq, parts, hash }: PartsPlace): Promise<readonly Uint8Array[] | undefined> {
    return this.#readParts(wordsName(seq), { from: 0, parts, hash });
  }

  async #readParts(
    name: string,
    { from, parts, hash }: { readonly from: number } & Pick<PartsPlace, "parts" | "hash">,
  ): Promise<readonly Uint8Array[] | undefined> {
    if (parts < 0 || parts > MOST_PARTS) return undefined;
    const indexes = Array.from({ length: parts }, (_, index) => from + index);
    const read = await Promise.all(indexes.map((index) => this.#files.readPart!(name, index)));
    const found = read.filter((part) => part !== undefined);
    if (found.length < parts) return undefined;
    return (await this.#turns.run(fingerprintInSteps(found))) === hash ? found : undefined;
  }

  async writeWords(parts: readonly Uint8Array[], bytes: number, seq: number): Promise<PointHead["words"]> {
    const hash = await this.#turns.run(fingerprintInSteps(parts));
    await this.#files.writeParts!(wordsName(seq), parts);
    return { seq, hash, parts: parts.length, bytes };
  }

  /** Writes a point; removes those that are too many beside it, and words that none refers to. */
  async write(
    point: Omit<PointHead, "version" | "size" | "parts" | "hash">,
    parts: readonly Uint8Array[],
  ): Promise<void> {
    const newest: PointHead = {
      version: VERSION,
      ...point,
      size: parts.reduce((sum, { length }) => sum + length, 0),
      parts: parts.length,
      hash: await this.#turns.run(fingerprintInSteps(parts)),
    };
    const head = new TextEncoder().encode(JSON.stringify(newest));
    await this.#files.writeParts!(digestName(newest.throughSeq), [head, ...parts]);
    const { digest, words } = await this.seqs();
    const heads: PointHead[] = [];
    for (const seq of digest) {
      const head = seq === newest.throughSeq ? newest : await this.readHead(seq);
      if (head !== undefined) heads.push(head);
    }
    const kept = keptPoints(heads, newest);
    for (const seq of digest)
      if (!kept.some(({ throughSeq }) => throughSeq === seq)) await this.#files.remove(digestName(seq));
    for (const seq of words)
      if (!kept.some((head) => head.words.seq === seq)) await this.#files.remove(wordsName(seq));
  }
}

const digestName = (seq: number): string => `digest-${seq}`;
const wordsName = (seq: number): string => `words-${seq}`;
