/**
 * Numbers of the clients that call a model through its vendor's SDK.
 */
import { assert } from "../assert.ts";

export const MODEL_CLIENT_DEFAULTS = {
  /** Output tokens asked for where neither the client nor the request says how many, up to what the model gives. Source: our choice: what Claude Code asks for. */
  maxOutputTokens: 32_000,
  /** Output tokens above which an answer is always streamed, also where no one listens. Source: Anthropic SDK 1.12, `internal/constants`: it refuses to wait for more from some models; more than 21,333 from any. */
  wholeAnswerTokens: 8_192,
} as const;

assert(
  MODEL_CLIENT_DEFAULTS.wholeAnswerTokens < MODEL_CLIENT_DEFAULTS.maxOutputTokens,
  "an answer of the default size is streamed",
);
