/**
 * A count of tokens and where it comes from, so that nobody takes a guess for a bill.
 */

/** `reported` by the provider; `anchored`: reported plus an estimate of what came since; by a counter; or an estimate. */
export type TokenSource = "reported" | "anchored" | "estimate" | `counter:${string}`;

/** The size of a request, for reports and for decisions. */
export interface TokenFigure {
  /** What the request takes, in the model's tokens, unpadded: the figure for reports. */
  readonly tokens: number;
  /** The same with its estimated part padded: the figure for deciding whether it fits. */
  readonly fitTokens: number;
  /** How much to trust it. */
  readonly source: TokenSource;
}
