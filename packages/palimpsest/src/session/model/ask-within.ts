/**
 * Limits a wait: it ends with an answer, an error, the time limit or an abort.
 */
import { ModelError } from "../../base/errors.ts";
import type { Deadline } from "../../ports/runtime.ts";

export interface AskLimits {
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What it ends with at the time limit. @defaultValue the error of a model that is too slow */
  readonly timeoutError?: Error;
}

/**
 * Does `work`, which gets a signal that comes with the time limit or with the caller's own. Work that ignores
 * the signal is not waited for.
 */
export function askWithin<Answer>(
  work: (signal: AbortSignal) => Promise<Answer>,
  { deadline, timeoutMs, signal, timeoutError }: AskLimits,
): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const inner = new AbortController();
    const onAbort = (): void => end(signal?.reason ?? inner.signal.reason);
    const cancel = deadline.after(timeoutMs, () => end(timeoutError ?? tooSlow(timeoutMs)));
    const finish = (): void => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    };
    const end = (error: unknown): void => {
      // Work that does not heed its signal may never settle, and nothing is to wait for it.
      finish();
      reject(error);
      inner.abort(error);
    };
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    // In an async step, so that a throw becomes a rejection.
    Promise.resolve()
      .then(() => {
        inner.signal.throwIfAborted();
        return work(inner.signal);
      })
      .then(resolve, reject)
      .finally(finish);
  });
}

function tooSlow(timeoutMs: number): ModelError {
  return new ModelError(
    { kind: "timeout" },
    {
      message: `The model did not answer within ${timeoutMs} ms.`,
      hint: "Try again, or set a longer time limit.",
    },
  );
}
