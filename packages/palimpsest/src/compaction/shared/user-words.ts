/**
 * The user's own words, separated from the text that the host put into the user's message.
 *
 * Hosts wrap reminders, command output and editor state in tags and send them with the user's words. They are
 * not the user's wishes, and repeating them after a compaction would turn a stale reminder into a standing
 * order.
 */
import { defaultOrigin, type Message } from "../../transcript/blocks.ts";

/** Tags of hosts whose content is not the user's. Source: transcripts of Claude Code, Codex, Cline, Copilot CLI, Gemini CLI and Conductor. */
const HOST_TAGS = [
  "system-reminder",
  "local-command-caveat",
  "local-command-stdout",
  "local-command-stderr",
  "command-message",
  "bash-stdout",
  "bash-stderr",
  "environment_details",
  "environment_context",
  "ide_opened_file",
  "ide_selection",
  "ide_diagnostics",
  "user-prompt-submit-hook",
  "task-notification",
  "user_instructions",
  "permissions",
  "session_context",
  "current_datetime",
  "reminder",
  "system_instruction",
  "system-instruction",
];
/** Tags whose content is the user's: only the tag goes. */
const USER_TAGS = ["command-name", "command-args", "bash-input"];

/** The user's own words in a message, block by block; empty where there are none. */
export function userWordsOf(
  message: Pick<Message, "role" | "content" | "origin">,
): readonly { readonly block: number; readonly text: string }[] {
  if (message.role !== "user") return [];
  const origin = message.origin ?? defaultOrigin(message);
  if (origin !== "user" && origin !== "tool") return [];
  return message.content
    .map((block, index) => ({ block: index, text: block.type === "text" ? stripHostTags(block.text) : "" }))
    .filter(({ text }) => text !== "");
}

/** The text without what hosts wrapped into it. Linear: a tag that is never closed is looked for once. */
export function stripHostTags(text: string): string {
  if (!text.includes("<")) return text.trim();
  const unclosed = new Set<string>();
  const kept: string[] = [];
  let from = 0;
  let at = text.indexOf("<");
  while (at !== -1) {
    const tag = HOST_TAGS.find((name) => !unclosed.has(name) && startsWithTag(text, at, name));
    const end = tag === undefined ? -1 : text.indexOf(`</${tag}>`, at);
    if (tag !== undefined && end === -1) unclosed.add(tag);
    if (tag !== undefined && end !== -1) {
      kept.push(text.slice(from, at));
      from = end + tag.length + 3;
    }
    at = text.indexOf("<", Math.max(at + 1, from));
  }
  kept.push(text.slice(from));
  return stripUserTags(kept.join("")).trim();
}

function startsWithTag(text: string, at: number, name: string): boolean {
  if (!text.startsWith(name, at + 1)) return false;
  const next = text[at + 1 + name.length];
  return next === ">" || next === " ";
}

function stripUserTags(text: string): string {
  let result = text;
  for (const name of USER_TAGS)
    if (result.includes(`<${name}>`))
      result = result.replaceAll(`<${name}>`, "").replaceAll(`</${name}>`, "");
  return result;
}
