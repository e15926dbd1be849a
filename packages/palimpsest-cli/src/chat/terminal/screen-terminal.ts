/**
 * The terminal that the screen is drawn on: raw keys in, drawn lines out. It differs from the library's own in two points:
 * pastes go through a filter with a limit, and a full redraw overwrites the lines in place, so that what the person had
 * in the terminal before, and everything that scrolled out, can still be scrolled back to.
 */
import { PasteFilter } from "./pastes.ts";
import { StdinBuffer, setKittyProtocolActive, type TuiTerminal } from "./pi-tui.ts";

/** Time after which a lone Escape is a key, and not the beginning of a sequence, in milliseconds. Source: pi-tui. */
const ESCAPE_MS = 10;
/** Time for a terminal to say that it knows Kitty's keyboard protocol, in milliseconds. Source: pi-tui. */
const KITTY_MS = 150;
/** A full redraw of the library: the screen and the lines that scrolled out are cleared. */
const CLEAR_ALL = "\u001b[2J\u001b[H\u001b[3J";
const CLEAR_LINE = "\u001b[2K";
const MODES = {
  pasteOn: "\u001b[?2004h",
  pasteOff: "\u001b[?2004l",
  askKitty: "\u001b[?u",
  kittyOn: "\u001b[>7u",
  kittyOff: "\u001b[<u",
  otherKeysOn: "\u001b[>4;2m",
  otherKeysOff: "\u001b[>4;0m",
} as const;

/** Streams of the process, as far as they are used. */
export interface ScreenStreams {
  readonly stdin: Pick<NodeJS.ReadStream, "on" | "removeListener" | "resume" | "pause" | "setEncoding"> & {
    readonly isRaw?: boolean;
    setRawMode?(isRaw: boolean): unknown;
  };
  readonly stdout: Pick<NodeJS.WriteStream, "on" | "removeListener" | "write" | "columns" | "rows">;
}

interface ScreenTerminalOptions extends ScreenStreams {
  readonly onPaste: (text: string) => void;
  readonly onPasteRefused: (characters: number) => void;
  readonly pasteLimit: number;
}

export class ScreenTerminal implements TuiTerminal {
  readonly #options: ScreenTerminalOptions;
  readonly #keys = new StdinBuffer({ timeout: ESCAPE_MS });
  readonly #filter: PasteFilter;
  #protocol: "none" | "kitty" | "other-keys" = "none";
  #kittyTimer: NodeJS.Timeout | undefined;
  #flushTimer: NodeJS.Timeout | undefined;
  #onResize: (() => void) | undefined;
  #onInput: ((data: string) => void) | undefined;

  constructor(options: ScreenTerminalOptions) {
    this.#options = options;
    this.#filter = new PasteFilter(
      {
        keys: (text) => this.#keys.process(text),
        paste: options.onPaste,
        refused: options.onPasteRefused,
      },
      options.pasteLimit,
    );
    this.#keys.on("data", (sequence: string) => this.#key(sequence));
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    const { stdin, stdout } = this.#options;
    this.#onInput = onInput;
    this.#onResize = onResize;
    stdin.setRawMode?.(true);
    stdin.setEncoding("utf8");
    stdin.on("data", this.#onData);
    stdin.resume();
    stdout.on("resize", onResize);
    this.write(MODES.pasteOn + MODES.askKitty);
    this.#kittyTimer = setTimeout(() => {
      if (this.#protocol !== "none") return;
      this.#protocol = "other-keys";
      this.write(MODES.otherKeysOn);
    }, KITTY_MS);
    this.#kittyTimer.unref();
  }

  stop(): void {
    const { stdin, stdout } = this.#options;
    clearTimeout(this.#kittyTimer);
    clearTimeout(this.#flushTimer);
    this.write(MODES.pasteOff + (this.#protocol === "kitty" ? MODES.kittyOff : MODES.otherKeysOff));
    setKittyProtocolActive(false);
    this.#protocol = "none";
    this.#keys.destroy();
    stdin.removeListener("data", this.#onData);
    if (this.#onResize !== undefined) stdout.removeListener("resize", this.#onResize);
    // Keys that are still on their way must not reach the shell.
    stdin.pause();
    stdin.setRawMode?.(false);
  }

  readonly #onData = (data: Buffer | string): void => {
    clearTimeout(this.#flushTimer);
    this.#filter.take(String(data));
    if (this.#filter.isHolding) this.#flushTimer = setTimeout(() => this.#filter.flush(), ESCAPE_MS);
  };

  #key(sequence: string): void {
    if (this.#protocol !== "kitty" && /^\u001b\[\?\d+u$/.test(sequence)) {
      this.#protocol = "kitty";
      setKittyProtocolActive(true);
      this.write(MODES.kittyOn);
      return;
    }
    this.#onInput?.(sequence);
  }

  async drainInput(): Promise<void> {
    // `stop` pauses the input.
  }

  write(data: string): void {
    const at = data.indexOf(CLEAR_ALL);
    this.#options.stdout.write(
      at === -1 ? data : inPlace(data.slice(0, at), data.slice(at + CLEAR_ALL.length)),
    );
  }

  get columns(): number {
    return this.#options.stdout.columns || 80;
  }

  get rows(): number {
    return this.#options.stdout.rows || 24;
  }

  get kittyProtocolActive(): boolean {
    return this.#protocol === "kitty";
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(`\u001b[${Math.abs(lines)}${lines > 0 ? "B" : "A"}`);
  }

  hideCursor(): void {
    this.write("\u001b[?25l");
  }

  showCursor(): void {
    this.write("\u001b[?25h");
  }

  clearLine(): void {
    this.write("\u001b[K");
  }

  clearFromCursor(): void {
    this.write("\u001b[J");
  }

  clearScreen(): void {
    this.write("\u001b[H\u001b[J");
  }

  setTitle(title: string): void {
    this.write(`\u001b]0;${title}\u0007`);
  }

  setProgress(): void {
    // The screen shows it.
  }
}

/** The lines of a full redraw over those that are there. Terminals keep cleared screens for scrolling back; these they do not. */
function inPlace(before: string, lines: string): string {
  const SYNC_OFF = "\u001b[?2026l";
  const end = lines.lastIndexOf(SYNC_OFF);
  const [drawn, rest] = end === -1 ? [lines, ""] : [lines.slice(0, end), lines.slice(end)];
  return `${before}\u001b[H${CLEAR_LINE}${drawn.replaceAll("\r\n", `\r\n${CLEAR_LINE}`)}\u001b[J${rest}`;
}
