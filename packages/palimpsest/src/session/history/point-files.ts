/** The files of saved digests: their form, their words, and which of them a session keeps. */
import { isObject, parseJson } from "../../base/json/json.ts";
import type { Hasher } from "../../ports/runtime.ts";
import type { DerivedFiles } from "../../ports/session-store.ts";

/** Points that a session keeps at most, so that a rewind finds one before it. Our choice. */
const KEPT_POINTS = 4;
/** Most that all points with their words may take on the disk, per character that was said; the newest may take more. Our choice. */
const KEPT_SHARE = 0.3;
/** Bytes of a file of words on the disk per byte of the words. Source: measured on recorded sessions: .83. */
export const WORDS_PACKED_SHARE = 0.85;
/** The same of a point's digest, per character of its text. Source: measured on recorded sessions: .07 to .12. */
const POINT_PACKED_SHARE = 0.12;
const VERSION = 2;
const NAME_PATTERN = /^(digest|words)-(\d+)$/;

/** The first line of a point's file; its digest follows, and begins with another version. */
export interface PointHead {
  readonly version: typeof VERSION;
  readonly throughSeq: number;
  readonly id: string;
  readonly position: number;
  readonly line: string;
  /** Characters that were folded into it. */
  readonly characters: number;
  /** The file that has its words, up to what differs. */
  readonly words: { readonly seq: number; readonly hash: string; readonly bytes: number };
  /** Characters of the digest's text, and its SHA-256. */
  readonly size: number;
  readonly hash: string;
}

function isPointHead(value: unknown): value is PointHead {
  if (!isObject(value) || value["version"] !== VERSION || !isObject(value["words"])) return false;
  const { throughSeq, position, characters, size, words } = value;
  const counts = [throughSeq, position, characters, size, words["seq"], words["bytes"]];
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
  return costs.lastIndexOf(Math.min(...costs));
}

interface PointFile {
  readonly head: PointHead;
  readonly body: string;
}

export class PointFiles {
  readonly #files: DerivedFiles;
  readonly #hasher: Hasher;

  constructor(files: DerivedFiles, hasher: Hasher) {
    this.#files = files;
    this.#hasher = hasher;
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

  /** `undefined` where the file is not one of this version. */
  async read(seq: number): Promise<PointFile | undefined> {
    const text = (await this.#files.read(digestName(seq))) ?? "";
    const headEnd = text.indexOf("\n");
    const head = parseJson(text.slice(0, Math.max(0, headEnd)));
    const isOurs = head.ok && isPointHead(head.value) && head.value.throughSeq === seq;
    return isOurs ? { head: head.value as PointHead, body: text.slice(headEnd + 1) } : undefined;
  }

  /** The text of words; `undefined` where it is not what was written. */
  async readWords({ seq, hash }: PointHead["words"]): Promise<string | undefined> {
    const text = (await this.#files.read(wordsName(seq))) ?? "";
    return this.#hasher.sha256(text) === hash ? text : undefined;
  }

  async writeWords(text: string, bytes: number, seq: number): Promise<PointHead["words"]> {
    const place = { seq, hash: this.#hasher.sha256(text), bytes };
    await this.#files.write(wordsName(seq), text);
    return place;
  }

  /** Writes a point; removes those that are too many beside it, and words that none refers to. */
  async write(newest: PointHead, body: string): Promise<void> {
    await this.#files.write(digestName(newest.throughSeq), `${JSON.stringify(newest)}\n${body}`);
    const { digest, words } = await this.seqs();
    const heads: PointHead[] = [];
    for (const seq of digest) {
      const head = seq === newest.throughSeq ? newest : (await this.read(seq))?.head;
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
