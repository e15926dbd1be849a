/** Prompts that are too long, in the words of further vendors, and in envelopes. */
import type { Sample } from "./sample.ts";
import {
  aiSdkError,
  badRequest,
  bedrockError,
  geminiError,
  openaiError,
  openaiErrorWith,
} from "./vendor-errors.ts";

export const FURTHER_VENDOR_SAMPLES: readonly Sample[] = [
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
    error: badRequest("This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
    says: { kind: "prompt-too-long", promptTokens: 537_812, limitTokens: 131_072 },
  },
  {
    why: "Mistral",
    error: badRequest(
      "Prompt contains 140321 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
    ),
    says: { kind: "prompt-too-long", promptTokens: 140_321, limitTokens: 131_072 },
  },
  {
    why: "GitHub Copilot",
    error: badRequest(
      "prompt token count of 128910 exceeds the limit of 128000",
      "model_max_prompt_tokens_exceeded",
    ),
    says: { kind: "prompt-too-long", promptTokens: 128_910, limitTokens: 128_000 },
  },
  {
    why: "Together AI",
    error: badRequest("The input (210000 tokens) is longer than the model's context length (131072 tokens)."),
    says: { kind: "prompt-too-long", promptTokens: 210_000, limitTokens: 131_072 },
  },
  {
    why: "Poolside",
    error: badRequest("Input length 140000 exceeds the maximum allowed input length of 131072 tokens."),
    says: { kind: "prompt-too-long", promptTokens: 140_000, limitTokens: 131_072 },
  },
  {
    why: "Cerebras, in words",
    error: badRequest(
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
    error: badRequest("Please reduce the length of the messages or completion.", "context_length_exceeded"),
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
    error: badRequest(
      "request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it",
    ),
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
    error: badRequest(
      "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10978 >= n_ctx: 8192). Try to load the model with a larger context length, or provide a shorter input.",
    ),
    says: { kind: "prompt-too-long", promptTokens: 10_978, limitTokens: 8_192 },
  },
  {
    why: "Kimi",
    error: badRequest("Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"),
    says: { kind: "prompt-too-long", promptTokens: 291_351, limitTokens: 262_144 },
  },
  {
    why: "Qwen",
    error: badRequest(
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
    error: badRequest("invalid params, context window exceeds limit (2013)"),
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
];
