/**
 * Which messages are still in the tool's own context, by the ids of their events.
 *
 * Condensations name what is forgotten by a list of ids or by the first and the last. A file may
 * hold as many of them as messages, so forgetting costs what it forgets: the numbers that are left
 * are found by links that skip the others.
 */
import { firstIndex } from "../../base/lists.ts";

/** @internal */
export class ContextIds {
  /** Numbers, growing. */
  readonly #numbers: number[] = [];
  /** The next number to look at after a forgotten one; itself where it is not forgotten. */
  readonly #next: number[] = [];
  /** Ids that are not numbers, or come out of order. */
  readonly #others = new Set<string>();
  #size = 0;

  get size(): number {
    return this.#size + this.#others.size;
  }

  add(id: string): void {
    const number = numberOf(id);
    if (number === undefined || number <= (this.#numbers.at(-1) ?? -1)) {
      this.#others.add(id);
      return;
    }
    this.#next.push(this.#numbers.length);
    this.#numbers.push(number);
    this.#size++;
  }

  forget(id: string): void {
    if (this.#others.delete(id)) return;
    const number = numberOf(id);
    if (number !== undefined) this.forgetRange(number, number);
  }

  /** Forgets the numbers from `first` to `last`, both included. */
  forgetRange(first: number, last: number): void {
    if (!(first <= last)) return;
    let index = this.#find(this.#lowerBound(first));
    while (index < this.#numbers.length && this.#numbers[index]! <= last) {
      this.#next[index] = index + 1;
      this.#size--;
      index = this.#find(index + 1);
    }
  }

  /** The remaining ids, in order; numbers first. */
  list(): readonly string[] {
    const left: string[] = [];
    for (let index = this.#find(0); index < this.#numbers.length; index = this.#find(index + 1))
      left.push(String(this.#numbers[index]));
    return [...left, ...this.#others];
  }

  #lowerBound(number: number): number {
    return firstIndex(this.#numbers.length, (index) => this.#numbers[index]! >= number);
  }

  /** The first number that is left from here on. */
  #find(from: number): number {
    let found = from;
    while (found < this.#numbers.length && this.#next[found] !== found) found = this.#next[found]!;
    for (let index = from; index < found; ) {
      const next = this.#next[index]!;
      this.#next[index] = found;
      index = next;
    }
    return found;
  }
}

/** The number that an id is written as. */
function numberOf(id: string): number | undefined {
  const number = Number(id);
  return Number.isSafeInteger(number) && String(number) === id ? number : undefined;
}
