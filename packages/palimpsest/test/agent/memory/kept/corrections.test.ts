/** The frozen tables of corrections and parallel facts (`packages/evaluation/bench/memory/tables`). */
import { describe, expect, it } from "vitest";
import { extractByModel } from "#agent/memory/extraction/model-extraction.ts";
import { PersistentMemory } from "#agent/memory/persistent-memory.ts";
import { extractByRules } from "#memory/extraction/rule-extractor.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import {
  measureCorrectionTable,
  measureParallelFacts,
} from "../../../../../evaluation/bench/memory/kept.mjs";

const library = { PersistentMemory, inMemoryMemoryStore, extractByModel, extractByRules };

describe("the table of corrections", () => {
  it("has the newer fact first with a model that says what it corrects, and never the stale one alone", async () => {
    const results = await measureCorrectionTable(library, "model");
    expect(results).toHaveLength(212);
    expect(results.filter(({ isFirst }) => isFirst).length).toBeGreaterThanOrEqual(210);
    expect(results.filter(({ isStale }) => isStale)).toEqual([]);
    expect(results.filter(({ othersSuperseded }) => othersSuperseded > 0)).toEqual([]);
  });

  it("has the newer fact first by rules in most, and supersedes nothing else", async () => {
    const results = await measureCorrectionTable(library, "rules");
    // 129 and 19 before there were rules for stated changes.
    expect(results.filter(({ isFirst }) => isFirst).length).toBeGreaterThanOrEqual(205);
    expect(results.filter(({ isStale }) => isStale).length).toBeLessThanOrEqual(2);
    expect(results.filter(({ othersSuperseded }) => othersSuperseded > 0)).toEqual([]);
  });
});

describe("the table of parallel facts", () => {
  it.each(["rules", "model"] as const)("has none that supersedes another one, by %s", async (by) => {
    const results = await measureParallelFacts(library, by);
    expect(results).toHaveLength(560);
    expect(results.filter(({ isSuperseded, isMerged }) => isSuperseded || isMerged)).toEqual([]);
  });
});
