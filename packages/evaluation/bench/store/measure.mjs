/**
 * One measurement in a separate process: `node measure.mjs '<task as JSON>'`, the result as JSON on stdout.
 *
 * - `appends`: the same messages through each library and bare, in turn, one by one.
 * - `write`: one long session, to be read by others.
 * - `read`: from nothing to the messages of the session, and the resources of that process.
 */
import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { quantile } from "../figures.mjs";
import { folderBytes, LIBRARIES, messageBytes, textOf } from "./libraries.mjs";

const task = JSON.parse(process.argv[2]);
const result = await { appends, write, read }[task.type](task);
process.stdout.write(JSON.stringify(result));
process.exit(0);

async function appends({ libraries, folder, dist, count, warmUp, isDurable }) {
  const loaded = await Promise.all(libraries.map((name) => LIBRARIES[name]({ dist })));
  const able = loaded.filter(({ canSync }) => !isDurable || canSync);
  // What is compiled by the thousandth call would be timed as interpreted where a peer allows hundreds only.
  const ours = able.slice(0, 1);
  await inTurn({ able: ours, folder: join(folder, "warm-up-ours"), count: 5_000, isDurable: false });
  await inTurn({ able, folder: join(folder, "warm-up"), count: warmUp, isDurable });
  return inTurn({ able, folder: join(folder, "timed"), count, isDurable });
}

async function inTurn({ able, folder, count, isDurable }) {
  const runs = [];
  for (const [place, { version, begin }] of [...able, { version: "bare", begin: beginBare }].entries()) {
    const own = join(folder, String(place));
    mkdirSync(own, { recursive: true });
    const session = await begin(own, { isDurable });
    runs.push({ version, own, session, before: folderBytes(own), times: [] });
  }
  let bytes = 0;
  for (let index = 1; index <= count; index++) {
    const text = textOf(index);
    bytes += messageBytes(text);
    for (const { session, times } of runs) {
      const from = performance.now();
      await session.append(index, text);
      if (isDurable) await session.sync();
      times.push(performance.now() - from);
    }
  }
  const figures = [];
  for (const { version, own, session, before, times } of runs) {
    // With the session still open, as it is while it is being written.
    const perByte = (folderBytes(own) - before) / bytes;
    await session.close();
    const last = quantile(times.slice(-Math.ceil(count / 10)), 0.5);
    figures.push({ version, p50: quantile(times, 0.5), p99: quantile(times, 0.99), last, perByte });
  }
  return figures;
}

/** As many bytes, written. */
function beginBare(folder) {
  const file = openSync(join(folder, "bare"), "a");
  const bytes = Buffer.alloc(messageBytes(textOf(1)), "x");
  return {
    append: () => writeSync(file, bytes),
    sync: () => fdatasyncSync(file),
    close: () => closeSync(file),
  };
}

async function write({ libraries: [name], dist, ...session }) {
  mkdirSync(session.folder, { recursive: true });
  const library = await LIBRARIES[name]({ dist });
  await library.write(session);
  return { diskBytes: folderBytes(session.folder) };
}

async function read({ libraries: [name], folder, dist }) {
  const library = await LIBRARIES[name]({ dist });
  const rssBefore = process.resourceUsage().maxRSS;
  const from = performance.now();
  const messages = await library.read(folder);
  const ms = performance.now() - from;
  const rss = process.resourceUsage().maxRSS;
  return {
    version: library.version,
    messages,
    ms,
    rssMegabytes: rss / 1_000,
    addedMegabytes: (rss - rssBefore) / 1_000,
  };
}
