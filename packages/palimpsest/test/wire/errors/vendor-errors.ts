/** Errors as the vendors' own SDKs make them from a status and a body. */
import { APICallError } from "@ai-sdk/provider";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function anthropicError({
  status,
  message,
  type = "invalid_request_error",
  headers = {},
}: Answer): unknown {
  const body = { type: "error", error: { type, message }, request_id: "req_1" };
  return Anthropic.APIError.generate(status, body, JSON.stringify(body), new Headers(headers));
}

export function openaiError({
  status,
  message,
  type = "invalid_request_error",
  code,
  headers = {},
}: Answer): unknown {
  const error = { message, type, param: null, code: code ?? null };
  return OpenAI.APIError.generate(status, { error }, undefined, new Headers(headers));
}

export function aiSdkError({
  status,
  message,
  type = "invalid_request_error",
  headers = {},
}: Answer): unknown {
  const body = { type: "error", error: { type, message } };
  return new APICallError({
    message,
    url: "https://api.example.com/v1/messages",
    // The request is a part of the error, and must not be read as the answer.
    requestBodyValues: { messages: [{ content: "prompt is too long: 9 tokens > 8 maximum" }] },
    statusCode: status,
    responseHeaders: headers,
    responseBody: JSON.stringify(body),
    data: body,
  });
}

export function bedrockError(name: string, message: string, status = 400): unknown {
  return Object.assign(new Error(message), {
    name,
    $fault: "client",
    $metadata: { httpStatusCode: status, requestId: "r", attempts: 1 },
  });
}

/** As `@google/genai` throws it: the body as text in the message. */
export function geminiError(
  code: number,
  status: string,
  message: string,
  details: readonly unknown[] = [],
): unknown {
  const body = { error: { code, message, status, details } };
  return Object.assign(new Error(JSON.stringify(body)), { name: "ApiError", status: code });
}

/** An error of OpenAI's SDK whose body has further fields. */
export function openaiErrorWith(error: Readonly<Record<string, unknown>>): unknown {
  return Object.assign(new Error(`400 ${String(error["message"])}`), { status: 400, error });
}

/** An answer of something in front of the API. */
export function htmlError(status: number, html: string): unknown {
  return Object.assign(new Error(`${status} ${html}`), { status, error: undefined });
}

/** A request that OpenAI, or a server that speaks like it, refuses. */
export function badRequest(message: string, code?: string): unknown {
  return openaiError({ status: 400, message, ...(code === undefined ? {} : { code }) });
}
