/**
 * Measures the time to build and to search an index of very many made-up memories: words by Zipf's law, three
 * parts each, with and without conversations. Times are of this machine and of one thread; the processor's
 * time is beside them, because on a busy machine a process mostly waits.
 */
import { quantile } from "../figures.mjs";

const WORDS_COUNT = 40_000;
const QUERIES_COUNT = 1_000;

export function measureSpeed(createMemorySearch, count, isConversation) {
  const random = randomFrom(7);
  const words = Array.from({ length: WORDS_COUNT }, () => madeUpWord(random));
  const wordOf = () =>
    words[Math.min(WORDS_COUNT - 1, Math.floor(Math.exp(random() * Math.log(WORDS_COUNT))) - 1)];
  const text = (length) => Array.from({ length }, wordOf).join(" ");
  const memories = Array.from({ length: count }, (_, index) => ({
    name: text(4),
    description: text(9),
    body: text(30),
    ...(isConversation
      ? { group: `g${Math.floor(index / 20)}`, before: index % 20 === 0 ? undefined : `m${index - 1}` }
      : {}),
  }));
  const queries = Array.from({ length: QUERIES_COUNT }, () => text(3 + Math.floor(random() * 8)));

  const buildCpu = process.cpuUsage();
  const started = performance.now();
  const search = createMemorySearch();
  for (const [index, memory] of memories.entries()) search.set(`m${index}`, memory);
  const buildMs = performance.now() - started;
  const { user: buildUs } = process.cpuUsage(buildCpu);

  for (const query of queries.slice(0, 100)) search.search(query, { limit: 10 });
  const searchCpu = process.cpuUsage();
  const times = queries.map((query) => {
    const before = performance.now();
    search.search(query, { limit: 10 });
    return performance.now() - before;
  });
  const { user: searchUs } = process.cpuUsage(searchCpu);
  return {
    name: `${count.toLocaleString("en")}${isConversation ? ", of conversations" : ""}`,
    buildMs,
    buildCpuMs: buildUs / 1_000,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    meanCpuMs: searchUs / 1_000 / QUERIES_COUNT,
  };
}

function madeUpWord(random) {
  const letters = "etaoinshrdlcumwfgypbvk";
  const length = 3 + Math.floor(random() * 7);
  return Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join("");
}

function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (state + 1) / 2_147_483_649;
  };
}
