/**
 * Cuts a stream of UTF-8 bytes into lines, each handed on as it ends, none longer than the limit.
 */
import { isUtf8 } from "node:buffer";
import type { SourceLine } from "../../importers/shared/read-records.ts";
import type { RepairLog } from "../../importers/shared/repair-log.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** @internal */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #repairs: RepairLog;
  readonly #onLine: (line: SourceLine) => void;
  /** Pieces of the line being read; empty while an oversized line is dropped. */
  #pieces: Buffer[] = [];
  #lineBytes = 0;
  #lineNumber = 1;

  constructor(options: {
    readonly maxLineBytes: number;
    readonly repairs: RepairLog;
    readonly onLine: (line: SourceLine) => void;
  }) {
    this.#maxLineBytes = options.maxLineBytes;
    this.#repairs = options.repairs;
    this.#onLine = options.onLine;
  }

  push(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      this.#take(bytes.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    if (start < bytes.length) this.#take(bytes.subarray(start));
  }

  /** Ends the last line. */
  end(): void {
    if (this.#lineBytes > 0) this.#endLine();
  }

  #take(piece: Buffer): void {
    this.#lineBytes += piece.length;
    if (this.#lineBytes > this.#maxLineBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #endLine(): void {
    const number = this.#lineNumber++;
    if (this.#lineBytes > this.#maxLineBytes) {
      this.#repairs.add(
        "oversized-line",
        `the line has ${this.#lineBytes} bytes, at most ${this.#maxLineBytes} are read; skipped`,
        number,
      );
      this.#repairs.countNotRead(this.#lineBytes);
    } else if (this.#lineBytes > 0) this.#keep(number);
    this.#pieces = [];
    this.#lineBytes = 0;
  }

  #keep(number: number): void {
    const whole = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const line = whole.at(-1) === CARRIAGE_RETURN ? whole.subarray(0, -1) : whole;
    if (!isUtf8(line)) {
      this.#repairs.add("bad-encoding", "bytes that are not UTF-8 are replaced by U+FFFD", number);
    }
    this.#onLine({ number, text: line.toString("utf8") });
  }
}
