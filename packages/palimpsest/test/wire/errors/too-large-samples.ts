/** Requests that are too large for a minute, in bytes, or in media. */
import type { Sample } from "./sample.ts";
import {
  anthropicError,
  badRequest,
  bedrockError,
  geminiError,
  htmlError,
  openaiError,
} from "./vendor-errors.ts";

export const TOO_LARGE_SAMPLES: readonly Sample[] = [
  {
    why: "OpenAI, one request above a minute's allowance",
    error: openaiError({
      status: 429,
      type: "tokens",
      code: "rate_limit_exceeded",
      message:
        "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 39143. The input or output tokens must be reduced in order to run successfully.",
    }),
    says: { kind: "over-rate-limit", status: 429, promptTokens: 39_143, limitTokens: 30_000 },
  },
  {
    why: "Groq, the same as 413",
    error: openaiError({
      status: 413,
      type: "tokens",
      code: "rate_limit_exceeded",
      message:
        "Request too large for model `llama-3.3-70b-versatile` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 15600, please reduce your message size and try again.",
    }),
    says: { kind: "over-rate-limit", limitTokens: 12_000, promptTokens: 15_600 },
  },
  {
    why: "Anthropic, a long prompt that the plan does not cover",
    error: anthropicError({
      status: 429,
      type: "rate_limit_error",
      message: "Extra usage is required for long context requests.",
    }),
    says: { kind: "over-rate-limit" },
  },
  {
    why: "Anthropic, bytes",
    error: anthropicError({
      status: 413,
      type: "request_too_large",
      message: "Request exceeds the maximum size",
    }),
    says: { kind: "body-too-large", status: 413, providerCode: "request_too_large" },
  },
  {
    why: "413 from the edge, HTML",
    error: htmlError(413, "<html><head><title>413 Request Entity Too Large</title></head></html>"),
    says: { kind: "body-too-large", status: 413 },
  },
  {
    why: "413 without a body",
    error: Object.assign(new Error("413 status code (no body)"), { status: 413 }),
    says: { kind: "body-too-large", status: 413 },
  },
  {
    why: "Gemini, bytes",
    error: geminiError(
      400,
      "INVALID_ARGUMENT",
      "Request payload size exceeds the limit: 20971520 bytes. Please use a smaller payload.",
    ),
    says: { kind: "body-too-large", limitBytes: 20_971_520 },
  },
  {
    why: "OpenAI, one message that is too long a string",
    error: badRequest(
      "Invalid 'messages[3].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.",
      "string_above_max_length",
    ),
    says: { kind: "body-too-large", providerCode: "string_above_max_length" },
  },
  {
    why: "Anthropic, bytes of an image",
    error: anthropicError({
      status: 400,
      message:
        "messages.46.content.9.image.source.base64: image exceeds 5 MB maximum: 6096280 bytes > 5242880 bytes",
    }),
    says: { kind: "media-too-large", bytes: 6_096_280, limitBytes: 5_242_880 },
  },
  {
    why: "Anthropic, pixels",
    error: anthropicError({
      status: 400,
      message:
        "messages.84.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    }),
    says: { kind: "media-too-large" },
  },
  {
    why: "Anthropic, pages",
    error: anthropicError({
      status: 400,
      message: "messages.1.content.22.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.",
    }),
    says: { kind: "media-too-large" },
  },
  {
    why: "Bedrock, number of images",
    error: bedrockError(
      "ValidationException",
      "The model returned the following errors: too many images and documents: 23 + 0 > 20",
    ),
    says: { kind: "media-too-large" },
  },
  {
    why: "vLLM, number of images",
    error: badRequest("At most 30 image(s) may be provided in one prompt."),
    says: { kind: "media-too-large" },
  },
];
