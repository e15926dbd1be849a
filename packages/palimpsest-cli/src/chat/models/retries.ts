/**
 * Retries of calls that failed for a while: rate limits, overload, lost connections. They are made here and not by the
 * SDKs, so that every provider has the same ones, a person sees them, and Ctrl-C ends the wait.
 *
 * A call of which something arrived already is not made again here: the turn recovers from it.
 */
import type { ModelClient, ModelRequest, StreamingModelClient } from "palimpsest";
import { classifyModelError, type ModelFailure, type ModelFailureKind } from "palimpsest/tokens";

/** Told before each wait. */
export type RetryListener = (retry: {
  readonly attempt: number;
  readonly waitMs: number;
  readonly failure: ModelFailure;
}) => void;

/** Attempts after the first one. Our choice: with the waits below about two minutes. */
const RETRIES: Readonly<Partial<Record<ModelFailureKind, number>>> = {
  throttled: 8,
  overloaded: 8,
  network: 5,
  timeout: 1,
};
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** Requests that are remembered as given up. Our choice: more than a turn, its agents and the background ask at once. */
const GIVEN_UP_COUNT = 16;
/** Longest time that a provider may ask to wait, in milliseconds. Our choice: a person decides about more. */
const LONGEST_ASKED_MS = 300_000;

/** Waits; rejects when the signal is aborted. */
export type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** The client, with retries. */
export function withRetries(client: ModelClient, onRetry: RetryListener, wait: Wait = waitFor): ModelClient {
  const givenUp = new GivenUp();
  const retrying = async <Answer>(
    request: ModelRequest,
    call: () => Promise<Answer>,
    signal: AbortSignal | undefined,
    mayRetry = () => true,
  ): Promise<Answer> => {
    const isLast = givenUp.takes(request);
    for (let attempt = 1; ; attempt++)
      try {
        return await call();
      } catch (error) {
        const failure = (client.classifyError ?? classifyModelError)(error);
        const waitMs = isLast ? undefined : waitBefore(attempt, failure);
        if (waitMs === undefined && attempt > 1) givenUp.add(request);
        if (waitMs === undefined || !mayRetry() || signal?.aborted === true) throw error;
        onRetry({ attempt, waitMs, failure });
        await wait(waitMs, signal);
      }
  };
  const generate: ModelClient["generate"] = (request, options = {}) =>
    retrying(request, () => client.generate(request, options), options.signal);
  const inner = client.stream?.bind(client);
  if (inner === undefined) return { ...client, generate };
  const stream: StreamingModelClient["stream"] = (request, options = {}) => {
    let hasBegun = false;
    const onEvent: typeof options.onEvent = (event) => {
      hasBegun = true;
      options.onEvent?.(event);
    };
    return retrying(
      request,
      () => inner(request, { ...options, onEvent }),
      options.signal,
      () => !hasBegun,
    );
  };
  return { ...client, generate, stream };
}

/**
 * Requests of which all attempts failed. A turn asks once more by itself, and that is not to take as long again; what others
 * ask meanwhile, such as the notes in the background, has all its attempts. A request is known by its newest message.
 */
class GivenUp {
  readonly #newest: string[] = [];

  add({ messages }: ModelRequest): void {
    this.#newest.push(JSON.stringify(messages.at(-1)));
    if (this.#newest.length > GIVEN_UP_COUNT) this.#newest.shift();
  }

  /** True if the request is one of them; it is not any longer then. */
  takes({ messages }: ModelRequest): boolean {
    if (this.#newest.length === 0) return false;
    const at = this.#newest.indexOf(JSON.stringify(messages.at(-1)));
    if (at !== -1) this.#newest.splice(at, 1);
    return at !== -1;
  }
}

/** The wait before the next attempt; `undefined` if there is none. */
function waitBefore(attempt: number, { kind, retryAfterMs }: ModelFailure): number | undefined {
  if (attempt > (RETRIES[kind] ?? 0)) return undefined;
  const waitMs = retryAfterMs ?? Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return waitMs > LONGEST_ASKED_MS ? undefined : waitMs;
}

function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
