/**
 * Measures what memory keeps and corrects, by the frozen tables (`tables.mjs`): by rules, and with a scripted model.
 *
 * One scripted model is good: it proposes what the table says. Another is wrong on purpose: it claims
 * that each of two parallel facts corrects the other, or proposes every message. What the library then does with its
 * proposals is measured, not the model.
 */
import { readCorrections, readParallelFacts, readStatements } from "./tables.mjs";

const DAY_MS = 86_400_000;
const START_MS = 1_772_409_600_000;
/** Other facts of the same language that are remembered before each correction. */
const OTHERS_COUNT = 6;

/**
 * Corrections: the newer fact is first if it is recalled, and before the older one. `stale` counts questions that
 * recall the older fact alone.
 */
export async function measureCorrectionTable(library, by, folder) {
  const rows = readCorrections(folder);
  const results = [];
  for (const [index, row] of rows.entries()) {
    const { memory, clock } = aMemory(library);
    const others = rows.filter(({ language }) => language === row.language);
    for (let step = 1; step <= OTHERS_COUNT; step++) {
      const other = others[(index + 7 * step) % others.length];
      if (other.kind !== row.kind) await memory.remember(other.older, { source: "user" });
    }
    const say = by === "rules" ? sayByRules : sayByModel;
    const { path: old } = await say(library, memory, row.older);
    clock.nowMs += DAY_MS;
    const receipt = await say(library, memory, row.newer, old);
    const order = (await memory.recall(row.question)).memories.map(({ path }) => path);
    const at = order.indexOf(receipt.path);
    const oldAt = receipt.path === old ? -1 : order.indexOf(old);
    results.push({
      ...row,
      isFirst: at !== -1 && (oldAt === -1 || at < oldAt),
      isStale: at === -1 && oldAt !== -1,
      isShown: at !== -1,
      isSuperseded: receipt.superseded.includes(old),
      othersSuperseded: receipt.superseded.filter((path) => path !== old).length,
    });
  }
  return results;
}

/** Parallel facts: none may supersede the other, or count as a repetition of it. */
export async function measureParallelFacts(library, by, folder) {
  const results = [];
  for (const row of readParallelFacts(folder)) {
    const { memory, clock } = aMemory(library);
    const say = by === "rules" ? sayByRules : sayByModel;
    const { path: old } = await say(library, memory, row.one);
    clock.nowMs += DAY_MS;
    // The model is wrong: it claims a correction.
    const { status, superseded } = await say(library, memory, row.other, old);
    results.push({ ...row, isSuperseded: superseded.length > 0, isMerged: status === "merged" });
  }
  return results;
}

/** All figures, by language and in all. */
export async function measureKept(library, folder) {
  const figures = {};
  for (const by of ["rules", "model"]) {
    const corrections = await measureCorrectionTable(library, by, folder);
    figures[`corrections by ${by}, newest first`] = count(corrections, ({ isFirst }) => isFirst);
    figures[`corrections by ${by}, the stale fact alone`] = count(corrections, ({ isStale }) => isStale);
    figures[`corrections by ${by}, superseded`] = count(corrections, ({ isSuperseded }) => isSuperseded);
    const parallel = await measureParallelFacts(library, by, folder);
    figures[`parallel facts by ${by}, superseded`] = count(parallel, ({ isSuperseded }) => isSuperseded);
  }
  const byRules = measureStatementsByRules(library, folder);
  const byModel = await measureStatementsByModel(library, folder);
  for (const verdict of ["keep", "learn", "drop"]) {
    const isOf = (row) => row.verdict === verdict;
    figures[`statements to ${verdict}, kept by rules`] = count(
      byRules.filter(isOf),
      ({ kept }) => kept.length > 0,
    );
    figures[`statements to ${verdict}, written for a model that proposes all`] = count(
      byModel.filter(isOf),
      ({ statuses }) => statuses.includes("written"),
    );
  }
  return figures;
}

function count(rows, isFound) {
  const counts = { all: { found: 0, of: 0 } };
  for (const row of rows) {
    counts[row.language] ??= { found: 0, of: 0 };
    for (const sums of [counts.all, counts[row.language]]) {
      sums.of++;
      sums.found += isFound(row) ? 1 : 0;
    }
  }
  return counts;
}

/** Statements by rules: what of each message is kept. */
export function measureStatementsByRules({ extractByRules }, folder) {
  return readStatements(folder).map((row) => {
    const { proposals } = extractByRules(asConversation(row.text));
    return { ...row, kept: proposals.map(({ body }) => body) };
  });
}

/** Statements with a scripted model that proposes every message word for word: what becomes of its proposals. */
export async function measureStatementsByModel(library, folder) {
  const results = [];
  for (const row of readStatements(folder)) {
    const { memory } = aMemory(library);
    const { receipts, refused, asked } = await extract(library, memory, row.text, undefined);
    results.push({ ...row, statuses: receipts.map(({ status }) => status), refused, asked });
  }
  return results;
}

async function sayByRules(_library, memory, text) {
  return memory.remember(text, { source: "user" });
}

async function sayByModel(library, memory, text, replaces) {
  const { receipts, refused } = await extract(library, memory, text, replaces);
  return receipts[0] ?? { status: "rejected", path: "", superseded: [], reason: refused.join(" ") };
}

async function extract({ extractByModel }, memory, text, replaces) {
  const asked = [];
  const input = {
    ...{ name: text.slice(0, 60), description: "", type: "project", text, messages: ["m1.0"] },
    ...(replaces === undefined ? {} : { replaces }),
  };
  const content = [{ type: "tool_use", id: "x1", name: "memory_write", input }];
  const client = {
    provider: "scripted",
    model: "scripted",
    generate: async (request) => {
      asked.push(request);
      return { messages: [{ role: "assistant", content }], stopReason: "tool-use" };
    },
  };
  const world = { client, memory, deadline: DEADLINE, sessionId: "s1" };
  const { receipts, refused } = await extractByModel(world, asConversation(text), {
    ...{ limit: 20, quarantinedLimit: 10, signal: undefined },
    ...{ isKnown: () => false, timesOf: () => ({}) },
  });
  return { receipts, refused, asked };
}

const DEADLINE = { after: () => () => undefined };

function aMemory({ PersistentMemory, inMemoryMemoryStore }) {
  const clock = { nowMs: START_MS };
  const store = inMemoryMemoryStore();
  return { memory: new PersistentMemory({ store, deadline: DEADLINE, now: () => clock.nowMs }), clock };
}

const asConversation = (text) => [
  { id: "m1.0", message: { role: "user", origin: "user", content: [{ type: "text", text }] } },
];
