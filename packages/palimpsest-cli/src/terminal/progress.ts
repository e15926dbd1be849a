/**
 * A progress line on standard error, drawn only on a terminal and removed at the end.
 */

import { cutHead, showOnOneLine } from "palimpsest/internal";
import { formatShare } from "./figures.ts";
import type { Terminal } from "./terminal.ts";

interface ProgressStep {
  /** The current work, such as the name of the file. */
  readonly label: string;
  /** From 0 to 1. */
  readonly share: number;
  /** A figure beside the bar. */
  readonly detail?: string;
}

/** Least time between two redraws: 12 a second look fluent. */
const INTERVAL_MS = 80;
const BAR_COLUMNS = 24;
const ERASE_LINE = "\r\u001b[2K";
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

export class Progress {
  readonly #terminal: Terminal;
  readonly #nowMs: () => number;
  readonly #isShown: boolean;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  constructor(options: {
    readonly terminal: Terminal;
    readonly isQuiet: boolean;
    readonly nowMs: () => number;
  }) {
    this.#terminal = options.terminal;
    this.#nowMs = options.nowMs;
    this.#isShown = options.terminal.isInteractive && !options.isQuiet;
  }

  /** Draws the line, unless it was drawn a moment ago. */
  show(step: ProgressStep): void {
    if (!this.#isShown) return;
    const nowMs = this.#nowMs();
    if (nowMs - this.#drawnAtMs < INTERVAL_MS) return;
    this.#drawnAtMs = nowMs;
    this.#isDrawn = true;
    this.#terminal.write(`${ERASE_LINE}${this.#line(step)}`);
  }

  /** Takes the line away; anything may be written then. */
  clear(): void {
    if (this.#isDrawn) this.#terminal.write(ERASE_LINE);
    this.#isDrawn = false;
    this.#drawnAtMs = Number.NEGATIVE_INFINITY;
  }

  #line({ label, share, detail }: ProgressStep): string {
    const { styles, columns } = this.#terminal;
    const bar = progressBar(share, BAR_COLUMNS);
    const rest = ` ${formatShare(Math.min(1, Math.max(0, share))).padStart(6)}  ${showOnOneLine(label)}${detail === undefined ? "" : `  ${detail}`}`;
    // One column is left free: a full line makes some terminals wrap, and then it cannot be erased.
    return `${styles.cyan(bar)}${cutHead(rest, Math.max(0, columns - BAR_COLUMNS - 1))}`;
  }
}

/** A bar of `columns`, filled by eighths of a column. */
export function progressBar(share: number, columns: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * columns * 8);
  const filled = "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
  return filled.padEnd(columns, "░");
}
