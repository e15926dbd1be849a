/**
 * The words of a log: tells if a string occurs in the session, however it is formatted there.
 *
 * It keeps hashes of words and of pairs of neighbouring words, whatever separates them, in a Bloom filter that grows
 * by layers. So a path is found with other slashes, and a quotation with or without its escapes. Nothing is forgotten,
 * and adding a text is linear in it. The memory is bounded; once it is full, more strings are taken for known than are,
 * which errs towards not accusing a summary.
 */
import type { Steps } from "../../base/steps.ts";
import { differenceOf } from "./saved-bits.ts";
import {
  DigitGroups,
  hashBeginnings,
  hashReadings,
  hashWord,
  isPathGap,
  isPhraseGap,
  NO_HASHES,
  visitTextWords,
} from "./text-words.ts";

/** Bytes of the first layer. Each layer is twice as large as the one before it. */
const FIRST_BYTES = 1 << 14;
/** Layers at the most: 2 MB together, for some 10 MB of an agent's log. Our choice. */
const MOST_LAYERS = 7;
/** With these two an unknown hash is taken for a known one in about 1 of 8,000 cases. */
const BITS_PER_HASH = 24;
const PROBES = 6;
const RECENT_MASK = 4095;
/** Characters of one step: about a millisecond. */
const STEP_CHARACTERS = 24_000;

interface Layer {
  readonly bits: Uint8Array;
  count: number;
}

/** A layer as it is stored; without bits where they are those of the base. */
export interface StoredLayer {
  readonly bits: Uint8Array | undefined;
  readonly count: number;
}

export class LogWords {
  readonly #layers: Layer[] = [];
  /** Hashes that were put lately, most of which come again: a third of the time is saved. */
  readonly #recent = new Int32Array(RECENT_MASK + 1);

  /** Adds the words of a text. */
  add(text: string): void {
    visitTextWords(text, this.#adder(text));
  }

  /** The same in steps. */
  *addInSteps(text: string): Generator<void> {
    const add = this.#adder(text);
    for (let at = 0; at < text.length; ) {
      at = visitTextWords(text, add, at, Math.min(text.length, at + STEP_CHARACTERS));
      yield;
    }
  }

  #adder(text: string): (start: number, end: number, isDense: boolean) => void {
    const digits = new DigitGroups();
    let beforeLast = 0;
    let last = 0;
    let lastReadings = NO_HASHES;
    let lastEnd = 0;
    return (start, end, isDense) => {
      const hash = hashWord(text, start, end);
      const readings = isDense ? NO_HASHES : this.#addReadings(text, start, end);
      const merged = isDense ? undefined : digits.next(text, start, end);
      this.#put(hash);
      if (merged !== undefined) this.#put(merged);
      if (last !== 0) {
        const isPath = isPathGap(text, lastEnd, start);
        this.#join(last, hash, isPath);
        for (const reading of readings) this.#join(last, reading, isPath);
        for (const reading of lastReadings) this.#join(reading, hash, isPath);
      }
      const isPhrase = isPhraseGap(text, lastEnd, start, isDense);
      if (isPhrase && beforeLast !== 0) this.#put(hashTriple(beforeLast, last, hash));
      if (text[start - 1] === "/") this.#put(hashAfterSlash(hash));
      if (text[end] === "/") this.#put(hashBeforeSlash(hash));
      beforeLast = isPhrase ? last : 0;
      last = hash;
      lastReadings = readings;
      lastEnd = end;
    };
  }

  #join(before: number, after: number, isPath: boolean): void {
    this.#put(hashPair(before, after));
    if (isPath) this.#put(hashStep(before, after));
  }

  /** Adds the other names within a word; returns those that may have a neighbour. */
  #addReadings(text: string, start: number, end: number): readonly number[] {
    const readings = hashReadings(text, start, end);
    for (const reading of readings) this.#put(reading);
    for (const beginning of hashBeginnings(text, start, end)) this.#put(beginning);
    return readings;
  }

  /** True if the text had the word; `Word`, `WORD` and `word` are one. */
  has(word: number): boolean {
    return this.#has(word);
  }

  /** True if the two words stood beside each other. */
  hasPair(before: number, after: number): boolean {
    return this.#has(hashPair(before, after));
  }

  /** True if the two stood beside each other in a path. */
  hasStep(before: number, after: number): boolean {
    return this.#has(hashStep(before, after));
  }

  /** True if the three words stood beside each other. */
  hasTriple(first: number, second: number, third: number): boolean {
    return this.#has(hashTriple(first, second, third));
  }

  /** True if the word stood before a slash, and after one. */
  isBeforeSlash(word: number): boolean {
    return this.#has(hashBeforeSlash(word));
  }

  isAfterSlash(word: number): boolean {
    return this.#has(hashAfterSlash(word));
  }

  /** Bytes of all layers. */
  get bytes(): number {
    return this.#layers.reduce((sum, { bits }) => sum + bits.length, 0);
  }

  /** Hashes in all layers. */
  get count(): number {
    return this.#layers.reduce((sum, layer) => sum + layer.count, 0);
  }

  copy(): LogWords {
    const copy = new LogWords();
    for (const { bits, count } of this.#layers) copy.#layers.push({ bits: bits.slice(), count });
    return copy;
  }

  /**
   * The layers, for {@link loadInSteps}. With `base`, of each layer only how it differs from that of `base`, which packs
   * well, and all bits are copies: words may be added while they are stored.
   */
  *layers(base?: LogWords): Iterable<StoredLayer> {
    for (const [index, { bits, count }] of this.#layers.entries()) {
      const known = base === undefined ? undefined : base.#layers[index]?.bits;
      const isShared = base === undefined;
      const own = known === undefined ? (isShared ? bits : bits.slice()) : differenceOf(bits, known);
      yield { bits: own, count };
    }
  }

  /**
   * Takes over what was stored, with the same `base`; false if it is damaged. With a base all bits are copies. Without one
   * they are those that were given: no text may be added if others have them.
   */
  *loadInSteps(stored: Iterable<StoredLayer>, base?: LogWords): Steps<boolean> {
    for (const { bits: different, count } of stored) {
      if (this.#layers.length === MOST_LAYERS || !Number.isSafeInteger(count)) return false;
      const length = FIRST_BYTES << this.#layers.length;
      const known = base === undefined ? undefined : base.#layers[this.#layers.length]?.bits;
      if ((different ?? known)?.length !== length) return false;
      const isDifference = different !== undefined && known !== undefined;
      const bits = isDifference
        ? (differenceOf(different, known) ?? new Uint8Array(length))
        : (different ?? known!);
      this.#layers.push({ bits: isDifference || base === undefined ? bits : new Uint8Array(bits), count });
      yield;
    }
    return true;
  }

  #has(hash: number): boolean {
    const stride = strideOf(hash);
    for (let index = this.#layers.length - 1; index >= 0; index--)
      if (isSet(this.#layers[index]!.bits, hash, stride)) return true;
    return false;
  }

  #put(hash: number): void {
    if (this.#recent[hash & RECENT_MASK] === hash) return;
    this.#recent[hash & RECENT_MASK] = hash;
    if (this.#has(hash)) return;
    let last = this.#layers.at(-1);
    const isFull = last === undefined || last.count * BITS_PER_HASH >= last.bits.length * 8;
    if (last === undefined || (isFull && this.#layers.length < MOST_LAYERS)) {
      last = { bits: new Uint8Array(FIRST_BYTES << this.#layers.length), count: 0 };
      this.#layers.push(last);
    }
    setBits(last.bits, hash);
    last.count++;
  }
}

function isSet(bits: Uint8Array, hash: number, stride: number): boolean {
  const mask = bits.length * 8 - 1;
  for (let probe = 0, at = hash; probe < PROBES; probe++, at = (at + stride) | 0)
    if ((bits[(at & mask) >>> 3]! & (1 << (at & 7))) === 0) return false;
  return true;
}

function setBits(bits: Uint8Array, hash: number): void {
  const mask = bits.length * 8 - 1;
  const stride = strideOf(hash);
  for (let probe = 0, at = hash; probe < PROBES; probe++, at = (at + stride) | 0)
    bits[(at & mask) >>> 3]! |= 1 << (at & 7);
}

/** Odd, so that the places of one hash differ. */
const strideOf = (hash: number): number => mix(hash ^ 0x2545f491) | 1;

function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

const hashPair = (before: number, after: number): number => mix(Math.imul(before, 31) + after);
const hashStep = (before: number, after: number): number => mix(Math.imul(before, 37) + after + 1);
const hashTriple = (first: number, second: number, third: number): number =>
  mix(Math.imul(hashPair(first, second), 31) + third);
const hashBeforeSlash = (word: number): number => mix(word ^ 0x5bd1e995);
const hashAfterSlash = (word: number): number => mix(word ^ 0x27d4eb2f);
