/**
 * Quoting material from the log inside a summary, so that it stays data.
 *
 * Quoted lines carry a mark, so a forged heading is not a heading; and tags by which hosts and
 * models tell instructions from data are broken by one backslash. Everything else stays to the
 * letter, because its letters are what it is quoted for.
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
