/**
 * Results of tool calls: did the call fail, which line says why, and was the result cleared.
 */

import { type ToolResultBlock, toolResultText } from "../../transcript/blocks.ts";
import type { VisibleBlock } from "../../transcript/window.ts";
import { oneLine, type ToolKind } from "./tool-kinds.ts";

// The outcome of a tool call, read from its result: failed or not, and the line that says why.

interface Outcome {
  readonly hasFailed: boolean;
  /** The line that tells most: of a failure the first that names an error, else the last one. */
  readonly line: string;
}

const LINE_CHARACTERS = 200;
/** Lines that are looked at from either end: outcomes stand there, and results may be huge. */
const SEARCH_CHARACTERS = 20_000;

const EXIT_CODE = /(?:exit code|exit_code|exited with(?: code)?|returncode)["']?[:= ]+(-?\d{1,6})/i;
const ERROR_LINE =
  /\b(?:error|failed|failure|fatal|exception|panic|traceback|cannot|could not|not found|no such|denied|undefined:|FAIL|invalid|refused|timed out)\b/i;
/** The beginning of the answer to a script that failed. Source: Codex. */
const FAILED_SCRIPT = /^Script failed\n/;
/** The beginning of a failure from a tool without an error flag. */
const STATED_FAILURE = /^\s*(?:error|exception|failed|failure|traceback)\b/i;
/** Lines that only frame the message. */
const FRAME_LINE = /^(?:<[^>]{0,40}>|exit code:? ?-?\d{1,6}|error:?|traceback.{0,60}|=+|-+|\s*)$/i;

export function outcomeOf(block: ToolResultBlock, kind: ToolKind | undefined): Outcome {
  const whole = toolResultText(block);
  const text =
    whole.length <= 2 * SEARCH_CHARACTERS
      ? whole
      : `${whole.slice(0, SEARCH_CHARACTERS)}\n${whole.slice(-SEARCH_CHARACTERS)}`;
  const lines = text.split("\n").map((line) => line.trim());
  const hasFailed = block.is_error === true || hasFailedExit(text, kind);
  const outcomeLine = hasFailed
    ? errorLine(lines)
    : lines.findLast((line) => line !== "" && !FRAME_LINE.test(line));
  return { hasFailed, line: unwrapTag(oneLine(outcomeLine ?? "", LINE_CHARACTERS)) };
}

/** Only of a shell is the exit code in its output about the call itself. */
function hasFailedExit(text: string, kind: ToolKind | undefined): boolean {
  if (kind === undefined) return STATED_FAILURE.test(text.slice(0, 200));
  if (kind !== "shell") return false;
  if (FAILED_SCRIPT.test(text)) return true;
  const code = EXIT_CODE.exec(text.slice(0, 400)) ?? EXIT_CODE.exec(text.slice(-400));
  return code !== null && code[1] !== "0";
}

function errorLine(lines: readonly string[]): string | undefined {
  const telling = lines.filter((line) => line !== "" && !FRAME_LINE.test(line));
  return telling.find((line) => ERROR_LINE.test(line.slice(0, 400))) ?? telling[0] ?? lines[0];
}

const unwrapTag = (line: string): string => line.replace(/<\/?tool_use_error>/g, "").trim();

/** The beginning of every cleared result. */
export const CLEARED_PREFIX = "[Old tool result content cleared";

/** Only a form that an edit gave can be a brief: a tool that prints one is not spared by it. */
export function isCleared({ block, form }: VisibleBlock): boolean {
  return (
    form === "edited" &&
    block.type === "tool_result" &&
    typeof block.content === "string" &&
    block.content.startsWith(CLEARED_PREFIX)
  );
}
