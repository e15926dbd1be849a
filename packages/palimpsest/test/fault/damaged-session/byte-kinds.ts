/** Damage of the file's bytes, which know nothing of lines: disks, editors, careless tools. */
import { gzipSync } from "node:zlib";
import { bytesKind, type Kind } from "./kind.ts";
import { ALL_MARKS } from "./sound-session.ts";

const NEWLINE = 0x0a;

/** Start and end of the line with the word (its line break included). */
function lineAt(
  log: Buffer,
  word: string,
): { readonly start: number; readonly end: number; readonly middle: number } {
  const hit = log.indexOf(word);
  const start = log.lastIndexOf(NEWLINE, hit) + 1;
  const end = log.indexOf(NEWLINE, hit) + 1;
  return { start, end, middle: Math.floor((start + end) / 2) };
}

function splice(log: Buffer, start: number, removed: number, inserted: Buffer | string = ""): Buffer {
  return Buffer.concat([log.subarray(0, start), Buffer.from(inserted), log.subarray(start + removed)]);
}

function filled(log: Buffer, start: number, end: number, byte: number): Buffer {
  return Buffer.from(log).fill(byte, start, end);
}

const LAST = ["marklast"];
const FOUND = ["markfound"];

export const BYTE_KINDS: readonly Kind[] = [
  bytesKind("torn-last-line", "the last line was cut in its middle", (log) => log.subarray(0, -40), {
    costs: LAST,
  }),
  bytesKind("cut-last-line-break", "the last line break is gone", (log) => log.subarray(0, -1), {
    quiet: "the line is whole",
  }),
  bytesKind(
    "torn-to-one-byte",
    "of the last line one byte is left",
    (log) => log.subarray(0, lineAt(log, "marklast").start + 1),
    {
      costs: LAST,
    },
  ),
  bytesKind(
    "truncated-in-the-middle",
    "the file ends in its middle",
    (log) => log.subarray(0, lineAt(log, "markfound").middle),
    {
      costs: ALL_MARKS.slice(ALL_MARKS.indexOf("markfound")),
    },
  ),
  bytesKind("truncated-in-the-first-line", "of the file a few bytes are left", (log) => log.subarray(0, 30), {
    costs: ALL_MARKS,
    isEmpty: true,
  }),
  bytesKind("empty-file", "the file is empty", () => Buffer.alloc(0), {
    costs: ALL_MARKS,
    isEmpty: true,
  }),
  bytesKind("only-line-breaks", "the file holds nothing but line breaks", () => Buffer.from("\n\n\n\n"), {
    costs: ALL_MARKS,
    isEmpty: true,
  }),
  bytesKind("all-zeros", "every byte of the file is zero", (log) => Buffer.alloc(log.length), {
    costs: ALL_MARKS,
    isEmpty: true,
  }),
  bytesKind(
    "zeroed-tail",
    "the last 150 bytes are zero, as a journal that was not replayed leaves them",
    (log) => filled(log, log.length - 150, log.length, 0),
    {
      costs: LAST,
    },
  ),
  bytesKind("zeros-appended", "4,096 zeros follow the last line", (log) =>
    Buffer.concat([log, Buffer.alloc(4_096)]),
  ),
  bytesKind(
    "zeroed-block",
    "a block in the middle is zero, over several lines",
    (log) => filled(log, lineAt(log, "markgrep").start, lineAt(log, "markreminder").end, 0),
    {
      costs: ["markgrep", "marktests", "markreminder"],
    },
  ),
  bytesKind("zeroed-line-break", "a line break became zero", (log) =>
    filled(log, lineAt(log, "markfound").end - 1, lineAt(log, "markfound").end, 0),
  ),
  bytesKind(
    "sector-of-another-file",
    "512 bytes in the middle belong to another file",
    (log) =>
      splice(log, lineAt(log, "markfound").start, 512, Buffer.alloc(512, "Lorem ipsum dolor sit amet. ")),
    {
      costs: ["markfound", "markpicture"],
    },
  ),
  bytesKind("bom", "a byte order mark stands before the first line", (log) => splice(log, 0, 0, "\ufeff")),
  bytesKind("crlf", "every line ends in CR LF", (log) =>
    Buffer.from(log.toString("latin1").replaceAll("\n", "\r\n"), "latin1"),
  ),
  bytesKind("cr-only", "every line break became CR", (log) =>
    Buffer.from(log.toString("latin1").replaceAll("\n", "\r"), "latin1"),
  ),
  bytesKind(
    "blank-lines",
    "an empty line follows every line",
    (log) => Buffer.from(log.toString("latin1").replaceAll("\n", "\n\n"), "latin1"),
    {
      quiet: "empty lines say nothing",
    },
  ),
  bytesKind(
    "nul-in-a-line",
    "a NUL stands in a line",
    (log) => splice(log, lineAt(log, "markfound").middle, 0, "\0"),
    { costs: FOUND },
  ),
  bytesKind("nul-between-lines", "NULs stand between two lines", (log) =>
    splice(log, lineAt(log, "markfound").start, 0, "\0\0\0\0"),
  ),
  bytesKind(
    "line-separator-in-a-line",
    "U+2028 stands in a line",
    (log) => splice(log, lineAt(log, "markfound").middle, 0, "\u2028"),
    {
      costs: FOUND,
    },
  ),
  bytesKind("line-separator-between-lines", "U+2028 stands between two lines", (log) =>
    splice(log, lineAt(log, "markfound").start, 0, "\u2028"),
  ),
  bytesKind(
    "invalid-utf8",
    "a byte of a text is no UTF-8",
    (log) => splice(log, log.indexOf("markfound"), 1, Buffer.from([0xff])),
    { costs: FOUND },
  ),
  bytesKind("utf16", "the file was saved as UTF-16", (log) => Buffer.from(log.toString("utf8"), "utf16le"), {
    costs: ALL_MARKS,
    isEmpty: true,
  }),
  bytesKind("gzip", "the file was compressed in its place", (log) => gzipSync(log), {
    costs: ALL_MARKS,
    isEmpty: true,
  }),
  bytesKind("base64", "the file was encoded in its place", (log) => Buffer.from(log.toString("base64")), {
    costs: ALL_MARKS,
    isEmpty: true,
  }),
  bytesKind(
    "flipped-bit-in-a-text",
    "a bit of a text has turned",
    (log) => splice(log, log.indexOf("markfound") + 2, 1, "s"),
    { costs: FOUND },
  ),
  bytesKind(
    "flipped-bit-in-the-checksum",
    "a bit of a checksum has turned",
    (log) => splice(log, lineAt(log, "markfound").start + 9, 1, "x"),
    { costs: FOUND },
  ),
  bytesKind(
    "lost-line-break",
    "a line break is gone: two lines look like one",
    (log) => splice(log, lineAt(log, "markfound").end - 1, 1),
    {
      quiet: "both lines are whole",
    },
  ),
  bytesKind(
    "line-break-in-a-line",
    "a line break stands in the middle of a line",
    (log) => splice(log, lineAt(log, "markfound").middle, 0, "\n"),
    { costs: FOUND },
  ),
  bytesKind("trailing-space", "every line ends in a space", (log) =>
    Buffer.from(log.toString("latin1").replaceAll("\n", " \n"), "latin1"),
  ),
  bytesKind(
    "write-landed-in-another",
    "a short write landed in the middle of another",
    (log) => {
      const { start, end, middle } = lineAt(log, "markfound");
      const other = lineAt(log, "marktail");
      const inner = log.subarray(other.start, other.end);
      return Buffer.concat([
        log.subarray(0, middle),
        inner,
        log.subarray(middle, end),
        log.subarray(end, other.start),
        log.subarray(other.end),
        log.subarray(0, 0),
        log.subarray(start, start),
      ]);
    },
    { costs: ["markfound"] },
  ),
  bytesKind(
    "interleaved-halves",
    "two writers wrote halves of lines in turn",
    (log) => {
      const one = lineAt(log, "markfound");
      const next = log.indexOf(NEWLINE, one.end) + 1;
      const second = log.subarray(one.end, next);
      const half = Math.floor(second.length / 2);
      return Buffer.concat([
        log.subarray(0, one.middle),
        second.subarray(0, half),
        log.subarray(one.middle, one.end),
        second.subarray(half),
        log.subarray(next),
      ]);
    },
    { costs: FOUND },
  ),
];
