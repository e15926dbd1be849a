/** The colours and names of the picture, from the page's style, so that both themes have theirs. */

export const CATEGORIES = [
  { id: "fixed", name: "system and tools" },
  { id: "inserted", name: "summaries, insertions" },
  { id: "user", name: "user's words" },
  { id: "assistant", name: "assistant's text" },
  { id: "thinking", name: "thinking" },
  { id: "calls", name: "tool calls" },
  { id: "results", name: "tool results" },
  { id: "attachments", name: "attachments, reminders" },
];

/** `color("ink")` is what `--ink` is now. */
export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Calls back when the colours change: the system's theme, or paper. */
export function onColorsChange(listener) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener);
  matchMedia("print").addEventListener("change", listener);
}
