/**
 * Failures in OpenAI's words. Each text was taken from an answer of the API, as its users report them.
 */
import type { ErrorCase, Reply } from "../dialect/dialect.ts";
import { htmlReply, jsonReply } from "../dialect/reply.ts";

/** The object that every error holds. */
export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

type TooLong = Extract<ErrorCase, { kind: "too-long" }>;
type Throttled = Extract<ErrorCase, { kind: "throttled" }>;

/** An error as the API sends it. `promptField` is what it calls the prompt: `messages` or `input`. */
export function openAiError(problem: ErrorCase, model: string, promptField: "messages" | "input"): Reply {
  switch (problem.kind) {
    case "form":
      return error(problem.violation.rule === "item-not-found" ? 404 : 400, {
        message: problem.violation.message,
        type: "invalid_request_error",
        param: problem.violation.path === "body" ? null : problem.violation.path,
        code: CODES.get(problem.violation.rule) ?? null,
      });
    case "bad-request":
      return error(400, { ...INVALID, message: problem.message });
    case "not-json":
      return error(400, {
        ...INVALID,
        message:
          "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. " +
          "The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
      });
    case "too-long":
      return error(400, tooLongError(problem, promptField));
    case "too-large":
      return problem.isFromEdge
        ? htmlReply(413, "Request Entity Too Large")
        : error(413, {
            ...INVALID,
            message: "Request body is too large. Please reduce the size of your request.",
          });
    case "throttled":
      return error(429, throttledError(problem, model), { "retry-after": String(problem.retryAfterSeconds) });
    case "server-error":
      return problem.status === 502 || problem.status === 504
        ? htmlReply(problem.status, problem.status === 502 ? "Bad Gateway" : "Gateway Timeout")
        : error(problem.status, SERVER_ERROR);
    case "overloaded":
      return error(503, OVERLOADED);
    case "not-found":
      return error(404, { ...INVALID, message: `Invalid URL (POST ${problem.path})` });
    case "unknown-model":
      return error(404, {
        message: `The model \`${model}\` does not exist or you do not have access to it.`,
        type: "invalid_request_error",
        param: null,
        code: "model_not_found",
      });
  }
}

const INVALID = { type: "invalid_request_error", param: null, code: null } as const;

const SERVER_ERROR: OpenAiError = {
  message: "The server had an error while processing your request. Sorry about that!",
  type: "server_error",
  param: null,
  code: null,
};

/** The error for too much work, also in the middle of a stream. */
export const OVERLOADED: OpenAiError = {
  message: "The engine is currently overloaded, please try again later",
  type: "server_error",
  param: null,
  code: "server_is_overloaded",
};

const CODES: ReadonlyMap<string, string> = new Map([
  ["field-missing", "missing_required_parameter"],
  ["extra-field", "unknown_parameter"],
  ["field-type", "invalid_type"],
  ["unsupported-parameter", "unsupported_parameter"],
  ["encrypted-content", "invalid_encrypted_content"],
  ["previous-response", "previous_response_not_found"],
]);

/** The error for a prompt that is too long. Chat has the figures, Responses only on request. */
export function tooLongError(problem: TooLong, promptField: "messages" | "input"): OpenAiError {
  return {
    message: tooLongWords(problem, promptField),
    type: "invalid_request_error",
    param: promptField,
    code: "context_length_exceeded",
  };
}

function tooLongWords(
  { promptTokens, windowTokens, hasNumbers, outputTokens }: TooLong,
  promptField: "messages" | "input",
): string {
  if (!(hasNumbers ?? promptField === "messages"))
    return "Your input exceeds the context window of this model. Please adjust your input and try again.";
  if (promptField === "input")
    return `Input tokens exceed the configured limit of ${windowTokens} tokens. Your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`;
  const start = `This model's maximum context length is ${windowTokens} tokens. However, `;
  return outputTokens === undefined
    ? `${start}your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`
    : `${start}you requested ${promptTokens + outputTokens} tokens (${promptTokens} in the messages, ${outputTokens} in the completion). Please reduce the length of the messages or completion.`;
}

function throttledError(problem: Throttled, model: string): OpenAiError {
  const { tokensPerMinute, promptTokens, retryAfterSeconds } = problem;
  const where = `for ${model} in organization org-scripted on tokens per min (TPM): Limit ${tokensPerMinute ?? USUAL_TPM}, `;
  const more = "Visit https://platform.openai.com/account/rate-limits to learn more.";
  return {
    message:
      tokensPerMinute === undefined
        ? `Rate limit reached ${where}Used ${USUAL_TPM}, Requested ${promptTokens}. Please try again in ${retryAfterSeconds}s. ${more}`
        : `Request too large ${where}Requested ${promptTokens}. The input or output tokens must be reduced in order to run successfully. ${more}`,
    type: "tokens",
    param: null,
    code: "rate_limit_exceeded",
  };
}

/** Tokens a minute of a small account. */
const USUAL_TPM = 30_000;

function error(status: number, body: OpenAiError, headers: Readonly<Record<string, string>> = {}): Reply {
  return jsonReply({ error: body }, status, { "x-request-id": "req_scripted_provider", ...headers });
}
