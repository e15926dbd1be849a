/**
 * Many sessions in one process for a long time: nothing that was acknowledged is lost, heap and open files stay level,
 * and the event loop is not held up. `npm run soak` has 200 sessions for 20 minutes; usually there are few, for seconds.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { nodeSessions } from "palimpsest";
import { expect, it } from "vitest";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { liveOn, type SoakCounts } from "./soaked-session.ts";

const SESSIONS_COUNT = bySize({ usual: 6, long: 40, soak: 200 });
const FOR_MS = bySize({ usual: 1_000, long: 30_000, soak: 1_200_000 });
const THINK_MS = bySize({ usual: 5, long: 200, soak: 1_000 });
const CALLS_OF_SESSION = bySize({ usual: 30, long: 60, soak: 100 });
const SAMPLES_COUNT = bySize({ usual: 8, long: 12 });
/** Acknowledged entries. */
const LEAST_COUNT = 3 * SESSIONS_COUNT;
const DELAY_P99_LIMIT_MS = 20;
/** The first samples are of sessions that all began at the same time. */
const LEVEL_FROM = 4;

interface Sample {
  readonly heapBytes: number;
  readonly openFiles: number;
}

it(`stays level with ${SESSIONS_COUNT} sessions and loses nothing`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-soak-"));
  const counts: SoakCounts = {
    ...{ calls: 0, sessions: 0, searches: 0, rewinds: 0, compacted: 0, reopened: 0 },
    ...{ acknowledged: 0, lost: 0 },
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const samples: Sample[] = [];
  let isOver = false;
  try {
    const sessions = nodeSessions({ folder });
    const collect = garbageCollection();
    const lives = Array.from({ length: SESSIONS_COUNT }, (_, index) =>
      liveOn(`agent-${index}`, {
        ...{ sessions, folder, counts, thinkMs: THINK_MS, isOver: () => isOver },
        random: randomOf(index + 1),
        // Of different lengths, so that they do not all end at the same time.
        callsOfSession: Math.ceil(CALLS_OF_SESSION * (0.5 + (index % 7) / 7)),
      }),
    );
    const all = Promise.all(lives);
    // On a machine that is very busy it takes longer until there is something to judge.
    for (let sample = 0; sample < SAMPLES_COUNT || counts.acknowledged <= LEAST_COUNT; sample++) {
      delay.enable();
      await Promise.race([sleep(FOR_MS / SAMPLES_COUNT), all]);
      // A whole collection is the test's own pause.
      delay.disable();
      collect();
      samples.push({ heapBytes: process.memoryUsage().heapUsed, openFiles: openFiles() });
    }
    isOver = true;
    await all;
  } finally {
    isOver = true;
    rmSync(folder, { recursive: true, force: true });
  }
  const p99Ms = delay.percentile(99) / 1e6;
  console.log(`soak: ${JSON.stringify({ ...counts, p99Ms, maxMs: delay.max / 1e6, samples })}`);
  expect(counts.lost).toBe(0);
  expect(counts.acknowledged).toBeGreaterThan(LEAST_COUNT);
  const level = samples.slice(LEVEL_FROM);
  const [early, late] = [level.slice(0, level.length / 2), level.slice(level.length / 2)];
  const most = (some: readonly Sample[], key: keyof Sample) => Math.max(...some.map((sample) => sample[key]));
  expect(most(late, "heapBytes")).toBeLessThan(1.3 * most(early, "heapBytes"));
  expect(most(late, "openFiles")).toBeLessThanOrEqual(most(early, "openFiles") + SESSIONS_COUNT / 2 + 10);
  // In the short forms other tests run beside it, on all processors.
  const isJudged = bySize({ usual: false, long: false, soak: true });
  if (isJudged) expect(p99Ms).toBeLessThanOrEqual(DELAY_P99_LIMIT_MS);
});

function openFiles(): number {
  const folder = "/proc/self/fd";
  return existsSync(folder) ? readdirSync(folder).length : 0;
}

function garbageCollection(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

/** Marsaglia's xorshift. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
