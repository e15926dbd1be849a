/** Texts that look like an overflow and are none, and errors that say nothing. */
import type { Sample } from "./sample.ts";
import { aiSdkError, anthropicError, openaiError } from "./vendor-errors.ts";

export const LOOKALIKE_SAMPLES: readonly Sample[] = [
  {
    why: "an output limit above the model's own",
    error: anthropicError({
      status: 400,
      message:
        "max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens for claude-opus-4-5",
    }),
    says: { kind: "invalid-request", limitTokens: undefined },
  },
  {
    why: "an output limit, in another vendor's words",
    error: openaiError({
      status: 400,
      message: "max_tokens must be less than or equal to 8192, the maximum value for this model",
    }),
    says: { kind: "invalid-request" },
  },
  {
    why: "an output limit, in Qwen's words",
    error: openaiError({ status: 400, message: "Range of max_tokens should be [1, 8192]" }),
    says: { kind: "invalid-request" },
  },
  {
    why: "a content policy",
    error: openaiError({
      status: 400,
      code: "content_filter",
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
    }),
    says: { kind: "invalid-request", providerCode: "content_filter" },
  },
  {
    why: "a field that is too long",
    error: openaiError({
      status: 400,
      code: "string_above_max_length",
      message:
        "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.",
    }),
    says: { kind: "invalid-request" },
  },
  {
    why: "a tool's description that is too long",
    error: openaiError({
      status: 400,
      message:
        "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 2000 instead.",
    }),
    says: { kind: "invalid-request" },
  },
  {
    why: "the argument of somebody's tool",
    error: new Error("Input is too long for the argument `query`: at most 400 characters."),
    says: { kind: "unknown" },
  },
  {
    why: "a search engine's field",
    error: openaiError({ status: 400, message: "maximum input length is 2048 characters" }),
    says: { kind: "invalid-request" },
  },
  {
    why: "pairs that are broken",
    error: anthropicError({
      status: 400,
      message:
        "messages.4: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.",
    }),
    says: { kind: "invalid-request", isThinkingBinding: undefined },
  },
  {
    why: "too many tools",
    error: openaiError({
      status: 400,
      code: "array_above_max_length",
      message:
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.",
    }),
    says: { kind: "invalid-request" },
  },
  {
    why: "an image that is none",
    error: anthropicError({ status: 400, message: "messages.0.content.1.image: Could not process image" }),
    says: { kind: "invalid-request" },
  },
  {
    why: "an error that quotes the request, which speaks of limits",
    error: aiSdkError({ status: 400, message: "messages.0.role: Input should be 'user' or 'assistant'" }),
    says: { kind: "invalid-request", status: 400 },
  },
  { why: "nothing", error: undefined, says: { kind: "unknown", message: "The provider gave no reason." } },
  { why: "a number", error: 42, says: { kind: "unknown" } },
  { why: "an empty error", error: new Error(""), says: { kind: "unknown" } },
];
