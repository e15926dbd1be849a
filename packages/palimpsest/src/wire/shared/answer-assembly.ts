/**
 * Helpers of the converters of all answers: putting a streamed answer together, and the error of a value
 * that is not an answer.
 */
import { ModelError } from "../../base/errors.ts";
import { asNumber, isObject } from "../../base/json/json.ts";
import type { Usage } from "../../transcript/blocks.ts";

/** Builds an answer from the events of a stream. @internal */
export interface Assembly {
  readonly isComplete: boolean;
  take(event: unknown): void;
}

/** The error of an answer that is none. @internal */
export function unreadableAnswer(provider: string, answer: unknown): ModelError {
  const plain = typeof answer === "object" ? "an object" : `a value of type ${typeof answer}`;
  const kind = answer === null ? "null" : Array.isArray(answer) ? "a list" : plain;
  return new ModelError(
    { kind: "unreadable-answer" },
    {
      message: `What came from ${provider} is no answer of its API, but ${kind}.`,
      hint: "Look at the address and at what stands between you and the provider: a proxy may answer in its place.",
    },
  );
}

/** Usage of Responses (`input_tokens`) and of Chat Completions (`prompt_tokens`). @internal */
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
