/**
 * Usage in OpenAI's words → ours. There the prompt includes what was read from the cache and written to
 * it; here the parts are disjoint.
 */
import { asNumber, isObject } from "../../base/json/json.ts";
import type { Usage } from "../../transcript/messages.ts";

/** Of Responses (`input_tokens`) and of Chat Completions (`prompt_tokens`). @internal */
export function openaiUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = asNumber(usage["input_tokens"]) ?? asNumber(usage["prompt_tokens"]);
  if (prompt === undefined) return undefined;
  const details = usage["input_tokens_details"] ?? usage["prompt_tokens_details"];
  const fields = isObject(details) ? details : {};
  // DeepSeek reports hits beside the prompt and not in its details.
  const read = asNumber(fields["cached_tokens"]) ?? asNumber(usage["prompt_cache_hit_tokens"]) ?? 0;
  const cacheReadTokens = Math.min(read, prompt);
  const cacheWriteTokens = Math.min(asNumber(fields["cache_write_tokens"]) ?? 0, prompt - cacheReadTokens);
  return {
    inputTokens: prompt - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asNumber(usage["output_tokens"]) ?? asNumber(usage["completion_tokens"]) ?? 0,
  };
}
