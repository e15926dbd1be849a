/**
 * A real window as the measurement sees it: its messages as cached units, the strings that can be
 * read, and the pointers it shows. Following a window costs what changed.
 */
import type { ContentBlock } from "palimpsest";
import { estimateVisibleMessage } from "palimpsest/internal";
import { tokenizerRatio } from "palimpsest/tokens";
import { blockText, type VisibleMessage } from "palimpsest/transcript";
import { stringsIn } from "./readable-strings.ts";
import { nextUnitId, VisibleStrings, type WindowUnit } from "./window-unit.ts";

/** A message of the window with the entries that it points to. */
interface ShownUnit extends WindowUnit {
  readonly message: VisibleMessage;
  readonly pointers: readonly number[];
}

const POINTER = /\bm(\d{1,15})\.\d{1,9}\b/g;

export class ShownWindow {
  readonly strings = new VisibleStrings();
  readonly #model: string;
  readonly #ratio: number;
  readonly #readIn: (block: ContentBlock) => ReadonlySet<string>;
  readonly #units: ShownUnit[] = [];
  readonly #known = new WeakMap<VisibleMessage, ShownUnit>();
  readonly #pointedTo = new Map<number, number>();
  #tokens = 0;

  /** `readIn`: what can be read in a block. @defaultValue its distinctive strings */
  constructor(model: string, readIn: (block: ContentBlock) => ReadonlySet<string> = stringsIn) {
    this.#model = model;
    this.#ratio = tokenizerRatio(model);
    this.#readIn = readIn;
  }

  get units(): readonly WindowUnit[] {
    return this.#units;
  }

  /** All messages, in the model's tokens. */
  get tokens(): number {
    return this.#tokens;
  }

  /** True if a pointer to a block of entry `seq` can be read. */
  pointsTo(seq: number): boolean {
    return this.#pointedTo.has(seq);
  }

  /** Index of the last message that an edit inserted; below 0 where there is none. */
  get lastInserted(): number {
    return this.#units.findLastIndex(({ message }) => message.insertedBy !== undefined);
  }

  follow(visible: readonly VisibleMessage[]): void {
    let same = 0;
    while (same < this.#units.length && this.#units[same]!.message === visible[same]) same++;
    for (const unit of this.#units.splice(same)) this.#leave(unit);
    for (const message of visible.slice(same)) this.#enter(this.#unit(message));
  }

  #enter(unit: ShownUnit): void {
    this.#units.push(unit);
    this.strings.add(unit.strings);
    this.#tokens += unit.tokens;
    for (const seq of unit.pointers) this.#pointedTo.set(seq, (this.#pointedTo.get(seq) ?? 0) + 1);
  }

  #leave(unit: ShownUnit): void {
    this.strings.remove(unit.strings);
    this.#tokens -= unit.tokens;
    for (const seq of unit.pointers) {
      const left = (this.#pointedTo.get(seq) ?? 0) - 1;
      if (left > 0) this.#pointedTo.set(seq, left);
      else this.#pointedTo.delete(seq);
    }
  }

  #unit(message: VisibleMessage): ShownUnit {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const unit: ShownUnit = {
      message,
      id: nextUnitId(),
      tokens: Math.round(estimateVisibleMessage(message, this.#model) * this.#ratio),
      blocks: message.blocks.length,
      strings: new Set(message.blocks.flatMap(({ block }) => [...this.#readIn(block)])),
      pointers: pointersIn(message),
    };
    this.#known.set(message, unit);
    return unit;
  }
}

/** Only what the library itself wrote points anywhere: previews, briefs and summaries. */
function pointersIn({ insertedBy, blocks }: VisibleMessage): readonly number[] {
  const own = blocks.filter(({ form }) => insertedBy !== undefined || form !== "original");
  const seqs = own.flatMap(({ block }) =>
    [...blockText(block).matchAll(POINTER)].map((match) => Number(match[1])),
  );
  return [...new Set(seqs)];
}
