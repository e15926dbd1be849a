/**
 * Lines of the items that were said, each drawn once a width.
 *
 * DESIGN. Items never change, so lines that scrolled out of the terminal need not be drawn again. They stay in the list for
 * a while, because the library compares all lines; once there are many, they are forgotten and the screen is drawn again in
 * place. When the terminal changes its size it has moved everything else up itself: only as many lines as it has rows are
 * drawn then.
 */

import type { ViewItem } from "./chat-view.ts";
import type { Layout } from "./layout.ts";
import { itemLines } from "./render-view.ts";

/** Lines beyond the rows of the terminal that are compared again and again; more are forgotten. */
const KEPT_LINES = 400;

interface DrawnItem {
  readonly columns: number;
  readonly lines: readonly string[];
}

interface ScreenLayout extends Layout {
  readonly rows: number;
}

export class DrawnItems {
  readonly #items: ViewItem[];
  readonly #drawAgain: () => void;
  readonly #drawn = new Map<ViewItem, DrawnItem>();
  /** Lines at the top that are no longer drawn. */
  #hidden = 0;
  #size: string | undefined;
  #isForgetting = false;

  /** @param drawAgain - draws the whole screen, in place */
  constructor(items: ViewItem[], drawAgain: () => void) {
    this.#items = items;
    this.#drawAgain = drawAgain;
  }

  clear(): void {
    this.#drawn.clear();
  }

  /** The lines of the screen: the items, and what is below them. */
  lines(below: readonly string[], layout: ScreenLayout): readonly string[] {
    const { columns, rows } = layout;
    const above = this.#items.flatMap((item) => this.#linesOf(item, layout));
    const count = above.length + below.length;
    const size = `${columns}x${rows}`;
    if (size !== this.#size) {
      if (this.#size !== undefined) this.#hidden = Math.max(0, count - rows);
      this.#size = size;
    }
    this.#hidden = Math.min(this.#hidden, Math.max(0, count - 1));
    if (count - this.#hidden > rows + KEPT_LINES && !this.#isForgetting) {
      this.#isForgetting = true;
      setImmediate(() => this.#forget(above.length - rows));
    }
    return [...above, ...below].slice(this.#hidden);
  }

  #linesOf(item: ViewItem, layout: Layout): readonly string[] {
    const drawn = this.#drawn.get(item);
    if (drawn?.columns === layout.columns) return drawn.lines;
    const lines = itemLines(item, layout);
    this.#drawn.set(item, { columns: layout.columns, lines });
    return lines;
  }

  /** Forgets the first items that have no more than `count` lines together. */
  #forget(count: number): void {
    this.#isForgetting = false;
    let lines = 0;
    for (let first = this.#items[0]; first !== undefined; first = this.#items[0]) {
      lines += this.#drawn.get(first)?.lines.length ?? 0;
      if (lines > count) break;
      this.#items.shift();
      this.#drawn.delete(first);
    }
    this.#size = "forgotten";
    this.#drawAgain();
  }
}
