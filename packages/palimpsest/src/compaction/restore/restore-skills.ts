/**
 * Skills that the model has invoked, as the log shows them: instructions that must stay in force after a compaction,
 * although the host does not say which they are.
 *
 * A skill is invoked by a tool, whose result or the message after it holds the text (Claude Code), or by reading its
 * `SKILL.md`. The places of the texts are kept with the session, because a second compaction no longer sees the calls.
 */
import { isObject, type JsonValue } from "../../base/json/json.ts";
import { blockText, type ToolUseBlock } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { touchedFiles } from "../digest/touched-files.ts";
import { toolKey, toolKind } from "../shared/tool-kinds.ts";
import type { UsedMessage } from "./restore-uses.ts";

/** A skill in use, and the block of the log that holds its text. */
export interface InvokedSkill {
  readonly name: string;
  readonly seq: number;
  readonly block: number;
}

/** The most that are remembered, the newest. Our choice: more than the budget of skills holds. */
const SKILLS_COUNT = 12;
/** Names of tools that invoke a skill, by {@link toolKey}. Source: Claude Code, Codex, Copilot. */
const SKILL_TOOLS: ReadonlySet<string> = new Set([
  "skill",
  "useskill",
  "loadskill",
  "activateskill",
  "invokeskill",
]);
/** How the text of a skill begins that follows its call as a message. Source: Claude Code. */
const SKILL_TEXT = /^\s*(?:<[\w-]+>\s*)?Base directory for this skill:\s*(\S+)/;
const SKILL_FILE = /(?:^|[\\/])([^\\/]+)[\\/]SKILL\.md$/i;
/** A result shorter than this only says that the skill was started, in characters. Our choice. */
const LEAST_CHARACTERS = 200;

/** The skills that these messages invoke, each where it was invoked last, the oldest first. */
export function findSkills(
  messages: readonly (UsedMessage & Pick<VisibleMessage, "insertedBy">)[],
): readonly InvokedSkill[] {
  const found = new Map<string, InvokedSkill>();
  const calls = new Map<string, string>();
  const add = (name: string, seq: number, block: number): void => {
    found.delete(name);
    found.set(name, { name, seq, block });
  };
  for (const { seq, insertedBy, blocks } of messages) {
    if (insertedBy !== undefined) continue;
    for (const { index, block } of blocks) {
      if (block.type === "tool_use") {
        const name = skillOf(block);
        if (name !== undefined) calls.set(block.id, name);
      } else if (block.type === "tool_result") {
        const name = calls.get(block.tool_use_id);
        const isText = block.is_error !== true && blockText(block).length >= LEAST_CHARACTERS;
        if (name !== undefined && isText) add(name, seq, index);
      } else if (block.type === "text") {
        const folder = SKILL_TEXT.exec(block.text)?.[1]
          ?.split(/[\\/]/)
          .findLast((part) => part !== "");
        if (folder !== undefined) add(folder, seq, index);
      }
    }
  }
  return [...found.values()];
}

/** The name of the skill that a call invokes or reads; `undefined` if it is another call. */
function skillOf({ name, input }: ToolUseBlock): string | undefined {
  if (SKILL_TOOLS.has(toolKey(name)) && isObject(input)) {
    const named = [input["skill"], input["name"], input["command"]].find((one) => typeof one === "string");
    return named === undefined || named === ""
      ? undefined
      : String(named).replace(/^\//, "").split(/\s/, 1)[0];
  }
  const kind = toolKind(name, input);
  const file = kind === "read" ? touchedFiles(kind, input)[0]?.path : undefined;
  return file === undefined ? undefined : SKILL_FILE.exec(file)?.[1];
}

/** Skills that were known before, with those that were found now: the newest last. */
export function mergeSkills(
  known: JsonValue | undefined,
  found: readonly InvokedSkill[],
): readonly InvokedSkill[] {
  const merged = new Map<string, InvokedSkill>();
  for (const skill of [...(Array.isArray(known) ? known.flatMap(readSkill) : []), ...found]) {
    merged.delete(skill.name);
    merged.set(skill.name, skill);
  }
  return [...merged.values()].slice(-SKILLS_COUNT);
}

/** What a checkpoint says is not trusted. */
function readSkill(value: JsonValue): readonly InvokedSkill[] {
  if (!isObject(value)) return [];
  const { name, seq, block } = value;
  const isPlace = Number.isSafeInteger(seq) && Number.isSafeInteger(block);
  return typeof name === "string" && name !== "" && isPlace
    ? [{ name, seq: Number(seq), block: Number(block) }]
    : [];
}
