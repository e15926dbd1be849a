/**
 * Measures the cost of preparing a call in a long session.
 *
 * Claim: with at most 3 new messages, `session.prepare` takes the same time however long the history is, from
 * 100 to 50,000 messages, in a window of 200K tokens that is compacted as the session grows. Every session is
 * lived through call by call (store in memory, usage reported after each answer); then calls are timed one by
 * one, `callCount` at each size. Beside it, in the same run, the code that users of other libraries run
 * before a call over their list of all messages: LangChain's `trimMessages` and the AI SDK's `pruneMessages`.
 * These two trim or prune a list and do nothing else; ours also stores the messages and the call, counts
 * tokens, repairs the request, checks it and compacts.
 *
 * Calls are listed by kind, because an average would hide it: *plain* calls, in which no layer rewrote
 * anything (passes that looked and found too little are among them); *rewrites*; and all of them.
 *
 *   npm run build && npm ci --prefix packages/evaluation/bench/prepare-call && npm run bench:prepare
 *
 * Options: --sizes 100,1000,10000,50000 · --calls 2000 · --peers none · --cap 60 (seconds that a peer may
 * take at one size) · --dist DIR (`build/node_modules` of another checkout) · --json (the figures instead of
 * the tables).
 */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { growthExponent, machine, median, ms, quantile, table } from "../figures.mjs";
import { timeCalls } from "./live-session.mjs";
import { PEERS, timePeer } from "./peers.mjs";

const { values: options } = parseArgs({
  options: {
    sizes: { type: "string", default: "100,1000,10000,50000" },
    calls: { type: "string", default: "2000" },
    peers: { type: "string", default: PEERS.join(",") },
    cap: { type: "string", default: "60" },
    dist: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const sizes = options.sizes.split(",").map(Number);
const callCount = Number(options.calls);
const peers = options.peers === "none" ? [] : options.peers.split(",");
const PEER_REPETITIONS = 20;
const WARM_UP = { size: 2_000, callCount: 200 };

if (peers.length > 0 && !existsSync(new URL("node_modules", import.meta.url))) {
  console.error(
    "The peers are not installed: npm ci --prefix packages/evaluation/bench/prepare-call (or --peers none).",
  );
  process.exit(1);
}
const dist =
  options.dist === undefined
    ? new URL("../../../../build/node_modules/", import.meta.url)
    : pathToFileURL(`${options.dist}/`);
const palimpsest = await import(new URL("palimpsest/dist/entries/index.js", dist).href);

const tell = (text) => console.error(text);
const ours = await measureOurs();
const others = await measurePeers();
const growth = growthOf(ours);
if (options.json)
  console.log(JSON.stringify({ machine: machine(), ours, growth, peers: others }, undefined, 2));
else printTables();

async function measureOurs() {
  await timeCalls({ palimpsest, ...WARM_UP });
  const measured = [];
  for (const size of sizes) {
    tell(`${size} messages …`);
    const { calls, lived } = await timeCalls({ palimpsest, size, callCount });
    const plain = calls.filter((call) => call.rewrites === 0);
    const rewrites = calls.filter((call) => call.rewrites > 0);
    measured.push({
      size,
      ...lived,
      newMessages: {
        mean: sum(calls, (call) => call.messages) / calls.length,
        most: most(calls, (call) => call.messages),
      },
      plain: figures(plain),
      rewrite: figures(rewrites),
      rewriteMsByLayer: byLayer(rewrites),
      all: figures(calls),
    });
  }
  return measured;
}

function figures(calls) {
  const of = (time) => {
    const times = calls.map(time);
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), max: quantile(times, 1) };
  };
  return {
    count: calls.length,
    prepareMs: of((call) => call.prepareMs),
    appendAndPrepareMs: of((call) => call.appendMs + call.prepareMs),
    recordAppendAndPrepareMs: of((call) => call.recordMs + call.appendMs + call.prepareMs),
  };
}

function byLayer(calls) {
  const groups = new Map();
  for (const call of calls) {
    const layers = call.layers.join(" + ");
    groups.set(layers, [...(groups.get(layers) ?? []), call]);
  }
  return Object.fromEntries(
    [...groups].map(([layers, group]) => {
      const times = group.map((call) => call.prepareMs);
      return [layers, { count: group.length, p50: median(times), max: quantile(times, 1) }];
    }),
  );
}

function growthOf(measured) {
  const small = measured.find(({ size }) => size >= 1_000);
  const large = measured.at(-1);
  if (small === undefined || large === small) return undefined;
  const cost = ({ plain }) => plain.prepareMs.p50;
  const exponent = growthExponent(
    { size: small.size, cost: cost(small) },
    { size: large.size, cost: cost(large) },
  );
  return { from: small.size, to: large.size, exponent };
}

async function measurePeers() {
  const measured = [];
  for (const peer of peers) {
    for (const size of sizes) {
      tell(`${peer}, ${size} messages …`);
      const capMs = Number(options.cap) * 1_000;
      const { version, times, isStopped } = await timePeer({
        peer,
        size,
        capMs,
        repetitions: PEER_REPETITIONS,
      });
      measured.push({
        peer,
        version,
        size,
        calls: times.length,
        isStopped,
        p50: median(times),
        max: quantile(times, 1),
      });
    }
  }
  return measured;
}

function printTables() {
  console.log(`Prepare a call, milliseconds. ${machine()}. ${callCount} calls a size.\n`);
  const triple = ({ p50, p99, max }) => [ms(p50), ms(p99), ms(max)];
  const rows = ours.flatMap(({ size, ...kinds }) =>
    ["plain", "rewrite", "all"]
      .filter((kind) => kinds[kind].count > 0)
      .map((kind) => [
        `${size} messages, ${kind}`,
        kinds[kind].count,
        ...triple(kinds[kind].prepareMs),
        ...triple(kinds[kind].appendAndPrepareMs),
        ...triple(kinds[kind].recordAppendAndPrepareMs).slice(0, 2),
      ]),
  );
  console.log(
    table([
      [
        "",
        "calls",
        "prepare p50",
        "p99",
        "max",
        "append + prepare p50",
        "p99",
        "max",
        "with record p50",
        "p99",
      ],
      ...rows,
    ]),
  );
  for (const { size, rewriteMsByLayer } of ours)
    for (const [layers, { count, p50, max }] of Object.entries(rewriteMsByLayer))
      console.log(`  ${size}: ${layers}: ${count} × p50 ${ms(p50)}, max ${ms(max)}`);
  const last = ours.at(-1);
  console.log(
    `\n${last.newMessages.mean.toFixed(1)} new messages a call (at most ${last.newMessages.most}); ` +
      `${sum(ours, (one) => one.rewrites)} rewrites were lived through before the timed calls.`,
  );
  if (growth !== undefined)
    console.log(
      `Growth of the plain p50 from ${growth.from} to ${growth.to} messages: N^${growth.exponent.toFixed(2)}.`,
    );
  if (others.length === 0) return;
  console.log(
    `\nPeers, over the list of all messages, milliseconds (p50; > = stopped after --cap ${options.cap} s):\n`,
  );
  console.log(
    table([
      ["", ...sizes],
      ["palimpsest, all calls", ...ours.map(({ all }) => ms(all.prepareMs.p50))],
      ...peers.map(peerRow),
    ]),
  );
}

function peerRow(peer) {
  const runs = others.filter((one) => one.peer === peer);
  const cell = ({ calls, p50, isStopped }) =>
    calls === 0 && isStopped ? `> ${Number(options.cap) * 1_000}` : ms(p50);
  return [`${peer} (${runs[0].version})`, ...runs.map(cell)];
}

function sum(items, value) {
  return items.reduce((total, item) => total + value(item), 0);
}

function most(items, value) {
  return items.reduce((largest, item) => Math.max(largest, value(item)), 0);
}
