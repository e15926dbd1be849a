/**
 * A response of the Responses API → the answer.
 *
 * Its items are kept in order in one assistant message, those that only OpenAI understands (encrypted
 * reasoning, its own tools, compaction) as they came.
 */
import { ModelError } from "../../base/errors.ts";
import { asString, isObject } from "../../base/json/json.ts";
import type { ModelAnswer, StopReason } from "../../ports/model-client.ts";
import type { ContentBlock, Message } from "../../transcript/blocks.ts";
import { classifyModelError } from "../errors/model-failure.ts";
import { openaiUsage, unreadableAnswer } from "../shared/answer-assembly.ts";
import { fromOpenAIResponses } from "./from-openai-responses.ts";

/** Reads a whole response. @throws ModelError where it is none, or failed. @internal */
export function responsesAnswer(response: unknown, requestId: string | undefined): ModelAnswer {
  if (!isObject(response) || !Array.isArray(response["output"])) throw unreadableAnswer("openai", response);
  if (response["status"] === "failed" || isObject(response["error"])) throw failedResponse(response["error"]);
  const content = responsesContent(response["output"]);
  const model = asString(response["model"]);
  const responseId = asString(response["id"]);
  const usage = openaiUsage(response["usage"]);
  const answer: Message = {
    role: "assistant",
    content,
    origin: "assistant",
    ...(responseId === undefined ? {} : { responseId }),
    ...(model === undefined ? {} : { model }),
  };
  return {
    messages: content.length === 0 ? [] : [answer],
    ...stopOf(response, content),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Items of an answer, also outputs of OpenAI's own tools, which are in it. @internal */
export function responsesContent(items: readonly unknown[]): readonly ContentBlock[] {
  return fromOpenAIResponses(items).messages.flatMap(({ content }) => content);
}

/** The error that a response holds in the place of an answer. @internal */
export function failedResponse(error: unknown): ModelError {
  const failure = classifyModelError(isObject(error) ? { ...error, error } : error);
  return new ModelError(
    { ...failure, kind: failure.kind === "unknown" ? "overloaded" : failure.kind },
    {
      message: `The answer failed: ${failure.message}`,
      hint: "Ask again later, or follow what the provider said.",
      cause: error,
    },
  );
}

function stopOf(
  response: Readonly<Record<string, unknown>>,
  content: readonly ContentBlock[],
): { readonly stopReason: StopReason; readonly rawStopReason?: string } {
  const details = response["incomplete_details"];
  const reason = isObject(details) ? asString(details["reason"]) : undefined;
  const raw = reason ?? asString(response["status"]);
  const rawStopReason = raw === undefined ? {} : { rawStopReason: raw };
  if (reason === "max_output_tokens") return { stopReason: "output-limit", ...rawStopReason };
  if (reason === "content_filter") return { stopReason: "refusal", ...rawStopReason };
  if (response["status"] !== "completed") return { stopReason: "other", ...rawStopReason };
  if (content.some(({ type }) => type === "tool_use")) return { stopReason: "tool-use", ...rawStopReason };
  return { stopReason: content.some(isRefusal) ? "refusal" : "end", ...rawStopReason };
}

function isRefusal(block: ContentBlock): boolean {
  return block.type === "opaque" && isObject(block.value) && block.value["type"] === "refusal";
}
