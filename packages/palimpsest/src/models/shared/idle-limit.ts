/**
 * The limit of silence in a streamed answer. Proxies and servers keep connections open with comments, which do not count
 * as events: without a limit only the end of the whole call would end such a wait.
 */
import { AGENT_DEFAULTS } from "../../base/defaults/agent.ts";
import { ModelError } from "../../base/errors.ts";
import { duration, type OptionRules } from "../../base/options/check-options.ts";

/** Options of every model client that streams. */
export interface StreamLimits {
  /**
   * Longest time without an event of a streamed answer, in milliseconds. Then it counts as a lost connection, and is asked
   * for again. `Infinity` for none. @defaultValue 300,000
   */
  readonly idleTimeoutMs?: number;
}

/** `Infinity` is fine. */
export const STREAM_RULES: OptionRules<StreamLimits> = {
  idleTimeoutMs: duration,
};

/** One answer that is being streamed. End it when the answer has arrived, or failed. */
export class IdleLimit {
  /** Comes with the caller's signal, and at the limit. Pass it to the SDK, which then closes the connection. */
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #provider: string;
  readonly #idleMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastAt = 0;

  constructor(
    provider: string,
    signal: AbortSignal | undefined,
    { idleTimeoutMs = AGENT_DEFAULTS.idleTimeoutMs }: StreamLimits,
  ) {
    this.#provider = provider;
    this.#idleMs = idleTimeoutMs;
    this.signal = signal === undefined ? this.#over.signal : AbortSignal.any([signal, this.#over.signal]);
  }

  /** The error at the limit; `undefined` if it was not reached. */
  get error(): Error | undefined {
    return this.#over.signal.aborted ? (this.#over.signal.reason as Error) : undefined;
  }

  /** The answer began, or an event arrived. */
  moved(): void {
    this.#lastAt = performance.now();
    if (this.#timer === undefined && Number.isFinite(this.#idleMs)) this.#wait(this.#idleMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** One timer for all events: setting one for each would cost more than reading it. */
  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      const leftMs = this.#lastAt + this.#idleMs - performance.now();
      if (leftMs > 0) this.#wait(leftMs);
      else this.#over.abort(silent(this.#provider, this.#idleMs));
    }, ms);
  }
}

function silent(provider: string, idleMs: number): ModelError {
  return new ModelError(
    { kind: "network" },
    {
      message: `The answer of ${provider} had no event for ${idleMs} ms, although its connection is open.`,
      hint: "Ask again; if it happens often, look at what stands between you and the provider, or set a longer `idleTimeoutMs`.",
    },
  );
}
