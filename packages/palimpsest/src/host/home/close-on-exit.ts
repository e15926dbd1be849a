/**
 * Closes sessions when the process receives a signal to end.
 *
 * STATES. *watching* → the first signal, or nothing being left to do → *closing*, within a bound → our
 * handlers are taken away and the signal is raised again, so that the process ends as if
 * unhandled and its parent sees by which signal. A second signal ends it at once. Acknowledged entries do not depend on
 * this: they are in the kernel already.
 */
import { constants } from "node:os";

/**
 * Longest time that open sessions may take to be closed when the process has to end, in milliseconds. Source: our
 * choice: half of the 10 seconds that container runtimes wait before they kill.
 */
const EXIT_CLOSE_MS = 5_000;

type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";
const SIGNALS: readonly Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Added to the number of a signal, as shells do. */
const SIGNAL_EXIT_CODE = 128;

/** All that is to be closed: the process has one handler for each signal, however many homes a program opens. */
const watched = new Set<{ readonly close: () => Promise<void> }>();
let closing: Promise<unknown> | undefined;

/** Calls `close` once before the process ends, and waits for it. Returns what takes that back. */
export function closeOnExit(close: () => Promise<void>): () => void {
  const one = { close };
  if (watched.size === 0) startWatching();
  watched.add(one);
  return () => {
    watched.delete(one);
    if (watched.size === 0) stopWatching();
  };
}

function startWatching(): void {
  closing = undefined;
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on("beforeExit", onIdle);
}

function stopWatching(): void {
  watched.clear();
  for (const signal of SIGNALS) process.off(signal, onSignal);
  process.off("beforeExit", onIdle);
}

function closeOnce(): Promise<unknown> {
  closing ??= Promise.all([...watched].map(({ close }) => withinLimit(close)));
  return closing;
}

function onSignal(signal: NodeJS.Signals): void {
  if (closing !== undefined) process.exit(SIGNAL_EXIT_CODE + constants.signals[signal]);
  void closeOnce().then(() => {
    stopWatching();
    // Another handler of the program decides how the process ends.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  });
}

const onIdle = (): void => void closeOnce();

/** Ends when the work has ended, well or not, and at the limit. */
function withinLimit(work: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, EXIT_CLOSE_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    // Errors are not reported at the end; each append has reported its own.
    work().then(end, end);
  });
}
