/**
 * Which messages in the user's role Codex wrote itself: instructions, the environment, notices.
 *
 * Codex has no other mark for them than the words they begin and end with, and tells them from the
 * user's own by these words when it compacts.
 * Source: openai/codex, `core/src/context`, the registered fragments of the role `user`.
 */

/** Tags around what Codex puts in. An opening tag may have attributes. */
const TAGS = [
  "user_instructions",
  "environment_context",
  "skill",
  "turn_aborted",
  "user_shell_command",
  "user_action",
  "subagent_notification",
  "hook_prompt",
  "goal_context",
  "codex_internal_context",
  "extension_context",
  "recommended_plugins",
  "permissions instructions",
] as const;

/** What Codex puts in without a tag. */
const BEGINNINGS = [
  "# AGENTS.md instructions",
  "Warning: The maximum number of unified exec processes",
  "Warning: apply_patch was requested via",
] as const;

/** Whether all these texts of one message are Codex's own. @internal */
export function isCodexContext(texts: readonly string[]): boolean {
  return texts.length > 0 && texts.every(isFragment);
}

function isFragment(given: string): boolean {
  const text = given.trim();
  if (BEGINNINGS.some((beginning) => text.startsWith(beginning))) return true;
  // What a program around Codex adds is tagged by a name of its own.
  if (text.startsWith("<external_") && text.endsWith(">")) return true;
  return TAGS.some((tag) => startsWithTag(text, tag) && text.toLowerCase().endsWith(`</${tag}>`));
}

function startsWithTag(text: string, tag: string): boolean {
  const opening = text.slice(0, tag.length + 2).toLowerCase();
  return opening === `<${tag}>` || opening === `<${tag} `;
}
