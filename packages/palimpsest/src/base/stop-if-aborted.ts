/** For long work that leaves nothing half done. */
import { SessionError } from "./errors.ts";

/** The work that was stopped, and a hint about it. */
export interface Stopped {
  /** As the subject of a sentence: `The import`. */
  readonly what: string;
  /** @defaultValue that nothing is left of it */
  readonly hint?: string;
  readonly cause?: unknown;
}

export function abortedError({ what, hint, cause }: Stopped): SessionError {
  return new SessionError("ABORTED", {
    message: `${what} was stopped before it was finished.`,
    hint: hint ?? "Nothing is left of it; run it again.",
    cause,
  });
}

/** @throws `ABORTED` once the signal has come. */
export function stopIfAborted(signal: AbortSignal | undefined, stopped: string | Stopped): void {
  if (signal?.aborted !== true) return;
  const stop = typeof stopped === "string" ? { what: stopped } : stopped;
  throw abortedError({ cause: signal.reason, ...stop });
}
