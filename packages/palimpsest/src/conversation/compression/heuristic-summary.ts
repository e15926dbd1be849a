/**
 * A summary without a model: how much the user said, its first and last words, the tools, the errors.
 * It reads the original entries, also those behind an earlier summary.
 */

import { CONVERSATION_MEMORY_DEFAULTS } from "../../base/defaults/conversation-memory.ts";
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

const D = CONVERSATION_MEMORY_DEFAULTS;

/** True for a summary that was written without a model. */
export function isHeuristic({ content }: Pick<MemorySummary, "content">): boolean {
  return content.startsWith(HEURISTIC_HEADER);
}

/**
 * The summary of a plan, with the longest quotes with which it is smaller than what it replaces;
 * `undefined` where even the shortest are too long for that.
 */
export function heuristicSummary(plan: CompressionPlan): string | undefined {
  const facts = readFacts(plan);
  for (let quoteChars: number = D.heuristicQuoteChars; ; quoteChars = Math.floor(quoteChars / 2)) {
    const toolsCount = Math.ceil((D.heuristicToolsCount * quoteChars) / D.heuristicQuoteChars);
    const text = compose(facts, { quoteChars, toolsCount });
    if (countMemoryTokens(text) < plan.replacedTokens) return text;
    if (quoteChars <= D.heuristicQuoteCharsFloor) return undefined;
  }
}

interface Facts {
  readonly userCount: number;
  readonly firstUser: string | undefined;
  readonly lastUser: string | undefined;
  readonly tools: readonly string[];
  readonly errorsCount: number;
}

function readFacts({ originals }: CompressionPlan): Facts {
  const userMessages = originals
    .filter(({ type, role }) => type === "message" && role === "user")
    .map(({ content }) => content);
  // Secrets are found before texts are cut: half a key is not recognised.
  const quotable = [userMessages[0], userMessages.at(-1)].flatMap((text) =>
    text === undefined ? [] : [redactBroken(text).text],
  );
  const tools = new Set(originals.flatMap((entry) => toolOf(entry) ?? []));
  return {
    userCount: userMessages.length,
    firstUser: quotable[0],
    lastUser: quotable[1],
    tools: [...tools],
    errorsCount: originals.filter(hasFailed).length,
  };
}

function compose(
  { userCount, firstUser, lastUser, tools, errorsCount }: Facts,
  { quoteChars, toolsCount }: { readonly quoteChars: number; readonly toolsCount: number },
): string {
  const quote = (text: string): string => `"${shorten(text.trim().replace(/\s+/g, " "), quoteChars)}"`;
  const more = tools.length > toolsCount ? ` and ${tools.length - toolsCount} more` : "";
  return [
    HEURISTIC_HEADER,
    `${userCount} user ${userCount === 1 ? "message" : "messages"}`,
    ...(firstUser === undefined ? [] : [`First: ${quote(firstUser)}`]),
    ...(lastUser === undefined ? [] : [`Last: ${quote(lastUser)}`]),
    ...(tools.length === 0 ? [] : [`Tools used: ${tools.slice(0, toolsCount).join(", ")}${more}`]),
    `${errorsCount} ${errorsCount === 1 ? "error" : "errors"} encountered`,
  ].join("\n");
}

/** Failure as tools state it in plain text. */
const STATED_FAILURE =
  /^\s*(?:(?:(?:fatal|uncaught|unhandled) )?\w*(?:error|exception)\s*(?:[:([{!-]|$)|(?:failed|failure|traceback)\b)/im;

/** True for a tool result that reports a failure. */
export function hasFailed({ type, content, metadata }: ConversationEntry): boolean {
  if (type !== "tool_result") return false;
  const isError = metadata?.["isError"];
  if (typeof isError === "boolean") return isError;
  return STATED_FAILURE.test(content.slice(0, D.failureSearchChars)) || isFailedJson(content);
}

/** `{"error": …}`, `{"isError": true}` and the like, as tools answer that return an object. */
function isFailedJson(content: string): boolean {
  if (!content.startsWith("{")) return false;
  const parsed = parseJson(content);
  if (!parsed.ok || !isObject(parsed.value)) return false;
  const { error, isError, is_error: isErrorFlag } = parsed.value;
  return (
    isError === true ||
    isErrorFlag === true ||
    (error !== undefined && error !== null && error !== false && error !== "")
  );
}
