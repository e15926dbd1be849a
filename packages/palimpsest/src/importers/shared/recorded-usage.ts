/**
 * The usage that recordings hold, as the APIs of Anthropic and OpenAI report it.
 */
import { asNumber, isObject } from "../../base/json/json.ts";
import type { Usage } from "../../transcript/blocks.ts";

/**
 * Usage as the API reports it; `undefined` where nothing was billed. Where a response took several
 * iterations on the server, the prompt is that of the last message iteration.
 */
export function recordedAnthropicUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const iterations = Array.isArray(value["iterations"]) ? value["iterations"].filter(isObject) : [];
  const prompt = iterations.findLast((iteration) => iteration["type"] === "message") ?? value;
  const usage: Usage = {
    inputTokens: asNumber(prompt["input_tokens"]) ?? 0,
    cacheReadTokens: asNumber(prompt["cache_read_input_tokens"]) ?? 0,
    cacheWriteTokens: asNumber(prompt["cache_creation_input_tokens"]) ?? 0,
    outputTokens: asNumber(value["output_tokens"]) ?? 0,
  };
  const total = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
  return total > 0 ? usage : undefined;
}

/** Usage as Chat reports it: the prompt includes what was read from the cache. */
export function recordedChatUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const details = isObject(value["prompt_tokens_details"]) ? value["prompt_tokens_details"] : {};
  const cacheReadTokens = asNumber(details["cached_tokens"]) ?? 0;
  const cacheWriteTokens = asNumber(details["cache_write_tokens"]) ?? 0;
  const prompt = asNumber(value["prompt_tokens"]);
  if (prompt === undefined) return undefined;
  return {
    inputTokens: Math.max(0, prompt - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asNumber(value["completion_tokens"]) ?? 0,
  };
}
