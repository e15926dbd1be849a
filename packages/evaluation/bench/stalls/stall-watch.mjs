/**
 * Watches the event loop: how long whatever ran kept timers waiting, as a histogram.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const RESOLUTION_MS = 1;
const EDGES_MS = [2, 5, 10, 20, 50, 100];

/** Runs `work` and resolves with its result and the delays of a timer meanwhile, in milliseconds. */
export async function watchStalls(work) {
  // What ran before, and the first garbage of it, is not this work's.
  collect();
  await sleep(20);
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  await sleep(5);
  const result = await work();
  await sleep(5);
  delays.disable();
  return { result, stalls: summary(delays) };
}

function summary(delays) {
  const ms = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const buckets = {};
  let before = 0;
  for (const edge of [...EDGES_MS, Number.POSITIVE_INFINITY]) {
    const upTo = countUpTo(delays, (edge + RESOLUTION_MS) * 1e6);
    buckets[edge === Number.POSITIVE_INFINITY ? `> ${EDGES_MS.at(-1)}` : `<= ${edge}`] = upTo - before;
    before = upTo;
  }
  return { p50: ms(delays.percentile(50)), p99: ms(delays.percentile(99)), max: ms(delays.max), buckets };
}

/** The histogram tells values by percentile only. */
function countUpTo(delays, nanoseconds) {
  if (delays.max <= nanoseconds) return delays.count;
  let share = 0;
  for (const [percentile, value] of delays.percentiles) if (value <= nanoseconds) share = percentile;
  return Math.round((delays.count * share) / 100);
}

/** `12 <= 2, 3 <= 5 …`, without empty buckets. */
export function histogram({ buckets }) {
  return Object.entries(buckets)
    .filter(([, count]) => count > 0)
    .map(([edge, count]) => `${count} ${edge}`)
    .join(", ");
}
