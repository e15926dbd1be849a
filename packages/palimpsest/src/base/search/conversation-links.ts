/**
 * Which documents were said one after the other, and which in one conversation.
 *
 * A document names what came before it and its group; either may be set before the other, or be missing. Where
 * several name the same one before them, all of them follow it: they hang together in a chain that begins at
 * what they follow, so that following costs a look into an array and nothing that a search would have to
 * allocate.
 */

/** Nothing came before, or it is not there. */
export const NO_DOCUMENT = -1;
export const NO_GROUP = -1;

interface Links {
  readonly id: string;
  readonly before: string | undefined;
  readonly group: string | undefined;
}

interface Group {
  readonly number: number;
  documentCount: number;
}

export class ConversationLinks {
  /** By number of the document. */
  readonly #links: (Links | undefined)[] = [];
  readonly #previous: number[] = [];
  readonly #firstFollower: number[] = [];
  readonly #nextSibling: number[] = [];
  readonly #lastSibling: number[] = [];
  readonly #groupOf: number[] = [];
  readonly #numbers: ReadonlyMap<string, number>;
  /** The head of the chain of documents that name an id before them, present or not. */
  readonly #chains = new Map<string, number>();
  readonly #groups = new Map<string, Group>();
  /** Lengths by number of the group, and numbers that are free again. */
  readonly #groupTerms: number[] = [];
  readonly #freeGroups: number[] = [];
  #groupedTerms = 0;

  /** @param numbers - of the documents that are there, by id; one that is added is among them, one that is removed no more */
  constructor(numbers: ReadonlyMap<string, number>) {
    this.#numbers = numbers;
  }

  get groupCount(): number {
    return this.#groups.size;
  }

  /** The number of group numbers, including free ones. */
  get groupNumbers(): number {
    return this.#groupTerms.length;
  }

  get averageGroupTerms(): number {
    return this.#groupedTerms / Math.max(1, this.#groups.size);
  }

  get hasNeighbours(): boolean {
    return this.#chains.size > 0;
  }

  add(number: number, links: Links, termCount: number): void {
    const { id, before, group } = links;
    this.#links[number] = links;
    this.#lead(id, number);
    this.#previous[number] = NO_DOCUMENT;
    if (before !== undefined) this.#follow(before, number);
    this.#groupOf[number] = group === undefined ? NO_GROUP : this.#enter(group, termCount);
  }

  remove(number: number, termCount: number): void {
    const links = this.#links[number];
    if (links === undefined) return;
    const { id, before, group } = links;
    this.#links[number] = undefined;
    this.#lead(id, NO_DOCUMENT);
    if (before !== undefined) this.#stopFollowing(before, number);
    if (group !== undefined) this.#leave(group, termCount);
  }

  previousOf(number: number): number {
    return number === NO_DOCUMENT ? NO_DOCUMENT : this.#previous[number]!;
  }

  /** The first of those that follow; {@link nextSiblingOf} gives the others. */
  firstFollowerOf(number: number): number {
    return this.#firstFollower[number]!;
  }

  nextSiblingOf(number: number): number {
    return this.#nextSibling[number]!;
  }

  groupOf(number: number): number {
    return this.#groupOf[number]!;
  }

  groupTerms(group: number): number {
    return this.#groupTerms[group]!;
  }

  /** Those that name `id` before them have it there, or (`NO_DOCUMENT`) have it no more. */
  #lead(id: string, number: number): void {
    const first = this.#chains.get(id) ?? NO_DOCUMENT;
    if (number !== NO_DOCUMENT) this.#firstFollower[number] = first;
    for (let one = first; one !== NO_DOCUMENT; one = this.#nextSibling[one]!) this.#previous[one] = number;
  }

  #follow(before: string, number: number): void {
    this.#begin(before, number, this.#chains.get(before) ?? NO_DOCUMENT);
    this.#previous[number] = this.#numbers.get(before) ?? NO_DOCUMENT;
  }

  #stopFollowing(before: string, number: number): void {
    const next = this.#nextSibling[number]!;
    const last = this.#lastSibling[number]!;
    if (last !== NO_DOCUMENT) {
      this.#nextSibling[last] = next;
      if (next !== NO_DOCUMENT) this.#lastSibling[next] = last;
    } else this.#begin(before, next, next === NO_DOCUMENT ? next : this.#nextSibling[next]!);
  }

  /** The chain behind `before` begins with `first`, and goes on with `second`. */
  #begin(before: string, first: number, second: number): void {
    const leader = this.#numbers.get(before);
    if (leader !== undefined) this.#firstFollower[leader] = first;
    if (first === NO_DOCUMENT) {
      this.#chains.delete(before);
      return;
    }
    this.#chains.set(before, first);
    this.#nextSibling[first] = second;
    this.#lastSibling[first] = NO_DOCUMENT;
    if (second !== NO_DOCUMENT) this.#lastSibling[second] = first;
  }

  #enter(name: string, termCount: number): number {
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = { number: this.#freeGroups.pop() ?? this.#groupTerms.length, documentCount: 0 };
      this.#groups.set(name, group);
      this.#groupTerms[group.number] = 0;
    }
    group.documentCount++;
    this.#lengthen(group, termCount);
    return group.number;
  }

  #leave(name: string, termCount: number): void {
    const group = this.#groups.get(name);
    if (group === undefined) return;
    group.documentCount--;
    this.#lengthen(group, -termCount);
    if (group.documentCount > 0) return;
    this.#groups.delete(name);
    this.#freeGroups.push(group.number);
  }

  #lengthen(group: Group, termCount: number): void {
    this.#groupTerms[group.number]! += termCount;
    this.#groupedTerms += termCount;
  }
}
