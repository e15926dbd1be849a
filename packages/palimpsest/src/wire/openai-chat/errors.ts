/**
 * A failure → an error of OpenAI's APIs, which differ only in the name of the prompt. The texts are those that
 * their users report.
 *
 * The other direction is `classifyModelError`, which reads the errors of every vendor.
 */
import type { JsonObject } from "../../base/json/json.ts";
import type { ModelFailure, ModelFailureKind } from "../../ports/model-failure.ts";
import {
  type ErrorHead,
  mediaWords,
  retryHeaders,
  type WrittenError,
  writtenStatus,
  writtenWords,
} from "../errors/written-error.ts";

/** Facts of an error of OpenAI's. @internal */
export interface OpenAIErrorHead extends ErrorHead {
  /** The field with the prompt: `messages` of Chat Completions, `input` of Responses. */
  readonly promptField: "messages" | "input";
  /** The account, which rate limits name. */
  readonly organization?: string;
  /** The field that a refused request has wrong. */
  readonly param?: string | undefined;
}

/** Codes by kind; a refused request has the provider's own. */
const CODES: Partial<Record<ModelFailureKind, string>> = {
  "prompt-too-long": "context_length_exceeded",
  "output-too-long": "context_length_exceeded",
  "over-rate-limit": "rate_limit_exceeded",
  throttled: "rate_limit_exceeded",
  "not-allowed": "invalid_api_key",
  "unknown-model": "model_not_found",
};

/** Writes a failure as a status and a body. @internal */
export function openaiError(failure: ModelFailure, head: OpenAIErrorHead): WrittenError {
  const { kind, providerCode } = failure;
  const status = writtenStatus(failure);
  const isTooLong = kind === "prompt-too-long" || kind === "output-too-long";
  const isOwnCode = kind === "invalid-request" && providerCode !== "invalid_request_error";
  const isBusy = kind === "overloaded" && status === 503;
  const error: JsonObject = {
    message: writtenWords(failure, usualWords(failure, head)[kind]),
    type: status >= 500 ? "server_error" : status === 429 ? "tokens" : "invalid_request_error",
    param: isTooLong ? head.promptField : (head.param ?? null),
    code: (isOwnCode ? providerCode : isBusy ? "server_is_overloaded" : CODES[kind]) ?? null,
  };
  return { status, headers: { "x-request-id": head.requestId, ...retryHeaders(failure) }, body: { error } };
}

function usualWords(
  failure: ModelFailure,
  { model, organization, promptField }: OpenAIErrorHead,
): Partial<Record<ModelFailureKind, string>> {
  const { limitTokens, promptTokens, retryAfterMs, status } = failure;
  const wait = retryAfterMs === undefined ? "" : ` Please try again in ${retryAfterMs / 1_000}s.`;
  const limit = limitTokens ?? 0;
  const account = organization === undefined ? "" : ` in organization ${organization}`;
  const tokens = `for ${model}${account} on tokens per min (TPM): Limit ${limit}`;
  const more = "Visit https://platform.openai.com/account/rate-limits to learn more.";
  return {
    "prompt-too-long": tooLongWords(failure, promptField),
    "output-too-long": tooLongWords(failure, promptField),
    "body-too-large": "Request body is too large. Please reduce the size of your request.",
    "media-too-large": mediaWords(failure),
    "over-rate-limit": `Request too large ${tokens}, Requested ${promptTokens ?? 0}. The input or output tokens must be reduced in order to run successfully. ${more}`,
    throttled:
      limitTokens === undefined
        ? `Rate limit reached for ${model}.${wait} ${more}`
        : `Rate limit reached ${tokens}, Used ${limit}, Requested ${promptTokens ?? 0}.${wait} ${more}`,
    overloaded:
      status === undefined || status === 503
        ? "The engine is currently overloaded, please try again later"
        : "The server had an error while processing your request. Sorry about that!",
    timeout: "Request timed out.",
    "not-allowed": "Incorrect API key provided.",
    "unknown-model": `The model \`${model}\` does not exist or you do not have access to it.`,
  };
}

function tooLongWords(
  { kind, promptTokens, limitTokens, outputTokens }: ModelFailure,
  promptField: OpenAIErrorHead["promptField"],
): string {
  if (promptTokens === undefined || limitTokens === undefined)
    return "Your input exceeds the context window of this model. Please adjust your input and try again.";
  const start = `This model's maximum context length is ${limitTokens} tokens. However, `;
  if (kind === "output-too-long" && outputTokens !== undefined)
    return `${start}you requested ${promptTokens + outputTokens} tokens (${promptTokens} in the messages, ${outputTokens} in the completion). Please reduce the length of the messages or completion.`;
  if (promptField === "input")
    return `Input tokens exceed the configured limit of ${limitTokens} tokens. Your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`;
  return `${start}your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`;
}
