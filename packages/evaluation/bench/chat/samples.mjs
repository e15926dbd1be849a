/** Samples what the processor does in this process, and adds it up by who asked for it. */
import { Session } from "node:inspector/promises";
import { quantile } from "../figures.mjs";

const INTERVAL_US = 500;
const LONGEST_SAMPLE_US = 2 * INTERVAL_US;

/** Functions of the system that wait for the disk, while the processor does other things. */
const DISK = new Set(["fsync", "fdatasync"]);

/**
 * Begins. `turnEnded` marks the end of a turn. `end` resolves with milliseconds a turn, as means: `own` (our packages), `disk`
 * (they wait until the log is durable), `sdk` (installed packages) and `node` (Node alone); and `ownP50`, the median of own.
 */
export async function sampleProcessor() {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: INTERVAL_US });
  await session.post("Profiler.start");
  // The clock of the profile, in its unit.
  const ends = [];
  return {
    turnEnded: () => ends.push(Number(process.hrtime.bigint() / 1_000n)),
    end: async () => {
      const { profile } = await session.post("Profiler.stop");
      session.disconnect();
      return addUp(profile, ends);
    },
  };
}

function addUp({ nodes, samples, timeDeltas, startTime }, ends) {
  const whose = new Map();
  const visit = new Map(nodes.map((node) => [node.id, node]));
  const walk = [[nodes[0], "node"]];
  for (let next = walk.pop(); next !== undefined; next = walk.pop()) {
    const [node, caller] = next;
    // What a function of Node does is done for the file that called it; HTTP is always Node's.
    const who = ownerOf(node.callFrame) ?? caller;
    const { functionName } = node.callFrame;
    whose.set(node.id, functionName === "(idle)" ? undefined : DISK.has(functionName) ? "disk" : who);
    for (const id of node.children ?? []) walk.push([visit.get(id), who]);
  }
  const spentMs = { own: 0, disk: 0, sdk: 0, node: 0 };
  const ownOfTurns = ends.map(() => 0);
  let at = startTime;
  let turn = 0;
  samples.forEach((id, index) => {
    at += timeDeltas[index];
    while (turn < ends.length && at > ends[turn]) turn++;
    const who = whose.get(id);
    if (who === undefined) return;
    // A gap between two samples is time in which the process did not run.
    const ms = Math.min(timeDeltas[index], LONGEST_SAMPLE_US) / 1_000;
    spentMs[who] += ms;
    if (who === "own" && turn < ends.length) ownOfTurns[turn] += ms;
  });
  const means = Object.entries(spentMs).map(([who, sumMs]) => [who, sumMs / ends.length]);
  return { ...Object.fromEntries(means), ownP50: quantile(ownOfTurns, 0.5) };
}

function ownerOf({ url }) {
  if (/[/]palimpsest(?:-cli)?[/]dist[/]/.test(url)) return "own";
  if (/^node:internal[/]deps[/]undici/.test(url)) return "node";
  return url.startsWith("file:") && !url.includes("/bench/") ? "sdk" : undefined;
}
