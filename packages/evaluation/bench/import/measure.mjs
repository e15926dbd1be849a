/**
 * One row of the import bench, alone in its process: `measure.mjs FOLDER_OF_MODULES FILE WORK`, as JSON on the
 * standard output. Times are of the processor, so that other programs of the machine do not count.
 */
import { readFileSync } from "node:fs";
import { importerOf } from "../import-recording.mjs";

const [dist, file, work] = process.argv.slice(2);
const importFile = await importerOf((path) => import(new URL(path, dist).href));

/** What has to stay while it is measured. */
const kept = [];
const WORKS = {
  "parse and forget": () => eachLine((text) => JSON.parse(text)),
  "parse and keep": () => eachLine((text) => kept.push(JSON.parse(text))),
  import: async () => kept.push(await importFile(file)),
};

const before = process.cpuUsage();
await WORKS[work]();
const { user, system } = process.cpuUsage(before);
const messages = kept[0]?.sessions?.[0]?.items.filter(({ type }) => type === "message").length;
console.log(
  JSON.stringify({
    cpuMs: (user + system) / 1_000,
    maxRssMegabytes: process.resourceUsage().maxRSS / 1_024,
    ...(messages === undefined ? {} : { messages }),
  }),
);

function eachLine(use) {
  const bytes = readFileSync(file);
  for (let start = 0, end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    use(bytes.toString("utf8", start, end));
    start = end + 1;
  }
}
