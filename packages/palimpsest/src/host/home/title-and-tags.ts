/**
 * Checks titles and tags of sessions.
 */
import { HOME_DEFAULTS } from "../../base/defaults/home.ts";
import { OptionError } from "../../base/errors.ts";
import type { JsonValue } from "../../base/json/json.ts";

/** Tags of one session. Source: our choice. */
const TAGS_COUNT = 50;

/** Without the blanks around it. @throws `OptionError` where it is empty or too long */
export function checkName(what: "title" | "tag", name: unknown): string {
  const trimmed = typeof name === "string" ? name.trim() : "";
  if (trimmed !== "" && trimmed.length <= HOME_DEFAULTS.titleChars) return trimmed;
  throw new OptionError({
    message: `A ${what} has 1 to ${HOME_DEFAULTS.titleChars} characters; this one has ${trimmed.length}.`,
    hint: `Give a ${trimmed === "" ? "" : "shorter "}${what}, in words that tell the session from others.`,
  });
}

/** The tags that a session has after a change. @throws `OptionError` where they are too many */
export function changedTags(
  known: JsonValue | undefined,
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
): readonly string[] {
  const strings = Array.isArray(known) ? known.filter((tag) => typeof tag === "string") : [];
  const tags = [...new Set([...strings, ...add])].filter((tag) => !remove.includes(tag));
  if (tags.length <= TAGS_COUNT) return tags;
  throw new OptionError({
    message: `The session would have ${tags.length} tags; ${TAGS_COUNT} is the most.`,
    hint: "Remove some of its tags first.",
  });
}
