/**
 * Text that programs put around or in front of what a user says: open files, commands, instructions, the time.
 */

/** An element at the beginning of a text, such as `<ide_opened_file>`. */
const OPENING_TAG = /^<([A-Za-z][\w-]{0,63})(?:\s[^<>]{0,200})?>/;
/** Elements that programs put around the user's own words, or around the task they set. */
const AROUND_WORDS = new Set([
  ...["task", "feedback", "answer", "question", "user_message", "user_query", "user_request"],
  ...["issue", "issue_description", "pr_description"],
]);
/** Elements that programs put behind the user's words. */
const BEHIND_WORDS = ["reminder", "system-reminder"];
/** Beginnings of texts that are not a user's. */
const WRAPPERS =
  /^(?:# AGENTS\.md instructions\b|Caveat: The messages below were generated|\[Request interrupted by user)/;
/** A command that a user typed, as Claude Code records it: its name and its arguments, in elements. */
const COMMAND_NAME = /<command-name>\s*(\/[^<>\s]{1,200})\s*<\/command-name>/;
const COMMAND_ARGUMENTS = /<command-args>([^<]{1,20000})<\/command-args>/;
/** Elements in a row that are left out; a text of more is taken as it is. */
const MOST_ELEMENTS = 50;

/**
 * Returns `text` without the elements and instructions around it; empty if it is nothing else. Of an element
 * around the user's words, returns the words; of a command with arguments, the command as it was typed.
 */
export function withoutWrappers(text: string): string {
  let rest = withoutReminders(text.trim());
  if (rest.startsWith("<command-")) {
    const words = COMMAND_ARGUMENTS.exec(rest)?.[1]?.trim();
    const name = COMMAND_NAME.exec(rest)?.[1];
    if (name !== undefined && words) return `${name} ${words}`;
  }
  for (let count = 0; count < MOST_ELEMENTS; count++) {
    if (WRAPPERS.test(rest)) return "";
    const tag = OPENING_TAG.exec(rest);
    if (tag === null) return rest;
    const closing = `</${tag[1]}>`;
    const end = rest.indexOf(closing, tag[0].length);
    if (end === -1) return rest;
    const inside = AROUND_WORDS.has(tag[1]!) ? rest.slice(tag[0].length, end).trim() : "";
    if (inside !== "") return inside;
    rest = rest.slice(end + closing.length).trimStart();
  }
  return rest;
}

function withoutReminders(text: string): string {
  for (const name of BEHIND_WORDS)
    if (text.endsWith(`</${name}>`)) {
      const start = text.lastIndexOf(`<${name}>`);
      if (start > 0) return text.slice(0, start).trimEnd();
    }
  return text;
}
