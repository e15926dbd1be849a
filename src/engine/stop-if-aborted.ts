/** For long work that leaves nothing half done. */
import { SessionError } from "../base/errors.ts";

/** @throws `ABORTED` once the signal has come; `what` was stopped. */
export function stopIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted !== true) return;
  throw new SessionError("ABORTED", {
    message: `${what} was stopped before it was finished.`,
    hint: "Nothing is left of it; run it again.",
    cause: signal.reason,
  });
}
