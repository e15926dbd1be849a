/**
 * The usage that recordings hold, as the APIs of Anthropic and OpenAI report it.
 */
import { asNumber, isObject } from "../../base/json/json.ts";
import type { Usage } from "../../transcript/blocks.ts";
import { fieldsOf, listOf, usageOf } from "./fields.ts";

/**
 * Usage as the API reports it; `undefined` where nothing was billed. Where a response took several
 * iterations on the server, the prompt is that of the last message iteration.
 */
export function recordedAnthropicUsage(value: unknown): Usage | undefined {
  const usage = fieldsOf(value);
  const iterations = listOf(usage["iterations"]).filter(isObject);
  const prompt = iterations.findLast((iteration) => iteration["type"] === "message") ?? usage;
  return usageOf({
    input: prompt["input_tokens"],
    cacheRead: prompt["cache_read_input_tokens"],
    cacheWrite: prompt["cache_creation_input_tokens"],
    output: usage["output_tokens"],
  });
}

/** Usage as Chat and Responses report it: the prompt includes what was read from the cache. */
export function recordedOpenAIUsage(value: unknown): Usage | undefined {
  const usage = fieldsOf(value);
  const prompt = asNumber(usage["prompt_tokens"]) ?? asNumber(usage["input_tokens"]);
  if (prompt === undefined) return undefined;
  const details = fieldsOf(usage["prompt_tokens_details"] ?? usage["input_tokens_details"]);
  const cacheReadTokens = asNumber(details["cached_tokens"]) ?? 0;
  const cacheWriteTokens = asNumber(details["cache_write_tokens"]) ?? 0;
  return {
    inputTokens: Math.max(0, prompt - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asNumber(usage["completion_tokens"] ?? usage["output_tokens"]) ?? 0,
  };
}
