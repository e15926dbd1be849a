/**
 * Texts of models, tools, files and servers, made safe for a terminal: they cannot move the cursor, change colours, set the
 * clipboard, or turn the order of letters around.
 */
import { stripVTControlCharacters } from "node:util";

/** Characters that control a terminal, except line ends and tabs. */
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/** Invisible characters, among them those that turn text around. Joiners stay: emoji and several scripts need them. */
const INVISIBLE = /(?![\u200C\u200D])\p{Cf}/gu;
const HALF = /\p{Cs}/gu;

/** The text without anything that a terminal obeys. Lines end with `\n`, and tabs are two blanks. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll("\t", "  ")
    .replace(CONTROLS, "")
    .replace(INVISIBLE, "")
    .replace(HALF, "\uFFFD");
}

/** The same on one line. */
export function safeLine(text: string): string {
  return safeText(text).replace(/\s+/g, " ").trim();
}
