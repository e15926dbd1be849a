/**
 * The start context of a session as text for a system prompt, and its differences from last time.
 *
 * The texts may come from a stranger's repository: each is fenced and named, so that where it begins and
 * ends is the host's word and not the text's. Nothing in it changes with the time of day.
 */
import { asString, isObject, type JsonValue } from "../../base/json/json.ts";
import { fenced } from "../../base/text/markdown-lines.ts";
import type { ProjectContext } from "../../ports/project-context.ts";
import type { Hasher } from "../../ports/runtime.ts";
import type { StartContext, StartContextChange } from "./home-types.ts";

/** Metadata key of the fingerprint of the start context. */
export const START_CONTEXT_KEY = "startContext";
const HASH_DIGITS = 16;
/** Metadata of a session are small: beyond this, one hash tells that something changed, and not what. */
const FINGERPRINT_CHARS = 2_000;
const EVERYTHING = "instructions and git status";
const GIT = "git status";

export function startContextOf(context: ProjectContext, hasher: Hasher): StartContext {
  const parts = partsOf(context);
  const hash = (text: string): string => hasher.sha256(text).slice(0, HASH_DIGITS);
  const blocks = parts.map(asBlock);
  const each = Object.fromEntries(parts.map(({ subject, text }) => [subject, hash(text)]));
  const isSmall = JSON.stringify(each).length <= FINGERPRINT_CHARS;
  return { ...context, blocks, fingerprint: isSmall ? each : { [EVERYTHING]: hash(blocks.join("\n")) } };
}

/** Empty if nothing was recorded: then changes are unknown. */
export function contextChanges(
  recorded: JsonValue | undefined,
  now: StartContext["fingerprint"],
): readonly StartContextChange[] {
  if (!isObject(recorded)) return [];
  const subjects = new Set([...Object.keys(recorded), ...Object.keys(now)]);
  return [...subjects].sort().flatMap((subject): readonly StartContextChange[] => {
    const before = asString(recorded[subject]);
    const after = now[subject];
    if (before === after) return [];
    return [
      { subject, change: before === undefined ? "added" : after === undefined ? "removed" : "changed" },
    ];
  });
}

interface Part {
  readonly subject: string;
  readonly text: string;
}

function partsOf({ instructions, gitStatus }: ProjectContext): readonly Part[] {
  const files = instructions.map(({ path, text }) => ({ subject: path, text }));
  return gitStatus === undefined ? files : [...files, { subject: GIT, text: gitStatus }];
}

function asBlock({ subject, text }: Part): string {
  const title = subject === GIT ? "State of version control at the start" : `Instructions from ${subject}`;
  return `${title.replace(/[\r\n]+/g, " ")}:\n${fenced(text)}`;
}
