/**
 * Whether notes tell a fact already, in the same words or nearly so: what keeps them from saying it twice.
 *
 * Words are compared, not characters, so that one path is not taken for another that begins with it.
 */
import { NOTES_DEFAULTS } from "../base/defaults/notes.ts";

/** Starts with the lines that are there; what is added is known from then on. */
export class KnownFacts {
  /** Every line as words between single blanks, with a blank at both ends. */
  readonly #lines: string[] = [];
  #text = "";
  readonly #words: ReadonlySet<string>[] = [];

  constructor(lines: readonly string[]) {
    for (const line of lines) this.#lines.push(spaced(line));
    this.#text = this.#lines.join("\n");
    for (const line of this.#lines.slice(-NOTES_DEFAULTS.comparedLinesCount)) this.#words.push(wordsOf(line));
  }

  /** Whether some line holds the text's words in a row, or nearly all of them in any order. */
  has(text: string): boolean {
    const words = spaced(text);
    if (words.trim() === "") return true;
    if (this.#text.includes(words)) return true;
    const own = wordsOf(words);
    // Two or three words are too few to be "nearly all" of.
    if (own.size <= FEWEST_WORDS) return false;
    return this.#words.some((line) => {
      let shared = 0;
      for (const word of own) if (line.has(word)) shared++;
      return shared >= own.size * NOTES_DEFAULTS.sameFactShare && hasSameFigures(own, line);
    });
  }

  add(text: string): void {
    const words = spaced(text);
    this.#text += `\n${words}`;
    this.#words.push(wordsOf(words));
  }
}

const FEWEST_WORDS = 3;

/** A different number, path or identifier is a different fact, however alike the sentences are. */
function hasSameFigures(words: ReadonlySet<string>, line: ReadonlySet<string>): boolean {
  return [...words].every((word) => !/[\d/_.]/.test(word) || line.has(word));
}

function spaced(text: string): string {
  const words = text.toLowerCase().split(/[\s"'`*,;:!?()<>[\]{}]+/);
  return ` ${words
    .map((word) => word.replace(/^[-_.]+(?=\w)/, "").replace(/\.{1,3}$/, ""))
    .filter((word) => word !== "" && word !== "-")
    .join(" ")} `;
}

function wordsOf(spacedText: string): ReadonlySet<string> {
  return new Set(spacedText.trim().split(" "));
}
