/**
 * Failures in Anthropic's words. Each text was taken from an answer of the API, as its users report them.
 */
import type { ErrorCase, Reply } from "../dialect/dialect.ts";
import { htmlReply, jsonReply } from "../dialect/reply.ts";

/** An error as the API sends it. */
export function anthropicError(problem: ErrorCase, model: string): Reply {
  switch (problem.kind) {
    case "form":
      return error(400, "invalid_request_error", problem.violation.message);
    case "bad-request":
      return error(400, "invalid_request_error", problem.message);
    case "not-json":
      return error(400, "invalid_request_error", "The request body is not valid JSON: parse error");
    case "too-long":
      return error(400, "invalid_request_error", tooLongWords(problem));
    case "too-large":
      return problem.isFromEdge
        ? htmlReply(413, "Request Entity Too Large")
        : error(413, "request_too_large", "Request exceeds the maximum size");
    case "throttled":
      return error(429, "rate_limit_error", throttledWords(problem, model), {
        "retry-after": String(problem.retryAfterSeconds),
      });
    case "server-error":
      return problem.status === 502 || problem.status === 504
        ? htmlReply(problem.status, problem.status === 502 ? "Bad Gateway" : "Gateway Timeout")
        : error(problem.status, "api_error", "Internal server error");
    case "overloaded":
      return error(529, "overloaded_error", "Overloaded");
    case "not-found":
      return error(404, "not_found_error", `Not Found: ${problem.path}`);
    case "unknown-model":
      return error(404, "not_found_error", `model: ${model}`);
  }
}

function error(
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return jsonReply({ type: "error", error: { type, message }, request_id: REQUEST_ID }, status, {
    "request-id": REQUEST_ID,
    ...headers,
  });
}

const REQUEST_ID = "req_011CScriptedProvider";

function tooLongWords({
  promptTokens,
  windowTokens,
  hasNumbers = true,
  outputTokens,
}: Extract<ErrorCase, { kind: "too-long" }>): string {
  if (outputTokens !== undefined)
    return (
      `input length and \`max_tokens\` exceed context limit: ${promptTokens} + ${outputTokens} > ${windowTokens}, ` +
      "decrease input length or `max_tokens` and try again"
    );
  return hasNumbers
    ? `prompt is too long: ${promptTokens} tokens > ${windowTokens} maximum`
    : "prompt is too long";
}

function throttledWords(
  { tokensPerMinute }: Extract<ErrorCase, { kind: "throttled" }>,
  model: string,
): string {
  if (tokensPerMinute === undefined)
    return "Number of request tokens has exceeded your per-minute rate limit (https://docs.claude.com/en/api/rate-limits); see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later.";
  return (
    `This request would exceed your organization's rate limit of ${tokensPerMinute.toLocaleString("en-US")} input tokens ` +
    `per minute (org: 00000000-0000-4000-8000-000000000000, model: ${model}). For details, refer to: ` +
    "https://docs.claude.com/en/api/rate-limits. You can see the response headers for current usage. Please reduce the " +
    "prompt length or the maximum tokens requested, or try again later."
  );
}
