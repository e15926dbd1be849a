/**
 * The file store beside the session stores of other libraries: appends in one process with each peer, in
 * turn, and opening long sessions in separate processes.
 *
 * A peer that is not installed, or wants a newer Node, is reported and left out.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, ms, table } from "../figures.mjs";

const MESSAGE_BYTES = 1_000;
const KEPT_MESSAGES = 1_000;
const READS = 3;

const PACKAGES = {
  langgraph: "@langchain/langgraph-checkpoint-sqlite",
  pi: "@earendil-works/pi-coding-agent",
};
export const PEERS = Object.keys(PACKAGES);

/** The Node that pi requires; `npx` brings it if this Node is older. */
const NODE_OF_PI = { atLeast: [22, 19], package: "node@24" };

/**
 * Appends with which each peer is timed. A checkpoint of LangGraph holds all messages, so a thread of
 * n messages takes n²/2 KB on the disk.
 */
const APPENDS = {
  langgraph: { count: 500, durable: 200, warmUp: 100 },
  pi: { count: 5_000, durable: 0, warmUp: 2_000 },
};

/** `{ appends, openings, missing }` of the peers named. */
export function measurePeers({ peers, folder, dist, megabytes, tell }) {
  const appends = [];
  const openings = [];
  const missing = [];
  const able = [];
  for (const peer of peers) {
    const node = nodeFor(peer);
    if (node.reason === undefined) able.push({ peer, ...node });
    else missing.push({ peer, reason: node.reason });
  }
  const setting = { folder, dist: dist.href, tell };
  if (able.length === 0) return { appends, openings, missing };
  for (const one of able) appends.push(...appendsBeside(one, setting));
  for (const size of megabytes)
    for (const isCompacted of [false, true])
      for (const one of [{ peer: "palimpsest", path: process.execPath }, ...able])
        openings.push(opening(one, { ...setting, size, isCompacted }));
  return { appends, openings, missing };
}

function nodeFor(peer) {
  if (!existsSync(new URL(`node_modules/${PACKAGES[peer]}`, import.meta.url)))
    return { reason: "not installed: npm ci --prefix packages/evaluation/bench/store" };
  if (peer !== "pi") return { path: process.execPath };
  const [major, minor] = process.versions.node.split(".").map(Number);
  const [leastMajor, leastMinor] = NODE_OF_PI.atLeast;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return { path: process.execPath };
  try {
    const command = ["--yes", "--package", NODE_OF_PI.package, "node", "-p", "process.execPath"];
    return {
      path: execFileSync("npx", command, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim(),
    };
  } catch {
    return {
      reason: `needs Node ${NODE_OF_PI.atLeast.join(".")}, and ${NODE_OF_PI.package} could not be had`,
    };
  }
}

function appendsBeside({ peer, path }, { folder, dist, tell }) {
  const { count, durable, warmUp } = APPENDS[peer];
  const rounds = [
    { isDurable: false, count },
    { isDurable: true, count: durable },
  ].filter((round) => round.count > 0);
  return rounds.map((round) => {
    tell(`${peer}, ${round.count} appends${round.isDurable ? ", durable" : ""} …`);
    const own = join(folder, `appends-${peer}`);
    const libraries = ["palimpsest", peer];
    const figures = run(path, { type: "appends", libraries, folder: own, dist, warmUp, ...round });
    rmSync(own, { recursive: true, force: true });
    return { peer, ...round, figures };
  });
}

/** The session is written once, and each reading is a separate process. */
function opening({ peer, path }, { folder, dist, size, isCompacted, tell }) {
  tell(`${peer}, a session of ${size} MB${isCompacted ? ", compacted" : ""} …`);
  const own = join(folder, `long-${peer}`);
  const count = (size * 1_000_000) / MESSAGE_BYTES;
  const task = { libraries: [peer], folder: own, dist };
  const compactAfter = isCompacted ? count - KEPT_MESSAGES : undefined;
  const written = run(path, { type: "write", ...task, count, compactAfter });
  const reads = Array.from({ length: READS }, () => run(path, { type: "read", ...task }));
  rmSync(own, { recursive: true, force: true });
  const { version, messages } = reads[0];
  const rssMegabytes = median(reads.map((one) => one.rssMegabytes));
  return {
    version,
    size,
    isCompacted,
    messages,
    ms: median(reads.map((one) => one.ms)),
    rssMegabytes,
    ...written,
  };
}

function run(node, task) {
  const script = fileURLToPath(new URL("measure.mjs", import.meta.url));
  const flags = ["--max-old-space-size=8000", "--no-warnings", script, JSON.stringify(task)];
  const { status, stdout, stderr } = spawnSync(node, flags, { encoding: "utf8", maxBuffer: 1e8 });
  if (status !== 0) throw new Error(`${task.type} of ${task.libraries} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

export function printPeers({ appends, openings, missing }) {
  for (const { peer, reason } of missing) console.log(`\n${peer}: ${reason}.`);
  for (const { peer, isDurable, count, figures } of appends) {
    const what = isDurable ? "durable" : "acknowledged";
    console.log(`\nBeside ${peer}: ${count} messages of 1 KB, one by one, ${what}; microseconds.\n`);
    const ours = figures[0];
    const us = (value) => ms(value * 1_000);
    const row = ({ version, p50, p99, last, perByte }) => [
      version,
      us(p50),
      us(p99),
      us(last),
      (p50 / ours.p50).toFixed(1),
      perByte.toFixed(2),
    ];
    const head = ["", "p50", "p99", "p50 of the last tenth", "× ours", "bytes on disk / byte of message"];
    console.log(table([head, ...figures.map(row)]));
  }
  if (openings.length === 0) return;
  console.log(`\nFrom nothing to the messages of a session, a process each (median of ${READS}).\n`);
  const row = ({ version, size, isCompacted, messages, rssMegabytes, diskBytes, ...one }) => [
    `${version}, ${size} MB, ${isCompacted ? "compacted 1 MB before its end" : "all of it in the window"}`,
    messages,
    ms(one.ms),
    rssMegabytes.toFixed(0),
    (diskBytes / 1_000_000).toFixed(0),
  ];
  console.log(table([["", "messages", "ms", "RSS, MB", "on disk, MB"], ...openings.map(row)]));
}
