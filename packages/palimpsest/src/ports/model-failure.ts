/**
 * Failures of a model call, in terms that are the same for every provider. The reaction to a failure depends on its
 * `kind` alone.
 */

/** Kinds of failures, each with its remedy. */
export type ModelFailureKind =
  /** The prompt has more tokens than the window: make it shorter. */
  | "prompt-too-long"
  /** The prompt fits, but not with the output that was asked for: ask for less, or make the prompt shorter. */
  | "output-too-long"
  /** The body has too many bytes. */
  | "body-too-large"
  /** Too many images or documents, or too large ones. */
  | "media-too-large"
  /** This one request is larger than the limit per minute: make it shorter; waiting does not help. */
  | "over-rate-limit"
  /** Too many requests or tokens: wait. */
  | "throttled"
  /** The provider is overloaded or failed: try again later. */
  | "overloaded"
  /** No connection, or it broke. */
  | "network"
  /** It took too long. */
  | "timeout"
  /** It was aborted by the caller. */
  | "aborted"
  /** The key, permission or credit does not suffice. */
  | "not-allowed"
  /** The provider does not know the model. */
  | "unknown-model"
  /** The request breaks a rule of the provider; `isThinkingBinding` says whether edited history is the cause. */
  | "invalid-request"
  /** The answer could not be read. */
  | "unreadable-answer"
  | "unknown";

/** One failed call. */
export interface ModelFailure {
  readonly kind: ModelFailureKind;
  /** The provider's message, shortened; without keys. */
  readonly message: string;
  readonly status?: number;
  /** The provider's own code or type. */
  readonly providerCode?: string;
  /** Tokens of the prompt, as the provider counted them; for `over-rate-limit` those of prompt and output. */
  readonly promptTokens?: number;
  /** The provider's limit in tokens: the window, or for `over-rate-limit` the limit per minute. */
  readonly limitTokens?: number;
  /** Tokens of output that were asked for. */
  readonly outputTokens?: number;
  /** Size of the body, in bytes. */
  readonly bytes?: number;
  /** The provider's limit for it. */
  readonly limitBytes?: number;
  /** Time that the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** True if a signature of thinking no longer matches the edited history. */
  readonly isThinkingBinding?: boolean;
}
