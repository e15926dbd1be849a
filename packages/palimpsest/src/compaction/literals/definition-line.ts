/**
 * Whether a line defines something: names on such lines are needed again far more often than names
 * that are merely used (7 % against 5 % and less; where-the-numbers-come-from.md, "String appendix").
 */
import { CLASS_LOWER, CLASS_OTHER, charClass } from "../../base/text/char-class.ts";

const KEYWORDS: ReadonlySet<string> = new Set([
  "abstract",
  "async",
  "class",
  "const",
  "constexpr",
  "def",
  "enum",
  "export",
  "extern",
  "final",
  "fn",
  "func",
  "function",
  "impl",
  "interface",
  "internal",
  "let",
  "macro",
  "mod",
  "module",
  "namespace",
  "object",
  "override",
  "package",
  "private",
  "protected",
  "protocol",
  "pub",
  "public",
  "record",
  "sealed",
  "static",
  "struct",
  "sub",
  "table",
  "trait",
  "type",
  "typedef",
  "union",
  "val",
  "var",
]);

/** How far into a line its first word is looked for: line numbers and diff marks may stand before it. */
const PREFIX_CHARACTERS = 200;

/** Judges `text` from `start` to `end`, one line. */
export function isDefinitionLine(text: string, start: number, end: number): boolean {
  const wordStart = skipPrefix(text, start, Math.min(end, start + PREFIX_CHARACTERS));
  if (charClass(text.charCodeAt(wordStart)) !== CLASS_LOWER) return false;
  return KEYWORDS.has(firstWord(text, wordStart, end));
}

/** Behind indentation and what tools put before a line: `12→`, `12:`, `+`, `-`. */
function skipPrefix(text: string, start: number, end: number): number {
  let index = start;
  while (index < end) {
    const code = text.charCodeAt(index);
    const isDigit = code >= 48 && code <= 57;
    const isMark = code === 32 || code === 9 || code === 0x2192 || code === 58 || code === 43 || code === 45;
    if (!isDigit && !isMark && code !== 124) break;
    index++;
  }
  return index;
}

function firstWord(text: string, start: number, end: number): string {
  let index = start;
  const limit = Math.min(end, start + 12);
  while (index < limit && charClass(text.charCodeAt(index)) !== CLASS_OTHER) index++;
  return text.slice(start, index);
}
