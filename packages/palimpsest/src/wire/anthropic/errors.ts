/**
 * A failure → an error of the Messages API. The texts are those that its users report.
 *
 * The other direction is `classifyModelError`, which reads the errors of every vendor.
 */
import type { ModelFailure, ModelFailureKind } from "../../ports/model-failure.ts";
import {
  type ErrorHead,
  mediaWords,
  retryHeaders,
  type WrittenError,
  writtenStatus,
  writtenWords,
} from "../errors/written-error.ts";
import { namedEvent } from "../shared/sse.ts";

/** Source: Anthropic API reference, "Errors". */
const TYPES: ReadonlyMap<number, string> = new Map([
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);
const OVERLOADED = 529;
const RATE_LIMITS =
  "For details, refer to: https://docs.claude.com/en/api/rate-limits. You can see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later.";

/** Writes a failure as a status and a body. @internal */
export function anthropicError(failure: ModelFailure, { requestId, model }: ErrorHead): WrittenError {
  const status = writtenStatus(failure, OVERLOADED);
  const type = TYPES.get(status) ?? (status >= 500 ? "api_error" : "invalid_request_error");
  const message = writtenWords(failure, usualWords(failure, model)[failure.kind]);
  return {
    status,
    headers: { "request-id": requestId, ...retryHeaders(failure) },
    body: { type: "error", error: { type, message }, request_id: requestId },
  };
}

/** The event of a stream that fails after it began. @internal */
export function anthropicErrorEvent({ body: { error } }: WrittenError): string {
  return namedEvent({ type: "error", error });
}

function usualWords(failure: ModelFailure, model: string): Partial<Record<ModelFailureKind, string>> {
  const { promptTokens, limitTokens, outputTokens, status } = failure;
  const hasFigures = promptTokens !== undefined && limitTokens !== undefined;
  const output = `exceed context limit${outputTokens === undefined || !hasFigures ? "" : `: ${promptTokens} + ${outputTokens} > ${limitTokens}`}`;
  return {
    "prompt-too-long": `prompt is too long${hasFigures ? `: ${promptTokens} tokens > ${limitTokens} maximum` : ""}`,
    "output-too-long": `input length and \`max_tokens\` ${output}, decrease input length or \`max_tokens\` and try again`,
    "body-too-large": "Request exceeds the maximum size",
    "media-too-large": mediaWords(failure),
    "over-rate-limit":
      limitTokens === undefined
        ? "Extra usage is required for long context requests."
        : `This request would exceed your organization's rate limit of ${limitTokens.toLocaleString("en-US")} input tokens per minute (model: ${model}). ${RATE_LIMITS}`,
    throttled:
      "Number of request tokens has exceeded your per-minute rate limit (https://docs.claude.com/en/api/rate-limits); see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later.",
    overloaded: status === undefined || status === OVERLOADED ? "Overloaded" : "Internal server error",
    timeout: "Request timed out.",
    "not-allowed": "invalid x-api-key",
    "unknown-model": `model: ${model}`,
  };
}
