/**
 * Material from the log quoted inside a summary, so that it stays data.
 *
 * Quoted lines carry a mark, so a forged heading is not a heading. Tags that hosts and models read as
 * instructions are broken by one backslash. Everything else stays to the letter.
 */
const CONTROL_TAG =
  /<(?=\/?(?:system|summary|analysis|transcript|assistant|user|human|instructions?|function|tool|invoke|antml|parameter|local-command|command-|session|environment|important|admin|\|))/gi;
const LINE_END = /\r\n|[\n\r\u2028\u2029\u0085\u000b\u000c]/;

/** Breaks tags that could be taken for the host's or the model's own. */
export function neutralise(text: string): string {
  return text.replace(CONTROL_TAG, "\\<");
}

/** The text as a Markdown quote, each line marked; `indent` for a quote inside a list. */
export function quote(text: string, indent = ""): string {
  return neutralise(text.trim())
    .split(LINE_END)
    .map((line) => `${indent}> ${line}`.trimEnd())
    .join("\n");
}

/** The text on one line, for a list item. */
export function inline(text: string): string {
  return neutralise(text.replace(/\s+/g, " ").trim());
}

// The list of exact strings in a summary.

/** Heading of the list in a summary from the log. */
export const SESSION_STRINGS_HEADING = "## Strings from this session that may be needed, to the letter";
/** Heading of the list behind a summary that a model wrote, or behind notes. */
export const LOG_STRINGS_HEADING = "## Strings from the log that may be needed to the letter";

/** The heading, and the line with the strings. */
const LIST = new RegExp(`^(?:${SESSION_STRINGS_HEADING}|${LOG_STRINGS_HEADING})\n+[^\n]*`, "gm");

/** The text without lists of strings: they name whatever was seen, so they say nothing of what is worked on. */
export function withoutStringsList(text: string): string {
  return text.replace(LIST, "");
}
