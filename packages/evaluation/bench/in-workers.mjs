/** Measuring recorded sessions in several threads at once. */
import { Worker } from "node:worker_threads";

/**
 * The cells that `worker` makes of all sessions, the longest first, so that no thread is left with one at the
 * end. `onProgress` gets their number.
 */
export async function measureInWorkers(sessions, { worker: url, workerData, workers, onProgress }) {
  const waiting = sessions.toSorted(
    (one, other) => other.tokens * other.requests - one.tokens * one.requests,
  );
  const found = [];
  const work = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(url, { workerData });
      worker.on("error", reject);
      worker.on("message", ({ cells: measured }) => {
        if (measured !== undefined) found.push(...measured);
        onProgress(found.length);
        const next = waiting.shift();
        if (next !== undefined) worker.postMessage({ path: next.path, name: next.name });
        else worker.terminate().then(resolve, reject);
      });
    });
  await Promise.all(Array.from({ length: workers }, work));
  return found;
}
