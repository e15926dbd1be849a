/**
 * Measures `palimpsest chat`: the time from its start to the prompt, its own share of a turn in a session of 10,000
 * messages, and its memory.
 *
 * Claims: the prompt takes keys within 250 ms of the start (warm: files are in the system's cache); a turn costs a few
 * milliseconds of our own, at 10,000 messages as at 1,000; the memory of a session stays level, also over more turns
 * than an hour has.
 *
 * The turns are those of the chat's own agent with its tools, a home on disk and the Anthropic SDK, over HTTP to a
 * scripted provider in another process. *Own* is the processor time in our packages, with what they call in Node, by
 * samples over the turns: the median, and the mean, in which the few turns with a compaction weigh more; *disk* is their
 * wait until the log is durable; *SDK* is the time of the vendor's SDK, *Node* the rest: HTTP, sockets, garbage. *Beside the requests* is the time of a turn in which no request is in the air:
 * with the SDK's work before it sends, and the disk.
 *
 * The heap is looked at after a collection. *Code* is the part of it that V8 made of the programs: compiled functions and
 * what it learned about them, which grows for as long as something runs for the first time or is compiled again. The rest
 * is larger in a fuller window, so the table has its size as well.
 *
 *   npm run build && npm run bench:chat
 *
 * Options: --starts 20 · --messages 10000 · --json (the figures instead of the tables).
 */
import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { getHeapCodeStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { machine, ms, quantile, table } from "../figures.mjs";
import { sampleProcessor } from "./samples.mjs";
import { timeStart } from "./start.mjs";

const { values: options } = parseArgs({
  options: {
    starts: { type: "string", default: "20" },
    messages: { type: "string", default: "10000" },
    json: { type: "boolean", default: false },
  },
});
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
/** Messages between two looks at the memory. */
const STEP = 1_000;

const root = mkdtempSync(join(tmpdir(), "bench-chat-"));
const folder = join(root, "workspace");
mkdirSync(folder);
const tides = Array.from({ length: 900 }, (_, index) => `${index} tide ${(index * 7_919) % 1_000}`);
writeFileSync(join(folder, "tides.log"), tides.join("\n"));

const provider = fork(fileURLToPath(new URL("provider.mjs", import.meta.url)));
const url = await new Promise((resolve) => provider.once("message", resolve));
const env = {
  ...{ PALIMPSEST_HOME: join(root, "home"), PATH: process.env.PATH },
  ...{ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: url },
};
try {
  const starts = await measureStarts();
  const sizes = await measureTurns();
  if (options.json) console.log(JSON.stringify({ machine: machine(), starts, sizes }, undefined, 2));
  else print(starts, sizes);
} finally {
  provider.disconnect();
  rmSync(root, { recursive: true, force: true });
}

async function measureStarts() {
  const seen = [];
  // The first one warms up.
  for (let index = 0; index <= Number(options.starts); index++) {
    const times = await timeStart({ folder, env, args: ["--model", "claude-opus-5-5"] });
    if (index > 0) seen.push(times);
  }
  const of = (name) => {
    const times = seen.map((times) => times[name]);
    return { least: quantile(times, 0), p50: quantile(times, 0.5), most: quantile(times, 1) };
  };
  return { prompt: of("prompt"), open: of("open") };
}

async function measureTurns() {
  const air = watchRequests();
  const module = "../../../../build/node_modules/palimpsest-cli/dist/chat/agent/open-chat.js";
  const { openChat } = await import(new URL(module, import.meta.url).href);
  let failure;
  const agent = await openChat({
    ...{ env, folder, session: { from: "new" }, model: "claude-opus-5-5", version: "1" },
    onEvent: (event) => {
      if (event.type === "turn-failed") failure = event.error;
    },
  });
  const sizes = [];
  let times = [];
  let shares = await sampleProcessor();
  for (let messages = 0, turn = 1; messages < Number(options.messages); turn++) {
    times.push(await timeTurn(agent, `Go on with part ${turn}.`, air));
    shares.turnEnded();
    if (failure !== undefined) throw failure;
    // Every second turn calls a tool, which makes two messages more.
    messages += turn % 2 === 0 ? 4 : 2;
    const isSize = Math.floor(messages / STEP) > sizes.length;
    if (!isSize) continue;
    collectGarbage();
    const code = getHeapCodeStatistics();
    const memory = {
      heapMb: process.memoryUsage().heapUsed / 1e6,
      codeMb: (code.code_and_metadata_size + code.bytecode_and_metadata_size) / 1e6,
      windowTokens: agent.session.context().usedTokens,
    };
    sizes.push({ messages, turns: turn, ...figures(times), ...(await shares.end()), ...memory });
    times = [];
    shares = await sampleProcessor();
    console.error(`${messages} messages …`);
  }
  await agent.close();
  return sizes;
}

async function timeTurn(agent, words, air) {
  air.begin();
  const begun = performance.now();
  await agent.send(words);
  return performance.now() - begun - air.end();
}

function figures(times) {
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** Adds up the time in which at least one request is in the air, until its answer is read. */
function watchRequests() {
  const send = globalThis.fetch;
  let open = 0;
  let since = 0;
  let total = 0;
  const left = () => {
    if (open++ === 0) since = performance.now();
  };
  const arrived = () => {
    if (--open === 0) total += performance.now() - since;
  };
  globalThis.fetch = async (...args) => {
    left();
    const response = await send(...args).catch((error) => {
      arrived();
      throw error;
    });
    if (response.body === null) {
      arrived();
      return response;
    }
    const body = response.body.pipeThrough(new TransformStream({ flush: arrived }));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
  return {
    begin: () => {
      total = 0;
      since = performance.now();
    },
    end: () => total + (open > 0 ? performance.now() - since : 0),
  };
}

function print({ prompt, open }, sizes) {
  console.log(`palimpsest chat. ${machine()}.\n`);
  const three = ({ least, p50, most }) => [ms(least), ms(p50), ms(most)];
  console.log(
    table([
      ["start, ms", "least", "p50", "most"],
      ["to the prompt", ...three(prompt)],
      ["to the open session", ...three(open)],
    ]),
  );
  console.log(
    `\n${table([
      [
        ...[
          "messages",
          "turns",
          "own p50",
          "own ms",
          "disk ms",
          "SDK ms",
          "Node ms",
          "beside the requests p50",
          "p99",
        ],
        ...["heap MB", "of it code", "window"],
      ],
      ...sizes.map(
        ({ messages, turns, ownP50, own, disk, sdk, node, p50, p99, heapMb, codeMb, windowTokens }) => [
          ...[messages, turns, ms(ownP50), ms(own), ms(disk), ms(sdk), ms(node), ms(p50), ms(p99)],
          ...[heapMb.toFixed(1), codeMb.toFixed(1), `${Math.round(windowTokens / 1_000)}K`],
        ],
      ),
    ])}`,
  );
}
