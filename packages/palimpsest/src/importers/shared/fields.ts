/**
 * Helpers that importers share: safe reading of fields from values of any shape, and building of common blocks and usage.
 */
import { asNumber, isObject } from "../../base/json/json.ts";
import type { ContentBlock, Message, Origin, ToolResultPart, Usage } from "../../transcript/blocks.ts";

/** The fields of an object that may hold anything. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value's fields; none where it is not an object. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** The elements of a list; none where the value is not one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Content in any of its forms (nothing, a text, a part, a list of either) as a list. */
export function contentParts(content: unknown): readonly unknown[] {
  if (content === undefined || content === null) return [];
  return (Array.isArray(content) ? content : [content]).filter((part: unknown) => part !== "");
}

/** A time stamp as text or as milliseconds. */
export function parseTimestamp(value: unknown): number | undefined {
  return asNumber(typeof value === "string" ? Date.parse(value) : value);
}

type Speaker = Pick<Message, "role"> & { readonly origin: Origin };

/** Role and origin of messages by the user, by the program around the agent, by tools, and by the model. */
export const USER: Speaker = { role: "user", origin: "user" };
export const HOST: Speaker = { role: "user", origin: "host" };
export const TOOL: Speaker = { role: "user", origin: "tool" };
export const ASSISTANT: Speaker = { role: "assistant", origin: "assistant" };

/** Reasoning that no provider signed; none where the text says nothing. */
export function unsignedThinking(text: unknown): readonly ContentBlock[] {
  return typeof text === "string" && text.trim() !== "" ? [{ type: "thinking", thinking: text }] : [];
}

/** A block with a tool's result, not checked yet. */
export function toolResult(
  id: unknown,
  content: string | readonly ToolResultPart[] | undefined,
  isError: boolean,
): Fields {
  return {
    type: "tool_result",
    tool_use_id: id,
    ...(content === undefined ? {} : { content }),
    ...(isError ? { is_error: true } : {}),
  };
}

/** The content of a tool result: the text alone, all parts, or no content at all. */
export function textOrParts(
  parts: readonly ToolResultPart[],
): string | readonly ToolResultPart[] | undefined {
  const [only, ...others] = parts;
  if (only === undefined) return undefined;
  const text =
    others.length === 0 && only.type === "text" ? (only as { readonly text?: unknown }).text : undefined;
  return typeof text === "string" ? text : parts;
}

/** Recorded counts of tokens: those of the prompt, of its parts, and of the answer. */
interface RecordedCounts {
  readonly input: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  readonly output: unknown;
}

/** Usage of counts that do not overlap (`input` excludes the cached tokens); `undefined` if all are 0. */
export function usageOf({ input, cacheRead, cacheWrite, output }: RecordedCounts): Usage | undefined {
  const usage: Usage = {
    inputTokens: asNumber(input) ?? 0,
    cacheReadTokens: asNumber(cacheRead) ?? 0,
    cacheWriteTokens: asNumber(cacheWrite) ?? 0,
    outputTokens: asNumber(output) ?? 0,
  };
  return Object.values(usage).reduce((sum, tokens) => sum + tokens, 0) > 0 ? usage : undefined;
}

/** Usage of counts whose `input` includes the tokens read from and written to the cache; `undefined` if all are 0. */
export function usageOfTotal({ input, cacheRead, cacheWrite, output }: RecordedCounts): Usage | undefined {
  const total = asNumber(input) ?? 0;
  const outputTokens = asNumber(output) ?? 0;
  if (total <= 0 && outputTokens <= 0) return undefined;
  const cacheReadTokens = asNumber(cacheRead) ?? 0;
  const cacheWriteTokens = asNumber(cacheWrite) ?? 0;
  const inputTokens = Math.max(0, total - cacheReadTokens - cacheWriteTokens);
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens };
}
