/**
 * Writes a session as Markdown. Each text is in a fence longer than any run of backticks in it, so that Markdown in a
 * message has no effect: no heading, no link, no image that loads from a server, no HTML.
 *
 * The functions return the pieces of the document in order; join them.
 */
import {
  type ExportedHead,
  type ExportedItem,
  type ExportedMessage,
  type ExportedPart,
  isoTime,
  speakerOf,
} from "./exported-session.ts";

/** The document up to the first message. */
export function markdownHead({ title, facts }: ExportedHead): string {
  const lines = facts.map(({ name, value }) => `- ${escaped(name)}: ${codeSpan(value)}\n`);
  return `# ${escaped(title)}\n\n${lines.join("")}`;
}

/** One message, or what happened between two. */
export function markdownItem(item: ExportedItem): string {
  if (item.type === "note") return `\n> ${escaped(item.text)}\n`;
  return `\n## ${headingOf(item)}\n${item.parts.map(partOf).join("")}`;
}

function headingOf(message: ExportedMessage): string {
  const { seq, at, isTakenBack, isInterrupted } = message;
  const words = [
    escaped(speakerOf(message)),
    `\`m${seq}\``,
    ...(at === undefined ? [] : [isoTime(at)!]),
    ...(isInterrupted ? ["interrupted"] : []),
    ...(isTakenBack ? ["taken back"] : []),
  ];
  return words.join(" · ");
}

function partOf({ kind, pointer, tool, isError, text }: ExportedPart): string {
  const name = tool === undefined ? "" : ` ${codeSpan(tool)}`;
  const title = {
    text: "",
    thinking: "Thinking",
    call: `Call${name}`,
    result: `${isError === true ? "Error" : "Result"}${name === "" ? "" : ` of${name}`}`,
    media: "Attachment",
    other: "Other content",
  }[kind];
  const heading = title === "" ? "" : `\n### ${title} · \`${pointer}\`\n`;
  return `${heading}\n${fenced(text)}`;
}

/** Returns the text in a fence that is longer than its longest run of backticks. */
function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${fence}text\n${text}${end}${fence}\n`;
}

/** Returns one line as inline code, between more backticks than it has in a row. */
function codeSpan(line: string): string {
  if (line.trim() === "") return "";
  const ticks = "`".repeat(longestRun(line) + 1);
  // Blanks separate the line's own backticks from the delimiters; Markdown removes one at each end.
  return line.startsWith("`") || line.endsWith("`") ? `${ticks} ${line} ${ticks}` : `${ticks}${line}${ticks}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** Escapes a line: punctuation that has a meaning in Markdown, and addresses that would become links. */
function escaped(line: string): string {
  return line
    .replace(/[\\`*_{}[\]<>()#+!|~&=^$-]/g, "\\$&")
    .replace(/:\/\//g, ":\\/\\/")
    .replace(/(?<=\d)\./g, "\\.")
    .replace(/@/g, "&#64;")
    .replace(/\bwww\./gi, (found) => found.replace(".", "\\."));
}
