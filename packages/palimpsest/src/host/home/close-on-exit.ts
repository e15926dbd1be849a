/**
 * Closing what is open when the process is told to end.
 *
 * STATES. *watching* → the first signal, or nothing being left to do → *closing*, within a bound → our
 * handlers are taken away and the signal is raised again, so that the process ends as if nobody had
 * handled it and its parent sees by which signal. A second signal ends it at once. Nothing acknowledged
 * rests on any of this: it is in the kernel already, and what is lost without it is a tidy end.
 */
import { constants } from "node:os";
import { HOME_DEFAULTS } from "../../base/defaults/home.ts";

type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";
const SIGNALS: readonly Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];
/** What a shell makes of a signal. */
const SIGNAL_EXIT_CODE = 128;

/** Calls `close` once before the process ends, and waits for it. Returns what takes that back. */
export function closeOnExit(
  close: () => Promise<void>,
  { limitMs = HOME_DEFAULTS.exitCloseMs }: { readonly limitMs?: number } = {},
): () => void {
  let closing: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => {
    closing ??= within(limitMs, close);
    return closing;
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (closing !== undefined) process.exit(SIGNAL_EXIT_CODE + constants.signals[signal]);
    void closeOnce().then(() => {
      stopWatching();
      // Somebody else handles it, too, and decides how the process ends.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  };
  const onIdle = (): void => void closeOnce();
  const stopWatching = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    process.off("beforeExit", onIdle);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on("beforeExit", onIdle);
  return stopWatching;
}

/** Ends when the work has ended, well or not, and at the limit. */
function within(limitMs: number, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    // Who ends the process is told nothing any more; every append has told its caller already.
    work().then(end, end);
  });
}
