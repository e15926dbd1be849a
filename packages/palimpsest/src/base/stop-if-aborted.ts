/**
 * Checks of an `AbortSignal` for long work that undoes itself when it is stopped, such as an import or an export.
 */
import { SessionError } from "./errors.ts";

/** The text of the error that a caller gets when work is stopped. */
export interface Stopped {
  /** The work, as the subject of a sentence: `The import`. */
  readonly what: string;
  /** @defaultValue advice to run it again, because no partial result is left */
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

/** @throws `SessionError` `ABORTED` if the signal is aborted. */
export function stopIfAborted(signal: AbortSignal | undefined, stopped: string | Stopped): void {
  if (signal?.aborted !== true) return;
  const stop = typeof stopped === "string" ? { what: stopped } : stopped;
  throw abortedError({ cause: signal.reason, ...stop });
}
