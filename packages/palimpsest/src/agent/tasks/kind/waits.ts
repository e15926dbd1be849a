/**
 * Waits of tasks that talk to something outside: each has an end.
 */
import { TaskError } from "../../../base/errors.ts";
import type { Deadline } from "../../../ports/runtime.ts";

interface WaitLimits<Result> {
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Given a result that arrives after its time, which may have to be closed. */
  readonly late?: (result: Result) => void;
}

/** Does `work` within a time. Work that ignores its signal is not waited for. @throws `TaskError` where it takes too long */
export function within<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { deadline, timeoutMs, signal, late }: WaitLimits<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const inner = new AbortController();
    let isOver = false;
    const over = (): void => {
      isOver = true;
      cancel();
      signal?.removeEventListener("abort", onAbort);
    };
    const giveUp = (message: string): void => {
      over();
      const error = new TaskError("TASK_REFUSED", { message, hint: "Try again." });
      reject(error);
      inner.abort(error);
    };
    const onAbort = (): void => giveUp("The task was stopped.");
    const cancel = deadline.after(timeoutMs, () => giveUp(`It took longer than ${timeoutMs} ms.`));
    if (signal?.aborted === true) return onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    // In an async function, so that a throw becomes a rejection.
    (async () => work(inner.signal))().then(
      (result) => {
        if (isOver) return late?.(result);
        over();
        resolve(result);
      },
      (error: unknown) => {
        over();
        reject(error);
      },
    );
  });
}

/** Waits for a time, or until the signal. */
export function pause(
  ms: number,
  { deadline, signal }: { readonly deadline: Deadline; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel();
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const cancel = deadline.after(ms, wake);
    if (signal.aborted) wake();
    else signal.addEventListener("abort", wake, { once: true });
  });
}
