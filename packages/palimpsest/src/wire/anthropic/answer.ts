/**
 * A message of the Messages API → the answer.
 *
 * The blocks are kept as they came: thinking with its signature, compaction, blocks that are unknown.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { ModelAnswer, StopReason } from "../../ports/model-client.ts";
import type { Message, Usage } from "../../transcript/blocks.ts";
import { unreadableAnswer } from "../shared/answer-assembly.ts";
import { anthropicContent } from "./from-anthropic.ts";

/** Source: Anthropic SDK 1.12, `StopReason` and `BetaStopReason`. */
const STOP_REASONS: ReadonlyMap<unknown, StopReason> = new Map<string, StopReason>([
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["tool_use", "tool-use"],
  ["max_tokens", "output-limit"],
  ["model_context_window_exceeded", "window-full"],
  ["refusal", "refusal"],
  ["pause_turn", "paused"],
  ["compaction", "paused"],
]);

/** Reads a whole message. @throws ModelError where it is none. @internal */
export function anthropicAnswer(message: unknown, requestId: string | undefined): ModelAnswer {
  if (!isObject(message) || !Array.isArray(message["content"])) throw unreadableAnswer("anthropic", message);
  const content = anthropicContent(message["content"]);
  const model = asString(message["model"]);
  const responseId = asString(message["id"]);
  const raw = asString(message["stop_reason"]);
  const usage = anthropicUsage(message["usage"]);
  const answer: Message = {
    role: "assistant",
    content,
    origin: "assistant",
    ...(responseId === undefined ? {} : { responseId }),
    ...(model === undefined ? {} : { model }),
  };
  return {
    messages: content.length === 0 ? [] : [answer],
    stopReason: STOP_REASONS.get(raw) ?? "other",
    ...(raw === undefined ? {} : { rawStopReason: raw }),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/**
 * Usage that fills the window: where the server summarised on the way or asked another model, the last iteration
 * of the model itself, because the totals hold tokens that are not in the window any longer. @internal
 */
export function anthropicUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const iterations = Array.isArray(usage["iterations"]) ? usage["iterations"] : [];
  const last: unknown = iterations.findLast((one: unknown) => isObject(one) && one["type"] === "message");
  const fields = isObject(last) ? last : usage;
  const input = asNumber(fields["input_tokens"]);
  if (input === undefined) return undefined;
  return {
    inputTokens: input,
    cacheReadTokens: asNumber(fields["cache_read_input_tokens"]) ?? 0,
    cacheWriteTokens: asNumber(fields["cache_creation_input_tokens"]) ?? 0,
    outputTokens: asNumber(fields["output_tokens"]) ?? 0,
  };
}
