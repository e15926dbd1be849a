/** Failures of every other kind. */

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { ModelError } from "#base/errors.ts";
import type { Sample } from "./sample.ts";
import { aiSdkError, anthropicError, bedrockError, geminiError, openaiError } from "./vendor-errors.ts";

const platformError = (code: string, message: string): unknown =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(message), { code }) });

export const OTHER_SAMPLES: readonly Sample[] = [
  {
    why: "Anthropic, a signature that fits no more",
    error: anthropicError({
      status: 400,
      message:
        "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
    }),
    says: { kind: "invalid-request", isThinkingBinding: true },
  },
  {
    why: "Anthropic, thinking that was edited",
    error: anthropicError({
      status: 400,
      message:
        "messages.3.content.8: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    }),
    says: { kind: "invalid-request", isThinkingBinding: true },
  },
  {
    why: "OpenAI, encrypted reasoning of another",
    error: openaiError({
      status: 400,
      code: "invalid_encrypted_content",
      message: "The encrypted content gAAA...DQ== could not be verified.",
    }),
    says: { kind: "invalid-request", isThinkingBinding: true, providerCode: "invalid_encrypted_content" },
  },
  {
    why: "OpenAI, reasoning without what it led to",
    error: openaiError({
      status: 400,
      message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    }),
    says: { kind: "invalid-request", isThinkingBinding: true },
  },
  {
    why: "Gemini, a signature that is missing",
    error: geminiError(
      400,
      "INVALID_ARGUMENT",
      "Function call is missing a thought_signature in functionCall parts.",
    ),
    says: { kind: "invalid-request", isThinkingBinding: true },
  },
  {
    why: "thinking that is asked for first is no matter of signatures",
    error: anthropicError({
      status: 400,
      message: "messages.129.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.",
    }),
    says: { kind: "invalid-request", isThinkingBinding: undefined },
  },
  {
    why: "Anthropic, too many requests, with a wait",
    error: anthropicError({
      status: 429,
      type: "rate_limit_error",
      message: "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
      headers: { "retry-after": "12" },
    }),
    says: { kind: "throttled", status: 429, retryAfterMs: 12_000, providerCode: "rate_limit_error" },
  },
  {
    why: "OpenAI, a minute that is used up",
    error: openaiError({
      status: 429,
      type: "tokens",
      code: "rate_limit_exceeded",
      message:
        "Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29500, Requested 1800. Please try again in 2.6s.",
    }),
    says: { kind: "throttled", retryAfterMs: 2_600, limitTokens: undefined },
  },
  {
    why: "a wait of minutes in words",
    error: openaiError({ status: 429, message: "Rate limit reached. Please try again in 6m12.5s." }),
    says: { kind: "throttled", retryAfterMs: 372_500 },
  },
  {
    why: "a wait of milliseconds in words and in a header, which is nearer",
    error: openaiError({
      status: 429,
      message: "Rate limit reached. Please try again in 80ms.",
      headers: { "retry-after-ms": "79" },
    }),
    says: { kind: "throttled", retryAfterMs: 79 },
  },
  {
    why: "a date to wait for, by the server's own clock",
    error: anthropicError({
      status: 529,
      type: "overloaded_error",
      message: "Overloaded",
      headers: { date: "Wed, 18 Nov 2026 07:28:00 GMT", "retry-after": "Wed, 18 Nov 2026 07:28:30 GMT" },
    }),
    says: { kind: "overloaded", status: 529, retryAfterMs: 30_000 },
  },
  {
    why: "Gemini, a quota that comes back",
    error: geminiError(
      429,
      "RESOURCE_EXHAUSTED",
      "You exceeded your current quota, please check your plan and billing details.",
      [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "36s" }],
    ),
    says: { kind: "throttled", retryAfterMs: 36_000, providerCode: "RESOURCE_EXHAUSTED" },
  },
  {
    why: "Bedrock, throttled in words that look like an overflow",
    error: bedrockError("ThrottlingException", "Too many tokens, please wait before trying again.", 429),
    says: { kind: "throttled" },
  },
  {
    why: "the same without a status",
    error: new Error("Too many tokens, please wait before trying again."),
    says: { kind: "throttled" },
  },
  {
    why: "DashScope, throttled",
    error: openaiError({
      status: 429,
      code: "limit_requests",
      message: "You exceeded your current requests list.",
    }),
    says: { kind: "throttled", providerCode: "limit_requests" },
  },
  {
    why: "OpenAI, no credit, which no waiting brings back",
    error: openaiError({
      status: 429,
      type: "insufficient_quota",
      code: "insufficient_quota",
      message: "You exceeded your current quota, please check your plan and billing details.",
    }),
    says: { kind: "not-allowed", providerCode: "insufficient_quota" },
  },
  {
    why: "Anthropic, no credit, as a bad request",
    error: anthropicError({
      status: 400,
      message:
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    }),
    says: { kind: "not-allowed" },
  },
  {
    why: "OpenRouter, credits",
    error: openaiError({
      status: 402,
      message:
        "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 3000.",
    }),
    says: { kind: "not-allowed", status: 402 },
  },
  {
    why: "Anthropic, a wrong key",
    error: anthropicError({ status: 401, type: "authentication_error", message: "invalid x-api-key" }),
    says: { kind: "not-allowed", status: 401 },
  },
  {
    why: "Gemini, a wrong key as a bad request",
    error: geminiError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    says: { kind: "not-allowed" },
  },
  {
    why: "Bedrock, no access",
    error: bedrockError(
      "AccessDeniedException",
      "You don't have access to the model with the specified model ID.",
      403,
    ),
    says: { kind: "not-allowed" },
  },
  {
    why: "no key at all",
    error: new Anthropic.AnthropicError(
      "Could not resolve authentication method. Expected either apiKey or authToken to be set.",
    ),
    says: { kind: "not-allowed" },
  },
  {
    why: "Anthropic, an unknown model",
    error: anthropicError({ status: 404, type: "not_found_error", message: "model: claude-9" }),
    says: { kind: "unknown-model", status: 404 },
  },
  {
    why: "OpenAI, an unknown model",
    error: openaiError({
      status: 404,
      code: "model_not_found",
      message: "The model `gpt-9` does not exist or you do not have access to it.",
    }),
    says: { kind: "unknown-model" },
  },
  {
    why: "Ollama, an unknown model",
    error: { status: 404, error: 'model "llama9" not found, try pulling it first' },
    says: { kind: "unknown-model" },
  },
  {
    why: "Gemini, an unknown model",
    error: geminiError(
      404,
      "NOT_FOUND",
      "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.",
    ),
    says: { kind: "unknown-model" },
  },
  {
    why: "Bedrock, an unknown model as a bad request",
    error: bedrockError("ValidationException", "The provided model identifier is invalid."),
    says: { kind: "unknown-model" },
  },
  {
    why: "a wrong address is no unknown model",
    error: openaiError({ status: 404, message: "Invalid URL (POST /v2/chat/completions)" }),
    says: { kind: "invalid-request", status: 404 },
  },
  {
    why: "Anthropic, overloaded in the middle of a stream",
    error: new Anthropic.APIError(
      undefined,
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      undefined,
      undefined,
    ),
    says: { kind: "overloaded", status: undefined, providerCode: "overloaded_error" },
  },
  {
    why: "OpenAI, its own error",
    error: openaiError({
      status: 500,
      type: "server_error",
      message: "The server had an error while processing your request.",
    }),
    says: { kind: "overloaded", status: 500 },
  },
  {
    why: "a proxy in between",
    error: aiSdkError({ status: 502, message: "<html><body>502 Bad Gateway</body></html>" }),
    says: { kind: "overloaded", status: 502 },
  },
  {
    why: "a gateway that waited too long",
    error: openaiError({ status: 504, message: "upstream request timeout" }),
    says: { kind: "timeout", status: 504 },
  },
  {
    why: "an SDK that waited too long",
    error: new OpenAI.APIConnectionTimeoutError(),
    says: { kind: "timeout" },
  },
  {
    why: "an SDK that aborted its own request because it waited too long",
    error: Object.assign(new OpenAI.APIConnectionTimeoutError(), {
      cause: new DOMException("This operation was aborted", "AbortError"),
    }),
    says: { kind: "timeout" },
  },
  {
    why: "the platform's timeout",
    error: new DOMException("The operation was aborted due to timeout", "TimeoutError"),
    says: { kind: "timeout" },
  },
  {
    why: "headers that did not come",
    error: platformError("UND_ERR_HEADERS_TIMEOUT", "Headers Timeout Error"),
    says: { kind: "timeout" },
  },
  {
    why: "nobody listens",
    error: platformError("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:9"),
    says: { kind: "network", message: "connect ECONNREFUSED 127.0.0.1:9" },
  },
  {
    why: "an SDK without a connection",
    error: new Anthropic.APIConnectionError({ message: "Connection error." }),
    says: { kind: "network" },
  },
  { why: "a stream that broke", error: new TypeError("terminated"), says: { kind: "network" } },
  {
    why: "what this library told already",
    error: new ModelError({ kind: "network" }, { message: "cut", hint: "again" }),
    says: { kind: "network", message: "cut" },
  },
  { why: "aborted through an SDK", error: new OpenAI.APIUserAbortError(), says: { kind: "aborted" } },
  {
    why: "aborted through the platform",
    error: new DOMException("This operation was aborted", "AbortError"),
    says: { kind: "aborted" },
  },
  {
    why: "HTML where JSON was expected",
    error: new SyntaxError("Unexpected token '<', \"<html>\" is not valid JSON"),
    says: { kind: "unreadable-answer" },
  },
  {
    why: "a stream that held nothing",
    error: new Anthropic.AnthropicError("stream ended without producing a Message with role=assistant"),
    says: { kind: "unreadable-answer" },
  },
];
