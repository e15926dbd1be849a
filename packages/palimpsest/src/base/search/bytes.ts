/** Lists of whole numbers as bytes: small numbers take one byte, larger ones two or more. */
import { assert } from "../assert.ts";

const FIRST_BYTES = 256;
/** Seven bits of a number in each byte; the eighth says that more follow. */
const BITS = 7;
const MORE = 2 ** BITS;
/** Bytes of the largest whole number that is exact. */
const MOST_BYTES = 8;

export class ByteWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  number(value: number): void {
    assert(Number.isSafeInteger(value) && value >= 0, "a number in bytes is whole, and not below 0");
    this.#ensure(MOST_BYTES);
    let rest = value;
    for (; rest >= MORE; rest = Math.floor(rest / MORE)) this.#bytes[this.#length++] = (rest % MORE) + MORE;
    this.#bytes[this.#length++] = rest;
  }

  bytes(bytes: Uint8Array): void {
    this.#ensure(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A copy of what was written; the writer begins again. */
  take(): Uint8Array {
    const written = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return written;
  }

  #ensure(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#length + more, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** Reads what {@link ByteWriter} wrote. Beyond the end all numbers are 0, so a loop over a count from a file must also end at `isAtEnd`. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; this.#at < this.#bytes.length; factor *= MORE) {
      const byte = this.#bytes[this.#at++]!;
      if (byte < MORE) return value + byte * factor;
      value += (byte - MORE) * factor;
    }
    return value;
  }

  /** A view of all bytes that follow. */
  rest(): Uint8Array {
    return this.bytes(this.#bytes.length - this.#at);
  }

  /** A view of the next bytes, not a copy. */
  bytes(length: number): Uint8Array {
    const view = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return view;
  }
}
