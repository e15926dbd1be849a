/**
 * The anchor of a usage ledger: the size of a window as it was last reported, and how it is read back from a snapshot.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { TokenSource } from "./token-figure.ts";

export interface Anchor {
  /** In the model's tokens, as reported or counted. */
  readonly tokens: number;
  /** How much of the ledger's sum it covers, in reference tokens. */
  readonly coveredTokens: number;
  readonly source: TokenSource;
  /** Sealed reasoning of the current turn within `tokens`; the provider drops it when the user speaks again. */
  readonly reasoningTokens?: number;
  /** Reasoning that `tokens` is without, because the user has spoken since: left out of the guess, not of the fit. */
  readonly droppedTokens?: number;
}

/** `undefined` where `value` is not an anchor. */
export function parseAnchor(value: unknown): Anchor | undefined {
  const anchor = isObject(value) ? value : {};
  const tokens = asNumber(anchor["tokens"]);
  const coveredTokens = asNumber(anchor["coveredTokens"]);
  const source = asString(anchor["source"]);
  if (tokens === undefined || coveredTokens === undefined || source === undefined) return undefined;
  const reasoningTokens = asNumber(anchor["reasoningTokens"]);
  const droppedTokens = asNumber(anchor["droppedTokens"]);
  return {
    tokens,
    coveredTokens,
    source: source as TokenSource,
    reasoningTokens,
    droppedTokens,
  };
}
