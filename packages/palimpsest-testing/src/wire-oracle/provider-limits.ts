/**
 * Limits that the providers set, as the wire oracle enforces them.
 *
 * They stand here and not among the library's defaults on purpose: no one may configure them, and
 * the code under judgement must not be able to move the bar by changing a default.
 */
export const PROVIDER_LIMITS = {
  /** Messages of one Anthropic request. Source: Anthropic API reference, "Messages". */
  anthropicMessageCount: 100_000,
  /** Cache marks of one Anthropic request. Source: Anthropic docs, "Prompt caching". */
  anthropicCacheMarkCount: 4,
  /** Characters of a tool's name, Anthropic. Source: Anthropic docs, "Define tools". */
  anthropicToolNameLength: 128,
  /** Characters of a tool call's id, OpenAI Chat. Source: the API's own refusal (`string too long`). */
  chatCallIdLength: 40,
  /** Characters of a `call_id`, OpenAI Responses. Source: the API's own refusal. */
  responsesCallIdLength: 64,
  /** Characters of a function's name, OpenAI. Source: OpenAI API reference, "Create chat completion". */
  openAiFunctionNameLength: 64,
} as const;
