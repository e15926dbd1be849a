/**
 * Writes a summary without a model: the number of user messages, quotes from the first and the last, the tools, and the
 * number of errors. It reads the original entries, including those that an earlier summary replaced.
 */

import { isObject, parseJson } from "../../base/json/json.ts";
import { redactBroken } from "../../base/redaction/broken-secrets.ts";
import { shorten } from "../../base/text/text.ts";
import {
  type ConversationEntry,
  countMemoryTokens,
  type MemorySummary,
  toolOf,
} from "../entries/conversation-entry.ts";
import type { CompressionPlan } from "./plan-compression.ts";

/** The first line of every summary that was written without a model. */
const HEURISTIC_HEADER = "[Previous conversation summary]";

/** Length of a quote: a sentence or two. */
const QUOTE_CHARS = 200;
/** Shortest quote that readers recognise. */
const LEAST_QUOTE_CHARS = 20;
const TOOLS_COUNT = 20;
/** Characters of a result that are searched for a failure: tools state it at the beginning. */
const FAILURE_CHARS = 200;

/** True for a summary that was written without a model. */
export function isHeuristic({ content }: Pick<MemorySummary, "content">): boolean {
  return content.startsWith(HEURISTIC_HEADER);
}

/**
 * Writes the summary of a plan. Halves its quotes until it is smaller than the entries it replaces; returns
 * `undefined` if even the shortest quotes are too long.
 */
export function heuristicSummary({ originals, replacedTokens }: CompressionPlan): string | undefined {
  const userEntries = originals.filter(({ type, role }) => type === "message" && role === "user");
  // Secrets are removed before texts are cut: half a key is not recognised.
  const quoted = [userEntries[0], userEntries.at(-1)].map(
    (entry) => entry && redactBroken(entry.content).text,
  );
  const tools = [...new Set(originals.flatMap((entry) => toolOf(entry) ?? []))];
  const errorsCount = originals.filter(hasFailed).length;
  for (let chars = QUOTE_CHARS; ; chars = Math.floor(chars / 2)) {
    const [first, last] = quoted.map((text) => text && shorten(text.trim().replace(/\s+/g, " "), chars));
    const toolsCount = Math.ceil((TOOLS_COUNT * chars) / QUOTE_CHARS);
    const more = tools.length > toolsCount ? ` and ${tools.length - toolsCount} more` : "";
    const text = [
      HEURISTIC_HEADER,
      counted(userEntries.length, "user message"),
      ...(first === undefined ? [] : [`First: "${first}"`, `Last: "${last}"`]),
      ...(tools.length === 0 ? [] : [`Tools used: ${tools.slice(0, toolsCount).join(", ")}${more}`]),
      `${counted(errorsCount, "error")} encountered`,
    ].join("\n");
    if (countMemoryTokens(text) < replacedTokens) return text;
    if (chars <= LEAST_QUOTE_CHARS) return undefined;
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Failure as tools state it in plain text. */
const STATED_FAILURE =
  /^\s*(?:(?:(?:fatal|uncaught|unhandled) )?\w*(?:error|exception)\s*(?:[:([{!-]|$)|(?:failed|failure|traceback)\b)/im;

/** True for a tool result that reports a failure. */
export function hasFailed({ type, content, metadata }: ConversationEntry): boolean {
  if (type !== "tool_result") return false;
  const isError = metadata?.["isError"];
  if (typeof isError === "boolean") return isError;
  return STATED_FAILURE.test(content.slice(0, FAILURE_CHARS)) || isFailedJson(content);
}

/** True for a result such as `{"error": …}` or `{"isError": true}`, from tools that return an object. */
function isFailedJson(content: string): boolean {
  if (!content.startsWith("{")) return false;
  const parsed = parseJson(content);
  if (!parsed.ok || !isObject(parsed.value)) return false;
  const { error, isError, is_error: isErrorFlag } = parsed.value;
  return isError === true || isErrorFlag === true || ![undefined, null, false, ""].includes(error as "");
}
