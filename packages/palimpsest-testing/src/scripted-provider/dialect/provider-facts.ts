/**
 * Figures of the vendors that the scripted provider plays.
 *
 * They are not among the library's defaults, so that changing a default cannot change the provider that tests the code.
 */
export const PROVIDER_FACTS = {
  /** Window of an unknown model, in tokens. Source: our choice, the usual one. */
  windowTokens: 200_000,
  /** Output of a model, in tokens, as the models endpoint reports it. Source: our choice, that of Claude Sonnet 4.5. */
  maxOutputTokens: 64_000,
  /** Largest body in bytes. Source: Anthropic API reference, "Errors": 32 MB for Messages. */
  maxBodyBytes: 32 * 1024 * 1024,
  /** Bodies above this many times the limit are not even read to their end. Source: our choice. */
  drainedBodies: 4,
  /** Bodies that are kept for a test to look at. Source: our choice: a long session holds megabytes in each. */
  bodiesKept: 200,
  /** Tokens that a block adds to its text: role, type, separators. Source: our choice, about what providers add. */
  blockTokens: 3,
  /** Tokens of an image or a document that is not text. Source: Anthropic docs, "Vision": 1,568 at most, rounded. */
  mediaTokens: 1_600,
  /** Lifetimes of Anthropic's cache by the name of its mark, in milliseconds. Source: Anthropic docs, "Prompt caching". */
  markLifetimeMs: { "5m": 300_000, "1h": 3_600_000 },
  /** Positions before a mark that are searched for a cached prefix. Source: Anthropic docs, "Prompt caching". */
  lookBackCount: 20,
  /** Shortest cached prefix by model, in tokens, tried in order. Source: Anthropic docs, "Prompt caching". */
  minimumPrefixTokens: [
    [/^claude-(fable|mythos)-5|^claude-opus-5/, 512],
    [/^claude-opus-4-7/, 2_048],
    [/^claude-opus-4-[56]|^claude-haiku-4-5/, 4_096],
  ] as readonly (readonly [RegExp, number])[],
  /** Shortest cached prefix of every other model, in tokens. Source: Anthropic docs, "Prompt caching". */
  usualMinimumPrefixTokens: 1_024,
  /** OpenAI's automatic cache: shortest prefix and steps in tokens. Source: OpenAI docs, "Prompt caching". */
  automaticCacheTokens: { minimum: 1_024, step: 128 },
  /** Lifetime of that cache, in milliseconds. Source: OpenAI docs, "Prompt caching": 5 to 10 minutes of inactivity. */
  automaticCacheLifetimeMs: 600_000,
  /** First Claude whose answer may reach the end of the window; older ones refuse such a request. Source: Anthropic docs, "Context windows". */
  firstClaudeThatRunsIntoWindow: [4, 5],
  /** First Claude that does not continue a last assistant message. Source: Anthropic docs, "What's new in Claude 4.6". */
  firstClaudeWithoutPrefill: [4, 6],
  /** Characters of a delta in a stream. Source: our choice: several deltas in a short answer. */
  deltaLength: 24,
  /** A ping goes after this many deltas. Source: our choice; Anthropic docs, "Streaming": any number, anywhere. */
  deltasPerPing: 8,
  /** Seconds that a client is asked to wait. Source: our choice, short: tests wait for it. */
  retryAfterSeconds: 1,
  /** Tokens that an account may send a minute. Source: OpenAI docs, "Rate limits", a small account. */
  tokensPerMinute: 30_000,
  /** Characters of the question that the default answer repeats. Source: our choice. */
  quotedLength: 120,
} as const;
