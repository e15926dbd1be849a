/**
 * Cleans text that becomes part of a memory, or is recalled from one.
 *
 * A memory is read in many later sessions. So secrets are removed, hidden characters are written out, and text that
 * would end its place or speak for someone else is escaped: tags, role names that begin a line, frontmatter,
 * comments, invisible Markdown. Every change is reported. Clean text stays as it is, to the byte, and cleaning twice
 * is cleaning once.
 */

import { errorMessage } from "../../base/errors.ts";
import { redactBroken } from "../../base/redaction/broken-secrets.ts";
import type { SecretFamily } from "../../base/redaction/secret-patterns.ts";
import { showHidden, writeOutRoleMarks } from "../../base/text/hidden-characters.ts";
import { cutHead, shorten, toWellFormed } from "../../base/text/text.ts";

/** Characters of a memory's description. Our choice: two lines of a terminal; Claude Code's are of about 150. */
const MEMORY_DESCRIPTION_CHARACTERS = 300;

/** Characters of a memory's name. Our choice: a line of a list, with its date, in a terminal. */
export const MEMORY_NAME_CHARACTERS = 80;
/** Characters of a line's hook in the index. Source: Claude Code's memory index: lines of about 200 characters, with title and link. */
const MEMORY_HOOK_CHARACTERS = 150;
/** Characters of a memory's text; a longer one is a document. Our choice: about 8,000 tokens, far above those that are recalled. */
const MEMORY_BODY_CHARACTERS = 32_000;
/** Characters of a text that are looked at to make a memory of it. Our choice: far more than a memory has, and read in an instant. */
const MEMORY_READ_CHARACTERS = 1_000_000;

/** The target of the text; all but a body are one line. */
export type MemoryPlace = "name" | "description" | "hook" | "body";

/** A kind of problem in a text, ready for people to read. */
type MemoryTextChange =
  | `secret: ${SecretFamily}`
  | "hidden characters"
  | "role tags"
  | "role names that begin a line"
  | "HTML comments"
  | "invisible Markdown"
  | "links"
  | "frontmatter"
  | `the end of the ${"name" | "description" | "hook" | "text"}`;

interface CleanedMemoryText {
  readonly text: string;
  /** The changes; empty if only white space changed. */
  readonly changes: readonly MemoryTextChange[];
}

const LENGTHS: Readonly<Record<MemoryPlace, number>> = {
  name: MEMORY_NAME_CHARACTERS,
  description: MEMORY_DESCRIPTION_CHARACTERS,
  hook: MEMORY_HOOK_CHARACTERS,
  body: MEMORY_BODY_CHARACTERS,
};

/** Cleans a text for `place`, and lists the changes. */
export function cleanMemoryText(text: string, place: MemoryPlace): CleanedMemoryText {
  const changes = new Set<MemoryTextChange>();
  const changed = (before: string, after: string, change: MemoryTextChange): string => {
    if (after !== before) changes.add(change);
    return after;
  };
  const end = `the end of the ${place === "body" ? "text" : place}` as const;
  const lines = changed(text, within(text), end).replace(/\r\n?/g, "\n");
  // First of all: keys are found although hidden characters break them, and nothing is cut before they are.
  const shown = changed(lines, showHidden(toWellFormed(lines)), "hidden characters");
  const { text: bare, found } = redactBroken(shown);
  for (const family of found.keys()) changes.add(`secret: ${family}`);
  const steps = [...EVERYWHERE, ...(place === "body" ? IN_BODY : IN_LINE)];
  const placed = place === "body" ? bare : bare.replace(/\s+/g, " ").trim();
  const neutral = steps.reduce((before, [change, clean]) => changed(before, clean(before), change), placed);
  const tidy = place === "body" ? trimLines(neutral) : neutral;
  return { text: changed(tidy, shorten(tidy, LENGTHS[place]), end), changes: [...changes] };
}

type Step = readonly [MemoryTextChange, (text: string) => string];

const EVERYWHERE: readonly Step[] = [
  ["role tags", writeOutRoleMarks],
  ["HTML comments", (text) => text.replaceAll("<!--", "&lt;!--")],
  ["invisible Markdown", (text) => text.replace(UNSEEN_TAG, "&lt;").replace(IMAGE, "!\\[")],
];

const IN_LINE: readonly Step[] = [
  // No link is made in a line of the index, and the one that stands there is not ended.
  ["links", (text) => text.replace(/\](?=\()/g, "] ")],
];

const IN_BODY: readonly Step[] = [
  ["invisible Markdown", (text) => text.replace(EMPTY_LINK, "\\[").replace(DEFINITION, "$1\\[")],
  ["role names that begin a line", (text) => text.replace(SPEAKER, "$1\\:")],
  ["frontmatter", (text) => text.replace(FRONTMATTER, "$1\\$2")],
];

/** Tags that a page does not show, or that hide what they hold. */
const UNSEEN_TAG =
  /<(?=[!?]|\/?(?:script|style|template|noscript|iframe|object|embed|meta|details|svg|math)\b|[a-z][a-z0-9-]{0,40}[ \t\n][^<>]{0,200}?\b(?:style|hidden|width|height|opacity|aria-hidden|on[a-z]{2,20})\b)/gi;
/** A picture shows nothing of its text, and asks for its address. */
const IMAGE = /!\[/g;
/** A link of nothing but its address. */
const EMPTY_LINK = /(?<!\\)\[(?=\s{0,9}\]\()/g;
/** A link's target, apart from the link: a page does not show it. A footnote is shown. */
const DEFINITION = /^((?:[ \t]|>[ \t]?){0,9})\[(?=[^\]^\n][^\]\n]{0,200}\]:)/gm;
/** As transcripts and prompts write who speaks. */
const SPEAKER = /^([ \t>*_-]{0,9}(?:human|assistant|system|user|developer)[ \t*_]{0,4}):/gim;
/** Text that a reader could take for frontmatter: YAML, TOML, JSON. */
const FRONTMATTER = /^(\s*)(---|\+\+\+|;;;)/;

/** Blank lines in a row; more are nothing at length, which no limit in tokens holds. */
const BLANK_LINES_KEPT = 2;

/** Without blank lines at both ends and in heaps; the first line keeps its indentation. */
function trimLines(text: string): string {
  const lines: string[] = [];
  let blanks = 0;
  for (const line of text.split("\n")) {
    blanks = line.trim() === "" ? blanks + 1 : 0;
    if (blanks === 0 || (lines.length > 0 && blanks <= BLANK_LINES_KEPT)) lines.push(line);
  }
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return lines.slice(0, last + 1).join("\n");
}

/** Cuts a text that is far longer than any memory, between two words, before it is searched. */
function within(text: string): string {
  if (text.length <= MEMORY_READ_CHARACTERS) return text;
  const head = cutHead(text, MEMORY_READ_CHARACTERS);
  const end = Math.max(head.lastIndexOf(" "), head.lastIndexOf("\n"));
  return end === -1 ? "" : head.slice(0, end);
}

/** The message of a model's or a provider's error, on one line: it may quote a key, or an answer that speaks for someone. */
export function cleanErrorMessage(error: unknown): string {
  return cleanMemoryText(errorMessage(error), "description").text;
}

/** Phrases that tell a model to ignore its instructions, in several languages. */
const PATTERNS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|all|any|your|the system)\b.{0,30}\b(?:instructions?|prompts?|rules|guidelines|directions|messages?)\b/isu,
  /\b(?:new|updated|secret|hidden) (?:system )?(?:instructions?|prompt)\s{0,3}:/iu,
  /\b(?:you are (?:now|no longer)|from now on,? you (?:are|must|will|act))\b/iu,
  /\b(?:reveal|print|repeat|output|leak|exfiltrate)\b.{0,30}\b(?:system prompt|your (?:instructions|prompt)|api keys?|credentials|secrets)\b/isu,
  /\b(?:do not|don['’]t|never)\s.{0,20}\b(?:tell|inform|mention|notify|warn|ask|alert)\b.{0,20}\b(?:the )?users?\b/isu,
  /\bwithout\b.{0,20}\b(?:telling|informing|asking|notifying|alerting)\b.{0,20}\busers?\b/isu,
  /\b(?:send|post|upload|forward|submit|e-?mail|transmit|curl|wget)\b.{0,80}\b(?:https?:\/\/|[\w.+-]{1,40}@[\w-]{1,40}\.)/isu,
  /\b(?:curl|wget)\b.{0,120}\|\s{0,3}(?:ba|z)?sh\b/iu,
  /<\/?(?:system|assistant|instructions?|system-reminder)>|\[(?:system|inst)\]|<\|im_(?:start|end)\|>/iu,
  /\b(?:ignoriere|missachte|vergiss)\b.{0,40}\b(?:anweisungen|vorgaben|regeln)\b/isu,
  /\b(?:ignore[zr]?|oublie[zr]?)\b.{0,40}\b(?:instructions|consignes|règles)\b/isu,
  /\b(?:ignora|olvida|descarta)\b.{0,40}\b(?:instrucciones|reglas|istruzioni|regole|instruções|regras)\b/isu,
  /(?:игнорируй|забудь).{0,40}(?:инструкци|указани|правил)/isu,
  /(?:忽略|无视|忘记|忽視|無視).{0,20}(?:指令|指示|说明|規則|规则|提示)/su,
];

/** True if a text has a phrase of the table, hidden characters aside. */
export function readsLikeInstructions(text: string): boolean {
  const plain = showHidden(text)
    .replace(/\\u\{[0-9A-F]{1,6}\}/gi, "")
    .replace(/\s+/g, " ");
  return PATTERNS.some((pattern) => pattern.test(plain));
}
