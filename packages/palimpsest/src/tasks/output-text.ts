/**
 * Output of a task as text for people and models.
 *
 * DESIGN. A reader holds a position in bytes. An increment has the finished lines after it, and moves the position to
 * the start of the unfinished line, whose form so far is shown as `pending` and read again. So a character, a terminal
 * escape or a progress line is never split, and readers get the same text however their reads are cut: only the bytes
 * after the position decide, and an unfinished line longer than `LINE_LIMIT_BYTES` is cut where these bytes say.
 *
 * Terminal escapes and control characters are removed. A line that was written over (`\r`, backspaces, "erase the
 * line") is shown in its last form. A byte that is not UTF-8 is U+FFFD.
 */

/** A read of at least so many bytes always moves the position, even within one endless line. */
export const LINE_LIMIT_BYTES = 4_096;

/** Text after a position. */
interface OutputIncrement {
  /** Finished lines, with their line breaks. */
  readonly text: string;
  /** The last line so far. The next increment begins with it again. */
  readonly pending: string;
  /** Position of the next read, in bytes. */
  readonly nextOffset: number;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ESCAPE = 0x1b;

/** Decodes what was read at `offset`. `isEnd`: nothing comes after these bytes, now or later. */
export function readIncrement(
  bytes: Uint8Array,
  { offset, isEnd }: { readonly offset: number; readonly isEnd: boolean },
): OutputIncrement {
  const lines: string[] = [];
  let start = 0;
  for (;;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    if (end - start >= LINE_LIMIT_BYTES) {
      const cut = cutLongLine(bytes.subarray(start, start + LINE_LIMIT_BYTES));
      if (cut.isShown) lines.push(plainText(bytes.subarray(start, start + cut.bytes)));
      start += cut.bytes;
    } else if (newline !== -1) {
      lines.push(plainText(bytes.subarray(start, end + 1)));
      start = end + 1;
    } else break;
  }
  const rest = bytes.subarray(start);
  if (isEnd)
    return { text: lines.join("") + plainText(rest), pending: "", nextOffset: offset + bytes.length };
  const whole = rest.subarray(0, rest.length - unfinishedTail(rest));
  return { text: lines.join(""), pending: plainText(whole), nextOffset: offset + start };
}

/** The place to cut an unfinished line: before the form that is shown now, or else at its limit. */
function cutLongLine(line: Uint8Array): { readonly bytes: number; readonly isShown: boolean } {
  let formEnd = line.length;
  while (formEnd > 0 && line[formEnd - 1] === CARRIAGE_RETURN) formEnd--;
  const formStart = line.subarray(0, formEnd).lastIndexOf(CARRIAGE_RETURN) + 1;
  if (formStart > 0) return { bytes: formStart, isShown: false };
  // A carriage return at the end may belong to a line break.
  const bytes = formEnd - unfinishedTail(line.subarray(0, formEnd));
  return { bytes: bytes > 0 ? bytes : line.length, isShown: true };
}

/** Bytes at the end that begin a character or a terminal escape. */
function unfinishedTail(bytes: Uint8Array): number {
  const start = bytes.lastIndexOf(ESCAPE);
  if (start !== -1 && UNFINISHED_ESCAPE.test(latin1(bytes.subarray(start)))) return bytes.length - start;
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc2 && byte <= 0xf4) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
    if (byte < 0x80 || byte > 0xbf) return 0;
  }
  return 0;
}

/** A control sequence, an operating system command or another string, or a short escape, not yet at its end. */
const UNFINISHED_ESCAPE = /^\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07]*|[ -/]*)$/;

function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** Escapes that write over the line: column 1, erase the line. */
const OVERWRITE = /\x1b\[(?:[01]?G|2K)/g;
/** Control sequences, strings up to their end, and short escapes; cut-off ones are removed as well. */
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)/g;
/** Controls without tab, line break, backspace and carriage return, and byte order marks. */
const CONTROLS = /[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f\uFEFF]/g;

/** The bytes as plain text. */
export function plainText(bytes: Uint8Array): string {
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const text = decoded.replace(OVERWRITE, "\r").replace(ESCAPES, "").replace(CONTROLS, "");
  return /[\b\r]/.test(text) ? text.split("\n").map(lastForm).join("\n") : text;
}

/** A line as a terminal shows it in the end. */
function lastForm(line: string): string {
  const form = line.split("\r").findLast((piece) => piece !== "") ?? "";
  if (!form.includes("\b")) return form;
  const shown: string[] = [];
  for (const character of form) {
    if (character === "\b") shown.pop();
    else shown.push(character);
  }
  return shown.join("");
}
