/**
 * Texts that an editing call replaces, whatever names the tool gives them. Each hunk of a patch is a
 * replacement too: the lines before and the lines after.
 */
import { asString, isObject, type JsonValue } from "../../base/json/json.ts";
import { type ToolResultBlock, toolResultText } from "../../transcript/blocks.ts";
import { exactPatchOf } from "../digest/touched-files.ts";
import { toolKey } from "../shared/tool-kinds.ts";
import { normalisePath } from "./restore-paths.ts";

export interface Replacement {
  readonly before: string;
  readonly after: string;
  readonly isEverywhere: boolean;
}

const BEFORE_KEYS = ["old_string", "old_str", "oldText", "oldString"];
const AFTER_KEYS = ["new_string", "new_str", "newText", "newString"];
const CONTENT_KEYS = ["content", "file_text", "contents", "text"];

/** Returns the whole file that a call writes; `undefined` if the call does not say. */
export function writtenContent(input: JsonValue, path: string): string | undefined {
  const patch = exactPatchOf(input);
  if (patch !== undefined) return addedFile(patch, path);
  return isObject(input) ? firstText(input, CONTENT_KEYS) : undefined;
}

/** The lines of a file that a patch adds. */
function addedFile(patch: string, path: string): string | undefined {
  let lines: string[] | undefined;
  let isOwn = false;
  for (const line of unixLines(patch).split("\n")) {
    const file = FILE_LINE.exec(line);
    if (file !== null) {
      isOwn = file[1] === "Add" && isNamed(file[2]!, path);
      if (isOwn) lines = [];
    } else if (isOwn && line.startsWith("+")) lines!.push(line.slice(1));
  }
  return lines?.join("\n");
}

function isNamed(file: string, path: string): boolean {
  const named = normalisePath(file);
  return named !== undefined && (named === path || path.endsWith(`/${named}`));
}

/** Returns the replacements of a call in one file, in order; `undefined` if the call does not show them. */
export function replacementsOf(input: JsonValue, path: string): readonly Replacement[] | undefined {
  const patch = exactPatchOf(input);
  if (patch !== undefined) return hunksOf(patch, path);
  if (!isObject(input)) return undefined;
  const edits = input["edits"];
  const list = Array.isArray(edits) ? (edits as readonly unknown[]) : [input];
  const replacements = list.map(replacementOf);
  return replacements.every((one) => one !== undefined) && list.length > 0 ? replacements : undefined;
}

function replacementOf(edit: unknown): Replacement | undefined {
  if (!isObject(edit)) return undefined;
  const before = firstText(edit, BEFORE_KEYS);
  const after = firstText(edit, AFTER_KEYS);
  if (before === undefined || after === undefined) return undefined;
  return {
    before: unixLines(before),
    after: unixLines(after),
    isEverywhere: edit["replace_all"] === true || edit["replaceAll"] === true,
  };
}

/** Known lines have no carriage returns either. */
const unixLines = (text: string): string => text.replaceAll("\r\n", "\n");

function firstText(value: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = asString(value[key]);
    if (text !== undefined) return text;
  }
  return undefined;
}

const FILE_LINE = /^\*\*\* (Update|Add|Delete) File: (.*)$/;

function hunksOf(patch: string, path: string): readonly Replacement[] | undefined {
  const hunks: { before: string[]; after: string[] }[] = [];
  let isOwn = false;
  for (const line of unixLines(patch).split("\n")) {
    const file = FILE_LINE.exec(line)?.[2];
    if (file !== undefined) {
      isOwn = isNamed(file, path);
      if (isOwn) hunks.push({ before: [], after: [] });
    } else if (!isOwn || line.startsWith("*** ")) continue;
    else if (line.startsWith("@@")) hunks.push({ before: [], after: [] });
    else {
      const hunk = hunks.at(-1)!;
      if (!line.startsWith("+")) hunk.before.push(line.slice(1));
      if (!line.startsWith("-")) hunk.after.push(line.slice(1));
    }
  }
  const found = hunks.filter(({ before, after }) => before.length + after.length > 0);
  if (found.length === 0 || found.some(({ before }) => before.length === 0)) return undefined;
  return found.map(({ before, after }) => ({
    before: before.join("\n"),
    after: after.join("\n"),
    isEverywhere: false,
  }));
}

/** The line of an answer that names the file of a plan, and the heading of the plan. Source: Claude Code. */
const SAVED_PLAN = /^Your plan has been saved to: (\S.*)$/m;
const PLAN_HEADING = /^## Approved Plan:\n/m;

/** A plan that the tool saved in a file when the user approved it. */
export function savedPlan(
  tool: string,
  answer: ToolResultBlock | undefined,
): { readonly path: string; readonly content: string } | undefined {
  if (answer === undefined || toolKey(tool) !== "exitplanmode") return undefined;
  const text = toolResultText(answer);
  const path = SAVED_PLAN.exec(text)?.[1];
  const heading = PLAN_HEADING.exec(text);
  if (path === undefined || heading === null) return undefined;
  return { path, content: text.slice(heading.index + heading[0].length) };
}
