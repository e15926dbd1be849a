/**
 * A session as one page of HTML that asks nobody for anything: no script at all, one style that its
 * policy names by hash, every text escaped. Long outputs are folded by the browser itself.
 *
 * Texts are made piece by piece, in order; joined they are the page.
 */
import { EXPORT_DEFAULTS } from "../base/defaults/export.ts";
import { shorten } from "../base/text/text.ts";
import {
  type ExportedHead,
  type ExportedItem,
  type ExportedMessage,
  type ExportedPart,
  isoTime,
  lineCountOf,
  speakerOf,
} from "./exported-session.ts";
import { HTML_STYLE, HTML_STYLE_HASH } from "./html-style.ts";

const POLICY = [
  "default-src 'none'",
  `style-src '${HTML_STYLE_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The page up to the first message. */
export function htmlHead({ title, facts, prompts }: ExportedHead): string {
  const rows = facts.map(({ name, value }) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`);
  const links = prompts.map(({ seq, text }) => `<li><a href="#m${seq}">${escaped(text)}</a></li>`);
  const contents =
    links.length < 2
      ? ""
      : `<nav><details><summary>${links.length} prompts</summary><ol>${links.join("\n")}</ol></details></nav>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${HTML_STYLE}</style>
</head>
<body class="ready">
<main>
<h1>${escaped(title)}</h1>
<dl>${rows.join("\n")}</dl>
${contents}`;
}

/** One message, or what happened between two. */
export function htmlItem(item: ExportedItem): string {
  if (item.type === "note") return `<p class="note">${escaped(item.text)}</p>\n`;
  const classes = [isPrompt(item) ? "user" : "", item.isTakenBack ? "taken-back" : ""].filter(Boolean);
  const names = classes.length === 0 ? "" : ` class="${classes.join(" ")}"`;
  return `<article id="m${item.seq}"${names}>\n${headerOf(item)}\n${item.parts.map((part) => partOf(part, isSpoken(item))).join("\n")}\n</article>\n`;
}

/** The page behind the last message. */
export function htmlEnd(note: string): string {
  return `<footer>${escaped(note)}</footer>\n</main>\n</body>\n</html>\n`;
}

function isPrompt({ role, origin }: ExportedMessage): boolean {
  return role === "user" && origin === "user";
}

function headerOf(message: ExportedMessage): string {
  const { seq, at, isInterrupted, isTakenBack } = message;
  const time = at === undefined ? "" : `<time>${isoTime(at)!}</time>`;
  const marks = `${isInterrupted ? "<span>interrupted</span>" : ""}${isTakenBack ? "<span>taken back</span>" : ""}`;
  return `<header><h2>${escaped(speakerOf(message))}</h2>${time}${marks}<a href="#m${seq}">m${seq}</a></header>`;
}

/** By a person or the model, and not put in by the program around them. */
function isSpoken({ origin }: ExportedMessage): boolean {
  return origin === "user" || origin === "assistant";
}

function partOf(part: ExportedPart, isConversation: boolean): string {
  const { kind, text } = part;
  if (kind === "text" || kind === "media") {
    const [chars, lines] = isConversation
      ? [EXPORT_DEFAULTS.messageChars, EXPORT_DEFAULTS.messageLines]
      : [EXPORT_DEFAULTS.outputChars, EXPORT_DEFAULTS.outputLines];
    const isLong = text.length > chars || lineCountOf(text) > lines;
    return isLong ? folded(part, "Text", false) : pre(text, ' class="said"');
  }
  if (kind === "thinking") return folded(part, "Thinking", false);
  const tool = part.tool ?? "";
  const title =
    kind === "call"
      ? `Call ${tool}`
      : kind === "result"
        ? `${part.isError === true ? "Error" : "Result"}${tool === "" ? "" : ` of ${tool}`}`
        : "Other content";
  const isShort =
    text.length <= EXPORT_DEFAULTS.outputChars && lineCountOf(text) <= EXPORT_DEFAULTS.outputLines;
  return folded(part, title, isShort);
}

function folded({ kind, isError, pointer, text }: ExportedPart, title: string, isOpen: boolean): string {
  const lines = lineCountOf(text);
  const size = `${lines} ${lines === 1 ? "line" : "lines"}, ${text.length} characters`;
  const first = isOpen ? "" : shorten(text.trimStart().split("\n", 1)[0]!, EXPORT_DEFAULTS.foldedLineChars);
  const summary = `<span class="what">${escaped(title)}</span><span class="size">${pointer}, ${size}</span><span class="first">${escaped(first)}</span>`;
  const classes = [kind, isError === true ? "error" : ""].filter(Boolean).join(" ");
  return `<details class="${classes}"${isOpen ? " open" : ""}><summary>${summary}</summary>${pre(text)}</details>`;
}

/** Browsers drop one line break behind the tag, so one is put there. */
function pre(text: string, attributes = ""): string {
  return `<pre${attributes}>\n${escaped(text)}</pre>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
