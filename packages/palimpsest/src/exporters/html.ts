/**
 * Writes a session as one self-contained HTML page that loads nothing: no scripts, one style that its content security
 * policy allows by hash, every text escaped. Long outputs are folded with `<details>`.
 *
 * The functions return the pieces of the page in order; join them.
 */
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

/** SHA-256 of {@link HTML_STYLE}, in the form of a content security policy. A change of the style changes it. */
export const HTML_STYLE_HASH = "sha256-wWm2TVEu3LouZV5WV12aKy+07BDEU3QFXaxN2vh+y9M=";

/** The whole style of the page. */
export const HTML_STYLE = `
:root { color-scheme: light dark; --page: #f5f6f8; --surface: #fff; --raised: #eef1f4; --ink: #171b20; --muted: #5a6470;
  --line: #d9dee4; --accent: #0b57d0; --bad: #b3261e; --user: #fdf3dc; --edge: #b97a00; }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #0e1115; --surface: #161a20; --raised: #1f252d; --ink: #e5e9ee; --muted: #98a3b0; --line: #2b333d;
    --accent: #82b4ff; --bad: #ff8a80; --user: #2f2612; --edge: #e8b84f; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.55 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 .75rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1rem; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
nav { margin-bottom: 1.5rem; }
nav details { background: var(--surface); }
nav ol { margin: 0; padding: .25rem .9rem .75rem; list-style: none; columns: 24rem; }
nav li { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
article { background: var(--surface); border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0; padding: .6rem .9rem .75rem; }
article.user { background: var(--user); border-left: 3px solid var(--edge); }
article.taken-back { opacity: .6; }
article > header { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; font-size: .85rem; color: var(--muted); }
article > header h2 { font-size: .95rem; margin: 0; color: var(--ink); }
article > header a { margin-left: auto; font-family: ui-monospace, monospace; color: var(--muted); }
pre { margin: .4rem 0 0; font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.said { font: inherit; }
details { margin-top: .4rem; border: 1px solid var(--line); border-radius: .35rem; background: var(--raised); }
summary { cursor: pointer; padding: .25rem .6rem; font-size: .85rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
summary .what { font-weight: 600; }
summary .size, summary .first { color: var(--muted); margin-left: .6rem; }
summary .first { font-family: ui-monospace, monospace; }
details.error > summary .what { color: var(--bad); }
details > pre { margin: 0; padding: .5rem .6rem; border-top: 1px solid var(--line); background: var(--surface); border-radius: 0 0 .35rem .35rem; }
details.thinking > pre { font: inherit; font-style: italic; }
p.note { color: var(--muted); font-size: .85rem; text-align: center; margin: .75rem 0; overflow-wrap: anywhere; }
footer { color: var(--muted); font-size: .8rem; text-align: center; margin-top: 2rem; }
:target { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 36rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .35rem; } }
@media print { body { background: none; } article { break-inside: avoid-page; } nav { display: none; } }
`;

/** Largest text of the user or the model that is not folded: two or three screens. */
const FOLDED_MESSAGE = { lines: 120, characters: 12_000 };
/** Largest other text that is not folded: smaller, because it interrupts the conversation. */
const FOLDED_OUTPUT = { lines: 8, characters: 600 };
/** Characters that a folded text shows beside its size, on one line. */
const FOLDED_LINE_CHARACTERS = 120;

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

/** The page after the last message. */
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

/** True if the user or the model wrote the message, as opposed to the host or a tool. */
function isSpoken({ origin }: ExportedMessage): boolean {
  return origin === "user" || origin === "assistant";
}

function partOf(part: ExportedPart, isConversation: boolean): string {
  const { kind, text } = part;
  if (kind === "text" || kind === "media") {
    const isLong = !isWithin(text, isConversation ? FOLDED_MESSAGE : FOLDED_OUTPUT);
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
  return folded(part, title, isWithin(text, FOLDED_OUTPUT));
}

function isWithin(text: string, size: { readonly lines: number; readonly characters: number }): boolean {
  return text.length <= size.characters && lineCountOf(text) <= size.lines;
}

function folded({ kind, isError, pointer, text }: ExportedPart, title: string, isOpen: boolean): string {
  const lines = lineCountOf(text);
  const size = `${lines} ${lines === 1 ? "line" : "lines"}, ${text.length} characters`;
  const first = isOpen ? "" : shorten(text.trimStart().split("\n", 1)[0]!, FOLDED_LINE_CHARACTERS);
  const summary = `<span class="what">${escaped(title)}</span><span class="size">${pointer}, ${size}</span><span class="first">${escaped(first)}</span>`;
  const classes = [kind, isError === true ? "error" : ""].filter(Boolean).join(" ");
  return `<details class="${classes}"${isOpen ? " open" : ""}><summary>${summary}</summary>${pre(text)}</details>`;
}

/** Returns a `<pre>` element. Browsers drop a line break right after the tag, so one is added. */
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
