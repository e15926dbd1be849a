/**
 * Recorded memories: what a search finds of them without a model, and whether a fact that corrects another one
 * wins. The figures are held loosely; `packages/evaluation/bench/memory` prints them with every setting.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createMemorySearch } from "#base/search/memory-search.ts";
import { aPersistentMemory, DAY_MS } from "#test/agent/memory/a-persistent-memory.ts";
import { corpusFolder, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { isLong } from "../../../../test/helpers/size-of-run.ts";

function readLines<Line>(file: string): readonly Line[] {
  const text = gunzipSync(readFileSync(join(corpusFolder, "memory", file))).toString();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

interface Correction {
  readonly input: string;
  readonly agent_args: {
    readonly extra: {
      readonly facts: readonly string[];
      readonly contradicting_fact: string;
      readonly supporting_fact_indices: readonly number[];
    };
  };
}

interface Outcome {
  /** The new one is recalled, and before the old ones. */
  readonly isWon: boolean;
  /** None of the old ones is recalled, and the new one is found. */
  readonly isAlone: boolean;
  readonly correctedCount: number;
  readonly unrelatedSuperseded: number;
  readonly unrelated: number;
}

/** Remembers ten facts, a day later one that contradicts some of them, and asks what it is about. */
async function correct({ input, agent_args }: Correction, isNamed: boolean): Promise<Outcome> {
  const { facts, contradicting_fact: correction, supporting_fact_indices: wrong } = agent_args.extra;
  const { memory, clock } = aPersistentMemory();
  const pathOf: (string | undefined)[] = [];
  for (const fact of facts) pathOf.push((await memory.remember(fact, { source: "user" })).path);
  clock.nowMs += DAY_MS;
  const old = new Set(wrong.map((index) => pathOf[index]!));
  const receipt = isNamed
    ? await memory.supersede([...old], correction, { source: "user" })
    : await memory.remember(correction, { source: "user" });
  const order = (await memory.recall(input)).memories.map(({ path }) => path);
  const firstOld = order.findIndex((path) => old.has(path));
  const at = order.indexOf(receipt.path!);
  const unrelatedSuperseded = receipt.superseded.filter((path) => !old.has(path)).length;
  const correctedCount = receipt.superseded.length - unrelatedSuperseded;
  const isWon = at !== -1 && (firstOld === -1 || at < firstOld);
  const found = await memory.search(input, { limit: 20 });
  const isAlone = firstOld === -1 && found.some(({ path }) => path === receipt.path);
  return { isWon, isAlone, correctedCount, unrelatedSuperseded, unrelated: facts.length - old.size };
}

describe.skipIf(!hasCorpus)("facts that correct others (skipped without the corpus)", () => {
  const all = hasCorpus ? readLines<Correction>("letta-core-memory/core_memory_update.jsonl.gz") : [];
  const some = all.filter((_, index) => index % (isLong ? 3 : 72) === 0);

  it("win in four of five when they are only remembered, and take the place of nothing else", async () => {
    const outcomes: Outcome[] = [];
    for (const one of some) outcomes.push(await correct(one, false));
    const sum = (part: (outcome: Outcome) => number) => outcomes.reduce((total, one) => total + part(one), 0);
    const won = sum(({ isWon }) => Number(isWon)) / some.length;
    const superseded = sum((one) => one.unrelatedSuperseded) / sum((one) => one.unrelated);
    console.log(
      `${some.length} corrections: ${(100 * won).toFixed(1)} % won, ${sum((one) => one.correctedCount)} superseded; ` +
        `${(100 * superseded).toFixed(2)} % of unrelated facts superseded`,
    );
    expect(won).toBeGreaterThanOrEqual(0.8);
    expect(superseded).toBeLessThanOrEqual(0.005);
  });

  it("stand alone when they are said to supersede those", async () => {
    for (const one of some.filter((_, index) => index % 4 === 0))
      expect((await correct(one, true)).isAlone, one.input).toBe(true);
  });
});

interface HardQuestion {
  readonly question: string;
  readonly evidence_session_ids: readonly string[];
  readonly haystack_session_ids: readonly string[];
  readonly baseline: { readonly top10: readonly string[] };
}

interface HardTurn {
  readonly id: string;
  readonly session_id: string;
  readonly text: string;
}

describe.skipIf(!hasCorpus)("hard questions about long conversations (skipped without the corpus)", () => {
  it("are answered by turns that words alone rank above where an embedding did", () => {
    const turns = readLines<HardTurn>("longmemeval-s-hard236/docs.jsonl.gz");
    const sessionOf = new Map(turns.map(({ id, session_id }) => [id, session_id]));
    const search = createMemorySearch();
    for (const { id, text } of turns) search.set(id, { body: text });

    const ours = { first: 0, reciprocal: 0 };
    const baseline = { first: 0, reciprocal: 0 };
    for (const question of readLines<HardQuestion>("longmemeval-s-hard236/queries.jsonl.gz")) {
      const evidence = new Set(question.evidence_session_ids);
      const haystack = new Set(question.haystack_session_ids);
      // A turn of an evidence session that itself has the answer: the data set's own mark, in its id.
      const isGold = (id: string) => id.startsWith("answer_") && evidence.has(sessionOf.get(id)!);
      const score = (sums: typeof ours, ids: readonly string[]) => {
        const rank = ids.findIndex(isGold);
        sums.first += Number(rank === 0);
        sums.reciprocal += rank === -1 ? 0 : 1 / (rank + 1);
      };
      const accepts = (id: string) => haystack.has(sessionOf.get(id)!);
      score(
        ours,
        search.search(question.question, { limit: 10, accepts }).map(({ id }) => id),
      );
      score(baseline, question.baseline.top10);
    }
    expect(ours.first).toBeGreaterThan(1.15 * baseline.first);
    expect(ours.reciprocal).toBeGreaterThan(1.08 * baseline.reciprocal);
  });
});
