/**
 * Takes pastes out of what a terminal sends, in one pass and within a limit: 100 MB must neither hang the program nor fill
 * its memory.
 *
 * DESIGN. Terminals put a paste between two escape sequences. Either may be cut in two by the pieces that arrive. Outside
 * of a paste everything is keys. Inside, pieces are kept until the limit; beyond it they are counted and dropped.
 */
import { formatBytes } from "../../terminal/figures.ts";
import { safeText } from "../base/safe-text.ts";

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";

interface PasteListener {
  /** Everything that is typed. */
  keys(text: string): void;
  paste(text: string): void;
  /** A paste beyond the limit, which is dropped. */
  refused(characters: number): void;
}

export class PasteFilter {
  readonly #listener: PasteListener;
  readonly #limit: number;
  /** Inside of a paste: the pieces so far. */
  #pieces: string[] | undefined;
  #characters = 0;
  /** The end of the last piece, which may be the beginning of a sequence. */
  #held = "";

  constructor(listener: PasteListener, limitCharacters: number) {
    this.#listener = listener;
    this.#limit = limitCharacters;
  }

  /** True if the end of the last piece waits for the next one. */
  get isHolding(): boolean {
    return this.#held !== "" && this.#pieces === undefined;
  }

  /** Lets go of what is held: no more of it came, so it is a key such as Escape. */
  flush(): void {
    if (!this.isHolding) return;
    const held = this.#held;
    this.#held = "";
    this.#listener.keys(held);
  }

  take(piece: string): void {
    let text = this.#held + piece;
    this.#held = "";
    while (text !== "") {
      const mark = this.#pieces === undefined ? BEGIN : END;
      const at = text.indexOf(mark);
      if (at === -1) {
        const kept = text.length - cutMarkLength(text, mark);
        this.#held = text.slice(kept);
        this.#give(text.slice(0, kept));
        return;
      }
      this.#give(text.slice(0, at));
      if (this.#pieces === undefined) this.#pieces = [];
      else this.#end(this.#pieces);
      text = text.slice(at + mark.length);
    }
  }

  #give(text: string): void {
    if (text === "") return;
    if (this.#pieces === undefined) {
      this.#listener.keys(text);
      return;
    }
    this.#characters += text.length;
    if (this.#characters <= this.#limit) this.#pieces.push(text);
    else this.#pieces.length = 0;
  }

  #end(pieces: readonly string[]): void {
    const characters = this.#characters;
    this.#pieces = undefined;
    this.#characters = 0;
    if (characters > this.#limit) this.#listener.refused(characters);
    else if (characters > 0) this.#listener.paste(pieces.join(""));
  }
}

/** Length of the longest end of a text that is the beginning of the mark. */
function cutMarkLength(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}

/** Texts of more characters are marked here; the editor marks those of more than a few lines itself. */
const LARGE = 100_000;
/** A mark in the input. */
const MARK = /\[pasted text \d+: [^\]]+\]/g;
/** Characters of large texts that are kept, the newest first. Our choice: the largest paste, and one more. */
const KEPT_CHARACTERS = 40_000_000;

/**
 * Large texts that were pasted: the input shows a mark, and the message has the text. The library stores a large message
 * beside the session, so that the model gets a preview and reads on where it wants to. The newest texts are kept, for a
 * message that is found with the arrow keys and sent once more.
 */
export class LargePastes {
  /** Texts that are kept. */
  get keptCount(): number {
    return this.#texts.size;
  }

  /** Most characters of one paste. Our choice: beyond it a file is the better way, and nothing is typed by hand. */
  static readonly limit = 20_000_000;

  readonly #texts = new Map<string, string>();
  #count = 0;

  /** The mark for a large text; `undefined` if it is none. */
  take(text: string): string | undefined {
    if (text.length < LARGE) return undefined;
    const mark = `[pasted text ${++this.#count}: ${formatBytes(Buffer.byteLength(text))}]`;
    this.#texts.set(mark, safeText(text));
    let characters = 0;
    for (const [one, { length }] of [...this.#texts].reverse()) {
      characters += length;
      if (characters > KEPT_CHARACTERS) this.#texts.delete(one);
    }
    return mark;
  }

  /** The message, with the texts in the place of their marks. */
  expand(line: string): string {
    return line.replace(MARK, (mark) => this.#texts.get(mark) ?? mark);
  }
}
