/** Prompts that are too long, in the words of Anthropic, OpenAI, and servers that speak like them. */
import type { Sample } from "./sample.ts";
import { aiSdkError, anthropicError, badRequest, geminiError, openaiErrorWith } from "./vendor-errors.ts";

export const LARGE_VENDOR_SAMPLES: readonly Sample[] = [
  {
    why: "Anthropic, with figures",
    error: anthropicError({ status: 400, message: "prompt is too long: 213462 tokens > 200000 maximum" }),
    says: { kind: "prompt-too-long", status: 400, promptTokens: 213_462, limitTokens: 200_000 },
  },
  {
    why: "Anthropic, without figures",
    error: anthropicError({ status: 400, message: "Prompt is too long" }),
    says: { kind: "prompt-too-long", promptTokens: undefined, limitTokens: undefined },
  },
  {
    why: "Anthropic through the AI SDK",
    error: aiSdkError({ status: 400, message: "prompt is too long: 1,213,462 tokens > 1,000,000 maximum" }),
    says: { kind: "prompt-too-long", status: 400, promptTokens: 1_213_462, limitTokens: 1_000_000 },
  },
  {
    why: "Anthropic, the prompt fits and the output does not",
    error: anthropicError({
      status: 400,
      message:
        "input length and `max_tokens` exceed context limit: 188059 + 20000 > 200000, decrease input length or `max_tokens` and try again",
    }),
    says: { kind: "output-too-long", promptTokens: 188_059, outputTokens: 20_000, limitTokens: 200_000 },
  },
  {
    why: "Anthropic, the same words where the prompt alone is too long",
    error: anthropicError({
      status: 400,
      message: "input length and `max_tokens` exceed context limit: 205000 + 32000 > 200000",
    }),
    says: { kind: "prompt-too-long", promptTokens: 205_000, limitTokens: 200_000 },
  },
  {
    why: "Anthropic, in the middle of a stream, where there is no status",
    error: Object.assign(new Error("stream"), {
      error: {
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" },
      },
    }),
    says: { kind: "prompt-too-long", status: undefined, promptTokens: 9, limitTokens: 8 },
  },
  {
    why: "Anthropic on Vertex, JSON in JSON",
    error: geminiError(
      400,
      "INVALID_ARGUMENT",
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 201000 tokens > 200000 maximum"},"request_id":"req_vrtx_1"}',
    ),
    says: {
      kind: "prompt-too-long",
      promptTokens: 201_000,
      limitTokens: 200_000,
      message: "prompt is too long: 201000 tokens > 200000 maximum",
    },
  },
  {
    why: "OpenAI, by its code",
    error: badRequest("Your request was too much for this model.", "context_length_exceeded"),
    says: { kind: "prompt-too-long", providerCode: "context_length_exceeded" },
  },
  {
    why: "OpenAI, the window",
    error: badRequest(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
    ),
    says: { kind: "prompt-too-long" },
  },
  {
    why: "OpenAI, the configured limit",
    error: badRequest(
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 402740 tokens. Please reduce the length of the messages.",
      "context_length_exceeded",
    ),
    says: { kind: "prompt-too-long", promptTokens: 402_740, limitTokens: 272_000 },
  },
  {
    why: "OpenAI, the configured limit alone",
    error: badRequest("Input tokens exceed the configured limit of 922000 tokens"),
    says: { kind: "prompt-too-long", limitTokens: 922_000, promptTokens: undefined },
  },
  {
    why: "OpenAI, messages above the window",
    error: badRequest(
      "This model's maximum context length is 1047576 tokens. However, your messages resulted in 1129124 tokens. Please reduce the length of the messages.",
    ),
    says: { kind: "prompt-too-long", promptTokens: 1_129_124, limitTokens: 1_047_576 },
  },
  {
    why: "OpenAI, messages that fit without the completion",
    error: badRequest(
      "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens (8000 in the messages, 1100 in the completion). Please reduce the length of the messages or completion.",
      "context_length_exceeded",
    ),
    says: { kind: "output-too-long", promptTokens: 8_000, outputTokens: 1_100, limitTokens: 8_192 },
  },
  {
    why: "OpenAI, messages and functions and completion",
    error: badRequest(
      "This model's maximum context length is 8192 tokens. However, you requested 9600 tokens (8500 in the messages, 100 in the functions, and 1000 in the completion).",
    ),
    says: { kind: "prompt-too-long", promptTokens: 8_500, limitTokens: 8_192 },
  },
  {
    why: "the older API of OpenAI",
    error: badRequest(
      "This model's maximum context length is 4097 tokens, however you requested 5360 tokens (4360 in your prompt; 1000 for the completion). Please reduce your prompt; or completion length.",
    ),
    says: { kind: "prompt-too-long", promptTokens: 4_360, outputTokens: 1_000, limitTokens: 4_097 },
  },
  {
    why: "DeepSeek",
    error: badRequest(
      "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (131800 in the messages, 8200 in the completion). Please reduce the length of the messages or completion.",
    ),
    says: { kind: "prompt-too-long", promptTokens: 131_800, limitTokens: 131_072 },
  },
  {
    why: "Azure",
    error: badRequest(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 131010 tokens (130900 in the messages, 110 in the functions).",
      "context_length_exceeded",
    ),
    says: { kind: "prompt-too-long", promptTokens: 131_010, limitTokens: 128_000 },
  },
  {
    why: "OpenRouter, text above the window",
    error: badRequest(
      'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 151000 tokens (140000 of text input, 3000 of tool input, 8000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
    ),
    says: { kind: "prompt-too-long", promptTokens: 143_000, outputTokens: 8_000, limitTokens: 131_072 },
  },
  {
    why: "OpenRouter, the output alone is too much",
    error: badRequest(
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 151000 tokens (120000 of text input, 31000 in the output).",
    ),
    says: { kind: "output-too-long", promptTokens: 120_000, outputTokens: 31_000 },
  },
  {
    why: "OpenRouter, another provider's words in its metadata",
    error: openaiErrorWith({
      message: "Provider returned error",
      code: 400,
      metadata: {
        raw: '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
        provider_name: "Anthropic",
      },
    }),
    says: {
      kind: "prompt-too-long",
      promptTokens: 210_000,
      limitTokens: 200_000,
      message: "prompt is too long: 210000 tokens > 200000 maximum",
    },
  },
  {
    why: "vLLM, output that does not fit",
    error: badRequest(
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 5000 input tokens (32000 > 32768 - 5000).",
    ),
    says: { kind: "output-too-long", promptTokens: 5_000, outputTokens: 32_000, limitTokens: 32_768 },
  },
  {
    why: "vLLM, the prompt",
    error: badRequest(
      "This model's maximum context length is 32768 tokens. However, you requested 1024 output tokens and your prompt contains at least 32769 input tokens, for a total of at least 33793 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
    ),
    says: { kind: "prompt-too-long", promptTokens: 32_769, limitTokens: 32_768 },
  },
  {
    why: "SGLang",
    error: badRequest("Input length (265330) exceeds model's maximum context length (262144)."),
    says: { kind: "prompt-too-long", promptTokens: 265_330, limitTokens: 262_144 },
  },
  {
    why: "LiteLLM",
    error: badRequest(
      "litellm.ContextWindowExceededError: Requested token count exceeds the model's maximum context length of 131072 tokens.",
    ),
    says: { kind: "prompt-too-long", limitTokens: 131_072 },
  },
];
