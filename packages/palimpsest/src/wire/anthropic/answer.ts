/**
 * A message of the Messages API ⇄ the answer.
 *
 * The blocks are kept as they came: thinking with its signature, compaction, blocks that are unknown.
 */
import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ModelAnswer, StopReason } from "../../ports/model-client.ts";
import type { ContentBlock, Usage } from "../../transcript/blocks.ts";
import { composeAnswer, unreadableAnswer } from "../shared/answer-assembly.ts";
import {
  type AnswerHead,
  contentOf,
  idAndModel,
  ownValue,
  withoutOwnFields,
  writtenStop,
} from "../shared/answer-writer.ts";
import { appliedEdits } from "./context-management.ts";
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

const WRITTEN_REASONS: Readonly<Record<StopReason, string>> = {
  end: "end_turn",
  "tool-use": "tool_use",
  "output-limit": "max_tokens",
  "window-full": "model_context_window_exceeded",
  refusal: "refusal",
  paused: "pause_turn",
  other: "stop_sequence",
};

/** Reads a whole message. @throws ModelError where it is none. @internal */
export function anthropicAnswer(message: unknown, requestId?: string): ModelAnswer {
  if (!isObject(message) || !Array.isArray(message["content"])) throw unreadableAnswer("anthropic", message);
  const raw = asString(message["stop_reason"]);
  return composeAnswer({
    content: anthropicContent(message["content"]),
    responseId: asString(message["id"]),
    model: asString(message["model"]),
    usage: anthropicUsage(message["usage"]),
    requestId,
    stopReason: stopOf(raw),
    rawStopReason: raw,
    providerEdits: appliedEdits(message, usageOf),
  });
}

function stopOf(raw: string | undefined): StopReason {
  return STOP_REASONS.get(raw) ?? "other";
}

/** Writes a whole message. @internal */
export function anthropicMessage(answer: ModelAnswer, head: AnswerHead): JsonObject {
  const { usage } = answer;
  const { id, model } = idAndModel(answer, head);
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: contentOf(answer).flatMap(writtenBlock),
    stop_reason: writtenStop(answer, WRITTEN_REASONS[answer.stopReason], stopOf),
    stop_sequence: null,
    // The field cannot be left out: an answer without figures has zeros.
    usage:
      usage === undefined
        ? { input_tokens: 0, output_tokens: 0 }
        : {
            input_tokens: usage.inputTokens,
            cache_creation_input_tokens: usage.cacheWriteTokens,
            cache_read_input_tokens: usage.cacheReadTokens,
            output_tokens: usage.outputTokens,
          },
  };
}

/** A block as a message holds it; nothing where another provider alone understands it. @internal */
export function writtenBlock(block: ContentBlock): readonly JsonObject[] {
  if (block.type === "opaque") {
    const value = ownValue(block, "anthropic");
    return value === undefined ? [] : [value as JsonObject];
  }
  const written = withoutOwnFields(block) as unknown as JsonObject;
  // Every thinking has the field, also that of models that do not sign theirs.
  return [block.type === "thinking" ? { ...written, signature: block.signature ?? "" } : written];
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
  return asNumber(fields["input_tokens"]) === undefined ? undefined : usageOf(fields);
}

function usageOf(fields: Readonly<Record<string, unknown>>): Usage {
  return {
    inputTokens: asNumber(fields["input_tokens"]) ?? 0,
    cacheReadTokens: asNumber(fields["cache_read_input_tokens"]) ?? 0,
    cacheWriteTokens: asNumber(fields["cache_creation_input_tokens"]) ?? 0,
    outputTokens: asNumber(fields["output_tokens"]) ?? 0,
  };
}
