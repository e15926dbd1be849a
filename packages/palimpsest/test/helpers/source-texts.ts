/** The texts of a life that a log has to keep: what was said and acknowledged. */
const WORDS = "the parser reads tokens one by one and keeps the place of each in the file\n";

/** Some 4 characters a token. */
export const wordsOf = (tokens: number): string => WORDS.repeat(Math.floor((tokens * 4.6) / WORDS.length));

export class SourceTexts {
  readonly #texts = new Set<string>();
  /** Results of tools that are not known to be in the log: an abort while a tool runs drops its result. */
  readonly #results = new Set<string>();

  get size(): number {
    return this.#texts.size;
  }

  add(text: string): void {
    this.#texts.add(text);
  }

  addResult(text: string): void {
    this.#results.add(text);
  }

  /** The results so far were appended: a turn went on with them, or the host did it. */
  acknowledgeResults(): void {
    for (const text of this.#results) this.#texts.add(text);
    this.#results.clear();
  }

  /** A new turn begins: what an abort dropped was never promised. */
  dropResults(): void {
    this.#results.clear();
  }

  missingFrom(kept: ReadonlySet<string>): readonly string[] {
    return [...this.#texts].filter((text) => !kept.has(text));
  }
}
