/**
 * Failures of a model call, in words that are the same for every provider. What is done about
 * it follows from `kind` alone.
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
  /** The request alone is larger than what may be sent in a minute: make it shorter; waiting does not help. */
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
  /** Key, permission or credit. */
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
  /** Tokens of the prompt, as the provider counted them; of prompt and output where the kind is `over-rate-limit`. */
  readonly promptTokens?: number;
  /** Tokens that the provider takes: of the window, or of a minute where the kind is `over-rate-limit`. */
  readonly limitTokens?: number;
  /** Tokens of output that were asked for. */
  readonly outputTokens?: number;
  /** Bytes, likewise. */
  readonly bytes?: number;
  readonly limitBytes?: number;
  /** Time that the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** A signature of thinking does not fit the history any longer. */
  readonly isThinkingBinding?: boolean;
}
