/** What providers say of requests that are too large, as their SDKs hand it on. */
import type { ModelFailure } from "../../../src/ports/model-failure.ts";
import { aiSdkError, anthropicError, bedrockError, geminiError, openaiError } from "./vendor-errors.ts";

export interface Sample {
  readonly why: string;
  readonly error: unknown;
  readonly says: { readonly [Field in keyof ModelFailure]?: ModelFailure[Field] | undefined };
}

const bad = (message: string, code?: string): unknown =>
  openaiError({ status: 400, message, ...(code === undefined ? {} : { code }) });

export const TOO_LONG_SAMPLES: readonly Sample[] = [
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
    error: bad("Your request was too much for this model.", "context_length_exceeded"),
    says: { kind: "prompt-too-long", providerCode: "context_length_exceeded" },
  },
  {
    why: "OpenAI, the window",
    error: bad(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
    ),
    says: { kind: "prompt-too-long" },
  },
  {
    why: "OpenAI, the configured limit",
    error: bad(
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 402740 tokens. Please reduce the length of the messages.",
      "context_length_exceeded",
    ),
    says: { kind: "prompt-too-long", promptTokens: 402_740, limitTokens: 272_000 },
  },
  {
    why: "OpenAI, the configured limit alone",
    error: bad("Input tokens exceed the configured limit of 922000 tokens"),
    says: { kind: "prompt-too-long", limitTokens: 922_000, promptTokens: undefined },
  },
  {
    why: "OpenAI, messages above the window",
    error: bad(
      "This model's maximum context length is 1047576 tokens. However, your messages resulted in 1129124 tokens. Please reduce the length of the messages.",
    ),
    says: { kind: "prompt-too-long", promptTokens: 1_129_124, limitTokens: 1_047_576 },
  },
  {
    why: "OpenAI, messages that fit without the completion",
    error: bad(
      "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens (8000 in the messages, 1100 in the completion). Please reduce the length of the messages or completion.",
      "context_length_exceeded",
    ),
    says: { kind: "output-too-long", promptTokens: 8_000, outputTokens: 1_100, limitTokens: 8_192 },
  },
  {
    why: "OpenAI, messages and functions and completion",
    error: bad(
      "This model's maximum context length is 8192 tokens. However, you requested 9600 tokens (8500 in the messages, 100 in the functions, and 1000 in the completion).",
    ),
    says: { kind: "prompt-too-long", promptTokens: 8_500, limitTokens: 8_192 },
  },
  {
    why: "the older API of OpenAI",
    error: bad(
      "This model's maximum context length is 4097 tokens, however you requested 5360 tokens (4360 in your prompt; 1000 for the completion). Please reduce your prompt; or completion length.",
    ),
    says: { kind: "prompt-too-long", promptTokens: 4_360, outputTokens: 1_000, limitTokens: 4_097 },
  },
  {
    why: "DeepSeek",
    error: bad(
      "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (131800 in the messages, 8200 in the completion). Please reduce the length of the messages or completion.",
    ),
    says: { kind: "prompt-too-long", promptTokens: 131_800, limitTokens: 131_072 },
  },
  {
    why: "Azure",
    error: bad(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 131010 tokens (130900 in the messages, 110 in the functions).",
      "context_length_exceeded",
    ),
    says: { kind: "prompt-too-long", promptTokens: 131_010, limitTokens: 128_000 },
  },
  {
    why: "OpenRouter, text above the window",
    error: bad(
      'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 151000 tokens (140000 of text input, 3000 of tool input, 8000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
    ),
    says: { kind: "prompt-too-long", promptTokens: 143_000, outputTokens: 8_000, limitTokens: 131_072 },
  },
  {
    why: "OpenRouter, the output alone is too much",
    error: bad(
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
    error: bad(
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 5000 input tokens (32000 > 32768 - 5000).",
    ),
    says: { kind: "output-too-long", promptTokens: 5_000, outputTokens: 32_000, limitTokens: 32_768 },
  },
  {
    why: "vLLM, the prompt",
    error: bad(
      "This model's maximum context length is 32768 tokens. However, you requested 1024 output tokens and your prompt contains at least 32769 input tokens, for a total of at least 33793 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
    ),
    says: { kind: "prompt-too-long", promptTokens: 32_769, limitTokens: 32_768 },
  },
  {
    why: "SGLang",
    error: bad("Input length (265330) exceeds model's maximum context length (262144)."),
    says: { kind: "prompt-too-long", promptTokens: 265_330, limitTokens: 262_144 },
  },
  {
    why: "LiteLLM",
    error: bad(
      "litellm.ContextWindowExceededError: Requested token count exceeds the model's maximum context length of 131072 tokens.",
    ),
    says: { kind: "prompt-too-long", limitTokens: 131_072 },
  },
  {
    why: "Gemini, with figures",
    error: geminiError(
      400,
      "INVALID_ARGUMENT",
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    ),
    says: { kind: "prompt-too-long", promptTokens: 1_196_265, limitTokens: 1_048_575 },
  },
  {
    why: "Gemini, without figures",
    error: geminiError(
      400,
      "INVALID_ARGUMENT",
      "The input token count exceeds the maximum number of tokens allowed.",
    ),
    says: { kind: "prompt-too-long", promptTokens: undefined },
  },
  {
    why: "xAI",
    error: bad("This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
    says: { kind: "prompt-too-long", promptTokens: 537_812, limitTokens: 131_072 },
  },
  {
    why: "Mistral",
    error: bad(
      "Prompt contains 140321 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
    ),
    says: { kind: "prompt-too-long", promptTokens: 140_321, limitTokens: 131_072 },
  },
  {
    why: "GitHub Copilot",
    error: bad(
      "prompt token count of 128910 exceeds the limit of 128000",
      "model_max_prompt_tokens_exceeded",
    ),
    says: { kind: "prompt-too-long", promptTokens: 128_910, limitTokens: 128_000 },
  },
  {
    why: "Together AI",
    error: bad("The input (210000 tokens) is longer than the model's context length (131072 tokens)."),
    says: { kind: "prompt-too-long", promptTokens: 210_000, limitTokens: 131_072 },
  },
  {
    why: "Poolside",
    error: bad("Input length 140000 exceeds the maximum allowed input length of 131072 tokens."),
    says: { kind: "prompt-too-long", promptTokens: 140_000, limitTokens: 131_072 },
  },
  {
    why: "Cerebras, in words",
    error: bad(
      "Please reduce the length of the messages or completion. Current length is 70000 while limit is 65536",
      "context_length_exceeded",
    ),
    says: { kind: "prompt-too-long", promptTokens: 70_000, limitTokens: 65_536 },
  },
  {
    why: "Cerebras and Mistral, without a word",
    error: new Error("400 status code (no body)"),
    says: { kind: "prompt-too-long" },
  },
  {
    why: "Groq",
    error: bad("Please reduce the length of the messages or completion.", "context_length_exceeded"),
    says: { kind: "prompt-too-long" },
  },
  {
    why: "Text Generation Inference",
    error: {
      status: 422,
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 512 `max_new_tokens`",
      error_type: "validation",
    },
    says: {
      kind: "output-too-long",
      status: 422,
      promptTokens: 4_000,
      outputTokens: 512,
      limitTokens: 4_096,
    },
  },
  {
    why: "llama.cpp, figures in words",
    error: bad("request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it"),
    says: { kind: "prompt-too-long", promptTokens: 13_392, limitTokens: 8_192 },
  },
  {
    why: "llama.cpp, figures in fields",
    error: openaiErrorWith({
      code: 400,
      type: "exceed_context_size_error",
      message: "the request exceeds the available context size, try increasing it",
      n_prompt_tokens: 13_392,
      n_ctx: 8_192,
    }),
    says: {
      kind: "prompt-too-long",
      promptTokens: 13_392,
      limitTokens: 8_192,
      providerCode: "exceed_context_size_error",
    },
  },
  {
    why: "LM Studio",
    error: bad(
      "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10978 >= n_ctx: 8192). Try to load the model with a larger context length, or provide a shorter input.",
    ),
    says: { kind: "prompt-too-long", promptTokens: 10_978, limitTokens: 8_192 },
  },
  {
    why: "Kimi",
    error: bad("Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"),
    says: { kind: "prompt-too-long", promptTokens: 291_351, limitTokens: 262_144 },
  },
  {
    why: "Qwen",
    error: bad(
      "InternalError.Algo.InvalidParameter: Range of input length should be [1, 202745]",
      "invalid_parameter_error",
    ),
    says: { kind: "prompt-too-long", limitTokens: 202_745 },
  },
  {
    why: "Ollama, where it says so",
    error: { status: 400, error: "prompt too long; exceeded max context length by 4096 tokens" },
    says: { kind: "prompt-too-long" },
  },
  {
    why: "MiniMax",
    error: bad("invalid params, context window exceeds limit (2013)"),
    says: { kind: "prompt-too-long" },
  },
  {
    why: "z.ai, by its code",
    error: openaiErrorWith({ code: "1261", message: "Prompt 超长" }),
    says: { kind: "prompt-too-long", providerCode: "1261" },
  },
  {
    why: "z.ai, a stop reason as an error",
    error: new Error("Unhandled stop reason: model_context_window_exceeded"),
    says: { kind: "prompt-too-long" },
  },
  {
    why: "Bedrock",
    error: bedrockError("ValidationException", "Input is too long for requested model."),
    says: { kind: "prompt-too-long", status: 400, providerCode: "ValidationException" },
  },
  {
    why: "Bedrock, Anthropic's words behind its own",
    error: bedrockError(
      "ValidationException",
      "The model returned the following errors: prompt is too long: 207422 tokens > 200000 maximum",
    ),
    says: { kind: "prompt-too-long", promptTokens: 207_422, limitTokens: 200_000 },
  },
  {
    why: "Bedrock, bytes of text",
    error: bedrockError("ValidationException", "too many total text bytes: 25400000 > 25000000"),
    says: { kind: "prompt-too-long" },
  },
  {
    why: "Bedrock, Titan",
    error: bedrockError(
      "ValidationException",
      "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9001",
    ),
    says: { kind: "prompt-too-long", promptTokens: 9_001, limitTokens: 8_192 },
  },
  {
    why: "a gateway that answers 500 with the provider's words",
    error: openaiError({
      status: 500,
      message: "Upstream: prompt is too long: 210000 tokens > 200000 maximum",
    }),
    says: { kind: "prompt-too-long", status: 500 },
  },
  {
    why: "a retry that gave up, the last error inside",
    error: Object.assign(new Error("Failed after 3 attempts."), {
      name: "AI_RetryError",
      reason: "maxRetriesExceeded",
      lastError: aiSdkError({ status: 400, message: "prompt is too long: 12 tokens > 10 maximum" }),
    }),
    says: { kind: "prompt-too-long", promptTokens: 12, limitTokens: 10 },
  },
  {
    why: "a string",
    error: "prompt is too long: 12 tokens > 10 maximum",
    says: { kind: "prompt-too-long", promptTokens: 12 },
  },
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
    error: anthropicHtml(413, "<html><head><title>413 Request Entity Too Large</title></head></html>"),
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
    error: bad(
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
    error: bad("At most 30 image(s) may be provided in one prompt."),
    says: { kind: "media-too-large" },
  },
];

function openaiErrorWith(error: Readonly<Record<string, unknown>>): unknown {
  return Object.assign(new Error(`400 ${String(error["message"])}`), { status: 400, error });
}

function anthropicHtml(status: number, html: string): unknown {
  return Object.assign(new Error(`${status} ${html}`), { status, error: undefined });
}
