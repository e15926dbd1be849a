/**
 * The size of a request from the best available source; cheap sources are asked first.
 *
 * The last report plus the estimate of later messages is free and nearly exact, so it answers unless it is missing
 * or so near a threshold that its error could decide. Then counters are asked: the provider's own,
 * then a published tokenizer. One that fails, is late or answers nonsense is reported and passed
 * over; the estimate always stands. Nothing a counter does reaches the caller.
 *
 * Every count says where it comes from, so that an estimate is never taken for a bill.
 */
import { TOKENS_DEFAULTS } from "../../base/defaults/tokens/tokens.ts";
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { CountableRequest, TokenCounter } from "../../ports/model-client.ts";

/** Consecutive failures after which a counter is left alone for the session. Our choice. */
const COUNTER_FAILURES_COUNT = 3;

/** Waits for `work` and rejects when it takes too long. The host decides how long that is. */
type CountDeadline = <Value>(work: Promise<Value>) => Promise<Value>;

/** A counter that did not count. */
export interface CounterFailure {
  readonly counter: string;
  readonly reason: string;
  readonly cause?: unknown;
  /** It failed too often in a row and is left alone from now on. */
  readonly isGivenUp: boolean;
}

interface CountingChainOptions {
  /** Provider's counter first, then tokenizers. */
  readonly counters: readonly TokenCounter[];
  readonly deadline: CountDeadline;
  readonly onFailure?: (failure: CounterFailure) => void;
}

/** True if `figure` should be checked with a counter before deciding at `thresholds` (in tokens). */
export function needsCounter(figure: TokenFigure, thresholds: readonly number[]): boolean {
  if (figure.source === "estimate") return true;
  if (figure.source !== "anchored") return false;
  return thresholds.some(
    (threshold) => Math.abs(figure.tokens - threshold) <= threshold * TOKENS_DEFAULTS.counterNearShare,
  );
}

/**
 * Asks counters in order where the estimate is not good enough to decide by. Use it beside a
 * `UsageLedger`, whose figure it takes and whose `counted` should get its result.
 */
export class CountingChain {
  readonly #counters: readonly TokenCounter[];
  readonly #deadline: CountDeadline;
  readonly #onFailure: (failure: CounterFailure) => void;
  readonly #failuresInRow = new Map<TokenCounter, number>();

  constructor({ counters, deadline, onFailure }: CountingChainOptions) {
    this.#counters = counters;
    this.#deadline = deadline;
    this.#onFailure = onFailure ?? (() => {});
  }

  /**
   * The best figure there is. `figure` is the ledger's; `request` is built only if a counter is asked.
   * Resolves always; report a counter's result to the ledger (`counted`).
   */
  async count({
    figure,
    thresholds,
    request,
  }: {
    readonly figure: TokenFigure;
    readonly thresholds: readonly number[];
    readonly request: () => CountableRequest;
  }): Promise<TokenFigure> {
    if (!needsCounter(figure, thresholds)) return figure;
    for (const counter of this.#counters) {
      if (this.#isGivenUp(counter)) continue;
      const tokens = await this.#ask(counter, request);
      if (tokens !== undefined) return { tokens, fitTokens: tokens, source: `counter:${counter.name}` };
    }
    return figure;
  }

  async #ask(counter: TokenCounter, request: () => CountableRequest): Promise<number | undefined> {
    try {
      const tokens = await this.#deadline(counter.count(request()));
      if (Number.isFinite(tokens) && tokens > 0) {
        this.#failuresInRow.delete(counter);
        return Math.ceil(tokens);
      }
      this.#fail(counter, { reason: `It answered ${String(tokens)}, which is no number of tokens.` });
    } catch (cause) {
      this.#fail(counter, { reason: cause instanceof Error ? cause.message : String(cause), cause });
    }
    return undefined;
  }

  #isGivenUp(counter: TokenCounter): boolean {
    return (this.#failuresInRow.get(counter) ?? 0) >= COUNTER_FAILURES_COUNT;
  }

  #fail(
    counter: TokenCounter,
    { reason, cause }: { readonly reason: string; readonly cause?: unknown },
  ): void {
    this.#failuresInRow.set(counter, (this.#failuresInRow.get(counter) ?? 0) + 1);
    const isGivenUp = this.#isGivenUp(counter);
    try {
      this.#onFailure({
        counter: counter.name,
        reason,
        isGivenUp,
        cause,
      });
    } catch {
      // An observer that throws must not turn a count into an error.
    }
  }
}

/** `reported` by the provider; `anchored`: reported plus an estimate of what came since; by a counter; or an estimate. */
export type TokenSource = "reported" | "anchored" | "estimate" | `counter:${string}`;

/** The size of a request, for reports and for decisions. */
export interface TokenFigure {
  /** Size of the request in the model's tokens, unpadded: the figure for reports. */
  readonly tokens: number;
  /** The same with its estimated part padded: the figure for deciding whether it fits. */
  readonly fitTokens: number;
  /** Its reliability. */
  readonly source: TokenSource;
}

export interface Anchor {
  /** In the model's tokens, as reported or counted. */
  readonly tokens: number;
  /** Part of the ledger's sum that it covers, in reference tokens. */
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
