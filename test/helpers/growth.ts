/**
 * Measures how long work takes, for tests that claim linear time. It counts the processor's time, because on a
 * busy machine a process mostly waits. Disturbances only make work slower, so one round that is fast enough is
 * proof; the work is measured again only until then.
 */
const ROUNDS = 24;
/** The small work is cheap, and its first time is slowed down by what is not compiled yet. */
const SMALL_TIMES = 3;

/**
 * Returns how many times as long the large work takes as the small one, each at its fastest. Ends with the
 * first round in which it is less than `enough`. The small work counts for at least `leastMs`.
 */
export function growth(
  small: () => unknown,
  large: () => unknown,
  { enough, leastMs }: { readonly enough: number; readonly leastMs: number },
  /** The time that one round took; a test of this helper counts steps in its place. */
  measure: (work: () => unknown) => number = workedMs,
): number {
  let smallMs = Infinity;
  let largeMs = Infinity;
  // In turns, so that what disturbs the process slows both down.
  for (let round = 0; round < ROUNDS; round++) {
    for (let time = 0; time < SMALL_TIMES; time++) smallMs = Math.min(smallMs, measure(small));
    largeMs = Math.min(largeMs, measure(large));
    if (largeMs < Math.max(smallMs, leastMs) * enough) break;
  }
  return largeMs / Math.max(smallMs, leastMs);
}

/** The fastest of a few times; ends with the first that takes less than `enoughMs`. */
export function fastestMs(
  work: () => unknown,
  enoughMs: number,
  measure: (work: () => unknown) => number = workedMs,
): number {
  let fastest = Infinity;
  for (let round = 0; round < ROUNDS && fastest >= enoughMs; round++)
    fastest = Math.min(fastest, measure(work));
  return fastest;
}

function workedMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
