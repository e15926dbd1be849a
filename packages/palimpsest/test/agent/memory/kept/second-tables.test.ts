/** The tables that were written later (`packages/evaluation/bench/memory/tables/second`): what is kept and corrected. */
import { describe, expect, it } from "vitest";
import { extractByModel } from "#agent/memory/extraction/model-extraction.ts";
import { PersistentMemory } from "#agent/memory/persistent-memory.ts";
import { judgeSupersede } from "#memory/consolidation/dream-claims.ts";
import { extractByRules } from "#memory/extraction/rule-extractor.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { aMemory } from "#test/memory/consolidation/a-memory.ts";
import {
  measureCorrectionTable,
  measureParallelFacts,
  measureStatementsByRules,
} from "../../../../../evaluation/bench/memory/kept.mjs";

const library = { PersistentMemory, inMemoryMemoryStore, extractByModel, extractByRules };

describe("the second tables", () => {
  it.each([
    { by: "rules", isFirst: 205, isStale: 1 },
    { by: "model", isFirst: 207, isStale: 0 },
  ] as const)("have corrections whose newer fact is recalled first, by $by", async ({ by, ...expected }) => {
    const results = await measureCorrectionTable(library, by, "second/");
    expect(results.filter((row) => row.isFirst).length).toBeGreaterThanOrEqual(expected.isFirst);
    expect(results.filter((row) => row.isStale).length).toBeLessThanOrEqual(expected.isStale);
    expect(results.filter((row) => row.othersSuperseded > 0)).toEqual([]);
  });

  it.each(["rules", "model"] as const)("have parallel facts that stay side by side, by %s", async (by) => {
    const results = await measureParallelFacts(library, by, "second/");
    expect(results).toHaveLength(460);
    expect(results.filter(({ isSuperseded, isMerged }) => isSuperseded || isMerged)).toEqual([]);
    const user = (body: string, createdAtMs: number, path: string) =>
      aMemory({ body, createdAtMs, path, source: "user" });
    const inDreams = results.filter(
      ({ one, other }) => judgeSupersede(user(other, 2_000, "b.md"), user(one, 1_000, "a.md")).isAllowed,
    );
    expect(inDreams).toEqual([]);
  });

  it("have statements that are kept where they have an explicit cue, and nothing else of them", () => {
    const results = measureStatementsByRules(library, "second/");
    const isKept = ({ kept }: { readonly kept: readonly string[] }) => kept.length > 0;
    expect(results.filter((row) => row.verdict === "keep" && isKept(row))).toHaveLength(94);
    expect(results.filter((row) => row.verdict === "drop" && isKept(row))).toEqual([]);
  });
});
