/**
 * The texts of providers for a request that is too large: for the window, with its output, in bytes, in
 * media, for a minute's allowance. The first row that fits counts, so the rows with figures and the narrow
 * ones stand before the broad ones.
 *
 * Source: the providers' own answers as they are in public issue trackers and in the tests of agents and
 * gateways (pi, litellm, opencode, strands, crewAI), beside what the vendors document.
 */
import type { FailureRow } from "./failure-evidence.ts";

/** A request that alone is more than a minute's allowance: it is refused as throttled, and no waiting helps. @internal */
export const OVER_RATE_LIMIT_ROWS: readonly FailureRow[] = [
  {
    vendor: "OpenAI, Groq",
    kind: "over-rate-limit",
    pattern: /request too large.{0,300}?\blimit (?<limit>[\d,]{1,20}), requested (?<prompt>[\d,]{1,20})/is,
    sample:
      "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 39143. The input or output tokens must be reduced in order to run successfully.",
  },
  {
    vendor: "Anthropic",
    kind: "over-rate-limit",
    pattern: /extra usage is required for long context requests|long context beta is not yet available/i,
    sample: "Extra usage is required for long context requests.",
  },
];

/** The prompt alone, or with the output that was asked for. @internal */
export const TOO_LONG_ROWS: readonly FailureRow[] = [
  {
    vendor: "Anthropic, Bedrock, Vertex",
    kind: "prompt-too-long",
    pattern: /prompt is too long(?:: (?<prompt>[\d,]{1,20}) tokens > (?<limit>[\d,]{1,20}) maximum)?/i,
    sample: "prompt is too long: 213462 tokens > 200000 maximum",
  },
  {
    vendor: "Anthropic, Bedrock",
    kind: "output-too-long",
    pattern:
      /input length and `?max_tokens`? exceed context limit(?:: (?<prompt>[\d,]{1,20}) \+ (?<output>[\d,]{1,20}) > (?<limit>[\d,]{1,20}))?/i,
    sample:
      "input length and `max_tokens` exceed context limit: 188059 + 20000 > 200000, decrease input length or `max_tokens` and try again",
  },
  {
    vendor: "OpenAI, DeepSeek",
    kind: "prompt-too-long",
    pattern:
      /maximum context length is (?<limit>[\d,]{1,20}) tokens.{0,40}requested [\d,]{1,20} tokens \((?<prompt>[\d,]{1,20}) in (?:the|your) (?:messages|prompt).{0,60}?(?<output>[\d,]{1,20}) (?:in|for) the completion/is,
    sample:
      "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (131800 in the messages, 8200 in the completion). Please reduce the length of the messages or completion.",
  },
  {
    vendor: "OpenRouter",
    kind: "prompt-too-long",
    pattern:
      /maximum context length is (?<limit>[\d,]{1,20}) tokens.{0,40}requested about [\d,]{1,20} tokens \((?<prompt>[\d,]{1,20}) of text input(?:, (?<more>[\d,]{1,20}) of (?:tool|image) input)?(?:.{0,80}?(?<output>[\d,]{1,20}) in the output)?/is,
    sample:
      'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 151000 tokens (140000 of text input, 3000 of tool input, 8000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
  },
  {
    vendor: "vLLM",
    kind: "output-too-long",
    pattern:
      /is too large: (?<output>[\d,]{1,20})\. ?This model's maximum context length is (?<limit>[\d,]{1,20}) tokens and your request has (?<prompt>[\d,]{1,20}) input tokens/i,
    sample:
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 5000 input tokens (32000 > 32768 - 5000).",
  },
  {
    vendor: "vLLM",
    kind: "prompt-too-long",
    pattern:
      /maximum context length is (?<limit>[\d,]{1,20}) tokens.{0,40}requested (?<output>[\d,]{1,20}) output tokens and your prompt contains (?:at least )?(?<prompt>[\d,]{1,20}) input tokens/is,
    sample:
      "This model's maximum context length is 32768 tokens. However, you requested 1024 output tokens and your prompt contains at least 32769 input tokens, for a total of at least 33793 tokens.",
  },
  {
    vendor: "OpenAI",
    kind: "prompt-too-long",
    pattern:
      /input tokens exceed the configured limit of (?<limit>[\d,]{1,20}) tokens(?:\. your messages resulted in (?<prompt>[\d,]{1,20}) tokens)?/i,
    sample:
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 402740 tokens. Please reduce the length of the messages.",
  },
  {
    vendor: "OpenAI",
    kind: "prompt-too-long",
    pattern:
      /maximum context length is (?<limit>[\d,]{1,20}) tokens.{0,40}messages resulted in (?<prompt>[\d,]{1,20}) tokens/is,
    sample:
      "This model's maximum context length is 1047576 tokens. However, your messages resulted in 1129124 tokens. Please reduce the length of the messages.",
  },
  {
    vendor: "OpenAI, Azure",
    kind: "prompt-too-long",
    pattern: /exceeds the context window/i,
    sample: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  },
  {
    vendor: "LiteLLM, SGLang",
    kind: "prompt-too-long",
    pattern:
      /(?:input length|token count|requested tokens?) ?\(?(?<prompt>[\d,]{1,20})?(?: tokens)?\)? ?exceeds (?:the )?(?:model'?s )?maximum context length(?: of | \()(?<limit>[\d,]{1,20})/i,
    sample: "Input length (265330) exceeds model's maximum context length (262144).",
  },
  {
    vendor: "LiteLLM",
    kind: "prompt-too-long",
    pattern: /exceeds the model'?s maximum context (?:length|limit) of (?<limit>[\d,]{1,20})/i,
    sample: "Requested token count exceeds the model's maximum context length of 131072 tokens.",
  },
  {
    vendor: "Gemini, Vertex",
    kind: "prompt-too-long",
    pattern:
      /input token count(?: \((?<prompt>[\d,]{1,20})\))? exceeds the maximum number of tokens allowed(?: \(?(?<limit>[\d,]{1,20}))?/i,
    sample: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
  },
  {
    vendor: "xAI",
    kind: "prompt-too-long",
    pattern:
      /maximum prompt length is (?<limit>[\d,]{1,20})(?: but the request contains (?<prompt>[\d,]{1,20}) tokens)?/i,
    sample: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  },
  {
    vendor: "Mistral",
    kind: "prompt-too-long",
    pattern:
      /prompt contains (?<prompt>[\d,]{1,20}) tokens.{0,120}?too large for model with (?<limit>[\d,]{1,20}) maximum context length/is,
    sample:
      "Prompt contains 140321 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
  },
  {
    vendor: "GitHub Copilot",
    kind: "prompt-too-long",
    pattern: /prompt token count of (?<prompt>[\d,]{1,20}) exceeds the limit of (?<limit>[\d,]{1,20})/i,
    sample: "prompt token count of 128910 exceeds the limit of 128000",
  },
  {
    vendor: "Together AI",
    kind: "prompt-too-long",
    pattern:
      /(?:input|prompt)(?: \((?<prompt>[\d,]{1,20}) tokens\))? is longer than the model'?s context length(?: \(| of )?(?<limit>[\d,]{1,20})?/i,
    sample: "The input (210000 tokens) is longer than the model's context length (131072 tokens).",
  },
  {
    vendor: "Poolside",
    kind: "prompt-too-long",
    pattern:
      /input length (?<prompt>[\d,]{1,20}) exceeds the maximum allowed input length of (?<limit>[\d,]{1,20}) tokens/i,
    sample: "Input length 140000 exceeds the maximum allowed input length of 131072 tokens.",
  },
  {
    vendor: "Cerebras",
    kind: "prompt-too-long",
    pattern: /current length is (?<prompt>[\d,]{1,20}) while limit is (?<limit>[\d,]{1,20})/i,
    sample:
      "Please reduce the length of the messages or completion. Current length is 70000 while limit is 65536",
  },
  {
    vendor: "Hugging Face TGI",
    kind: "output-too-long",
    pattern:
      /`inputs` tokens \+ `max_new_tokens` must be <= (?<limit>[\d,]{1,20})\. Given: (?<prompt>[\d,]{1,20}) `inputs` tokens and (?<output>[\d,]{1,20})/i,
    sample:
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 512 `max_new_tokens`",
  },
  {
    vendor: "llama.cpp",
    kind: "prompt-too-long",
    pattern:
      /request(?: \((?<prompt>[\d,]{1,20}) tokens\))? exceeds the available context size(?: \((?<limit>[\d,]{1,20}) tokens\))?/i,
    codes: ["exceed_context_size_error"],
    sample: "request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it",
  },
  {
    vendor: "LM Studio",
    kind: "prompt-too-long",
    pattern:
      /greater than the context length(?: \(n_keep: (?<prompt>[\d,]{1,20}) ?>=? ?n_ctx: (?<limit>[\d,]{1,20}))?/i,
    sample:
      "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10978 >= n_ctx: 8192).",
  },
  {
    vendor: "Kimi",
    kind: "prompt-too-long",
    pattern:
      /exceeded model token limit(?:: (?<limit>[\d,]{1,20}))?(?: \(requested: (?<prompt>[\d,]{1,20})\))?/i,
    sample: "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
  },
  {
    vendor: "DashScope (Qwen)",
    kind: "prompt-too-long",
    pattern: /range of input length should be \[\d{1,10}, ?(?<limit>\d{1,12})\]/i,
    sample: "InternalError.Algo.InvalidParameter: Range of input length should be [1, 202745]",
  },
  {
    vendor: "DS4",
    kind: "prompt-too-long",
    pattern:
      /prompt has (?<prompt>[\d,]{1,20}) tokens?, but the configured context size is (?<limit>[\d,]{1,20})/i,
    sample: "Prompt has 32769 tokens, but the configured context size is 32768 tokens",
  },
  {
    vendor: "Ollama",
    kind: "prompt-too-long",
    pattern:
      /prompt too long; exceeded (?:max )?context length|input length exceeds (?:the )?(?:maximum )?context length|context size has been exceeded/i,
    sample: "prompt too long; exceeded max context length by 4096 tokens",
  },
  {
    vendor: "Bedrock",
    kind: "prompt-too-long",
    pattern:
      /input is too long for (?:the |this )?(?:requested )?model|too many total text bytes|exceeds? (?:the )?context limit/i,
    sample: "ValidationException: Input is too long for requested model.",
  },
  {
    vendor: "Bedrock (Titan, Nova)",
    kind: "prompt-too-long",
    pattern:
      /too many input tokens\. max input tokens: (?<limit>[\d,]{1,20}), request input token count: (?<prompt>[\d,]{1,20})/i,
    sample: "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9001",
  },
  {
    vendor: "MiniMax",
    kind: "prompt-too-long",
    pattern: /context window exceeds limit/i,
    sample: "invalid params, context window exceeds limit (2013)",
  },
  {
    vendor: "z.ai (GLM)",
    kind: "prompt-too-long",
    pattern: /prompt exceeds max(?:imum)? (?:context )?length|prompt 超长|输入长度超过模型上限/i,
    codes: ["1261"],
    sample: "Prompt exceeds max length",
  },
  {
    vendor: "Perplexity, any",
    kind: "prompt-too-long",
    pattern:
      /maximum (?:context|model|input|prompt) (?:length|limit) (?:is|of) (?:only )?(?<limit>[\d,]{1,20})(?! ?(?:characters|chars|bytes))\b/i,
    sample: "This model's maximum context length is 127072 tokens.",
  },
  {
    vendor: "Groq, any",
    kind: "prompt-too-long",
    pattern:
      /reduce the length of the (?:messages|input|prompt)|(?:context|prompt|token)[_ ](?:length|limit|window)[_ ](?:was |has been )?exceeded|exceeds? (?:the )?(?:model'?s )?(?:maximum )?(?:context (?:length|window|limit)|token limit)\b/i,
    codes: ["context_length_exceeded", "model_context_window_exceeded", "context_window_exceeded"],
    sample: "Please reduce the length of the messages or completion.",
  },
  {
    vendor: "Cerebras, Mistral",
    kind: "prompt-too-long",
    pattern: /^400 (?:status code )?\(no body\)/i,
    sample: "400 status code (no body)",
  },
];
