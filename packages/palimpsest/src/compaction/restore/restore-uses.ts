/**
 * The uses of files in a stretch of a log: every read, view, edit and write in order, with its arguments and
 * its result. Files to restore are chosen and rebuilt from these.
 *
 * A call that failed, or whose result is missing, has no effect: it shows interest in a file but not its
 * content.
 */

import { asNumber, asString, isObject, type JsonValue, parseJson } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import {
  partText,
  type ToolResultBlock,
  type ToolUseBlock,
  toolResultText,
} from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { touchedFiles } from "../digest/touched-files.ts";
import { formatPointer } from "../shared/pointer.ts";
import { commandOf, startFolderOf, type ToolKind, toolKind } from "../shared/tool-kinds.ts";
import { outcomeOf } from "../shared/tool-results.ts";
import { savedPlan } from "./restore-edits.ts";
import { joinPath, KnownPaths, normalisePath, shellViews } from "./restore-paths.ts";

/** Messages in their form in a window, or originals of the log in the same shape. */
export type UsedMessage = Pick<VisibleMessage, "seq" | "role" | "blocks">;

/** One use of one file by one call. */
export interface FileUse {
  readonly path: string;
  readonly how: "read" | "edited" | "written" | "deleted";
  /** Number of the call among all calls of the stretch, from 0. */
  readonly call: number;
  readonly seq: number;
  /** Pointer to what the log holds of it: the result of a read, else the call. */
  readonly pointer: string;
  readonly hasWorked: boolean;
  /** Arguments of the call. */
  readonly input: JsonValue;
  /** The text that a read showed, to the letter; for an edit, the tool's answer, which may show the lines around it. */
  readonly text?: string;
  /** First line that was asked for, from 1, where the call says so; and the last one. */
  readonly first?: number;
  readonly last?: number;
  /** The result is shown shortened or not at all; the original stands at `resultSeq`. */
  readonly isShortened?: boolean;
  readonly resultSeq?: number;
  readonly resultBlock?: number;
  /** Only the digest knows of it: it counts for the ranking, and its content is in the entries of the log. */
  readonly isRemembered?: boolean;
}

export interface FileUses {
  readonly uses: readonly FileUse[];
  /** Tool calls of any kind: the clock that measures recency. */
  readonly callsCount: number;
}

interface Answer {
  readonly seq: number;
  readonly index: number;
  readonly block: ToolResultBlock;
  readonly isOriginal: boolean;
}

/** Every use of a file, oldest first, paths made comparable with each other. */
export function findFileUses(messages: readonly UsedMessage[]): FileUses {
  const answers = findAnswers(messages);
  const found: FileUse[] = [];
  let call = 0;
  for (const { seq, blocks } of messages)
    for (const { index, block } of blocks) {
      if (block.type !== "tool_use") continue;
      addAll(found, usesOf({ block, seq, index, call }, answers.get(block.id)));
      call++;
    }
  const known = new KnownPaths();
  for (const { path } of found) known.add(path);
  return { uses: found.map((use) => ({ ...use, path: known.resolve(use.path) })), callsCount: call };
}

function findAnswers(messages: readonly UsedMessage[]): ReadonlyMap<string, Answer> {
  const answers = new Map<string, Answer>();
  for (const { seq, blocks } of messages)
    for (const { index, block, form } of blocks)
      if (block.type === "tool_result")
        answers.set(block.tool_use_id, { seq, index, block, isOriginal: form === "original" });
  return answers;
}

interface Call {
  readonly block: ToolUseBlock;
  readonly seq: number;
  readonly index: number;
  readonly call: number;
}

function usesOf({ block, seq, index, call }: Call, answer: Answer | undefined): readonly FileUse[] {
  const plan = savedPlan(block.name, answer?.block);
  const kind = toolKind(block.name, block.input);
  const touched: readonly Touched[] =
    plan === undefined ? touchesOf(kind, block.input) : [{ path: plan.path, how: "written", isPlain: false }];
  if (touched.length === 0) return [];
  const hasWorked = answer !== undefined && !outcomeOf(answer.block, kind).hasFailed;
  const output = hasWorked && isPlainText(answer.block) ? shownText(toolResultText(answer.block)) : undefined;
  const texts = output === undefined ? [] : textsOf(touched, output);
  return touched.flatMap(({ path, how, isPlain: _, ...lines }, number): readonly FileUse[] => {
    const normalised = normalisePath(path);
    if (normalised === undefined) return [];
    const isRead = how === "read" && answer !== undefined;
    const hasText = isRead || how === "edited";
    const place = isRead ? { seq: answer.seq, block: answer.index } : { seq, block: index };
    return [
      {
        path: normalised,
        how,
        call,
        seq: place.seq,
        pointer: formatPointer(place),
        hasWorked,
        input: plan === undefined ? block.input : { content: plan.content },
        ...lines,
        ...(hasText && texts[number] !== undefined ? { text: texts[number] } : {}),
        ...(hasText && answer?.isOriginal === false ? { isShortened: true } : {}),
        ...(answer === undefined ? {} : { resultSeq: answer.seq, resultBlock: answer.index }),
      },
    ];
  });
}

interface Touched {
  readonly path: string;
  readonly how: FileUse["how"];
  readonly first?: number;
  readonly last?: number;
  /** The result is text of these files and nothing else. */
  readonly isPlain: boolean;
}

/** Lines that Codex puts above the output of a command. */
const OUTPUT_HEADER =
  /^(?:(?:Chunk ID|Wall time|Process exited|Original token count|Exit code)[^\n]*\n){1,6}Output:\n|^Script completed\n(?:Wall time[^\n]*\n)?Output:\n\n?/;
/** A tool's mark where it left out the middle of an output. */
const OUTPUT_GAP = /\d+ tokens truncated…/;

/** The output of a command or tool without its header; `undefined` if its middle is missing. */
function shownText(result: string): string | undefined {
  return OUTPUT_GAP.test(result) ? undefined : unwrapped(result.replace(OUTPUT_HEADER, ""));
}

/** A command's answer as a script of Codex prints it whole. */
const WRAPPED = /^\{"chunk_id":/;

function unwrapped(text: string): string {
  if (!WRAPPED.test(text)) return text;
  const parsed = parseJson(text);
  return (parsed.ok && isObject(parsed.value) ? asString(parsed.value["output"]) : undefined) ?? text;
}

/**
 * The text of each file in an output. Several files have known places if every view says how many lines it shows, and
 * the output has as many.
 */
function textsOf(touched: readonly Touched[], output: string): readonly (string | undefined)[] {
  if (!touched.every(({ isPlain }) => isPlain)) return [];
  if (touched.length === 1) return [output];
  const counts = touched.map(({ first = 1, last }) => (last === undefined ? Number.NaN : last - first + 1));
  const lines = output.replace(/\n$/, "").split("\n");
  if (counts.reduce((sum, count) => sum + count, 0) !== lines.length) return [];
  let start = 0;
  return counts.map((count) => {
    const end = start + count;
    const text = lines.slice(start, end).join("\n");
    start = end;
    return text;
  });
}

function touchesOf(kind: ToolKind | undefined, input: JsonValue): readonly Touched[] {
  const touched = touchedFiles(kind, input);
  if (kind === "shell" && touched.every(({ how }) => how === "read"))
    return shellViews(commandOf(input) ?? "", startFolderOf(input)).map((view) => ({ ...view, how: "read" }));
  const folder = kind === "shell" ? (startFolderOf(input) ?? "") : "";
  return touched.map(({ path, how }) => ({
    path: joinPath(folder, path),
    how,
    ...linesAsked(how, input),
    isPlain: true,
  }));
}

/** Lines that a reading call asks for, in the words of the common agents. */
function linesAsked(
  how: FileUse["how"],
  input: JsonValue,
): { readonly first?: number; readonly last?: number } {
  if (how !== "read" || !isObject(input)) return {};
  const range = Array.isArray(input["view_range"]) ? (input["view_range"] as readonly unknown[]) : [];
  const first =
    asNumber(input["offset"]) ??
    asNumber(input["start_line"]) ??
    asNumber(input["startLine"]) ??
    asNumber(range[0]);
  const limit = asNumber(input["limit"]);
  const end = asNumber(input["end_line"]) ?? asNumber(input["endLine"]) ?? asNumber(range[1]);
  const last = end ?? (limit === undefined ? undefined : (first ?? 1) + limit - 1);
  return {
    ...(first === undefined ? {} : { first: lineNumber(first) }),
    ...(last === undefined || last < 1 ? {} : { last: lineNumber(last) }),
  };
}

/** No file has more lines; beyond it numbers do not count on. */
const MAX_LINE = 1_000_000_000;

function lineNumber(given: number): number {
  return Math.min(MAX_LINE, Math.max(1, Math.round(given)));
}

function isPlainText(block: ToolResultBlock): boolean {
  const isText = (part: { readonly type: string }): boolean => partText(part) !== undefined;
  return block.content !== undefined && (typeof block.content === "string" || block.content.every(isText));
}
